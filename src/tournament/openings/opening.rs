//! The position from which both games of a pair start.

use crate::rules::{Pit, Position, moves_text};

/// A short legal move list from the start position, or a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// The moves from the start position; empty if it was given as a position.
    pub moves: Vec<Pit>,
    /// The position from which both games of a pair start, South to move.
    pub position: Position,
}

impl Opening {
    /// The start position itself.
    pub const NONE: Self = Self {
        moves: Vec::new(),
        position: Position::START,
    };

    /// The moves, or the position if it was given as one.
    pub fn text(&self) -> String {
        if self.moves.is_empty() {
            self.position.to_string()
        } else {
            moves_text(&self.moves)
        }
    }

    /// Whether the moves, none or more, lead to the position from the start of a game.
    pub fn has_moves(&self) -> bool {
        !self.moves.is_empty() || self.position == Position::START
    }
}
