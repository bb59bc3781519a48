//! What a position is worth, and how endings are turned into that.
//!
//! Values are whole hundredths of a seed for the side to move. A result that is certain lies far
//! beyond any estimate, and the nearer it is the farther beyond:
//!
//! ```text
//!  −WIN ………… −WIN_FLOOR        −4800 … 4800        WIN_FLOOR ………… WIN
//!  lost now   lost in many plies    estimates, draws     won in many   won now
//! ```

use crate::rules::{EndReason, Position, RuleSet};
use std::fmt;

/// A game that is won here and now.
pub(super) const WIN: i32 = 1_000_000;
/// Values of at least this are certain wins: no search is half so deep.
pub(super) const WIN_FLOOR: i32 = WIN - 10_000;
/// The hundredths of a seed.
pub(super) const SEED: i32 = 100;

/// The value of a move for the side that plays it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Score(i32);

impl Score {
    pub(super) const fn new(value: i32) -> Self {
        Self(value)
    }

    /// The expected difference of the final stores, in hundredths of a seed; ±4800 if the
    /// result is certain.
    pub fn hundredths(self) -> i32 {
        match self.certain_in() {
            Some(_) => self.0.signum() * 48 * SEED,
            None => self.0,
        }
    }

    /// The expected difference of the final stores, in seeds; ±48 if the result is certain.
    pub fn seeds(self) -> f64 {
        f64::from(self.hundredths()) / f64::from(SEED)
    }

    /// After how many plies (at most, if the winner plays well) the game is decided, if the
    /// search has proved that it is won or lost.
    pub fn certain_in(self) -> Option<u32> {
        (self.0.abs() >= WIN_FLOOR).then(|| self.0.abs().abs_diff(WIN))
    }
}

/// In seeds, with two decimals and a sign.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:+.2}", self.seeds())
    }
}

/// How the ends of one search's lines are scored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scoring {
    rules: RuleSet,
    /// A store above this has won, whatever happens to the rest: 255 if the root is decided.
    enough: u8,
}

impl Scoring {
    /// For a search from `root`.
    ///
    /// Where no majority ends the game, a player may go on after it is decided. Every line has
    /// the same result then, so the search plays for seeds instead.
    pub(super) fn new(rules: RuleSet, root: Position) -> Self {
        let [south, north] = root.stores();
        let total = south + north + root.seeds_on_board();
        // A gift of g seeds after the end can move a difference by 2g: a store of s among t
        // seeds has won when s − g > t − s + g.
        let enough = (total / 2).saturating_add(rules.no_move_gift);
        let is_decided = south.max(north) > enough;
        Self {
            rules,
            enough: if is_decided { u8::MAX } else { enough },
        }
    }

    /// Whether the side that has just moved has enough seeds to have won.
    pub(super) fn is_lost(&self, position: Position) -> bool {
        position.store(position.to_move().opponent()) > self.enough
    }

    /// The value for the side to move of an ending `ply` plies from the root.
    pub(super) fn ending(&self, position: Position, reason: EndReason, ply: usize) -> i32 {
        let stores = self.rules.settle(position, reason);
        let mover = position.to_move();
        let difference =
            i32::from(stores[mover.index()]) - i32::from(stores[mover.opponent().index()]);
        if self.enough == u8::MAX {
            difference * SEED
        } else {
            difference.signum() * won_at(ply)
        }
    }
}

/// The value of a win `ply` plies from the root.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "searches are some hundred plies deep"
)]
pub(super) const fn won_at(ply: usize) -> i32 {
    WIN - ply as i32
}
