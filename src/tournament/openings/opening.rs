//! The position from which both games of a pair start.

use crate::rules::{Pit, Position, PositionTextError, moves_text, parse_moves};
use serde::{Deserialize, Serialize};

/// A short legal move list from the start position, or a position.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
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

impl TryFrom<String> for Opening {
    type Error = String;

    /// Reads a position, or moves; these still have to be played to their position.
    fn try_from(text: String) -> Result<Self, String> {
        let mut opening = Self::NONE;
        if text.contains('-') {
            opening.position = text
                .parse()
                .map_err(|it: PositionTextError| it.to_string())?;
        } else {
            opening.moves = parse_moves(&text).map_err(|it| it.to_string())?;
        }
        Ok(opening)
    }
}

impl From<Opening> for String {
    fn from(opening: Opening) -> Self {
        opening.text()
    }
}
