//! What an answer to a recorded request is worth now, as a referee would judge it.

use crate::protocol::{BotAnswer, parse_ready, parse_turn_answer};
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

/// What an answer is worth.
#[derive(Debug, PartialEq, Eq)]
pub struct AnswerVerdict {
    pub words: String,
    /// Whether the rules accept it.
    pub is_right: bool,
    /// Whether it is a move, legal or not.
    pub is_move: bool,
}

impl AnswerVerdict {
    fn new(words: String, is_right: bool) -> Self {
        Self {
            words,
            is_right,
            is_move: false,
        }
    }

    fn wrong(words: &str) -> Self {
        Self::new(words.to_owned(), false)
    }
}

/// Judges the answer to this request. `after` is the time from the request to the last byte.
pub fn verdict(request: &[u8], answer: &[u8], after: Duration) -> AnswerVerdict {
    let Ok(asked) = serde_json::from_slice::<LastRequest>(request) else {
        return AnswerVerdict::wrong("the last request is no message");
    };
    let Some(end) = answer.iter().position(|byte| *byte == b'\n') else {
        return AnswerVerdict::wrong("no answer");
    };
    let (line, rest) = (&answer[..end], &answer[end + 1..]);
    let mut verdict = match asked.kind.as_str() {
        "turn" => of_turn(line, &asked),
        "hello" | "new-game" => match parse_ready(line) {
            Ok(_) => AnswerVerdict::new("ready".to_owned(), true),
            Err(error) => AnswerVerdict::wrong(&printable(&error.to_string())),
        },
        _ => AnswerVerdict::wrong("an answer to a message that has none"),
    };
    if rest.is_empty() {
        let ms = after.as_secs_f64() * 1e3;
        verdict.words = format!("{}, after {ms:.1} ms", verdict.words);
    } else {
        verdict.words += ", and more output than asked for";
        verdict.is_right = false;
    }
    verdict
}

fn of_turn(line: &[u8], asked: &LastRequest) -> AnswerVerdict {
    match parse_turn_answer(line, asked.turn) {
        Ok(BotAnswer::Move { pit, .. }) => {
            let is_right = asked.legal.contains(&pit);
            let legal = if is_right { "legal" } else { "not legal" };
            AnswerVerdict {
                is_move: true,
                ..AnswerVerdict::new(format!("pit {pit}, {legal}"), is_right)
            }
        }
        Ok(BotAnswer::Resign) => AnswerVerdict::new("it resigns".to_owned(), true),
        Err(error) => AnswerVerdict::wrong(&printable(&error.to_string())),
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
                (said.words.as_str(), said.is_right),
                (words, is_right),
                "{answer:?}"
            );
        }
        let said = verdict(turn, b"\x1b[2J\n", Duration::ZERO);
        assert!(!said.is_right && !said.words.contains('\u{1b}'), "{said:?}");
    }
}
