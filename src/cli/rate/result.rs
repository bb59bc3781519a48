//! The end of a game in the spellings of people and programs.

use crate::rules::SEEDS;
use crate::stats::game::Outcome;
use crate::text::shown_bytes;
use std::cmp::Ordering;

/// The spellings that [`ending`] accepts, for errors.
const ACCEPTED: &str = "1-0, 0-1, 1/2-1/2 (a half also as 0.5, 0,5 or ½; with - or :), \
    1/0, 0/1, the score of the first player alone (1, 0, 1/2, 0.5, ½), south, north, white, black, \
    draw, and * for a game that is not finished";

/// The longest text that can be a result, in characters.
const LONGEST: usize = 24;

/// The end of a game; `None` for `*`, a game that is not finished.
///
/// # Errors
/// The text is not one of the [`ACCEPTED`] ones.
pub fn ending(text: &str) -> Result<Option<Outcome>, String> {
    // Most tables contain only these, possibly millions of them.
    Ok(Some(match text {
        "1-0" => Outcome::SouthWins,
        "0-1" => Outcome::NorthWins,
        "1/2-1/2" => Outcome::Draw,
        "*" => return Ok(None),
        other => plain(other).and_then(|it| outcome(&it)).ok_or_else(|| {
            let shown = shown_bytes(text.as_bytes());
            format!("{shown} is not a result; accepted are {ACCEPTED}")
        })?,
    }))
}

/// Lower case, without spaces, with one kind of dash, slash and decimal point; `None` if it is too
/// long.
fn plain(text: &str) -> Option<String> {
    if text.chars().count() > LONGEST {
        return None;
    }
    let kept = text.chars().filter(|character| !character.is_whitespace());
    let plain = kept.map(|character| match character {
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{2044}' | '\u{2215}' => '/',
        ',' => '.',
        other => other.to_ascii_lowercase(),
    });
    Some(plain.collect())
}

fn outcome(text: &str) -> Option<Outcome> {
    match text {
        "south" | "white" => return Some(Outcome::SouthWins),
        "north" | "black" => return Some(Outcome::NorthWins),
        "draw" => return Some(Outcome::Draw),
        _ => {}
    }
    // `1/2` is a half, not a score of one to two.
    let (first, second) = if let Some(first) = half_points(text) {
        (first, 2 - first)
    } else {
        let (first, second) = text.split_once(['-', ':']).or(text.split_once('/'))?;
        (half_points(first)?, half_points(second)?)
    };
    match (first, second) {
        (2, 0) => Some(Outcome::SouthWins),
        (1, 1) => Some(Outcome::Draw),
        (0, 2) => Some(Outcome::NorthWins),
        _ => None,
    }
}

/// The score of one player, in half points.
fn half_points(text: &str) -> Option<u8> {
    match text {
        "0" | "0.0" => Some(0),
        "1/2" | "½" | "0.5" | ".5" => Some(1),
        "1" | "1.0" => Some(2),
        _ => None,
    }
}

/// The end of a game by the seeds of both players, the first one's before the other's, as in
/// `25-23`; `None` for another text.
pub fn seeds(text: &str) -> Option<Outcome> {
    let (first, second) = text.split_once('-')?;
    let seeds = |text: &str| {
        let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
        let number = text.parse().ok().filter(|_| is_number);
        number.filter(|seeds: &u8| *seeds <= SEEDS)
    };
    Some(match seeds(first)?.cmp(&seeds(second)?) {
        Ordering::Greater => Outcome::SouthWins,
        Ordering::Equal => Outcome::Draw,
        Ordering::Less => Outcome::NorthWins,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every accepted spelling.
    const SPELLINGS: [(Option<Outcome>, &[&str]); 4] = [
        (
            Some(Outcome::SouthWins),
            &[
                "1-0",
                "1 - 0",
                "1–0",
                "1 — 0",
                "1−0",
                "1‑0",
                "1:0",
                "1 : 0",
                "1/0",
                "1 / 0",
                "1.0-0.0",
                "1,0-0,0",
                "1-0.0",
                "1.0:0",
                "1",
                "1.0",
                "1,0",
                "south",
                "South",
                "WHITE",
                " white ",
                "1\u{a0}-\u{a0}0",
            ],
        ),
        (
            Some(Outcome::NorthWins),
            &[
                "0-1", "0 - 1", "0–1", "0:1", "0/1", "0.0-1.0", "0,0-1,0", "0", "0.0", "0,0",
                "north", "Black", "0\t-\t1",
            ],
        ),
        (
            Some(Outcome::Draw),
            &[
                "1/2-1/2",
                "1/2 - 1/2",
                "1/2–1/2",
                "1/2",
                "1 / 2",
                "1⁄2",
                "½",
                "½-½",
                "½ – ½",
                "½:½",
                "½/½",
                "0.5-0.5",
                "0,5-0,5",
                "0.5:0.5",
                "0.5",
                "0,5",
                ".5",
                ".5-.5",
                "1/2-½",
                "1/2:1/2",
                "0.5/0.5",
                "draw",
                "Draw",
                "DRAW",
            ],
        ),
        (None, &["*"]),
    ];

    #[test]
    fn every_spelling_is_read() {
        for (expected, texts) in SPELLINGS {
            for text in texts {
                assert_eq!(ending(text), Ok(expected), "{text:?}");
            }
        }
    }

    #[test]
    fn what_is_no_result_is_refused() {
        for text in [
            "",
            "-",
            "2-0",
            "0-2",
            "2",
            "-1",
            "1-1",
            "0-0",
            "1-½",
            "½-0",
            "0.5-0",
            "1/2-0",
            "0/0",
            "1/1",
            "2/1",
            "1/3",
            "1/2/1",
            "1-0-0",
            "1--0",
            "--",
            "1-",
            "-0",
            "10",
            "01",
            "1-0F",
            "+/-",
            "+:-",
            "+--",
            "win",
            "w",
            "d",
            "x",
            "?",
            "**",
            "=",
            "25-23",
            "1.5-0.5",
            "1e0",
            "0x1",
            "inf",
            "NaN",
            "white wins",
            "draw-draw",
            "1-Feb",
            "1²",
            "１-０",
            "0.50000000000000000000000000000000",
        ] {
            assert!(ending(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn more_seeds_win() {
        for (text, expected) in [
            ("25-23", Some(Outcome::SouthWins)),
            ("0-48", Some(Outcome::NorthWins)),
            ("24-24", Some(Outcome::Draw)),
            ("9-10", Some(Outcome::NorthWins)),
            ("25", None),
            ("25-", None),
            ("49-0", None),
            ("+25-23", None),
            ("25-23-0", None),
            ("1/2-1/2", None),
            ("*", None),
        ] {
            assert_eq!(seeds(text), expected, "{text:?}");
        }
    }

    /// Both lists must agree.
    #[test]
    fn errors_name_what_is_read() {
        for word in [
            "0.5", "0,5", "½", "south", "north", "white", "black", "draw", "*", "1/0",
        ] {
            assert!(ACCEPTED.contains(word), "{word}");
            assert!(ending(word).is_ok(), "{word}");
        }
    }
}
