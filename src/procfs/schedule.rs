//! The scheduler's own words on a process or thread (`schedstat`).

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::time::Duration;

/// What the scheduler did with a thread in all its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SchedulerTotals {
    /// How long it ran.
    pub ran: Duration,
    /// How long it stood in the run queue: it could have run, and something else did.
    pub queued: Duration,
    /// How often it ran; never 0, for a kernel that does not count says nothing but zeros.
    pub times: u64,
}

impl SchedulerTotals {
    /// Of the first thread of a process.
    pub fn of(process: i32) -> Option<Self> {
        Self::read(&File::open(format!("/proc/{process}/schedstat")).ok()?)
    }

    /// Of a thread.
    pub fn of_thread(process: i32, thread: i32) -> Option<Self> {
        Self::read(&File::open(format!("/proc/{process}/task/{thread}/schedstat")).ok()?)
    }

    /// From its file, which may be open already.
    pub fn read(file: &File) -> Option<Self> {
        let mut text = [0; 64];
        let length = file.read_at(&mut text, 0).ok()?;
        Self::parse(std::str::from_utf8(&text[..length]).ok()?)
    }

    fn parse(text: &str) -> Option<Self> {
        let mut numbers = text.split_whitespace().map(|word| word.parse::<u64>().ok());
        let (ran, queued, times) = (numbers.next()??, numbers.next()??, numbers.next()??);
        (times > 0).then_some(Self {
            ran: Duration::from_nanos(ran),
            queued: Duration::from_nanos(queued),
            times,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scheduler_is_understood() {
        let expected = SchedulerTotals {
            ran: Duration::from_nanos(12_345),
            queued: Duration::from_nanos(678),
            times: 9,
        };
        assert_eq!(SchedulerTotals::parse("12345 678 9\n"), Some(expected));
        for text in ["0 0 0\n", "", "1 2", "a b c", "1 -2 3"] {
            assert_eq!(SchedulerTotals::parse(text), None, "{text:?}");
        }
    }
}
