//! A line of a journal after the first.

use crate::record::{Admission, GameRecord, Withdrawal};

/// A line of a journal after the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A finished game.
    Game(Box<GameRecord>),
    /// How the examination of an entrant ended.
    Admission(Admission),
    /// An entrant plays no further.
    Withdrawal(Withdrawal),
}
