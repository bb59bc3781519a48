//! The positions since the last capture, to see whether one comes back.
//!
//! A capture takes seeds off the board for good, so no earlier position can return and all are
//! forgotten: a history stays as short as the longest stretch without a capture.

use super::position::Position;

/// The positions of a game that can still come back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct History {
    positions: Vec<Position>,
}

impl History {
    /// A history in which `start` has occurred once.
    pub fn new(start: Position) -> Self {
        Self {
            positions: vec![start],
        }
    }

    /// Adds the position after a ply in which `captured` seeds were captured, and tells for the
    /// how-many-eth time it stands now, 1 for the first.
    pub fn push(&mut self, position: Position, captured: u8) -> usize {
        if captured > 0 {
            self.positions.clear();
        }
        self.positions.push(position);
        self.occurrences(position)
    }

    /// How often a position has occurred since the last capture.
    pub fn occurrences(&self, position: Position) -> usize {
        // Without a capture the stores are the same too, so whole values can be compared.
        self.positions
            .iter()
            .filter(|&&earlier| earlier == position)
            .count()
    }

    /// How many positions are remembered: plies since the last capture, plus one.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// A history holds at least the position at hand.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// The positions since the last capture, oldest first.
    pub fn positions(&self) -> &[Position] {
        &self.positions
    }
}
