//! Checks every value against those of the positions after it.
//!
//! What passes is a solution of the same equations, and nothing that was changed by chance does. It
//! is no proof of the values: in a circle of positions, all might claim a gain that none of them
//! ever reaches. The checksums say that the file is what the solver wrote.

use super::code::{gaining_pit, is_code, value_of};
use super::index::{Rows, positions_of};
use super::solve::{Work, end_value};
use super::values::EndgameValues;
use crate::rules::{Pit, Position};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Positions that a thread takes at a time.
const BLOCK: u64 = 1 << 14;

impl EndgameValues {
    /// The first position whose value does not follow from those of its moves, of the fewest seeds.
    /// Stopped by `work`, it has found none.
    pub fn inconsistent_position(&self, work: Work<'_>) -> Option<Position> {
        let rows = Rows::up_to(self.seeds());
        (0..=self.seeds()).find_map(|seeds| self.inconsistent_in(&rows, seeds, work))
    }

    fn inconsistent_in(&self, rows: &Rows, seeds: u8, work: Work<'_>) -> Option<Position> {
        let places = positions_of(seeds);
        let (next, stopped) = (AtomicU64::new(0), AtomicBool::new(false));
        let found: Mutex<Option<(u64, Position)>> = Mutex::new(None);
        let worker = || {
            loop {
                let first = next.fetch_add(BLOCK, Relaxed);
                if first >= places || stopped.load(Relaxed) {
                    break;
                }
                let end = places.min(first + BLOCK);
                if let Some(wrong) = self.inconsistent_between(rows, seeds, first, end) {
                    // Blocks before this one are being checked to their end.
                    stopped.store(true, Relaxed);
                    if let Ok(mut found) = found.lock() {
                        let earlier = found.filter(|(place, _)| *place < wrong.0);
                        *found = Some(earlier.unwrap_or(wrong));
                    }
                }
                (work.progress)(end - first);
                if (work.stop)() {
                    stopped.store(true, Relaxed);
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..work.threads {
                scope.spawn(worker);
            }
            worker();
        });
        found
            .into_inner()
            .ok()
            .flatten()
            .map(|(_, position)| position)
    }

    fn inconsistent_between(
        &self,
        rows: &Rows,
        seeds: u8,
        first: u64,
        end: u64,
    ) -> Option<(u64, Position)> {
        let mut walk = rows.from_place(seeds, usize::try_from(first).ok()?);
        (first..end).find_map(|place| {
            let position = walk.position();
            walk.step();
            (!self.is_consistent(position)).then_some((place, position))
        })
    }

    /// Whether the code of a position with nothing in the stores is what its moves say.
    fn is_consistent(&self, position: Position) -> bool {
        let Some(code) = self.code(position).filter(|&code| is_code(code)) else {
            return false;
        };
        let rules = self.rules();
        let legal = rules.rules().legal_moves(position);
        if legal.is_empty() {
            return value_of(code) == end_value(rules.rules(), position);
        }
        let value = |pit: Pit| self.value_of_move(position, pit);
        let best = legal.iter().filter_map(value).max();
        let kept_move_gains = gaining_pit(code).is_none_or(|row_index| {
            let mut moves = legal.iter();
            moves.any(|pit| pit.row_index() == row_index && value(pit) == best)
        });
        best == Some(value_of(code)) && kept_move_gains
    }
}
