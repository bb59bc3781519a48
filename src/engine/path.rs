//! The positions from the last capture to the current one, and which of them can recur.
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
pub struct Path {
    positions: Vec<Position>,
    /// The oldest position since the last capture.
    first: usize,
    /// The index of the position where the search began.
    root: usize,
    repetition: Repetition,
}

/// The state that [`Path::pop`] restores.
#[derive(Clone, Copy)]
pub struct UndoMove {
    first: usize,
}

impl Path {
    /// A path at the end of a game's history.
    pub fn new(history: &[Position], repetition: Repetition) -> Self {
        Self {
            positions: history.to_vec(),
            first: 0,
            root: history.len().saturating_sub(1),
            repetition,
        }
    }

    /// Goes on to the position after a ply that captured this many seeds.
    #[inline]
    pub fn push(&mut self, position: Position, captured: u8) -> UndoMove {
        let step = UndoMove { first: self.first };
        if captured > 0 {
            self.first = self.positions.len();
        }
        self.positions.push(position);
        step
    }

    /// Goes back by the ply of this step.
    #[inline]
    pub fn pop(&mut self, step: UndoMove) {
        self.positions.pop();
        self.first = step.first;
    }

    /// The place of the position at hand.
    #[inline]
    pub fn here(&self) -> usize {
        self.positions.len().saturating_sub(1)
    }

    /// Whether the position at hand comes right after a capture: no earlier one can come back.
    #[inline]
    pub fn is_fresh(&self) -> bool {
        self.first == self.here()
    }

    /// If the position at hand ends the game by repetition: the place of the earlier one.
    ///
    /// The rule's count is kept for positions of the game. Within the search's own line the
    /// first return counts, whatever the rule: who can come back once can do it again.
    #[inline]
    pub fn repetition(&self) -> Option<usize> {
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
    pub fn may_return(&self, depth: usize) -> bool {
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

/// At least this many plies lead from `now` (whose rows are given) back to the position that was
/// on the board `ago` plies before.
fn plies_back(then: Position, rows_now: [u64; 2], now: Position, ago: usize) -> usize {
    let rows_then = rows(then);
    let must_play = Side::BOTH.map(|side| fewer(rows_then[side.index()], rows_now[side.index()]));
    let mover = now.to_move();
    // The mover plays the odd plies of the way back, its opponent the even ones.
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

/// The maximum depth of a search: most of the 48 seeds are gone before it.
pub const MAX_DEPTH: usize = 100;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::rng::Rng;
    use crate::rules::{Pit, RuleSet};

    fn text(text: &str) -> Position {
        text.parse().unwrap()
    }

    /// A capture-free walk of random moves, rules for feeding and ends aside.
    fn walk(start: Position, plies: usize, rng: &mut Rng) -> Vec<Position> {
        let rules = RuleSet {
            must_feed: false,
            ..RuleSet::default()
        };
        let mut positions = vec![start];
        let mut here = start;
        for _ in 0..plies {
            let moves: Vec<Pit> = rules.legal_moves(here).into_iter().collect();
            let Some(pit) = rng.pick(&moves) else { break };
            let played = rules.play_unchecked(here, pit);
            if played.captured == 0 {
                here = played.position;
                positions.push(here);
            }
        }
        positions
    }

    /// Wherever a walk returns to a position, every position on the way must have predicted it as
    /// possible.
    #[test]
    fn every_return_is_foreseen() {
        let mut rng = Rng::new(21, 0);
        let (mut returns, mut shortest) = (0, usize::MAX);
        for _ in 0..300 {
            let mut pits = [0; 12];
            for _ in 0..2 + rng.below(3) {
                pits[rng.below(12)] += 1;
            }
            let start = Position::new(pits, [20, 20], Side::South).unwrap();
            let positions = walk(start, 60, &mut rng);
            for from in 0..positions.len() {
                let later = &positions[from + 1..];
                let Some(offset) = later
                    .iter()
                    .position(|&position| position == positions[from])
                else {
                    continue;
                };
                let back = from + 1 + offset;
                returns += 1;
                shortest = shortest.min(back - from);
                for here in from + 1..back {
                    let mut path = Path::new(&positions[..1], RuleSet::default().repetition);
                    for &position in &positions[1..=here] {
                        path.push(position, 0);
                    }
                    assert!(path.may_return(back - here), "{} plies", back - here);
                }
            }
        }
        assert!(returns >= 100, "{returns} returns");
        assert_eq!(shortest, SHORTEST_CYCLE);
    }

    #[test]
    fn far_positions_are_seen_to_be_far() {
        let then = text("4-4-4-4-4-4-4-4-4-4-4-4-0-0-S");
        // Seven pits are heavier, three of them South's: North must play four times, and last.
        let now = text("0-5-5-5-0-4-5-5-5-5-4-4-0-0-S");
        assert_eq!(plies_back(then, rows(now), now, 20), 8);
        // Two plies ago is too near for eight more: no cycle is shorter than twelve.
        assert_eq!(plies_back(then, rows(now), now, 2), 10);
        // With North to move the way back starts with North: 7 plies, but South stood there to
        // move, and an odd way of 21 plies led here.
        let now = text("0-5-5-5-0-4-5-5-5-5-4-4-0-0-N");
        assert_eq!(plies_back(then, rows(now), now, 21), 7);
    }

    #[test]
    fn repetition_counts_the_game_and_its_own_line() {
        let start = text("1-0-0-0-0-0-1-0-0-0-0-0-20-20-S");
        let other = text("0-1-0-0-0-0-1-0-0-0-0-0-20-20-N");
        for (occurrences, game, plies_between, expected) in [
            (2, vec![start], 11, Some(0)),
            (2, vec![start, other], 10, Some(0)),
            (2, vec![other, other, start], 11, Some(2)),
            // It has stood once before the root: its second time is not the third.
            (3, vec![start, other], 10, None),
            (3, vec![start, other, start, other], 10, Some(0)),
            // But its second time counts where the line itself has come from there.
            (3, vec![start], 11, Some(0)),
        ] {
            let repetition = Repetition {
                occurrences,
                ..RuleSet::default().repetition
            };
            let mut path = Path::new(&game, repetition);
            for _ in 0..plies_between {
                path.push(other, 0);
            }
            path.push(start, 0);
            assert_eq!(path.repetition(), expected, "{occurrences} {game:?}");
        }
    }

    #[test]
    fn a_capture_forgets_and_going_back_remembers() {
        let start = text("1-0-0-0-0-0-1-0-0-0-0-0-20-20-S");
        let mut path = Path::new(&[start], RuleSet::default().repetition);
        let step = path.push(start, 2);
        for _ in 0..11 {
            path.push(start, 0);
        }
        // Twelve plies after the start, but only eleven after the capture.
        assert_eq!(path.here(), 12);
        assert_eq!(path.repetition(), None);
        assert!(!path.may_return(0));
        while path.here() > 1 {
            path.pop(UndoMove { first: 1 });
        }
        path.pop(step);
        for _ in 0..12 {
            path.push(start, 0);
        }
        assert_eq!(path.repetition(), Some(0));
    }
}
