//! Sums of move times.

use crate::record::GameRecord;
use crate::rules::Side;

/// The times of some moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MoveTimes {
    moves: u64,
    // No count of `u64` that fits in memory overflows this sum.
    total_us: u128,
    max_us: Option<u64>,
}

impl MoveTimes {
    /// These times with more times, in µs.
    #[must_use]
    pub fn with(self, times_us: impl IntoIterator<Item = u64>) -> Self {
        times_us.into_iter().fold(self, |sum, time_us| Self {
            moves: sum.moves + 1,
            total_us: sum.total_us + u128::from(time_us),
            max_us: sum.max_us.max(Some(time_us)),
        })
    }

    /// The times of moves that were counted before.
    pub const fn of_sums(moves: u64, total_us: u128, max_us: Option<u64>) -> Self {
        Self {
            moves,
            total_us,
            max_us,
        }
    }

    /// The times of both together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            moves: self.moves + other.moves,
            total_us: self.total_us + other.total_us,
            max_us: self.max_us.max(other.max_us),
        }
    }

    /// These times with the CPU times of one side of a game: those of single plies, and the sum of
    /// the plies that took a moment only. That sum says nothing about the longest.
    #[must_use]
    pub fn with_cpu_times(self, record: &GameRecord, side: Side) -> Self {
        let known = self.with(record.cpu_times_us(side));
        let Some(sum_us) = record.short_cpu_us[side.index()] else {
            return known;
        };
        Self {
            moves: known.moves + record.short_plies(side) as u64,
            total_us: known.total_us + u128::from(sum_us),
            ..known
        }
    }

    /// Number of moves.
    pub const fn moves(&self) -> u64 {
        self.moves
    }

    /// The sum, in µs.
    pub const fn total_us(&self) -> u128 {
        self.total_us
    }

    /// The mean in whole µs, half a µs rounded up; `None` without moves.
    pub fn mean_us(&self) -> Option<u64> {
        let moves = u128::from(self.moves);
        let mean = (self.total_us + moves / 2).checked_div(moves)?;
        Some(u64::try_from(mean).unwrap_or(u64::MAX))
    }

    /// The longest of the single times, in µs; `None` without any.
    pub const fn max_us(&self) -> Option<u64> {
        self.max_us
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{GameEnding, PlyRecord};
    use crate::rules::{EndReason, Pit, Position};

    #[test]
    fn sums_can_be_taken_apart_and_together() {
        let sum = |times: &[u64]| MoveTimes::default().with(times.iter().copied());
        for (one, other) in [(&[][..], &[][..]), (&[3], &[]), (&[7, 1], &[9, 2])] {
            let both = sum(one).and(sum(other));
            assert_eq!(both, sum(&[one, other].concat()));
            let again = MoveTimes::of_sums(both.moves(), both.total_us(), both.max_us());
            assert_eq!(again, both);
        }
    }

    #[test]
    fn turns_that_took_a_moment_count_in_mean_and_total() {
        let ply = |(letter, cpu_us)| PlyRecord {
            pit: Pit::from_letter(letter).unwrap(),
            time_us: 20,
            cpu_us,
            preempted_us: 0,
            info: None,
        };
        let cpu_us = [Some(7), None, None, None, None, None];
        let record = GameRecord {
            id: "ada~bob.1.1".parse().unwrap(),
            attempt: 1,
            entrants: ["ada".to_owned(), "bob".to_owned()],
            opening: 1,
            opening_moves: Vec::new(),
            start: Position::START,
            plies: "AaBbCc".chars().zip(cpu_us).map(ply).collect(),
            ending: GameEnding::Rules(EndReason::NoMove),
            stores: [25, 23],
            ready_us: [None; 2],
            lateness_us: None,
            off_turn_us: [None; 2],
            short_cpu_us: [None; 2],
            introductions: Default::default(),
        };
        let times = |record: &GameRecord, side| {
            let times = MoveTimes::default().with_cpu_times(record, side);
            (times.mean_us(), times.max_us(), times.moves())
        };
        assert_eq!(times(&record, Side::South), (Some(7), Some(7), 1));
        assert_eq!(times(&record, Side::North), (None, None, 0));
        let record = GameRecord {
            short_cpu_us: [Some(11), Some(15)],
            ..record
        };
        assert_eq!(times(&record, Side::South), (Some(6), Some(7), 3));
        assert_eq!(times(&record, Side::North), (Some(5), None, 3));
    }

    #[test]
    fn means_are_rounded_and_nothing_overflows() {
        for (times, mean, max) in [
            (vec![], None, None),
            (vec![7], Some(7), Some(7)),
            (vec![1, 2], Some(2), Some(2)),
            (vec![1, 1, 2], Some(1), Some(2)),
            (vec![1, 2, 2], Some(2), Some(2)),
            (vec![u64::MAX; 3], Some(u64::MAX), Some(u64::MAX)),
        ] {
            let sum = MoveTimes::default().with(times.clone());
            assert_eq!((sum.mean_us(), sum.max_us()), (mean, max), "{times:?}");
        }
    }
}
