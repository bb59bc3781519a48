//! What an answer to a recorded request is worth now, as a referee would judge it.

use super::program::SURPLUS;
use crate::protocol::{BotAnswer, parse_ready, parse_turn_answer};
use crate::record::FaultKind;
use crate::text::printable;
use serde::Deserialize;
use std::time::Duration;

/// The meanings of two answers.
pub const READY: &str = "ready";
pub const RESIGNS: &str = "it resigns";

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

/// What an answer is worth.
#[derive(Debug, PartialEq, Eq)]
pub struct AnswerVerdict {
    /// `ready`, `pit 3`, `it resigns`, or what is wrong.
    pub meaning: String,
    /// The same with the remarks of a referee.
    pub words: String,
    /// Its fault, as far as it has one without a clock and limits.
    pub fault: Option<FaultKind>,
}

/// Judges the answer to this request. `after` is the time from the request to the last byte.
pub fn verdict(request: &[u8], answer: &[u8], after: Duration) -> AnswerVerdict {
    let Ok(asked) = serde_json::from_slice::<LastRequest>(request) else {
        let meaning = "the last request is no message".to_owned();
        return AnswerVerdict {
            words: meaning.clone(),
            meaning,
            fault: Some(FaultKind::BadOutput),
        };
    };
    let (line, rest) = match answer.iter().position(|byte| *byte == b'\n') {
        Some(end) => (Some(&answer[..end]), &answer[end + 1..]),
        None => (None, answer),
    };
    let (meaning, remark, fault) = judged(&asked, line, answer.len());
    let ms = after.as_secs_f64() * 1e3;
    let (end, fault) = match (line, rest) {
        (None, _) => (String::new(), fault),
        (_, []) => (format!(", after {ms:.1} ms"), fault),
        _ => {
            let end = ", and more output than asked for".to_owned();
            (end, Some(FaultKind::BadOutput))
        }
    };
    AnswerVerdict {
        words: format!("{meaning}{remark}{end}"),
        meaning,
        fault,
    }
}

/// The meaning of an answer, a remark on it, and its fault.
fn judged(
    asked: &LastRequest,
    line: Option<&[u8]>,
    bytes: usize,
) -> (String, &'static str, Option<FaultKind>) {
    let bad = |error: &dyn ToString| {
        let reason = printable(&error.to_string());
        (reason, "", Some(FaultKind::BadOutput))
    };
    let Some(line) = line else {
        let fault = if bytes >= SURPLUS {
            FaultKind::OutputLimit
        } else {
            FaultKind::Timeout
        };
        return ("no answer".to_owned(), "", Some(fault));
    };
    match asked.kind.as_str() {
        "turn" => match parse_turn_answer(line, asked.turn) {
            Ok(BotAnswer::Move { pit, .. }) if asked.legal.contains(&pit) => {
                (format!("pit {pit}"), ", legal", None)
            }
            Ok(BotAnswer::Move { pit, .. }) => {
                let fault = Some(FaultKind::IllegalMove);
                (format!("pit {pit}"), ", not legal", fault)
            }
            Ok(BotAnswer::Resign) => (RESIGNS.to_owned(), "", None),
            Err(error) => bad(&error),
        },
        "hello" | "new-game" => match parse_ready(line) {
            Ok(_) => (READY.to_owned(), "", None),
            Err(error) => bad(&error),
        },
        _ => bad(&"an answer to a message that has none"),
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
            assert_eq!(
                (said.words.as_str(), said.fault.is_none()),
                (words, is_right),
                "{answer:?}"
            );
        }
        let said = verdict(turn, b"\x1b[2J\n", Duration::ZERO);
        assert!(
            said.fault.is_some() && !said.words.contains('\u{1b}'),
            "{said:?}"
        );
    }
}
