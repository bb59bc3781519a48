//! What a bot was sent in a run, and what it answered: from the folder of a fault, byte for byte, or
//! from a journal, by the moves.

use super::program::{BUSY_HOST, LONGEST_SILENCE};
use crate::record::{FaultKind, GameEnding, GameRecord, ProcessEnd};
use crate::rules::Side;
use std::time::Duration;

/// How long a bot may be silent if the recording has no time for that answer.
const SILENCE: Duration = Duration::from_secs(1);
/// How long output after `game-over` is waited for, which nothing has asked for.
const AFTERMATH: Duration = Duration::from_millis(100);

/// What a bot answered then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordedAnswer {
    /// These bytes: complete lines, or part of one.
    Bytes(Vec<u8>),
    /// This meaning, as of a journal: `pit 3`.
    Meant(String),
    /// Nothing that was played: in this request the game ended by a fault, or it was void.
    End,
    /// Nothing was asked.
    NotAsked,
}

impl RecordedAnswer {
    /// The number of complete lines.
    pub fn lines(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.iter().filter(|&&byte| byte == b'\n').count(),
            _ => 1,
        }
    }

    /// The recorded bytes; none of a journal's answer.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Bytes(bytes) => bytes,
            _ => &[],
        }
    }
}

/// A request that a bot was sent, and what it answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The request's `type` and the number of its turn, for the reader.
    pub name: String,
    /// The game that it begins, in the recording of a process.
    pub game: Option<String>,
    /// What the bot reads.
    pub request: Vec<u8>,
    pub answer: RecordedAnswer,
}

/// The fault that ended a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptFault {
    /// Its kind; `None` if this awale does not know it.
    pub kind: Option<FaultKind>,
    /// The fault in words.
    pub words: String,
    /// The time of its turn, if the fault is about one.
    pub time: Option<Duration>,
}

impl ScriptFault {
    /// Whether a fault that was found without a clock and limits may be this one.
    pub fn is_like(&self, now: FaultKind) -> bool {
        use FaultKind::{BadOutput, OutputLimit, StartFailure};
        let is_no_answer = |kind| matches!(kind, BadOutput | OutputLimit);
        self.kind.is_some_and(|then| {
            now == then || then == StartFailure || is_no_answer(now) && is_no_answer(then)
        })
    }

    /// What follows if the answer is right now. Time is not measured as a referee does it.
    pub const fn conclusion(&self) -> &'static str {
        match self.kind {
            Some(FaultKind::Timeout | FaultKind::BusyOffTurn) => {
                "the answer is right; whether it is in time, a game decides"
            }
            _ => "the fault is gone",
        }
    }
}

/// All requests to a bot, from the first of its process as far as they are recorded.
#[derive(Debug)]
pub struct Script {
    pub steps: Vec<Step>,
    /// The first step that is shown: the first of the last game.
    pub first_shown: usize,
    /// The fault of this bot that ended it.
    pub fault: Option<ScriptFault>,
    /// Whether there was no process.
    pub never_started: bool,
    /// How the bot ended by itself, if it did and that is recorded.
    pub own_end: Option<ProcessEnd>,
    /// What a bot that answers otherwise may know and the script lacks.
    pub missing: Option<String>,
}

impl Script {
    /// The script of one side of a game.
    pub fn of_game(steps: Vec<Step>, record: &GameRecord, side: Side, plays_on: bool) -> Self {
        let fault = match &record.ending {
            GameEnding::Fault(guilty, fault) if *guilty == side => Some(ScriptFault {
                kind: Some(fault.kind),
                words: fault.kind.name().to_owned(),
                time: fault.time_us.map(Duration::from_micros),
            }),
            _ => None,
        };
        let missing = "in the run, the process may have played other games before";
        Self {
            steps,
            first_shown: 0,
            fault,
            never_started: false,
            own_end: None,
            missing: plays_on.then(|| missing.to_owned()),
        }
    }

    /// How long the bot may be silent at a step; `None` without limit, because it answered then.
    pub fn longest_silence(&self, step: &Step, is_last: bool) -> Option<Duration> {
        if step.answer == RecordedAnswer::NotAsked {
            return Some(AFTERMATH);
        }
        if !is_last {
            return None;
        }
        let fault = self.fault.as_ref();
        let waited = fault.and_then(|fault| fault.time);
        let waited = waited.map(|waited| waited.min(LONGEST_SILENCE));
        let was_silent = match &step.answer {
            RecordedAnswer::Bytes(bytes) => bytes.is_empty() && self.own_end.is_none(),
            _ => fault.is_some_and(|fault| fault.kind == Some(FaultKind::Timeout)),
        };
        // A bot that was silent until its time was over gets no more: it might have answered later.
        Some(if was_silent {
            waited.unwrap_or(SILENCE)
        } else {
            waited.unwrap_or_default().max(BUSY_HOST)
        })
    }
}
