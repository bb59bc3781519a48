//! What the kernel says of the time of cores and threads: a core's idle and stolen time (`stat`),
//! and how long programs ran or waited to run (`schedstat`).

use std::fs::{self, File};
use std::os::unix::fs::FileExt as _;
use std::time::Duration;

/// Times in `/proc/stat` are in hundredths of a second.
const TICK: Duration = Duration::from_millis(10);

/// Idle time (waits for disks included) of some cores, and stolen time of each of them.
pub fn idle_and_stolen(cores: &[usize]) -> Option<(Duration, Vec<Duration>)> {
    parse_stat(&fs::read_to_string("/proc/stat").ok()?, cores)
}

/// How long programs ran on some cores, by the open file `/proc/schedstat`, which a kernel may lack.
pub fn run_times(schedstat: &File, cores: &[usize]) -> Option<Duration> {
    parse_schedstat(&read_from_start(schedstat)?, cores)
}

/// Reads a file of /proc or of a control group from its beginning.
pub fn read_from_start(file: &File) -> Option<String> {
    let mut bytes = vec![0; 4096];
    let mut length = 0;
    loop {
        let count = file.read_at(&mut bytes[length..], length as u64).ok()?;
        if count == 0 {
            bytes.truncate(length);
            return String::from_utf8(bytes).ok();
        }
        length += count;
        if length == bytes.len() {
            bytes.resize(2 * length, 0);
        }
    }
}

/// Idle time (waits for disks included) of some cores, and stolen time of each of them: fields 4, 5
/// and 8 of the lines `cpuN` (proc(5)).
fn parse_stat(text: &str, cores: &[usize]) -> Option<(Duration, Vec<Duration>)> {
    let (mut idle, mut stolen) = (0_u32, Vec::new());
    for line in text.lines() {
        let mut words = line.split_ascii_whitespace();
        let Some(core) = words.next().and_then(|word| word.strip_prefix("cpu")) else {
            break;
        };
        let Ok(core) = core.parse::<usize>() else {
            continue;
        };
        if !cores.contains(&core) {
            continue;
        }
        let ticks: Vec<u64> = words.map_while(|word| word.parse().ok()).collect();
        let ticks = |field: usize| u32::try_from(ticks.get(field).copied().unwrap_or(0)).ok();
        idle = idle.checked_add(ticks(3)?)?.checked_add(ticks(4)?)?;
        stolen.push(TICK * ticks(7)?);
    }
    (stolen.len() == cores.len()).then(|| (TICK * idle, stolen))
}

/// Time that programs ran on some cores: the seventh number of the lines `cpuN`, in ns
/// (Documentation/scheduler/sched-stats).
fn parse_schedstat(text: &str, cores: &[usize]) -> Option<Duration> {
    let mut total = Duration::ZERO;
    let mut found = 0;
    for line in text.lines().filter_map(|line| line.strip_prefix("cpu")) {
        let mut words = line.split_ascii_whitespace();
        let core: usize = words.next()?.parse().ok()?;
        if cores.contains(&core) {
            total += Duration::from_nanos(words.nth(6)?.parse().ok()?);
            found += 1;
        }
    }
    (found == cores.len()).then_some(total)
}

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

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn the_kernels_tables_are_understood() {
        let stat = "cpu  9 9 9 9 9 9 9 9 9 9\n\
                cpu0 1 2 3 100 5 6 7 8 0 0\n\
                cpu3 1 2 3 200 1 6 7 9 0 0\n\
                intr 17\n";
        let both = parse_stat(stat, &[0, 3]);
        assert_eq!(both, Some((ms(3060), vec![ms(80), ms(90)])));
        assert_eq!(parse_stat(stat, &[1]), None);
        let sched = "version 17\ntimestamp 1\n\
                 cpu0 0 0 0 0 0 0 1000000 7 3\ndomain0 MC 3 0 0\n\
                 cpu1 0 0 0 0 0 0 5000000 7 3\n";
        assert_eq!(parse_schedstat(sched, &[1]), Some(ms(5)));
        assert_eq!(parse_schedstat(sched, &[0, 1]), Some(ms(6)));
        assert_eq!(parse_schedstat(sched, &[2]), None);
    }

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
