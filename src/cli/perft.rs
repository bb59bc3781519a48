//! `awale perft`: counts on standard output, with the total alone in the last line or as JSON;
//! times on standard error.

use super::args::PerftArguments;
use super::exit::{Exit, Failure, say, tell};
use super::rule_args;
use crate::rules::{self, Pit, Position};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::time::Instant;

pub fn perft(arguments: &PerftArguments) -> Result<Exit, Failure> {
    let rules = rule_args::rules(&arguments.rules)?;
    let position = match &arguments.position {
        None => Position::START,
        Some(text) => text
            .parse()
            .map_err(|error| Failure::usage(format!("--position {text:?}: {error}")))?,
    };
    let started = Instant::now();
    let parts = if arguments.divide {
        rules::divide(&rules, position, arguments.depth)
    } else {
        Vec::new()
    };
    let total = if arguments.divide && arguments.depth > 0 {
        parts.iter().map(|(_, count)| count).sum()
    } else {
        rules::perft(&rules, position, arguments.depth)
    };
    let seconds = started.elapsed().as_secs_f64();

    let mut text = String::new();
    if arguments.json {
        text = format!("{}\n", as_json(arguments, position, &parts, total));
    } else {
        for (pit, count) in &parts {
            let _ = writeln!(text, "{pit} {count}");
        }
        let _ = writeln!(text, "{total}");
    }
    say(&text)?;
    let rate = total as f64 / seconds.max(1e-9) / 1e6;
    tell(&format!(
        "{seconds:.3} s, {rate:.1} million leaves per second"
    ));
    Ok(Exit::Done)
}

/// The counts as one object; `divide` has the count below each first move, if it was asked for.
fn as_json(
    arguments: &PerftArguments,
    position: Position,
    parts: &[(Pit, u64)],
    total: u64,
) -> Value {
    let mut object = json!({
        "position": position.to_string(),
        "depth": arguments.depth,
        "count": total,
    });
    if arguments.divide {
        let parts = parts.iter();
        let parts = parts.map(|(pit, count)| (pit.to_string(), Value::from(*count)));
        object["divide"] = Value::Object(parts.collect::<Map<String, Value>>());
    }
    object
}
