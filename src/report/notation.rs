//! Games as text for other programs: in the notation of the program Aualé (OGN), and in that of
//! chess (PGN). `docs/export.md` describes both; `awale rate` and lists of openings read them.
//!
//! Aualé (its `serialize/ogn.py`, read in 2026) wants `Variant` as the first tag, takes each letter
//! from A to F outside of comments as a move, and a comment only after one. Tools of chess read the
//! tags alone: White and Black, and a result of points.

use crate::record::{GameEnding, GameRecord, PlyRecord};
use crate::rules::{GameResult, Pit, Position, Side};
use crate::text::pgn_value;
use std::fmt::Write as _;

/// The longest line of moves, in bytes.
const LONGEST_LINE: usize = 79;
/// A score of a bot that is larger has another unit, and is not shown.
const LARGEST_SCORE: f64 = 1e6;

/// The programs that a text is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Aualé.
    Ogn,
    /// Programs for chess.
    Pgn,
}

/// How games are written.
#[derive(Clone, Debug)]
pub struct Notation<'a> {
    /// The programs that read it.
    pub dialect: Dialect,
    /// The name of the tournament. Hostile text.
    pub event: &'a str,
    /// The name of the rules.
    pub rules: &'a str,
    /// Whether a comment after each move has the bot's score and depth, and the time.
    pub has_comments: bool,
}

impl Notation<'_> {
    /// A finished game, with an empty line after it.
    ///
    /// # Panics
    /// The game is void.
    pub fn game(&self, record: &GameRecord) -> String {
        let points = points(record).expect("a void game is not exported");
        let [south, north] = record.stores;
        let seeds = format!("{south}-{north}");
        // More seeds win, unless a game ended in another way.
        let result = match (self.dialect, &record.ending) {
            (
                Dialect::Ogn,
                GameEnding::Rules(_) | GameEnding::Adjudicated | GameEnding::Endgame,
            ) => &seeds,
            _ => points,
        };
        let mut text = self.tags(record, result);
        tag(&mut text, "Termination", record.ending.name());
        tag(&mut text, "Stores", &seeds);
        tag(&mut text, "Start", &record.start.to_string());
        if record.opening_moves.is_empty() && record.start != Position::START {
            tag(&mut text, "SetUp", "1");
            tag(&mut text, "FEN", &record.start.to_string());
        }
        text.push('\n');
        self.moves(record, result, &mut text);
        text.push('\n');
        text
    }

    /// The tags that every game has, in the order of the dialect.
    fn tags(&self, record: &GameRecord, result: &str) -> String {
        let round = record.id.pair.round().to_string();
        let [south, north] = &record.entrants;
        let players = match self.dialect {
            Dialect::Ogn => ["South", "North"],
            Dialect::Pgn => ["White", "Black"],
        };
        let variant = ("Variant", self.rules);
        let roster = [
            ("Event", self.event),
            ("Site", "?"),
            ("Date", "????.??.??"),
            ("Round", &round),
            (players[0], south),
            (players[1], north),
            ("Result", result),
        ];
        let mut text = String::new();
        let mut all = roster.to_vec();
        let place = match self.dialect {
            Dialect::Ogn => 0,
            Dialect::Pgn => roster.len(),
        };
        all.insert(place, variant);
        for (name, value) in all {
            tag(&mut text, name, value);
        }
        text
    }

    /// The lines of the moves, those of the opening first, and the result.
    fn moves(&self, record: &GameRecord, result: &str, text: &mut String) {
        let opening = record.opening_moves.iter().map(|&pit| (pit, None));
        let played = record.plies.iter().map(|ply| (ply.pit, Some(ply)));
        let last_of_opening = record.opening_moves.len();
        let mut words = Vec::new();
        for (number, (pit, ply)) in (1..).zip(opening.chain(played)) {
            words.extend(self.words_of_move(number, pit, ply));
            if number == last_of_opening {
                words.push("{book}".to_owned());
            }
        }
        words.push(result.to_owned());
        let mut length = 0;
        for word in words {
            let separator = match length {
                0 => "",
                _ if length + 1 + word.len() > LONGEST_LINE => "\n",
                _ => " ",
            };
            length = match separator {
                " " => length + 1,
                _ => 0,
            } + word.len();
            text.push_str(separator);
            text.push_str(&word);
        }
        text.push('\n');
    }

    /// For example `3.`, `C` and `{+1.50/9 0.052000s}`.
    fn words_of_move(&self, number: usize, pit: Pit, ply: Option<&PlyRecord>) -> Vec<String> {
        let mut words = Vec::new();
        if number % 2 == 1 {
            words.push(format!("{}.", number.div_ceil(2)));
        }
        words.push(pit.to_string());
        words.extend(ply.filter(|_| self.has_comments).map(comment));
        words
    }
}

/// The comment after a move, as programs of chess write it: score and depth by the bot, then the
/// time.
fn comment(ply: &PlyRecord) -> String {
    let said = ply.said();
    let mut text = "{".to_owned();
    let score = said.score.filter(|score| score.abs() < LARGEST_SCORE);
    if let Some(score) = score {
        // Writing to a string cannot fail.
        let _ = write!(text, "{score:+.2}");
    }
    if let Some(depth) = said.depth {
        let _ = write!(text, "/{depth}");
    }
    if text.len() > 1 {
        text.push(' ');
    }
    let (seconds, rest) = (ply.time_us / 1_000_000, ply.time_us % 1_000_000);
    let _ = write!(text, "{seconds}.{rest:06}s}}");
    text
}

fn tag(text: &mut String, name: &str, value: &str) {
    let _ = writeln!(text, "[{name} \"{}\"]", pgn_value(value));
}

/// The points of both sides, South's first: `1-0`, `0-1` or `1/2-1/2`; `None` for a void game.
pub fn points(record: &GameRecord) -> Option<&'static str> {
    Some(match record.result()? {
        GameResult::Win(Side::South) => "1-0",
        GameResult::Win(Side::North) => "0-1",
        GameResult::Draw => "1/2-1/2",
    })
}
