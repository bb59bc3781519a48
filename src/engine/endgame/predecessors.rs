//! The positions from which a move without a capture leads to a position.
//!
//! The pit that was played is empty now (the sowing skips it). For every number of seeds that it
//! may have held, one seed is taken back from each pit that the sowing reached, as long as there
//! is one.
//!
//! Almost always it is seen at once that such a move was legal and captured nothing: its last seed
//! fell where nothing is captured, so it was no slam either. The rules themselves are asked about
//! the others.

use super::index::PITS_MASK;
use crate::rules::{Capture, Pit, Position, RuleSet};

/// Finds predecessors under one rule set.
#[derive(Clone, Copy)]
pub struct Predecessors<'a> {
    rules: &'a RuleSet,
    /// Whether a position can end the game although its mover has seeds to sow.
    ends_early: bool,
}

impl<'a> Predecessors<'a> {
    /// Under these rules, in which no majority ends a game.
    pub const fn new(rules: &'a RuleSet) -> Self {
        Self {
            rules,
            ends_early: rules.row_empty_ends || rules.dead_position_ends,
        }
    }

    /// Calls `visit` with each position of which a legal move without a capture leads to `position`
    /// (whose stores are empty), and the pit of that move.
    #[inline]
    pub fn for_each(self, position: Position, mut visit: impl FnMut(Position, Pit)) {
        let after @ [other, own] = position.words().map(|row| row & PITS_MASK);
        // Nothing was there before either, and the move did not feed.
        let starves = self.rules.must_feed && other == 0;
        // The pits from the side of the player who has just moved: own row first.
        for played in Pit::all().take(6) {
            let origin = played.row_index();
            if byte(own, origin) != 0 {
                continue;
            }
            let (mut own, mut other) = (own, other);
            let mut pit = origin;
            loop {
                pit = next_pit(pit, origin);
                let (row, row_index) = if pit < 6 {
                    (&mut own, pit)
                } else {
                    (&mut other, pit - 6)
                };
                if byte(*row, row_index) == 0 {
                    break;
                }
                *row -= 1 << (8 * row_index);
                own += 1 << (8 * origin);
                let earlier = Position::of_rows(own, other);
                // On a second lap the pit has been taken from already.
                let may_capture = pit >= 6 && self.may_capture(byte(after[0], row_index));
                let is_plain = !(may_capture || self.ends_early || starves);
                if is_plain || self.is_quiet(earlier, played) {
                    visit(earlier, played);
                }
            }
        }
    }

    /// Whether a last seed that makes so many in a pit of the opponent may capture.
    #[inline]
    const fn may_capture(self, seeds: u64) -> bool {
        matches!(seeds, 2 | 3) || matches!(self.rules.capture, Capture::LastPit)
    }

    /// Whether a move is legal and captures nothing, by the rules.
    #[cold]
    fn is_quiet(self, position: Position, pit: Pit) -> bool {
        self.rules.play_unchecked(position, pit).captured == 0
            && self.rules.legal_moves(position).contains(pit)
    }
}

#[inline]
const fn byte(row: u64, pit: u8) -> u64 {
    row >> (8 * pit) & 0xff
}

/// The pit after `pit`, the origin of a sowing skipped.
#[inline]
const fn next_pit(pit: u8, origin: u8) -> u8 {
    let next = if pit == 11 { 0 } else { pit + 1 };
    if next == origin { next + 1 } else { next }
}
