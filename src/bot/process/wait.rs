//! The wait of a process for its next game, as data.

use std::time::{Duration, Instant};

/// Where a process is between two games.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wait {
    /// When its last game ended; `None` while it plays, and before its first game.
    pub since: Option<Instant>,
    /// The wait for the present game, until it is judged.
    pub ended: Option<EndedWait>,
}

/// A wait that is over.
#[derive(Clone, Copy, Debug)]
pub struct EndedWait {
    pub time: Duration,
    /// CPU time of the family in it.
    pub used: Duration,
}
