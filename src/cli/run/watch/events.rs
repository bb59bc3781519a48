//! The events of `--json`: one object per line on standard output.

use crate::record::GameRecord;
use crate::rules::GameResult;
use serde_json::{Value, json};
use std::io::{self, Write as _};

/// The version of the events of `--json`. Removing a field or changing its meaning raises it.
const EVENTS: u32 = 2;

pub fn game_event(record: &GameRecord) -> Value {
    let [south, north] = &record.entrants;
    json!({
        "event": "game",
        "game": record.id.to_string(),
        "attempt": record.attempt,
        "south": south,
        "north": north,
        "result": record.result().map(GameResult::name),
        "ending": record.ending.name(),
        "fault_side": record.fault().map(|(side, _)| side.name()),
        "plies": record.plies.len(),
        "stores": record.stores,
    })
}

/// Prints an event as one line of standard output.
pub fn try_emit(event: &Value) -> io::Result<()> {
    print(&versioned(event.clone()))
}

/// An event with the version of its form.
pub fn versioned(mut event: Value) -> Value {
    event["v"] = json!(EVENTS);
    event
}

/// Prints a whole event.
pub fn print(event: &Value) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{event}").and_then(|()| out.flush())
}
