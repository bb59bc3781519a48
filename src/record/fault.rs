//! Faults of bots. A fault is an ending of a game with its evidence, never an error of the program.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The kinds of fault. Each one loses the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// No complete answer before the deadline.
    Timeout,
    /// A well-formed move that is not legal.
    IllegalMove,
    /// An answer outside the protocol, or a line without a request.
    BadOutput,
    /// A line, or a game's output, longer than the limit.
    OutputLimit,
    /// The process ended, or closed its output.
    Crash,
    /// The process was killed for its memory.
    MemoryLimit,
    /// It had more processes and threads than its limit, where the host does not refuse them.
    ProcessLimit,
    /// It had more temporary files, or names of them, than its limit, where only the referee
    /// counts them.
    TemporaryLimit,
    /// The bot could not be started, or was not ready in time.
    StartFailure,
    /// Its processes used CPU time while the opponent was on turn.
    BusyOffTurn,
    /// Its processes used much CPU time after they were told to quit, as calls into the kernel can
    /// even after SIGKILL. This is found at its next game.
    SlowToQuit,
    /// Other bots could be started only after its processes had ended, again and again.
    BlocksStarts,
}

impl FaultKind {
    /// All kinds, in the order of the tables' columns.
    pub const ALL: [Self; 12] = [
        Self::Timeout,
        Self::IllegalMove,
        Self::BadOutput,
        Self::OutputLimit,
        Self::Crash,
        Self::MemoryLimit,
        Self::ProcessLimit,
        Self::TemporaryLimit,
        Self::StartFailure,
        Self::BusyOffTurn,
        Self::SlowToQuit,
        Self::BlocksStarts,
    ];

    /// The name in messages, tables and the journal.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Timeout => "timeout",
            Self::IllegalMove => "illegal-move",
            Self::BadOutput => "bad-output",
            Self::OutputLimit => "output-limit",
            Self::Crash => "crash",
            Self::MemoryLimit => "memory-limit",
            Self::ProcessLimit => "process-limit",
            Self::TemporaryLimit => "temporary-limit",
            Self::StartFailure => "start-failure",
            Self::BusyOffTurn => "busy-off-turn",
            Self::SlowToQuit => "slow-to-quit",
            Self::BlocksStarts => "blocks-starts",
        }
    }

    /// The kind of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The beginning of the detail of every start failure of a program that was started.
pub const AT_THE_FIRST_MESSAGE: &str = "at the first message: ";
/// The beginning of the detail of a start failure whose program could not be built.
pub const DOES_NOT_BUILD: &str = "it does not build: ";

/// A fault and what is known of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
pub struct Fault {
    /// Its kind.
    pub kind: FaultKind,
    /// The event, as a sentence for the bot's author. May quote the bot: hostile text.
    #[serde(default)]
    pub detail: String,
    /// Time from the request to the fault in µs, where there was a request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_us: Option<u64>,
    /// What was measured in a late turn, for readers who doubt the verdict; else empty. The journal
    /// does not hold this.
    #[serde(skip)]
    pub figures: String,
}

impl Fault {
    /// A fault without the time of a request.
    pub fn new(kind: FaultKind, detail: impl Into<String>) -> Self {
        Self {
            kind,
            detail: detail.into(),
            time_us: None,
            figures: String::new(),
        }
    }

    /// The same fault with the time from the request.
    #[must_use]
    pub fn after(self, time_us: u64) -> Self {
        Self {
            time_us: Some(time_us),
            ..self
        }
    }
}
