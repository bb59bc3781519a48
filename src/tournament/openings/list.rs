//! An opening, and lists of openings in a file: read and checked, each position once.

use crate::rules::{
    Game, Pit, Position, PositionTextError, RuleSet, Side, moves_text, parse_moves,
};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use thiserror::Error;

/// Why a line of a list is not an opening.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("line {line}: {reason}")]
pub struct OpeningError {
    /// Line number, from 1; 0 for the whole text.
    pub line: usize,
    /// What is wrong.
    pub reason: String,
}

/// Reads a list of openings: one position or one text of moves per line. Empty lines and lines that
/// begin with `#` are skipped.
///
/// # Errors
/// The first line that is not an opening, that leads to the end of a game, or that leaves North to
/// move; or a list without openings.
pub fn parse_openings(rules: &RuleSet, text: &str) -> Result<Vec<Opening>, OpeningError> {
    let (mut list, mut seen) = (Vec::new(), HashSet::new());
    // Some editors write a byte order mark at the beginning of a file.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    for (index, line) in text.lines().enumerate() {
        let line_text = line.trim();
        if line_text.is_empty() || line_text.starts_with('#') {
            continue;
        }
        let refuse = |reason: String| OpeningError {
            line: index + 1,
            reason,
        };
        let opening = parse_opening(rules, line_text).map_err(refuse)?;
        if !seen.insert(opening.position) {
            return Err(refuse(format!(
                "the opening {line_text} stands here a second time"
            )));
        }
        list.push(opening);
    }
    if list.is_empty() {
        return Err(OpeningError {
            line: 0,
            reason: "there is no opening in it".to_owned(),
        });
    }
    Ok(list)
}

fn parse_opening(rules: &RuleSet, text: &str) -> Result<Opening, String> {
    let mut opening = Opening::try_from(text.to_owned())?;
    let mut game = Game::new(*rules, opening.position);
    for &pit in &opening.moves {
        game.play(pit).map_err(|error| error.to_string())?;
    }
    opening.position = game.position();
    if let Some(ending) = game.ending() {
        let reason = ending.reason;
        return Err(format!("the game is over ({reason}) after this opening"));
    }
    if opening.position.to_move() == Side::North {
        return Err("North is to move after it; an opening leaves South to move".to_owned());
    }
    Ok(opening)
}

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
