//! The CPU time that the referee's thread spends on reading one bot's output. The bot causes this
//! time; it does not cause any other time in which the referee uses its core.

use nix::time::ClockId;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// CPU time of reading one bot's output so far. One thread reads all of it.
#[derive(Debug, Default)]
pub struct ReadingTime(AtomicU64);

impl ReadingTime {
    /// Runs `read` and adds its CPU time.
    pub fn measure<T>(&self, read: impl FnOnce() -> T) -> T {
        let before = thread_cpu();
        let result = read();
        let took = thread_cpu().saturating_sub(before);
        let took = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        self.0.fetch_add(took, Ordering::Relaxed);
        result
    }

    /// The sum so far. Only differences have a meaning.
    pub fn total(&self) -> Duration {
        Duration::from_nanos(self.0.load(Ordering::Relaxed))
    }
}

/// CPU time of this thread so far.
pub fn thread_cpu() -> Duration {
    let now = ClockId::CLOCK_THREAD_CPUTIME_ID.now();
    now.map(Duration::from).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_measured_is_counted_and_nothing_else() {
        let reading = ReadingTime::default();
        let work = || {
            let end = thread_cpu() + Duration::from_millis(5);
            while thread_cpu() < end {}
            7
        };
        assert_eq!(reading.measure(work), 7);
        let once = reading.total();
        assert!(once >= Duration::from_millis(5), "{once:?}");
        work();
        assert_eq!(reading.total(), once);
        reading.measure(work);
        assert!(reading.total() >= once + Duration::from_millis(5));
    }
}
