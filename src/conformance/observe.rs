//! What Linux reports of a running process: its memory, how long it waited for a processor, and
//! whether it is idle. Other systems report nothing.

use crate::procfs::{self, SchedulerTotals, Stat, family, threads};
use std::time::Duration;

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

/// The state of a family at one look.
#[derive(Debug, PartialEq, Eq)]
pub enum Look {
    /// A thread runs or is runnable. A thread that waits for input is runnable from the moment of
    /// the write on, even if it gets no processor.
    Busy,
    /// All threads wait: the id of each thread, and its scheduler figures.
    Waiting(Vec<(i32, Option<SchedulerTotals>)>),
    /// The state is unknown, or the family has ended.
    Unknown,
}

impl Look {
    /// Whether a family waits, and none of its processes has run since the look before. A single
    /// look may miss a program that starts during the look, and whose parent waits for it. Two
    /// unknown states count as settled.
    pub fn is_settled_since(&self, before: &Self) -> bool {
        *self != Self::Busy && self == before
    }
}

/// Looks at all threads of a family.
pub fn look_at(process: i32) -> Look {
    let mut seen = Vec::new();
    for process in family(process) {
        for thread in threads(process) {
            // A thread may end between the listing and this look.
            let Some(stat) = Stat::of_thread(process, thread) else {
                continue;
            };
            if stat.state() != 'S' {
                return Look::Busy;
            }
            seen.push((thread, SchedulerTotals::of_thread(process, thread)));
        }
    }
    if seen.is_empty() {
        Look::Unknown
    } else {
        Look::Waiting(seen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_ran_between_two_looks_has_not_settled() {
        let waiting = |times: u64| {
            let schedule = SchedulerTotals {
                ran: Duration::from_nanos(5),
                queued: Duration::ZERO,
                times,
            };
            Look::Waiting(vec![(1, Some(schedule))])
        };
        assert!(waiting(1).is_settled_since(&waiting(1)));
        assert!(!waiting(2).is_settled_since(&waiting(1)));
        assert!(!waiting(1).is_settled_since(&Look::Busy));
        assert!(!Look::Busy.is_settled_since(&Look::Busy));
        assert!(!Look::Unknown.is_settled_since(&Look::Busy));
        assert!(Look::Unknown.is_settled_since(&Look::Unknown));
    }
}
