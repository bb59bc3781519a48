//! Which rule sets have a database, and which of their fields decide its values.
//!
//! What each field means for a value that depends on the pits alone:
//!
//! ```text
//! capture, grand-slam, must-feed  decide moves: solved as they are
//! row-empty-ends                  an end whose seeds belong to nobody: solved as it is
//! dead-position-ends              an end in which each player takes its row: solved as it is
//! no-move-gift = 1                the giver has taken its row, which holds a seed: it gives one
//! no-move-gift > 1                refused: how much is given depends on the giver's store
//! majority-ends                   ignored: who has more than half when the game is stopped has
//!                                 more than half at its end. Refused with a gift, which could
//!                                 still make a win a draw if the game were not stopped
//! repetition.occurrences          ignored: see the head of `endgame`
//! repetition.remaining = nobody   solved: a repetition is worth nothing
//! repetition.remaining = own-row  refused: what a repetition is worth depends on where the game
//!                                 repeats, and so on the way that it came
//! ```

use crate::rules::{Capture, GrandSlam, Remaining, RuleSet};
use std::fmt;

/// Rules with a database, reduced to the fields that decide its values. Two rule sets with equal
/// ones share a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SolvedRules(RuleSet);

/// Why endgames under a rule set are not solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsolvable {
    /// After a repetition each player takes its row.
    RemainingSeeds,
    /// A gift of this many seeds, which a store may not have.
    LargeGift(u8),
    /// A gift that a majority prevents.
    GiftAfterMajority,
}

impl fmt::Display for Unsolvable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RemainingSeeds => f.write_str(
                "with repetition.remaining = \"own-row\" the value of a position depends on the \
                 moves that led to it; only rules with \"nobody\" can be solved",
            ),
            Self::LargeGift(gift) => write!(
                f,
                "with no-move-gift = {gift} the value of a position depends on the stores; only a \
                 gift of 0 or 1 can be solved"
            ),
            Self::GiftAfterMajority => f.write_str(
                "with both majority-ends and no-move-gift the value of a position depends on the \
                 stores; only rules with one of them can be solved",
            ),
        }
    }
}

impl std::error::Error for Unsolvable {}

impl SolvedRules {
    /// The fields of these rules that decide values.
    ///
    /// # Errors
    /// The value of a position does not depend on its pits alone.
    pub fn of(rules: &RuleSet) -> Result<Self, Unsolvable> {
        if rules.repetition.remaining != Remaining::Nobody {
            return Err(Unsolvable::RemainingSeeds);
        }
        if rules.no_move_gift > 1 {
            return Err(Unsolvable::LargeGift(rules.no_move_gift));
        }
        if rules.no_move_gift > 0 && rules.majority_ends {
            return Err(Unsolvable::GiftAfterMajority);
        }
        Ok(Self(RuleSet {
            majority_ends: false,
            repetition: RuleSet::default().repetition,
            ..*rules
        }))
    }

    /// A rule set with these fields, in which no majority ends a game.
    pub const fn rules(&self) -> &RuleSet {
        &self.0
    }

    /// The fields in words that fit into the name of a file, the usual ones left out:
    /// `no-capture`, `capture-last-pit-no-feeding-row-empty-ends`.
    pub fn name(&self) -> String {
        let rules = &self.0;
        let slam = match rules.grand_slam {
            GrandSlam::NoCapture => "no-capture",
            GrandSlam::Forbidden => "forbidden",
            GrandSlam::ForbiddenUnlessOnly => "forbidden-unless-only",
            GrandSlam::ForbiddenUnlessOnlyCapture => "forbidden-unless-only-capture",
            GrandSlam::Capture => "capture",
        };
        let others = [
            (rules.capture == Capture::LastPit, "-last-pit"),
            (!rules.must_feed, "-no-feeding"),
            (rules.row_empty_ends, "-row-empty-ends"),
            (rules.dead_position_ends, "-dead-position-ends"),
            (rules.no_move_gift == 1, "-gift"),
        ];
        let others = others.iter().filter(|(differs, _)| *differs);
        slam.to_owned() + &others.map(|(_, words)| *words).collect::<String>()
    }
}
