//! What Linux reports of a running process: its memory, how long it waited for a processor, and
//! how much it worked. Other systems report nothing.

use crate::procfs::{self, SchedulerTotals, Stat, family, threads};
use std::time::{Duration, Instant};

/// A family that slept worked less than this part of the time.
const SLEEPER_WORKS: u32 = 10;
/// It read fewer bytes from storage.
const SLEEPER_READS: u64 = 1 << 20;

/// The peak memory of any process of a family, in KiB.
pub fn peak_memory_kib(process: i32) -> Option<u64> {
    let family = family(process).into_iter();
    family.filter_map(procfs::peak_memory_kib).max()
}

/// How long the processes of a family were runnable without a processor: the sum over the first
/// thread of each.
pub fn time_in_queue(process: i32) -> Duration {
    let schedules = family(process).into_iter().filter_map(SchedulerTotals::of);
    schedules.map(|schedule| schedule.queued).sum()
}

/// What a family has had of the machine since it began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FamilyWork {
    /// The time in which its threads ran or waited for a processor, with the CPU time of children
    /// that have ended.
    busy: Duration,
    /// Bytes that were read from storage for it.
    read_bytes: u64,
}

/// The work of a family so far; `None` where the system does not tell all of it.
pub fn work_of(process: i32) -> Option<FamilyWork> {
    let mut work = FamilyWork {
        busy: Duration::ZERO,
        read_bytes: 0,
    };
    for process in family(process) {
        let ended = Stat::of(process)?.children_cpu_time_us()?;
        work.busy += Duration::from_micros(ended);
        work.read_bytes += procfs::storage_bytes_read(process)?;
        for thread in threads(process) {
            let totals = SchedulerTotals::of_thread(process, thread)?;
            work.busy += totals.ran + totals.queued;
        }
    }
    Some(work)
}

impl FamilyWork {
    /// Whether the family slept nearly all of the time since an earlier look at this moment: it
    /// neither worked, nor waited for a processor, nor for files.
    pub fn slept_since(self, before: Self, moment: Instant) -> bool {
        // Less than before: a part of the family has ended, and what it did is unknown.
        let busy = self.busy.checked_sub(before.busy);
        let read_bytes = self.read_bytes.checked_sub(before.read_bytes);
        busy.is_some_and(|it| it < moment.elapsed() / SLEEPER_WORKS)
            && read_bytes.is_some_and(|it| it < SLEEPER_READS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_worked_or_read_files_did_not_sleep() {
        let work = |busy, read_bytes| FamilyWork {
            busy: Duration::from_millis(busy),
            read_bytes,
        };
        let a_second_ago = Instant::now()
            .checked_sub(Duration::from_secs(1))
            .expect("the host runs for a second");
        for (now, has_slept) in [
            (work(550, 5_000), true),
            (work(800, 5_000), false),
            (work(550, 5_000_000), false),
            // A thread has ended, and its time is not known any more.
            (work(100, 5_000), false),
        ] {
            assert_eq!(now.slept_since(work(500, 4_000), a_second_ago), has_slept);
        }
    }
}
