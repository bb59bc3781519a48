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

/// Prints one event as one line. A reader that has gone does not stop a tournament.
pub fn emit(event: &Value) {
    let _ = try_emit(event);
}

/// The same; returns whether it could be written.
pub fn try_emit(event: &Value) -> io::Result<()> {
    let mut event = event.clone();
    event["v"] = json!(EVENTS);
    let mut out = io::stdout().lock();
    writeln!(out, "{event}").and_then(|()| out.flush())
}
