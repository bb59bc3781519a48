//! An opening, and lists of openings in a file: read and checked, each position once. A file has a
//! line for each opening, or games in OGN or PGN that begin with them.

use crate::rules::{
    Game, Pit, Position, PositionTextError, RuleSet, Side, moves_text, parse_moves,
};
use crate::text::{PgnError, PgnPart, PgnText, is_pgn};
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
/// begin with `#` are skipped. Or games in OGN or PGN: the opening is their moves up to the comment
/// `{book}`, or all of them, from the position of the tag `FEN` if there is one.
///
/// # Errors
/// The first line that is not an opening, that leads to the end of a game, or that leaves North to
/// move; or a list without openings.
pub fn parse_openings(rules: &RuleSet, text: &str) -> Result<Vec<Opening>, OpeningError> {
    // Some editors write a byte order mark at the beginning of a file.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let list = if is_pgn(text.as_bytes()) {
        parse_games(rules, text)?
    } else {
        parse_lines(rules, text)?
    };
    if list.is_empty() {
        return Err(OpeningError {
            line: 0,
            reason: "there is no opening in it".to_owned(),
        });
    }
    Ok(list)
}

fn parse_lines(rules: &RuleSet, text: &str) -> Result<Vec<Opening>, OpeningError> {
    let (mut list, mut seen) = (Vec::new(), HashSet::new());
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
    Ok(list)
}

fn parse_opening(rules: &RuleSet, text: &str) -> Result<Opening, String> {
    let opening = Opening::try_from(text.to_owned())?;
    opening.played(rules)
}

/// The openings of games. Both games of a pair have the same one, so that a position may come again;
/// its first opening counts.
fn parse_games(rules: &RuleSet, text: &str) -> Result<Vec<Opening>, OpeningError> {
    let (mut games, mut list, mut seen) = (OpeningGames::default(), Vec::new(), HashSet::new());
    let mut parts = PgnText::new(&["Event", "FEN"]);
    let of_line = |PgnError { line, reason }| OpeningError {
        line: usize::try_from(line).unwrap_or(usize::MAX),
        reason,
    };
    for line in text.split_inclusive('\n') {
        let read = parts.read_line(line.as_bytes(), &mut |line, part| games.take(line, part));
        read.map_err(of_line)?;
    }
    parts.end().map_err(of_line)?;
    for OpeningGame { line, opening, .. } in games.games {
        let opening = opening
            .played(rules)
            .or_else(|reason| PgnError::new(line, reason));
        let opening = opening.map_err(of_line)?;
        if seen.insert(opening.position) {
            list.push(opening);
        }
    }
    Ok(list)
}

/// A game whose opening is read.
struct OpeningGame {
    /// The line of its first tag or move.
    line: u64,
    opening: Opening,
    /// Whether a comment has ended the opening.
    is_over: bool,
}

/// The games of a text, the last of which is still read.
#[derive(Default)]
struct OpeningGames {
    games: Vec<OpeningGame>,
    /// Whether only tags of the last game were read.
    in_tags: bool,
}

impl OpeningGames {
    fn take(&mut self, line: u64, part: PgnPart<'_>) -> Result<(), PgnError> {
        match part {
            PgnPart::Tag(name, value) => {
                let is_position = name.eq_ignore_ascii_case(b"FEN");
                let has_position = |it: &OpeningGame| it.opening.position != Position::START;
                // Positions may come without moves and results.
                self.in_tags &= !(is_position && self.games.last().is_some_and(has_position));
                let game = self.game_of_tag(line);
                if is_position {
                    let value = value.unwrap_or_default();
                    let position = String::from_utf8_lossy(&value).trim().parse();
                    game.opening.position = position.or_else(|error: PositionTextError| {
                        PgnError::new(line, format!("the tag FEN: {error}"))
                    })?;
                }
            }
            PgnPart::Comment(text) => {
                let is_book = text.trim_ascii().eq_ignore_ascii_case(b"book");
                if let Some(game) = self.games.last_mut().filter(|_| is_book) {
                    game.is_over = true;
                }
            }
            PgnPart::Word(word) => {
                self.in_tags = false;
                let word = String::from_utf8_lossy(word);
                let Some(game) = self.games.last_mut() else {
                    return PgnError::new(line, "moves stand before the first tag of a game");
                };
                // A result has a hyphen; a move may have the seeds that it takes, as in `B+2`.
                if game.is_over || word.contains(['-', '*', '/']) {
                    game.is_over = true;
                    return Ok(());
                }
                let letters = word.split('+').next().unwrap_or_default();
                let pits = parse_moves(letters.trim_end_matches(['!', '?']));
                let pits = pits.or_else(|error| PgnError::new(line, error.to_string()));
                game.opening.moves.extend(pits?);
            }
        }
        Ok(())
    }

    /// The game that a tag belongs to: the next one after moves.
    fn game_of_tag(&mut self, line: u64) -> &mut OpeningGame {
        if !self.in_tags {
            self.in_tags = true;
            self.games.push(OpeningGame {
                line,
                opening: Opening::NONE,
                is_over: false,
            });
        }
        self.games.last_mut().expect("a game was begun")
    }
}

impl Opening {
    /// The opening with the position to which its moves lead. Moves from another position than the
    /// start are not kept.
    fn played(mut self, rules: &RuleSet) -> Result<Self, String> {
        let start = self.position;
        let mut game = Game::new(*rules, start);
        for &pit in &self.moves {
            game.play(pit).map_err(|error| error.to_string())?;
        }
        if start != Position::START {
            self.moves.clear();
        }
        self.position = game.position();
        check(&game)?;
        Ok(self)
    }
}

/// Refuses an opening after which no game goes on.
fn check(game: &Game) -> Result<(), String> {
    if let Some(ending) = game.ending() {
        let reason = ending.reason;
        return Err(format!("the game is over ({reason}) after this opening"));
    }
    if game.position().to_move() == Side::North {
        return Err("North is to move after it; an opening leaves South to move".to_owned());
    }
    Ok(())
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The openings of a text, or its first error.
    fn found(text: &str) -> Result<Vec<String>, (usize, String)> {
        let list = parse_openings(&RuleSet::default(), text);
        let list = list.map_err(|error| (error.line, error.reason))?;
        Ok(list.iter().map(Opening::text).collect())
    }

    const POSITION: &str = "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S";
    const OTHER: &str = "6-5-0-5-5-0-6-0-6-2-7-6-0-0-S";

    #[test]
    fn games_give_their_openings() {
        for (text, openings) in [
            // The notation of Aualé, as one game.
            (
                "[Variant \"Oware Abapa\"]\n[South \"a\"]\n[Result \"25-23\"]\n\n1. C d 2. F+2 b!\n\
                 { a comment }\n25-23\n",
                &["CdFb"][..],
            ),
            // Moves after the mark, and both games of a pair.
            (
                "[Event \"x\"]\n\n1. C d {book} 2. F b 1-0\n\n[Event \"x\"]\n\n1. C d { Book } 2. A a *\n\
                 [Event \"y\"]\n1.Cd (1. A a) $3 1/2-1/2",
                &["Cd"],
            ),
            // A tag alone, and moves from a position.
            (
                "[FEN \"6-5-0-5-5-0-6-0-6-2-7-6-0-0-S\"]\n[FEN \"4-4-4-4-4-4-4-4-4-4-4-4-0-0-S\"]\n1. C d *",
                &[OTHER, "4-4-0-5-5-5-5-4-4-0-5-5-0-0-S"][..0],
            ),
            ("[Event \"nothing\"]\n*\n", &[POSITION]),
        ] {
            let list = found(text);
            if openings.is_empty() {
                let list = list.expect("positions");
                assert_eq!(list[0], OTHER);
                assert_eq!(list.len(), 2);
            } else {
                let openings = openings.iter().map(|&it| it.to_owned()).collect();
                assert_eq!(list, Ok(openings), "{text}");
            }
        }
    }

    #[test]
    fn what_is_wrong_with_a_game_is_told_with_its_line() {
        for (text, line, said) in [
            ("[Event \"x\"]\n\n1. C *", 1, "North is to move"),
            ("[Event \"x\"]\n\n1. C C *", 1, "C"),
            ("[Event \"x\"]\n\n1. e4 e5", 3, "'4' names no pit"),
            ("[FEN \"x\"]", 1, "the tag FEN: a position is 12 pits"),
            ("[Event \"x\"]\n{ open", 2, "ends inside the comment"),
        ] {
            let (at, reason) = found(text).expect_err(text);
            assert_eq!(at, line, "{reason}");
            assert!(reason.contains(said), "{reason}");
        }
    }
}
