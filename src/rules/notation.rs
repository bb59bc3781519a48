//! Texts of positions and moves, in both directions.
//!
//! A position is `4-4-4-4-4-4-4-4-4-4-4-4-0-0-S`: twelve pits A…F a…f, South's store, North's
//! store, the side to move. A move is the letter of its pit, a game the letters in a row: `CdFb`.

use super::pit::{PITS, Pit, Side};
use super::position::{Position, PositionError};
use std::fmt;
use std::str::FromStr;

/// Numbers in the text of a position: twelve pits and two stores.
const NUMBERS: usize = PITS + 2;

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for seeds in self.pits().into_iter().chain(self.stores()) {
            write!(f, "{seeds}-")?;
        }
        f.write_str(match self.to_move() {
            Side::South => "S",
            Side::North => "N",
        })
    }
}

/// Why a text is not a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PositionTextError {
    /// Not fifteen parts between hyphens.
    PartCount(usize),
    /// A part (counted from 1) is not a number from 0 to 48 in plain digits.
    BadNumber(usize),
    /// The last part is neither `S` nor `N`.
    BadSide,
    /// The numbers do not make a position.
    Impossible(PositionError),
}

impl fmt::Display for PositionTextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PartCount(parts) => write!(
                f,
                "a position is 12 pits, 2 stores and S or N with hyphens between, \
                 15 parts in all, but here are {parts}"
            ),
            Self::BadNumber(part) => {
                write!(
                    f,
                    "part {part} of the position is not a whole number from 0 to 48"
                )
            }
            Self::BadSide => write!(f, "the last part of a position is S or N, the side to move"),
            Self::Impossible(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for PositionTextError {}

impl FromStr for Position {
    type Err = PositionTextError;

    fn from_str(text: &str) -> Result<Self, PositionTextError> {
        let parts: Vec<&str> = text.split('-').collect();
        let [numbers @ .., side] = parts.as_slice() else {
            return Err(PositionTextError::PartCount(0));
        };
        if numbers.len() != NUMBERS {
            return Err(PositionTextError::PartCount(parts.len()));
        }
        let mut seeds = [0; NUMBERS];
        for (index, (seeds, text)) in seeds.iter_mut().zip(numbers).enumerate() {
            *seeds = parse_count(text).ok_or(PositionTextError::BadNumber(index + 1))?;
        }
        let to_move = match *side {
            "S" => Side::South,
            "N" => Side::North,
            _ => return Err(PositionTextError::BadSide),
        };
        let mut pits = [0; PITS];
        pits.copy_from_slice(&seeds[..PITS]);
        Self::new(pits, [seeds[PITS], seeds[PITS + 1]], to_move)
            .map_err(PositionTextError::Impossible)
    }
}

/// A canonical number from 0 to 48: equal positions have equal texts, so neither a sign nor `04` is
/// allowed.
fn parse_count(text: &str) -> Option<u8> {
    let canonical = text == "0" || text.starts_with(|first: char| ('1'..='9').contains(&first));
    text.parse()
        .ok()
        .filter(|&seeds: &u8| canonical && seeds <= super::position::SEEDS)
}

/// Why a text is not a list of moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveTextError {
    /// Index of the letter in the text, from 0, which is also its ply.
    pub index: usize,
    /// The character that is not a pit.
    pub character: char,
}

impl fmt::Display for MoveTextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:?} names no pit; moves are the letters A to F (South) and a to f (North)",
            self.character
        )
    }
}

impl std::error::Error for MoveTextError {}

/// The pits in a text of moves, legal or not.
///
/// # Errors
/// A character that is not the letter of a pit.
pub fn parse_moves(text: &str) -> Result<Vec<Pit>, MoveTextError> {
    text.chars()
        .enumerate()
        .map(|(index, character)| {
            Pit::from_letter(character).ok_or(MoveTextError { index, character })
        })
        .collect()
}

/// The text of moves: `CdFb`.
pub fn moves_text(moves: &[Pit]) -> String {
    moves.iter().map(|pit| pit.letter()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_position_has_its_text() {
        let text = "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S";
        assert_eq!(Position::START.to_string(), text);
        assert_eq!(text.parse(), Ok(Position::START));
    }

    #[test]
    fn what_is_no_position_is_refused_with_the_reason() {
        use PositionTextError::{BadNumber, BadSide, Impossible, PartCount};
        for (text, error) in [
            ("", PartCount(1)),
            ("4-4-4-4-4-4-4-4-4-4-4-4-0-0", PartCount(14)),
            ("4-4-4-4-4-4-4-4-4-4-4-4-0-0-S-", PartCount(16)),
            ("4-4-4-4-4-4-4-4-4-4-4-4-0-0-s", BadSide),
            ("4-4-4-4-4-4-4-4-4-4-4-4-0-0-S ", BadSide),
            ("x-4-4-4-4-4-4-4-4-4-4-4-0-0-S", BadNumber(1)),
            ("4-+4-4-4-4-4-4-4-4-4-4-4-0-0-S", BadNumber(2)),
            ("4-4-04-4-4-4-4-4-4-4-4-4-0-0-S", BadNumber(3)),
            ("4-4-4-4-4-4-4-4-4-4-4-4-0-49-S", BadNumber(14)),
            ("4-4-4-4-4-4-4-4-4-4-4-4-0-999-S", BadNumber(14)),
            (
                "4-4-4-4-4-4-4-4-4-4-4-4-1-0-S",
                Impossible(PositionError::TooManySeeds(49)),
            ),
        ] {
            assert_eq!(text.parse::<Position>(), Err(error), "{text:?}");
        }
    }

    #[test]
    fn moves_are_letters() {
        let moves = parse_moves("CdFb").unwrap();
        assert_eq!(
            moves.iter().map(|pit| pit.index()).collect::<Vec<_>>(),
            [2, 9, 5, 7]
        );
        assert_eq!(moves_text(&moves), "CdFb");
        assert_eq!(
            parse_moves("Cd b"),
            Err(MoveTextError {
                index: 2,
                character: ' '
            })
        );
        assert_eq!(parse_moves(""), Ok(Vec::new()));
    }
}
