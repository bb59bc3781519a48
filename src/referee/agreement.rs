//! Games that end because both bots say the same of them: each sends its own view with its moves,
//! as `score` in `info`.
//!
//! ```text
//! ply               17      18      19      20
//! South's score    +14             +15              with { seeds = 12, turns = 2 } South wins
//! North's score            −13             −16      after ply 20
//! ```
//! A ply without a readable score breaks every sequence. The referee trusts neither bot: the one that
//! loses by it must say so, too.

use crate::record::{GameEnding, PlyRecord};
use crate::rules::Side;
use serde::{Deserialize, Serialize};

/// When a game is won by agreement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ResignTerms {
    /// The seeds by which the winner will be ahead at least, as both say.
    pub seeds: u8,
    /// The turns of each side in which they say so, one after the other.
    pub turns: u32,
}

/// When a game is drawn by agreement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct DrawTerms {
    /// The seeds by which a side will be ahead at most, as both say.
    pub seeds: u8,
    /// The turns of each side in which they say so, one after the other.
    pub turns: u32,
    /// The plies of a game, without those of its opening, before which it is not drawn.
    pub after: u32,
}

/// What bots may agree on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AgreementTerms {
    /// On the winner.
    pub resign: Option<ResignTerms>,
    /// On a draw.
    pub draw: Option<DrawTerms>,
}

/// What the bots of a game have said so far.
#[derive(Clone, Copy, Debug)]
pub struct Agreement {
    terms: AgreementTerms,
    plies: u32,
    /// The last plies that agree on this winner.
    winner: Option<(Side, u32)>,
    /// The last plies that agree on a draw.
    even: u32,
}

impl Agreement {
    /// Nothing was said yet.
    pub const fn new(terms: AgreementTerms) -> Self {
        Self {
            terms,
            plies: 0,
            winner: None,
            even: 0,
        }
    }

    /// Adds the next ply.
    pub fn add(&mut self, ply: &PlyRecord) {
        if self.terms == AgreementTerms::default() {
            return;
        }
        self.plies = self.plies.saturating_add(1);
        let score = ply.score();
        let side = ply.pit.side();
        let by = |seeds: u8| f64::from(seeds);
        let says = self.terms.resign.and_then(|terms| match score? {
            lead if lead >= by(terms.seeds) => Some(side),
            lead if lead <= -by(terms.seeds) => Some(side.opponent()),
            _ => None,
        });
        self.winner = says.map(|winner| match self.winner {
            Some((same, plies)) if same == winner => (winner, plies.saturating_add(1)),
            _ => (winner, 1),
        });
        let is_even = |terms: DrawTerms| score.is_some_and(|lead| lead.abs() <= by(terms.seeds));
        self.even = if self.terms.draw.is_some_and(is_even) {
            self.even.saturating_add(1)
        } else {
            0
        };
    }

    /// The ending that both bots agree on by now.
    pub fn ending(&self) -> Option<GameEnding> {
        // Sides move in turn, so twice as many plies are as many turns of each.
        let is_whole = |plies: u32, turns: u32| u64::from(plies) >= 2 * u64::from(turns);
        if let (Some((winner, plies)), Some(terms)) = (self.winner, self.terms.resign)
            && is_whole(plies, terms.turns)
        {
            return Some(GameEnding::AgreedWin(winner));
        }
        let terms = self.terms.draw?;
        let is_drawn = is_whole(self.even, terms.turns) && self.plies >= terms.after;
        is_drawn.then_some(GameEnding::AgreedDraw)
    }
}
