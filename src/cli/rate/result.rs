//! The end of a game in the spellings of people and programs.

use crate::stats::game::Outcome;

/// The end of a game in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultEnding {
    /// The game counts.
    Finished(Outcome),
    /// `*`: not finished.
    Unfinished,
}

/// The spellings that [`ending`] accepts, for errors.
pub const ACCEPTED: &str = "1-0, 0-1, 1/2-1/2 (a half also as 0.5, 0,5 or ½; with - or :), \
    1/0, 0/1, the score of the first player alone (1, 0, 1/2, 0.5, ½), south, north, white, black, \
    draw, and * for a game that is not finished";

/// The longest text that can be a result, in characters.
const LONGEST: usize = 24;

/// The end of a game; `None` if the text is not one of the [`ACCEPTED`] ones.
pub fn ending(text: &str) -> Option<ResultEnding> {
    // Most tables contain only these, possibly millions of them.
    let outcome = match text {
        "1-0" => Outcome::SouthWins,
        "0-1" => Outcome::NorthWins,
        "1/2-1/2" => Outcome::Draw,
        "*" => return Some(ResultEnding::Unfinished),
        other => outcome(&plain(other)?)?,
    };
    Some(ResultEnding::Finished(outcome))
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
    if let Some(first) = half_points(text) {
        return of_scores(first, 2 - first);
    }
    let separator = ['-', ':', '/'].into_iter().find(|it| text.contains(*it))?;
    let (first, second) = text.split_once(separator)?;
    of_scores(half_points(first)?, half_points(second)?)
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

fn of_scores(first: u8, second: u8) -> Option<Outcome> {
    match (first, second) {
        (2, 0) => Some(Outcome::SouthWins),
        (1, 1) => Some(Outcome::Draw),
        (0, 2) => Some(Outcome::NorthWins),
        _ => None,
    }
}

/// Says that a text is not a result, and what is accepted.
pub fn refusal(text: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let hint = if lower.contains("jan") || lower.contains("feb") {
        "; it looks like the date that a spreadsheet makes of 1/2 or 2/1: give the column the \
         format of text"
    } else {
        ""
    };
    format!("is not a result; accepted are {ACCEPTED}{hint}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every accepted spelling.
    const SPELLINGS: [(ResultEnding, &[&str]); 4] = [
        (
            ResultEnding::Finished(Outcome::SouthWins),
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
            ResultEnding::Finished(Outcome::NorthWins),
            &[
                "0-1", "0 - 1", "0–1", "0:1", "0/1", "0.0-1.0", "0,0-1,0", "0", "0.0", "0,0",
                "north", "Black", "0\t-\t1",
            ],
        ),
        (
            ResultEnding::Finished(Outcome::Draw),
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
        (ResultEnding::Unfinished, &["*"]),
    ];

    #[test]
    fn every_spelling_is_read() {
        for (expected, texts) in SPELLINGS {
            for text in texts {
                assert_eq!(ending(text), Some(expected), "{text:?}");
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
            assert_eq!(ending(text), None, "{text:?}");
        }
    }

    #[test]
    fn dates_of_spreadsheets_are_known() {
        assert!(refusal("02-Jan").contains("spreadsheet"));
        assert!(refusal("1. Feb").contains("spreadsheet"));
        assert!(!refusal("2-0").contains("spreadsheet"));
    }

    /// Both lists must agree.
    #[test]
    fn errors_name_what_is_read() {
        for word in [
            "0.5", "0,5", "½", "south", "north", "white", "black", "draw", "*", "1/0",
        ] {
            assert!(ACCEPTED.contains(word), "{word}");
            assert!(ending(word).is_some(), "{word}");
        }
    }
}
