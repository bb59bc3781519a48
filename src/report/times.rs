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
    use super::super::sample;
    use super::*;

    #[test]
    fn turns_that_took_a_moment_count_in_mean_and_total() {
        let record = sample::game("1.1", ["ada", "bob"], [25, 23])
            .with_plies("AaBbCc", &[20; 6])
            .with_cpu_times(&[Some(7), None, None, None, None, None]);
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
