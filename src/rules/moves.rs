//! Legal moves, and playing one.
//!
//! Three functions, each with its contract: [`RuleSet::legal_moves`] lists, [`RuleSet::play`]
//! checks an untrusted move, and [`RuleSet::play_unchecked`] trusts a search that took its move
//! from the list. None of them allocates.
//!
//! ```text
//!   North   .  3  2  2  4  1        the last seed falls in c (it holds 2 now):
//!           f  e  d  c  b  a        c is taken, then b is looked at: 4, the chain ends.
//!   South   A  B  C  D  E  F
//! ```
//!
//! Perft counts sequences of moves, the yardstick of any move generator.

#![expect(
    clippy::cast_possible_truncation,
    reason = "a byte is cut out of a row of bytes on purpose"
)]

use crate::rules::pit::{Pit, PitSet};
use crate::rules::position::{LOW_BITS, PITS_MASK, Position, occupied, sum_of_pits};
use crate::rules::rule_set::{Capture, GrandSlam, RuleSet};
use crate::rules::sowing::sowing;
use std::fmt;

/// The result of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Played {
    /// The position with the other side to move.
    pub position: Position,
    /// Seeds that went to the mover's store.
    pub captured: u8,
}

/// A move that the rules do not allow, with the moves that they allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IllegalMove {
    /// The pit of the move.
    pub pit: Pit,
    /// The legal moves of the position, empty if the game is over.
    pub legal: PitSet,
}

impl fmt::Display for IllegalMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.legal.is_empty() {
            write!(f, "move {} after the end of the game", self.pit)
        } else {
            write!(
                f,
                "move {} is not legal; legal are {}",
                self.pit, self.legal
            )
        }
    }
}

impl std::error::Error for IllegalMove {}

/// The rows after a sowing, before anything is captured.
struct Sown {
    mover: u64,
    waiting: u64,
    /// The bytes of `waiting` that the capture rule takes; 0 if nothing is captured.
    taken: u64,
}

impl Sown {
    /// Whether the capture would empty the opponent's row.
    fn is_slam(&self) -> bool {
        self.taken != 0 && self.waiting & PITS_MASK & !self.taken == 0
    }

    fn reaches_opponent(&self) -> bool {
        self.waiting & PITS_MASK != 0
    }
}

impl RuleSet {
    /// The legal moves of the side to move: none if the position ends the game.
    ///
    /// Repetition is ignored: it needs a [`History`](super::History).
    pub fn legal_moves(&self, position: Position) -> PitSet {
        if self.ends_before_moving(position).is_some() {
            return PitSet::empty(position.to_move());
        }
        PitSet::from_bits(position.to_move(), self.movable(position))
    }

    /// Plays an untrusted move.
    ///
    /// # Errors
    /// The move is not legal, or the position ends the game.
    pub fn play(&self, position: Position, pit: Pit) -> Result<Played, IllegalMove> {
        let legal = self.legal_moves(position);
        if legal.contains(pit) {
            Ok(self.play_unchecked(position, pit))
        } else {
            Err(IllegalMove { pit, legal })
        }
    }

    /// Plays a move of [`legal_moves`](Self::legal_moves) for this position and these rules.
    ///
    /// For any other pit the result is a position that no game can reach; the number of seeds is
    /// still conserved, and nothing worse happens.
    #[inline]
    pub fn play_unchecked(&self, position: Position, pit: Pit) -> Played {
        self.play_row_index(position, pit.row_index())
    }

    #[inline]
    pub(super) fn play_row_index(&self, position: Position, row_index: u8) -> Played {
        let mut sown = self.sow(position, row_index);
        if sown.taken != 0 && sown.is_slam() && !self.grand_slam.captures() {
            sown.taken = 0;
        }
        let seeds = sown.waiting & sown.taken;
        let captured = sum_of_pits(seeds);
        let position = Position {
            mover: sown.mover,
            waiting: sown.waiting ^ seeds,
        }
        .with_mover_store_added(captured)
        .turned();
        Played { position, captured }
    }

    /// The moves that rules 1 to 4 allow, one bit for each pit of the mover's row, whether or
    /// not the position has ended the game.
    #[inline]
    pub(super) fn movable(&self, position: Position) -> u8 {
        let candidates = occupied(position.mover);
        let must_feed = self.must_feed && position.waiting & PITS_MASK == 0;
        let slams_matter = !matches!(self.grand_slam, GrandSlam::NoCapture | GrandSlam::Capture);
        if must_feed || slams_matter {
            self.filter_legal(position, candidates, must_feed, slams_matter)
        } else {
            candidates
        }
    }

    /// Keeps the moves that feed (if required), then applies the rule for slams.
    fn filter_legal(
        &self,
        position: Position,
        candidates: u8,
        must_feed: bool,
        slams_matter: bool,
    ) -> u8 {
        let (mut feeding, mut slams) = (candidates, 0);
        for row_index in (0..6).filter(|k| candidates >> k & 1 == 1) {
            let sown = self.sow(position, row_index);
            let slam = sown.is_slam();
            // Uses the capture that the rule for slams really makes.
            let feeds = sown.reaches_opponent() && !(slam && self.grand_slam.captures());
            if must_feed && !feeds {
                feeding &= !(1 << row_index);
            }
            slams |= u8::from(slam) << row_index;
        }
        let others = feeding & !slams;
        if slams_matter && (others != 0 || self.grand_slam == GrandSlam::Forbidden) {
            others
        } else {
            feeding
        }
    }

    #[inline]
    fn sow(&self, position: Position, row_index: u8) -> Sown {
        let shift = 8 * row_index;
        let seeds = (position.mover >> shift) as u8;
        let sowing = sowing(row_index, seeds);
        let mover = (position.mover & !(0xff << shift)) + sowing.mover;
        let waiting = position.waiting + sowing.waiting;
        let taken = if sowing.last < 6 {
            0
        } else {
            match self.capture {
                Capture::Chain => chain(waiting, sowing.last - 6),
                Capture::LastPit => 0xff << (8 * (sowing.last - 6)),
            }
        };
        Sown {
            mover,
            waiting,
            taken,
        }
    }
}

/// The bytes of the pits that a chain takes from a row if the last seed is in its pit `last`.
#[inline]
fn chain(row: u64, last: u8) -> u64 {
    // Every byte up to the last pit's.
    let reach = u64::MAX >> (56 - 8 * last);
    // Zero in the bytes that hold 2 or 3, and at most 0x3e elsewhere: + 0x7f sets the high bit.
    let misses = ((row ^ (2 * LOW_BITS)) & (0xfe * LOW_BITS)) + 0x7f * LOW_BITS;
    let stops = misses & (0x80 * LOW_BITS) & reach;
    if stops == 0 {
        return reach;
    }
    // The chain goes back to just after the nearest pit that stops it.
    let kept_bits = 64 - stops.leading_zeros();
    reach & (u64::MAX << kept_bits)
}

/// Sequences of exactly `depth` legal plies from `position`; 1 at depth 0.
pub fn perft(rules: &RuleSet, position: Position, depth: u32) -> u64 {
    if depth == 0 {
        1
    } else {
        leaves(rules, position, depth)
    }
}

/// The count below each legal first move, in sowing order; empty at depth 0.
pub fn divide(rules: &RuleSet, position: Position, depth: u32) -> Vec<(Pit, u64)> {
    if depth == 0 {
        return Vec::new();
    }
    rules
        .legal_moves(position)
        .into_iter()
        .map(|pit| {
            (
                pit,
                perft(
                    rules,
                    rules.play_unchecked(position, pit).position,
                    depth - 1,
                ),
            )
        })
        .collect()
}

/// Like [`perft`] with a depth of at least 1. The last ply is counted without being played: there
/// are as many sequences as legal moves.
fn leaves(rules: &RuleSet, position: Position, depth: u32) -> u64 {
    if rules.ends_before_moving(position).is_some() {
        return 0;
    }
    let mut movable = rules.movable(position);
    if depth == 1 {
        return u64::from(movable.count_ones());
    }
    let mut count = 0;
    while movable != 0 {
        let row_index = movable.trailing_zeros() as u8;
        movable &= movable - 1;
        count += leaves(
            rules,
            rules.play_row_index(position, row_index).position,
            depth - 1,
        );
    }
    count
}
