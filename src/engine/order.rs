//! The order in which the moves of a node are searched: good ones first, so that many others need
//! only a short look.
//!
//! ```text
//! the table's move · captures, greatest first · the killer of this ply · what was good elsewhere
//! ```

use crate::engine::path::MAX_DEPTH;
use crate::rules::{PITS, PITS_PER_ROW, Pit, PitSet, Played, Position, RuleSet};

/// Added for each captured seed: more than any merit and the killer.
const PROMISE_OF_A_SEED: i32 = 1 << 24;
/// Added for the killer: more than any merit.
const PROMISE_OF_THE_KILLER: i32 = 1 << 23;
/// Merits stay below this.
const MOST_MERIT: i32 = 1 << 22;

/// Seeds of a pit that have merits of their own, from 0 on; heavier pits share the last.
const COUNTS: usize = 24;

/// The experience of a search with the order of moves.
pub struct MoveOrder {
    /// How often, weighted with depth, the move of a pit with so many seeds was too good: by pit
    /// 0–11 and seeds.
    merits: [[i32; COUNTS]; PITS],
    /// The move that caused a cutoff when this ply was last searched.
    killers: [Option<Pit>; MAX_DEPTH + 1],
}

/// A legal move and the position after it.
#[derive(Clone, Copy)]
struct Child {
    pit: Pit,
    played: Played,
    /// Greater is searched earlier.
    promise: i32,
}

/// The moves of a node, the most promising next.
pub struct Children {
    moves: [Option<Child>; PITS_PER_ROW],
    /// The index of the first child that was not returned yet.
    next: usize,
    count: usize,
}

impl MoveOrder {
    pub const fn new() -> Self {
        Self {
            merits: [[0; COUNTS]; PITS],
            killers: [None; MAX_DEPTH + 1],
        }
    }

    /// The legal moves of a node at `ply`, played. `table_move` is a pit's number in its row.
    #[inline]
    pub fn children(
        &self,
        rules: &RuleSet,
        position: Position,
        legal: PitSet,
        table_move: u8,
        ply: usize,
    ) -> Children {
        let mut moves = [None; PITS_PER_ROW];
        for (child, pit) in moves.iter_mut().zip(legal) {
            let played = rules.play_unchecked(position, pit);
            let merit = self.merits[pit.index()][count(position, pit)];
            let mut promise = merit + i32::from(played.captured) * PROMISE_OF_A_SEED;
            if pit.row_index() == table_move {
                promise = i32::MAX;
            } else if self.killers[ply] == Some(pit) {
                promise += PROMISE_OF_THE_KILLER;
            }
            *child = Some(Child {
                pit,
                played,
                promise,
            });
        }
        Children {
            moves,
            next: 0,
            count: legal.len(),
        }
    }

    /// Remembers that a move was too good for the opponent to allow it.
    pub fn record_cutoff(&mut self, position: Position, pit: Pit, depth: usize, ply: usize) {
        self.killers[ply] = Some(pit);
        let merit = &mut self.merits[pit.index()][count(position, pit)];
        *merit += i32::try_from(depth * depth).unwrap_or(0);
        if *merit >= MOST_MERIT {
            self.merits
                .as_flattened_mut()
                .iter_mut()
                .for_each(|merit| *merit /= 2);
        }
    }
}

fn count(position: Position, pit: Pit) -> usize {
    usize::from(position.seeds(pit)).min(COUNTS - 1)
}

impl Iterator for Children {
    type Item = (Pit, Played);

    /// Of equally promising moves the first in sowing order among those not yet moved aside.
    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let promise = |child: &Option<Child>| child.map(|child| child.promise);
        let mut best = self.next;
        for index in self.next + 1..self.count {
            if promise(&self.moves[index]) > promise(&self.moves[best]) {
                best = index;
            }
        }
        let child = (*self.moves.get(best)?)?;
        self.moves.swap(self.next, best);
        self.next += 1;
        Some((child.pit, child.played))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::moves_text;

    fn letters(order: &MoveOrder, text: &str, table_move: u8) -> String {
        let (rules, position) = (RuleSet::default(), text.parse().unwrap());
        let legal = rules.legal_moves(position);
        let children = order.children(&rules, position, legal, table_move, 3);
        let moves: Vec<Pit> = children.map(|(pit, _)| pit).collect();
        moves_text(&moves)
    }

    fn cutoff(order: &mut MoveOrder, text: &str, letter: char, depth: usize, ply: usize) {
        let pit = Pit::from_letter(letter).unwrap();
        order.record_cutoff(text.parse().unwrap(), pit, depth, ply);
    }

    /// D captures 7, F captures 3 and B, a slam, nothing.
    const CAPTURES: &str = "0-10-0-5-0-1-2-1-1-2-2-1-10-13-S";
    const QUIET: &str = "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S";

    #[test]
    fn promising_moves_come_first_and_each_comes_once() {
        let mut order = MoveOrder::new();
        assert_eq!(letters(&order, CAPTURES, 7), "DFB");
        assert_eq!(letters(&order, CAPTURES, 1), "BDF");
        cutoff(&mut order, QUIET, 'B', 5, 3);
        assert_eq!(letters(&order, CAPTURES, 7), "DFB");
        assert_eq!(letters(&order, QUIET, 7), "BACDEF");
        // Another ply's killer leaves its merit, which is less than the killer's promise.
        cutoff(&mut order, QUIET, 'E', 9, 2);
        assert_eq!(letters(&order, QUIET, 7), "BECDAF");
        // The merit is that of a pit of four seeds.
        assert_eq!(
            letters(&order, "4-4-4-4-5-4-4-4-4-4-4-3-0-0-S", 7),
            "BACDEF"
        );
    }

    #[test]
    fn merits_never_outgrow_a_capture() {
        let mut order = MoveOrder::new();
        for _ in 0..10_000 {
            cutoff(&mut order, CAPTURES, 'B', MAX_DEPTH, 3);
        }
        let merits = order.merits.as_flattened();
        assert!(merits.iter().all(|merit| (0..MOST_MERIT).contains(merit)));
        assert_eq!(letters(&order, CAPTURES, 7), "DFB");
    }
}
