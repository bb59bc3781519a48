//! The dead position of text 000 (« indétermination »), decided exactly.
//!
//! With two or three seeds on the board the game is dead if no sequence of legal moves of both
//! players contains a capture. There are at most 364 such boards for the side to move (which side
//! is South has no effect), so all reachable ones are visited.

use super::position::{PITS_MASK, Position};
use super::rule_set::RuleSet;

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
            if self.row_empty_ends && super::ending::a_row_is_empty(position) {
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
