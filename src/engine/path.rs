//! The positions from the last capture to the one at hand, and which of them can come back.
//!
//! ```text
//!   the game's history        the search's line
//!   p0  p1  p2  …  root       n1  n2  …  the node at hand
//!       ^ first               (a capture moves `first` up to the position after it)
//! ```
//! A value found below a node depends on how the node was reached if the line below it can run
//! into a position above it (the graph-history interaction). Two facts keep such values rare and
//! known. Seeds only travel forward, so in a cycle as many seeds pass every pit, every pit is
//! emptied, and it takes at least twelve plies. And to come back to an earlier position, every
//! pit that holds more seeds than it did then must be played at least once.

use crate::rules::{Position, Repetition, Side};

/// Plies in the shortest cycle: each of twelve pits is played once.
const SHORTEST_CYCLE: usize = 12;

/// The positions that can come back, oldest first.
pub(super) struct Path {
    positions: Vec<Position>,
    /// The oldest position since the last capture.
    first: usize,
    /// Where the search began.
    root: usize,
    repetition: Repetition,
}

/// What [`Path::pop`] needs to go back.
#[derive(Clone, Copy)]
pub(super) struct Step {
    first: usize,
}

impl Path {
    /// A path at the end of a game's history.
    pub(super) fn new(history: &[Position], repetition: Repetition) -> Self {
        Self {
            positions: history.to_vec(),
            first: 0,
            root: history.len().saturating_sub(1),
            repetition,
        }
    }

    /// Goes on to the position after a ply that captured so many seeds.
    #[inline]
    pub(super) fn push(&mut self, position: Position, captured: u8) -> Step {
        let step = Step { first: self.first };
        if captured > 0 {
            self.first = self.positions.len();
        }
        self.positions.push(position);
        step
    }

    /// Goes back by the ply of this step.
    #[inline]
    pub(super) fn pop(&mut self, step: Step) {
        self.positions.pop();
        self.first = step.first;
    }

    /// The place of the position at hand.
    #[inline]
    pub(super) fn here(&self) -> usize {
        self.positions.len().saturating_sub(1)
    }

    /// If the position at hand ends the game by repetition: the place of the earlier one.
    ///
    /// The rule's count is kept for positions of the game. Within the search's own line the
    /// first return counts, whatever the rule: who can come back once can do it again.
    #[inline]
    pub(super) fn repetition(&self) -> Option<usize> {
        let here = self.here();
        if here < self.first + SHORTEST_CYCLE {
            return None;
        }
        let position = self.positions[here];
        let mut occurrences = 1;
        (self.first..=here - SHORTEST_CYCLE).rev().find(|&place| {
            let returns = self.positions[place] == position;
            occurrences += u8::from(returns);
            returns && (place >= self.root || occurrences >= self.repetition.occurrences)
        })
    }

    /// Whether a line of `depth` plies below the position at hand might come back to one above
    /// it. If not, what is found below does not depend on the path.
    #[inline]
    pub(super) fn may_return(&self, depth: usize) -> bool {
        let here = self.here();
        if here + depth < self.first + SHORTEST_CYCLE {
            return false;
        }
        // The last places are too near: the cycle would be too short.
        let end = here.min((here + depth + 1).saturating_sub(SHORTEST_CYCLE));
        let now = self.positions[here];
        let rows = rows(now);
        (self.first..end)
            .any(|place| plies_back(self.positions[place], rows, now, here - place) <= depth)
    }
}

/// At least so many plies lead from `now` (whose rows are given) back to the position that was
/// on the board `ago` plies before.
fn plies_back(then: Position, rows_now: [u64; 2], now: Position, ago: usize) -> usize {
    let rows_then = rows(then);
    let must_play = Side::BOTH.map(|side| fewer(rows_then[side.index()], rows_now[side.index()]));
    let mover = now.to_move();
    // The mover plays the odd plies of the way back, his opponent the even ones.
    let plies = (2 * must_play[mover.index()])
        .saturating_sub(1)
        .max(2 * must_play[mover.opponent().index()])
        .max(SHORTEST_CYCLE.saturating_sub(ago));
    // As many as fit the side to move.
    plies + (plies + ago) % 2
}

/// In how many bytes `then` is less than `now`; all are below 128.
fn fewer(then: u64, now: u64) -> usize {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let at_least = ((then | HIGH) - now) & HIGH;
    (HIGH ^ at_least).count_ones() as usize
}

/// The rows of South and North as words, one byte a pit.
fn rows(position: Position) -> [u64; 2] {
    let pits = position.pits();
    Side::BOTH.map(|side| {
        let mut row = [0; 8];
        row[..6].copy_from_slice(&pits[6 * side.index()..6 * side.index() + 6]);
        u64::from_le_bytes(row)
    })
}
