//! Sums of move times.

/// The times of some moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MoveTimes {
    moves: u64,
    // No count of `u64` that fits in memory overflows this sum.
    total_us: u128,
    max_us: u64,
}

impl MoveTimes {
    /// These times with more times, in µs.
    #[must_use]
    pub fn with(self, times_us: impl IntoIterator<Item = u64>) -> Self {
        times_us.into_iter().fold(self, |sum, time_us| Self {
            moves: sum.moves + 1,
            total_us: sum.total_us + u128::from(time_us),
            max_us: sum.max_us.max(time_us),
        })
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
        Some(u64::try_from(mean).expect("a mean does not exceed the maximum"))
    }

    /// The longest, in µs; `None` without moves.
    pub fn max_us(&self) -> Option<u64> {
        (self.moves > 0).then_some(self.max_us)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
