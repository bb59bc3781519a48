//! The sequential test of a tournament of two entrants.

use crate::stats::sprt::Sprt;
use crate::tournament::entrant::EntrantIndex;

/// A sequential test that ends a tournament of two entrants once it is decided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SequentialTest {
    /// The test.
    pub sprt: Sprt,
    /// The entrant whose wins count as wins.
    pub new: EntrantIndex,
}
