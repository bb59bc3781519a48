//! Finds the mistake behind a fault: beginners' mistakes have typical symptoms.

use crate::protocol::{Mistake, parse_ready, parse_turn_answer};
use crate::record::{Fault, FaultKind, hint};
use crate::referee::Turn;
use crate::rules::{Pit, Side};

/// What is known when a bot is at fault.
#[derive(Debug)]
pub struct DiagnosisInput<'a> {
    pub fault: &'a Fault,
    /// The turn, if the request was one.
    pub turn: Option<&'a Turn>,
    /// The last line that it wrote.
    pub last_line: Option<&'a [u8]>,
    /// Output that came only after the end of the input.
    pub came_late: Option<&'a [u8]>,
    /// Its standard error.
    pub log: &'a [u8],
}

impl DiagnosisInput<'_> {
    /// What the fault looks like, in a sentence for the bot's author; hostile text.
    pub fn hint(&self) -> Option<String> {
        let came_late = self.came_late.unwrap_or_default();
        if came_late.trim_ascii().is_empty()
            && let Some(hint) = hint(self.fault.kind, &self.fault.detail)
        {
            return Some(hint.to_owned());
        }
        match self.fault.kind {
            FaultKind::Timeout => Some(self.silence().to_owned()),
            FaultKind::BadOutput if self.fault.is_unasked => Some(self.unasked().to_owned()),
            FaultKind::BadOutput => Some(self.bad_line().to_owned()),
            FaultKind::IllegalMove => self.illegal_move(),
            FaultKind::Crash => self.crash(),
            FaultKind::StartFailure
            | FaultKind::MemoryLimit
            | FaultKind::ProcessLimit
            | FaultKind::OutputLimit
            | FaultKind::BusyOffTurn
            | FaultKind::BlocksStarts => None,
        }
    }

    fn silence(&self) -> &'static str {
        let late = String::from_utf8_lossy(self.came_late.unwrap_or_default());
        let answers = ["ready", "move", "resign"];
        match late.trim_end_matches(['\r', ' ']) {
            "" => {
                "nothing came, even after the end of the input: does it wait for another line, or \
                 never reach the answer?"
            }
            text if !answers.iter().any(|word| text.contains(word)) => {
                "what it wrote is not a complete answer"
            }
            text if text.ends_with('\n') => {
                "the answer came only when its input ended: it does not flush its output, or \
                 reads all of its input before it answers; print(…, flush=True) in Python, \
                 fflush(stdout) in C, System.out.flush() in Java"
            }
            _ => "the answer has no newline at its end",
        }
    }

    fn unasked(&self) -> &'static str {
        let line = self.last_line.unwrap_or_default();
        let text = String::from_utf8_lossy(line);
        if text.trim().is_empty() {
            "an empty line: a newline too many, as print(text + \"\\n\") writes"
        } else if text.trim_start().starts_with('{') {
            "an answer too many: each question has one answer, game-over and quit have none"
        } else {
            "debug text on standard output: print it to standard error, as in print(…, \
             file=sys.stderr), console.error(…), fprintf(stderr, …)"
        }
    }

    fn bad_line(&self) -> &'static str {
        let text = String::from_utf8_lossy(self.last_line.unwrap_or_default()).into_owned();
        let text = text.trim();
        let mistake = self.mistake();
        if text.is_empty() {
            "an empty line: a newline too many, as print(text + \"\\n\") writes"
        } else if text.starts_with("{'") {
            "that is a dictionary as Python prints it: json.dumps makes JSON of it"
        } else if !text.starts_with('{') && text.len() <= 2 {
            "the answer is a whole object, {\"type\":\"move\",\"pit\":3}, not the pit alone"
        } else if !text.starts_with('{') {
            "debug text on standard output: every line there is an answer; print it to standard \
             error, as in print(…, file=sys.stderr), console.error(…), fprintf(stderr, …)"
        } else if self.turn.is_none() && mistake == Some(Mistake::OtherType) {
            "hello and new-game are answered with {\"type\":\"ready\"}, turn with a move"
        } else if mistake == Some(Mistake::PitIsText) {
            "`pit` is a number from 0 to 5, not a letter and not a text"
        } else if mistake == Some(Mistake::PitIsFraction) {
            "`pit` is a whole number: 3, not 3.0"
        } else if mistake == Some(Mistake::NoPit) {
            "the move has no `pit`"
        } else if mistake == Some(Mistake::OtherTurn) {
            "`turn` must be the number that the question has, or be left out"
        } else {
            "each answer is one JSON object on one line, with its `type`"
        }
    }

    /// The mistake in its last line as an answer to its last request.
    fn mistake(&self) -> Option<Mistake> {
        let line = self.last_line?;
        let error = match self.turn {
            Some(turn) => parse_turn_answer(line, turn.turn).err(),
            None => parse_ready(line).err(),
        };
        error.map(|error| error.mistake)
    }

    fn illegal_move(&self) -> Option<String> {
        let turn = self.turn?;
        let pit = pit_of(self.last_line?)?;
        let side = turn.position.to_move();
        let is_legal = |number: i64| {
            turn.legal
                .iter()
                .any(|pit| i64::from(pit.row_index()) == number)
        };
        let seeds = |side: Side| {
            let pit = Pit::in_row(side, u8::try_from(pit).ok()?)?;
            Some(turn.position.seeds(pit))
        };
        let own_seeds = seeds(side);
        Some(match own_seeds {
            None if pit == 6 && is_legal(5) => one_too_many(),
            None if (6..12).contains(&pit) => {
                "pits 6 to 11 of `board` are the opponent's: 0 to 5 are your own on both sides, \
                 and `pit` is one of them"
                    .to_owned()
            }
            None => "pits have the numbers 0 to 5".to_owned(),
            Some(0) if is_legal(pit - 1) => one_too_many(),
            Some(0) if seeds(side.opponent()).is_some_and(|seeds| seeds > 0) => {
                "your own pit is empty and the opponent's of that number is not: do you look at \
                 the wrong side's pits? `board` is turned for you, `position` is not"
                    .to_owned()
            }
            Some(0) => "that pit is empty: choose out of `legal`".to_owned(),
            Some(_) => {
                "that pit holds seeds, but the rules forbid the move: choose out of `legal`, it is \
                 always right"
                    .to_owned()
            }
        })
    }

    /// What happened says already how it ended.
    fn crash(&self) -> Option<String> {
        let is_silent = self.log.trim_ascii().is_empty();
        is_silent.then(|| {
            "it said nothing on standard error; run it by hand with these lines".to_owned()
        })
    }
}

fn one_too_many() -> String {
    "one too many: pits are counted from 0 to 5, not from 1 to 6".to_owned()
}

/// The pit in a line that is a move.
fn pit_of(line: &[u8]) -> Option<i64> {
    let value: serde_json::Value = serde_json::from_slice(line).ok()?;
    value.get("pit")?.as_i64()
}
