//! The openings that pairs start from: random legal ones, drawn with a secret, or a list.
//!
//! Every opening leaves South to move in a game that goes on. Openings are told apart by the
//! position that they lead to: two ways to one position would be the same game twice.

use super::secret::Secret;
use crate::rules::{EndReason, Game, Pit, Position, RuleSet, Side, moves_text, parse_moves};
use rand_chacha::{ChaCha8Rng, ChaCha20Rng};
use rand_core::{Rng, SeedableRng};
use std::collections::{BTreeSet, HashSet};
use thiserror::Error;

/// Up to this many plies all openings are listed and shuffled; beyond, they are drawn.
const LISTED_PLIES: u32 = 6;
/// Draws without a new position after which there are taken to be no more.
const PATIENCE: u32 = 2_000;

/// A short legal move list from the start position, or a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// The moves from the start position; empty if it was given as a position.
    pub moves: Vec<Pit>,
    /// The position that both games of a pair start from, South to move.
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
}

/// The openings of a tournament: opening i belongs to pair i of every pairing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Openings {
    list: Vec<Opening>,
}

impl Openings {
    /// A list of at least one opening.
    ///
    /// # Panics
    /// The list is empty.
    pub fn new(list: Vec<Opening>) -> Self {
        assert!(!list.is_empty(), "a tournament has at least one opening");
        Self { list }
    }

    /// How many different openings there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// There is always at least one.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Number (from 1) and opening of a round; after the last the first comes again.
    pub fn of_round(&self, round: u32) -> (u32, &Opening) {
        let count = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        let index = round % count;
        (index + 1, &self.list[index as usize])
    }
}

/// Up to `count` different random openings of `plies` plies (an even number), the same for the
/// same rules, secret and seed. Fewer if the rules have no more; at least one, unless every line
/// of play ends within `plies`. Whoever has seen some of them knows nothing of the others but that
/// they are different.
pub fn random_openings(
    rules: &RuleSet,
    plies: u32,
    count: usize,
    (secret, seed): (&Secret, u64),
) -> Vec<Opening> {
    let mut random = ChaCha20Rng::from_seed(secret.opening_key(seed));
    random_openings_by(rules, plies, count, &mut random)
}

/// The openings of a run whose journal has format 1 or 2: there the seed alone decided them, and
/// a bot could find it. To check such a run, and for nothing else.
pub fn openings_of_format_2(rules: &RuleSet, plies: u32, count: usize, seed: u64) -> Vec<Opening> {
    random_openings_by(rules, plies, count, &mut ChaCha8Rng::seed_from_u64(seed))
}

fn random_openings_by(
    rules: &RuleSet,
    plies: u32,
    count: usize,
    random: &mut impl Rng,
) -> Vec<Opening> {
    if plies <= LISTED_PLIES {
        let mut all = Vec::new();
        list_all(
            &Game::new(*rules, Position::START),
            plies,
            &mut BTreeSet::new(),
            &mut all,
        );
        shuffle(&mut all, random);
        all.truncate(count);
        return all;
    }
    draw(rules, plies, count, random)
}

fn list_all(game: &Game, plies: u32, seen: &mut BTreeSet<String>, all: &mut Vec<Opening>) {
    if game.ending().is_some() {
        return;
    }
    if plies == 0 {
        if seen.insert(game.position().to_string()) {
            all.push(Opening {
                moves: game.moves().to_vec(),
                position: game.position(),
            });
        }
        return;
    }
    for pit in game.legal_moves() {
        let mut next = game.clone();
        next.play(pit).expect("a legal move can be played");
        list_all(&next, plies - 1, seen, all);
    }
}

fn draw(rules: &RuleSet, plies: u32, count: usize, random: &mut impl Rng) -> Vec<Opening> {
    let (mut seen, mut drawn) = (BTreeSet::new(), Vec::new());
    let mut in_vain = 0;
    while drawn.len() < count && in_vain < PATIENCE {
        in_vain += 1;
        if let Some(opening) = draw_one(rules, plies, random)
            && seen.insert(opening.position.to_string())
        {
            drawn.push(opening);
            in_vain = 0;
        }
    }
    drawn
}

fn draw_one(rules: &RuleSet, plies: u32, random: &mut impl Rng) -> Option<Opening> {
    let mut game = Game::new(*rules, Position::START);
    for _ in 0..plies {
        let legal: Vec<Pit> = game.legal_moves().iter().collect();
        let index = below(random, legal.len())?;
        game.play(legal[index]).expect("a legal move can be played");
    }
    let goes_on = game.ending().is_none();
    goes_on.then(|| Opening {
        moves: game.moves().to_vec(),
        position: game.position(),
    })
}

/// Fisher and Yates's shuffle.
fn shuffle(list: &mut [Opening], random: &mut impl Rng) {
    for last in (1..list.len()).rev() {
        if let Some(chosen) = below(random, last + 1) {
            list.swap(last, chosen);
        }
    }
}

/// A uniform index below `count`, by rejection; `None` if there is nothing to choose from.
fn below(random: &mut impl Rng, count: usize) -> Option<usize> {
    let count = u32::try_from(count).ok().filter(|&count| count > 0)?;
    let whole = u32::MAX - u32::MAX % count;
    loop {
        let drawn = random.next_u32();
        if drawn < whole {
            return Some((drawn % count) as usize);
        }
    }
}

/// Why a line of a list is no opening.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("line {line}: {reason}")]
pub struct OpeningError {
    /// Line number, from 1; 0 for the whole text.
    pub line: usize,
    /// What is wrong with it.
    pub reason: String,
}

/// Reads a list of openings: one position or one text of moves a line; empty lines and lines that
/// begin with `#` are passed over.
///
/// # Errors
/// The first line that is no opening, leads to an ended game or leaves North to move; or no
/// opening at all.
pub fn parse_openings(rules: &RuleSet, text: &str) -> Result<Vec<Opening>, OpeningError> {
    let (mut list, mut seen) = (Vec::new(), HashSet::new());
    // Some editors begin every file with a byte order mark.
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
