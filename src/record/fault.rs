//! What a bot did wrong. A fault is an ending of a game with its evidence, never an error.

use std::fmt;

/// The kinds of fault, each of which loses the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FaultKind {
    /// No complete answer before the deadline.
    Timeout,
    /// A well-formed move that is not legal.
    IllegalMove,
    /// An answer that the protocol does not know, or a line without a request.
    BadOutput,
    /// A line, or a game's output, longer than the limit.
    OutputLimit,
    /// The process ended, or closed its output.
    Crash,
    /// The process was killed for its memory.
    MemoryLimit,
    /// It had more processes and threads than it may, where the host does not refuse them.
    ProcessLimit,
    /// The bot could not be started or did not say that it is ready in time.
    StartFailure,
    /// Its processes used CPU time while the opponent was on turn.
    BusyOffTurn,
    /// Its turns were void more often than the host explains: the first void on its turn is its
    /// loss. Decided after the game, in schedule order; no journal holds it.
    VoidsCharged,
}

impl FaultKind {
    /// All kinds, in the order of the tables' columns.
    pub const ALL: [Self; 10] = [
        Self::Timeout,
        Self::IllegalMove,
        Self::BadOutput,
        Self::OutputLimit,
        Self::Crash,
        Self::MemoryLimit,
        Self::ProcessLimit,
        Self::StartFailure,
        Self::BusyOffTurn,
        Self::VoidsCharged,
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
            Self::StartFailure => "start-failure",
            Self::BusyOffTurn => "busy-off-turn",
            Self::VoidsCharged => "voids-charged",
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

/// A fault with what is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What kind of fault.
    pub kind: FaultKind,
    /// What happened, in words for the bot's author. May quote the bot: hostile text.
    pub detail: String,
    /// Time from the request to the fault in µs, where there was a request.
    pub time_us: Option<u64>,
    /// Whether the bot wrote without being asked. No journal holds it.
    pub is_unasked: bool,
}

impl Fault {
    /// A fault that no request's time belongs to.
    pub fn new(kind: FaultKind, detail: impl Into<String>) -> Self {
        Self {
            kind,
            detail: detail.into(),
            time_us: None,
            is_unasked: false,
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
