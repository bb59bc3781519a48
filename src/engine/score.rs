//! The values of positions and endings.
//!
//! Values are whole hundredths of a seed for the side to move. A result that is certain lies far
//! beyond any estimate, and the nearer it is the farther beyond:
//!
//! ```text
//!  −WIN ………… −WIN_FLOOR        −4800 … 4800        WIN_FLOOR ………… WIN
//!  lost now   lost in many plies    estimates, draws     won in many   won now
//! ```
//! A win that a database of endgames knows, and not a search, is won in very many plies: the
//! database says that it can be reached, not how soon.

use crate::rules::{EndReason, Position, RuleSet};
use std::fmt;

/// A game that is won here and now.
pub const WIN: i32 = 1_000_000;
/// Values of at least this are certain wins: no search is half so deep.
pub const WIN_FLOOR: i32 = WIN - 10_000;
/// A win that a database knows counts as so many plies away; no search is so deep.
pub const PLIES_OF_DATABASE: usize = 2_000;
/// The hundredths of a seed.
pub const SEED: i32 = 100;

/// The value of a move for the side that plays it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Score(i32);

impl Score {
    /// A value of the search, in hundredths of a seed, or of a certain result, near ±[`WIN`].
    pub const fn new(value: i32) -> Self {
        Self(value)
    }

    /// The expected difference of the final stores, in hundredths of a seed; ±4800 if the
    /// result is certain.
    pub fn hundredths(self) -> i32 {
        if self.0.abs() >= WIN_FLOOR {
            self.0.signum() * 48 * SEED
        } else {
            self.0
        }
    }

    /// The expected difference of the final stores, in seeds; ±48 if the result is certain.
    pub fn seeds(self) -> f64 {
        f64::from(self.hundredths()) / f64::from(SEED)
    }

    /// After how many plies (at most, if the winner plays well) the game is decided, if the
    /// search has proved that it is won or lost.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        reason = "a few thousand"
    )]
    pub fn certain_in(self) -> Option<u32> {
        let is_proved = self.0.abs() > WIN - PLIES_OF_DATABASE as i32;
        is_proved.then(|| self.0.abs().abs_diff(WIN))
    }
}

/// In seeds, with two decimals and a sign.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:+.2}", self.seeds())
    }
}

/// Scores the ends of one search's lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scoring {
    rules: RuleSet,
    /// A store above this has won, whatever happens to the rest: 255 if the root is decided.
    enough: u8,
}

impl Scoring {
    /// For a search from `root`.
    ///
    /// Where no majority ends the game, a player may go on after it is decided. Every line has
    /// the same result then, so the search plays for seeds instead.
    pub fn new(rules: RuleSet, root: Position) -> Self {
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
    pub fn is_lost(&self, position: Position) -> bool {
        position.store(position.to_move().opponent()) > self.enough
    }

    /// The value for the side to move, `ply` plies from the root, of a position from which it gains
    /// so many seeds more than its opponent.
    pub fn perfect(&self, position: Position, gain: i8, ply: usize) -> i32 {
        let mover = position.to_move();
        let [own, other] = [mover, mover.opponent()].map(|side| i32::from(position.store(side)));
        let difference = own - other + i32::from(gain);
        if self.enough == u8::MAX {
            difference * SEED
        } else {
            difference.signum() * won_at(ply + PLIES_OF_DATABASE)
        }
    }

    /// The value for the side to move of an ending `ply` plies from the root.
    pub fn ending(&self, position: Position, reason: EndReason, ply: usize) -> i32 {
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
pub const fn won_at(ply: usize) -> i32 {
    WIN - ply as i32
}

/// Certain results are counted from the root in the search, from the position in the table.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "a few hundred"
)]
pub fn to_table(value: i32, ply: usize) -> i32 {
    if value.abs() >= WIN_FLOOR {
        value + value.signum() * ply as i32
    } else {
        value
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "a few hundred"
)]
pub fn from_table(value: i32, ply: usize) -> i32 {
    if value.abs() >= WIN_FLOOR {
        value - value.signum() * ply as i32
    } else {
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Preset;

    fn is_lost(rules: RuleSet, root: &str, position: &str) -> bool {
        Scoring::new(rules, root.parse().unwrap()).is_lost(position.parse().unwrap())
    }

    /// A store is enough when no division of the rest can change the winner.
    #[test]
    fn more_than_half_of_the_seeds_is_enough() {
        let simple = Preset::Simple.rules();
        let root = "1-1-0-0-0-0-1-1-0-0-0-0-22-22-S";
        for (position, expected) in [
            ("0-1-0-0-0-0-0-1-0-0-0-0-24-22-N", false),
            ("0-1-0-0-0-0-0-0-0-0-0-0-25-22-N", true),
            // It is the loser's turn: North has 25, and it is South who looks.
            ("0-1-0-0-0-0-0-0-0-0-0-0-22-25-S", true),
            ("0-1-0-0-0-0-0-0-0-0-0-0-22-25-N", false),
        ] {
            assert_eq!(is_lost(simple, root, position), expected, "{position}");
        }
        // Of 20 seeds 11 are enough, of 21 too.
        let of_20 = "1-1-0-0-0-0-1-1-0-0-0-0-8-8-S";
        assert!(!is_lost(simple, of_20, "0-1-0-0-0-0-0-1-0-0-0-0-10-8-N"));
        assert!(is_lost(simple, of_20, "0-1-0-0-0-0-0-0-0-0-0-0-11-8-N"));
        let of_21 = "1-1-0-0-0-0-1-1-0-0-0-0-8-9-S";
        assert!(!is_lost(simple, of_21, "0-1-0-0-0-0-0-0-0-0-0-1-10-9-N"));
        assert!(is_lost(simple, of_21, "0-1-0-0-0-0-0-0-0-0-0-0-11-9-N"));
    }

    /// 25–23 and a gift of one is a draw, so 25 are not enough before the gift.
    #[test]
    fn a_gift_can_take_a_win_away() {
        let abidjan = Preset::Abidjan.rules();
        let root = "1-1-0-0-0-0-1-1-0-0-0-0-22-22-S";
        assert!(!is_lost(abidjan, root, "0-1-0-0-0-0-0-0-0-0-0-0-25-22-N"));
        assert!(is_lost(abidjan, root, "0-1-0-0-0-0-0-0-0-0-0-0-26-21-N"));
    }

    #[test]
    fn endings_are_wins_draws_and_losses_until_the_game_is_decided() {
        let simple = Preset::Simple.rules();
        let open = Scoring::new(simple, Position::START);
        let settled =
            |scoring: Scoring, text: &str, reason| scoring.ending(text.parse().unwrap(), reason, 3);
        let row = "0-0-0-0-0-0-0-0-0-0-0-4-22-22-S";
        assert_eq!(settled(open, row, EndReason::NoMove), -WIN + 3);
        assert_eq!(settled(open, row, EndReason::Repetition), 0);
        let decided = "0-0-0-0-0-0-0-0-0-0-0-4-30-14-S".parse().unwrap();
        let decided = Scoring::new(simple, decided);
        let row = "0-0-0-0-0-0-0-0-0-0-0-4-30-14-S";
        assert_eq!(settled(decided, row, EndReason::NoMove), 1200);
        assert!(!decided.is_lost("0-0-0-0-0-0-0-0-0-0-0-4-30-14-N".parse().unwrap()));
    }

    #[test]
    fn certain_results_are_48_seeds() {
        assert_eq!(Score::new(won_at(5)).certain_in(), Some(5));
        assert_eq!(Score::new(-won_at(8)).certain_in(), Some(8));
        assert_eq!(Score::new(-won_at(8)).hundredths(), -4800);
        assert_eq!(Score::new(4799).certain_in(), None);
        assert_eq!(Score::new(-250).to_string(), "-2.50");
        assert_eq!(Score::new(won_at(2)).to_string(), "+48.00");
    }
}
