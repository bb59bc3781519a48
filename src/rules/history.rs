//! The positions since the last capture, to find repetitions.
//!
//! A capture removes seeds from the board for good, so no earlier position can recur and all are
//! forgotten: a history is never longer than the longest stretch without a capture.

use super::position::Position;

/// Stretches without a capture are rarely longer.
const USUAL_POSITIONS: usize = 64;

/// The positions of a game that can still recur.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct History {
    positions: Vec<Position>,
}

impl History {
    /// A history in which `start` has occurred once.
    pub fn new(start: Position) -> Self {
        let mut positions = Vec::with_capacity(USUAL_POSITIONS);
        positions.push(start);
        Self { positions }
    }

    /// Adds the position after a ply in which `captured` seeds were captured, and returns how many
    /// times it has occurred, 1 for the first time.
    pub fn push(&mut self, position: Position, captured: u8) -> usize {
        if captured > 0 {
            self.positions.clear();
        }
        self.positions.push(position);
        self.occurrences(position)
    }

    /// How many times a position has occurred since the last capture.
    pub fn occurrences(&self, position: Position) -> usize {
        // Without a capture the stores are the same too, so whole values can be compared.
        self.positions
            .iter()
            .filter(|&&earlier| earlier == position)
            .count()
    }

    /// The number of stored positions: plies since the last capture, plus one.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// A history contains at least the current position.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// The positions since the last capture, oldest first.
    pub fn positions(&self) -> &[Position] {
        &self.positions
    }
}
