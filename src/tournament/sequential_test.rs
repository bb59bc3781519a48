//! What ends a tournament of two entrants early.

use crate::stats::sprt::Sprt;
use crate::tournament::entrant::EntrantIndex;

/// What ends a tournament of two entrants early.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SequentialTest {
    /// The test.
    pub sprt: Sprt,
    /// From whose view games are won and lost.
    pub new: EntrantIndex,
}
