//! The lines of CodinGame's Oware: at each turn a program reads twelve numbers of seeds, its own pits
//! first and then the opponent's, in sowing order, and writes the number of a pit, 0–5.
//!
//! Such a program plays one game and knows no end: it is started for each game, and killed after it.

use super::{Dialect, Program};
use crate::cli::exit::Failure;
use crate::protocol::{NewGameRequest, TurnRequest};
use serde_json::json;
use std::ffi::OsString;

/// The answer to `hello` and `new-game`: such a program has no name.
const READY: &str = "{\"type\":\"ready\"}\n";

/// A program with these lines.
pub struct Codingame {
    words: Vec<OsString>,
    /// The process of the game.
    program: Option<Program>,
}

impl Codingame {
    /// The program with these words, which is started later.
    pub const fn new(words: Vec<OsString>) -> Self {
        let program = None;
        Self { words, program }
    }
}

impl Dialect for Codingame {
    fn hello(&mut self) -> Result<String, Failure> {
        Ok(READY.to_owned())
    }

    fn new_game(&mut self, _: &NewGameRequest) -> Result<String, Failure> {
        // The earlier process ends first.
        self.program = None;
        self.program = Some(Program::start(&self.words)?);
        Ok(READY.to_owned())
    }

    fn turn(&mut self, request: &TurnRequest) -> Result<String, Failure> {
        let running = self.program.take();
        let running = running.map_or_else(|| Program::start(&self.words), Ok)?;
        let program = self.program.insert(running);
        if program.has_output() {
            // It was not asked for: the referee judges the line.
            return Ok(format!("{}\n", program.read()));
        }
        program.write(&question(request));
        Ok(answer(&program.read(), request.turn))
    }

    fn game_over(&mut self) {
        self.program = None;
    }

    fn quit(self: Box<Self>) {}
}

/// The line of a turn.
fn question(request: &TurnRequest) -> String {
    request.board.map(|seeds| seeds.to_string()).join(" ")
}

/// The referee's line for a program's line: a move, or what is no number as it is.
fn answer(line: &str, turn: u32) -> String {
    match line.trim().parse::<i64>() {
        Ok(pit) => format!("{}\n", json!({ "type": "move", "pit": pit, "turn": turn })),
        Err(_) => format!("{line}\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{BotAnswer, parse_turn_answer};

    #[test]
    fn boards_are_written_and_pits_read() {
        let request = TurnRequest {
            turn: 6,
            board: [0, 10, 0, 5, 0, 1, 2, 1, 1, 2, 2, 1],
            stores: [18, 5],
            legal: vec![1, 3, 5],
            last: None,
            position: String::new(),
            clock: crate::protocol::TurnClock::default(),
        };
        assert_eq!(question(&request), "0 10 0 5 0 1 2 1 1 2 2 1");
        for (line, expected) in [
            ("3", Some(3)),
            (" 0 ", Some(0)),
            ("+5", Some(5)),
            // Illegal, which the referee says.
            ("7", Some(7)),
            ("-1", Some(-1)),
            ("", None),
            ("3 4", None),
            ("WAIT", None),
            ("99999999999999999999", None),
        ] {
            let answer = answer(line, 6);
            let answer = answer.strip_suffix('\n').unwrap();
            let read = parse_turn_answer(answer.as_bytes(), 6);
            let found = match &read {
                Ok(BotAnswer::Move { pit, .. }) => Some(*pit),
                _ => None,
            };
            assert_eq!(found, expected, "{line:?}");
            if expected.is_none() {
                assert_eq!(answer, line, "it is passed on as it is");
            }
        }
    }
}
