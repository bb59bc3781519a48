//! Lists of openings in a file: read and checked, each position once.

use crate::rules::{EndReason, Game, Position, RuleSet, Side, parse_moves};
use crate::tournament::openings::opening::Opening;
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
    let opening = if text.contains('-') {
        let position = text
            .parse::<Position>()
            .map_err(|error| error.to_string())?;
        Opening {
            moves: Vec::new(),
            position,
        }
    } else {
        let moves = parse_moves(text).map_err(|error| error.to_string())?;
        let mut game = Game::new(*rules, Position::START);
        for &pit in &moves {
            game.play(pit).map_err(|error| error.to_string())?;
        }
        if let Some(ending) = game.ending() {
            return Err(over(ending.reason));
        }
        Opening {
            moves,
            position: game.position(),
        }
    };
    if let Some(reason) = rules.ends_at(opening.position) {
        return Err(over(reason));
    }
    if opening.position.to_move() == Side::North {
        return Err("North is to move after it; an opening leaves South to move".to_owned());
    }
    Ok(opening)
}

fn over(reason: EndReason) -> String {
    format!("the game is over ({reason}) after this opening")
}
