//! What the answer to the last recorded request is worth now: whether the fault is gone.

use crate::protocol::{BotAnswer, parse_ready, parse_turn_answer};
use crate::record::FaultKind;
use crate::text::printable;
use serde::Deserialize;
use std::time::Duration;

/// The parts of a `turn` that decide whether an answer is legal.
#[derive(Debug, Deserialize)]
struct LastRequest {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    turn: u32,
    #[serde(default)]
    legal: Vec<i64>,
}

/// The answer to this request in words, and whether the rules accept it. `after` is the time from
/// the request to the last byte.
pub fn verdict(request: &[u8], answer: &[u8], after: Duration) -> (String, bool) {
    let Ok(asked) = serde_json::from_slice::<LastRequest>(request) else {
        return ("the last request is no message".to_owned(), false);
    };
    let Some(end) = answer.iter().position(|byte| *byte == b'\n') else {
        return ("no answer".to_owned(), false);
    };
    let (line, rest) = (&answer[..end], &answer[end + 1..]);
    let (words, is_right) = match asked.kind.as_str() {
        "turn" => of_turn(line, &asked),
        "hello" | "new-game" => match parse_ready(line) {
            Ok(_) => ("ready".to_owned(), true),
            Err(error) => (printable(&error.to_string()), false),
        },
        _ => ("an answer to a message that has none".to_owned(), false),
    };
    if !rest.is_empty() {
        return (format!("{words}, and more output than asked for"), false);
    }
    (
        format!("{words}, after {:.1} ms", after.as_secs_f64() * 1e3),
        is_right,
    )
}

fn of_turn(line: &[u8], asked: &LastRequest) -> (String, bool) {
    match parse_turn_answer(line, asked.turn) {
        Ok(BotAnswer::Move { pit, .. }) if asked.legal.contains(&pit) => {
            (format!("pit {pit}, legal"), true)
        }
        Ok(BotAnswer::Move { pit, .. }) => (format!("pit {pit}, not legal"), false),
        Ok(BotAnswer::Resign) => ("it resigns".to_owned(), true),
        Err(error) => (printable(&error.to_string()), false),
    }
}

/// What follows for a fault of this kind if the answer is right. Time is not measured as a referee
/// does it.
pub fn conclusion(fault: &str) -> &'static str {
    let of_time = [FaultKind::Timeout, FaultKind::BusyOffTurn];
    if of_time.iter().any(|kind| fault.starts_with(kind.name())) {
        "the answer is right; whether it is in time, a game decides"
    } else {
        "the fault is gone"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_judged_as_a_referee_would() {
        let turn = br#"{"type":"turn","turn":4,"legal":[0,2]}"#;
        let hello = br#"{"type":"hello","protocol":1}"#;
        for (request, answer, words, is_right) in [
            (
                turn.as_slice(),
                "{\"type\":\"move\",\"pit\":2}\n",
                "pit 2, legal, after 5.0 ms",
                true,
            ),
            (
                turn,
                "{\"type\":\"move\",\"pit\":1}\n",
                "pit 1, not legal, after 5.0 ms",
                false,
            ),
            (
                turn,
                "{\"type\":\"resign\"}\n",
                "it resigns, after 5.0 ms",
                true,
            ),
            (turn, "{\"type\":\"move\",\"pit\":2}", "no answer", false),
            (turn, "", "no answer", false),
            (
                turn,
                "{\"type\":\"move\",\"pit\":2}\ndebug\n",
                "pit 2, legal, and more output than asked for",
                false,
            ),
            (hello, "{\"type\":\"ready\"}\n", "ready, after 5.0 ms", true),
            (b"garbage", "x\n", "the last request is no message", false),
        ] {
            let said = verdict(request, answer.as_bytes(), Duration::from_millis(5));
            assert_eq!(said, (words.to_owned(), is_right), "{answer:?}");
        }
        let (words, is_right) = verdict(turn, b"\x1b[2J\n", Duration::ZERO);
        assert!(!is_right && !words.contains('\u{1b}'), "{words:?}");
    }
}
