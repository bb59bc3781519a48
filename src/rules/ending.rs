//! How a game ends under the rules, and which side gets the remaining seeds.
//!
//! [`RuleSet::ends_at`] finds positions that end the game; repetition needs a
//! [`History`](super::History), and [`Game`](super::Game) finds it. The referee decides forfeits,
//! resignation and adjudication; this file only divides their seeds.
//!
//! The dead position of text 000 (« indétermination ») is decided exactly. With two or three seeds
//! on the board the game is dead if no sequence of legal moves of both players contains a capture.
//! There are at most 364 such boards for the side to move (which side is South has no effect), so
//! all reachable ones are visited.

#![expect(
    clippy::cast_possible_truncation,
    reason = "a byte is cut out of a row of bytes on purpose"
)]

use crate::rules::pit::Side;
use crate::rules::position::{PITS_MASK, Position};
use crate::rules::rule_set::{Remaining, RuleSet};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A store with more seeds than this has won: half of 48.
const HALF: u8 = 24;

/// Why the rules end a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum EndReason {
    /// A store holds more than 24 seeds, or both hold 24.
    Majority,
    /// A row is empty (the children's game).
    RowEmpty,
    /// Two or three seeds are left that neither side can ever capture.
    DeadPosition,
    /// The side to move has no legal move.
    NoMove,
    /// A position has recurred too often.
    Repetition,
}

impl EndReason {
    /// All reasons, in the order in which they are checked.
    pub const ALL: [Self; 5] = [
        Self::Majority,
        Self::RowEmpty,
        Self::DeadPosition,
        Self::NoMove,
        Self::Repetition,
    ];

    /// The name in messages and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Majority => "majority",
            Self::RowEmpty => "row-empty",
            Self::DeadPosition => "dead-position",
            Self::NoMove => "no-move",
            Self::Repetition => "repetition",
        }
    }
}

impl fmt::Display for EndReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The result of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GameResult {
    /// One side won.
    Win(Side),
    /// Neither side won.
    Draw,
}

impl GameResult {
    /// The side with more seeds wins.
    pub fn of_stores(stores: [u8; 2]) -> Self {
        match stores[0].cmp(&stores[1]) {
            std::cmp::Ordering::Greater => Self::Win(Side::South),
            std::cmp::Ordering::Less => Self::Win(Side::North),
            std::cmp::Ordering::Equal => Self::Draw,
        }
    }

    /// `south`, `north` or `draw`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Win(side) => side.name(),
            Self::Draw => "draw",
        }
    }
}

/// The end of a game under the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ending {
    /// Why it ended.
    pub reason: EndReason,
    /// The final stores of South and North, remaining seeds divided.
    pub stores: [u8; 2],
}

impl Ending {
    /// The result.
    pub fn result(&self) -> GameResult {
        GameResult::of_stores(self.stores)
    }
}

impl RuleSet {
    /// Why this position ends the game before the side to move can play, if it does. Repetition is
    /// ignored.
    pub fn ends_at(&self, position: Position) -> Option<EndReason> {
        self.ends_before_moving(position)
            .or_else(|| (self.movable(position) == 0).then_some(EndReason::NoMove))
    }

    /// The endings that are checked before the legal moves.
    #[inline]
    pub(super) fn ends_before_moving(&self, position: Position) -> Option<EndReason> {
        if self.majority_ends && has_majority(position) {
            return Some(EndReason::Majority);
        }
        if self.row_empty_ends && a_row_is_empty(position) {
            return Some(EndReason::RowEmpty);
        }
        if self.dead_position_ends && self.is_dead(position) {
            return Some(EndReason::DeadPosition);
        }
        None
    }

    /// The final stores of a game that ends in `position` for this reason.
    pub fn settle(&self, position: Position, reason: EndReason) -> [u8; 2] {
        match reason {
            EndReason::Majority | EndReason::RowEmpty => position.stores(),
            EndReason::DeadPosition => position.stores_with_own_rows(),
            EndReason::NoMove => self.settle_no_move(position),
            EndReason::Repetition => match self.repetition.remaining {
                Remaining::Nobody => position.stores(),
                Remaining::OwnRow => position.stores_with_own_rows(),
            },
        }
    }

    fn settle_no_move(&self, position: Position) -> [u8; 2] {
        let mover = position.to_move();
        let mut stores = position.stores_with_own_rows();
        let could_not_feed =
            position.row_seeds(mover.opponent()) == 0 && position.row_seeds(mover) > 0;
        if could_not_feed {
            let gift = self.no_move_gift.min(stores[mover.index()]);
            stores[mover.index()] -= gift;
            stores[mover.opponent().index()] += gift;
        }
        stores
    }
}

impl Position {
    /// The stores if each player takes the seeds of its own row.
    pub fn stores_with_own_rows(self) -> [u8; 2] {
        Side::BOTH.map(|side| self.store(side) + self.row_seeds(side))
    }

    /// The stores if `loser` forfeits: its opponent gets all seeds on the board.
    pub fn stores_after_forfeit(self, loser: Side) -> [u8; 2] {
        let mut stores = self.stores();
        stores[loser.opponent().index()] += self.seeds_on_board();
        stores
    }

    /// The stores if the seeds on the board make them as equal as they can.
    pub fn stores_as_even_as_possible(self) -> [u8; 2] {
        let ([south, north], board) = (self.stores(), self.seeds_on_board());
        let all = south + north + board;
        let south = (all / 2).clamp(south, south + board);
        [south, all - south]
    }
}

fn has_majority(position: Position) -> bool {
    let [mover, waiting] = [position.mover, position.waiting].map(|row| (row >> 48) as u8);
    mover > HALF || waiting > HALF || (mover == HALF && waiting == HALF)
}

pub fn a_row_is_empty(position: Position) -> bool {
    position.mover & PITS_MASK == 0 || position.waiting & PITS_MASK == 0
}

/// Boards of three seeds in twelve pits; there are only 78 of two.
const MOST_BOARDS: usize = 364;

impl RuleSet {
    /// Whether two or three seeds are on the board and neither player can ever capture one,
    /// ignoring repetition.
    pub fn is_dead(&self, position: Position) -> bool {
        matches!(position.seeds_on_board(), 2 | 3) && !self.capture_is_reachable(position)
    }

    fn capture_is_reachable(&self, start: Position) -> bool {
        let mut seen = BoardSet::default();
        let mut waiting = [bare(start); MOST_BOARDS];
        let mut count = 1;
        seen.insert(waiting[0]);
        while count > 0 {
            count -= 1;
            let position = waiting[count];
            if self.row_empty_ends && a_row_is_empty(position) {
                continue;
            }
            let movable = self.movable(position);
            for row_index in (0..6).filter(|k| movable >> k & 1 == 1) {
                let played = self.play_row_index(position, row_index);
                if played.captured > 0 {
                    return true;
                }
                let next = bare(played.position);
                if seen.insert(next) {
                    waiting[count] = next;
                    count += 1;
                }
            }
        }
        false
    }
}

/// The pits alone, as seen by the side to move: stores and names of sides do not matter here.
fn bare(position: Position) -> Position {
    Position {
        mover: position.mover & PITS_MASK,
        waiting: position.waiting & PITS_MASK,
    }
}

/// A set of boards of two or three seeds.
struct BoardSet([u64; BoardSet::WORDS]);

impl Default for BoardSet {
    fn default() -> Self {
        Self([0; Self::WORDS])
    }
}

impl BoardSet {
    /// A board is three pits of 12, or two and the mark 12 for "no third seed".
    const CODES: usize = 13 * 13 * 13;
    const WORDS: usize = Self::CODES.div_ceil(64);

    /// Adds a board; true if it was new.
    fn insert(&mut self, board: Position) -> bool {
        let code = Self::code(board);
        let (word, bit) = (code / 64, 1 << (code % 64));
        let new = self.0[word] & bit == 0;
        self.0[word] |= bit;
        new
    }

    fn code(board: Position) -> usize {
        let (mut code, mut seeds) = (0, 0);
        for (pit, count) in board.pits().into_iter().enumerate() {
            for _ in 0..count {
                code = code * 13 + pit;
                seeds += 1;
            }
        }
        if seeds == 2 { code * 13 + 12 } else { code }
    }
}
