//! A line of a journal after the first.

use crate::record::{Admission, GameRecord, Withdrawal};

/// A line of a journal after the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A finished game.
    Game(Box<GameRecord>),
    /// The result of an entrant's examination.
    Admission(Admission),
    /// The withdrawal of an entrant.
    Withdrawal(Withdrawal),
}
