//! The scheduler's figures of a process or thread (`schedstat`).

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::time::Duration;

/// The scheduler's figures of a thread since its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SchedulerTotals {
    /// How long it ran.
    pub ran: Duration,
    /// How long it was in the run queue: runnable, but not running.
    pub queued: Duration,
    /// How often it ran; never 0, because a kernel that does not count reports only zeros.
    pub times: u64,
}

impl SchedulerTotals {
    /// The figures of the first thread of a process.
    pub fn of(process: i32) -> Option<Self> {
        Self::read(&File::open(format!("/proc/{process}/schedstat")).ok()?)
    }

    /// The figures of a thread.
    pub fn of_thread(process: i32, thread: i32) -> Option<Self> {
        Self::read(&File::open(format!("/proc/{process}/task/{thread}/schedstat")).ok()?)
    }

    /// The file with the figures of the calling thread.
    pub fn file_of_this_thread() -> Option<File> {
        File::open("/proc/thread-self/schedstat").ok()
    }

    /// Reads an open file.
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
