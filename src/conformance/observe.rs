//! What Linux tells of a running process: how much memory it had, how long it waited for a
//! processor, and whether it has anything left to do. Elsewhere nothing is told.

use crate::procfs::{self, SchedulerTotals, Stat, family, threads};
use std::time::Duration;

/// The most memory that a process of a family has had, in KiB.
pub fn peak_memory_kib(process: i32) -> Option<u64> {
    let family = family(process).into_iter();
    family.filter_map(procfs::peak_memory_kib).max()
}

/// How long the processes of a family were ready to run and had no processor: of the first thread
/// of each.
pub fn time_in_queue(process: i32) -> Duration {
    let schedules = family(process).into_iter().filter_map(SchedulerTotals::of);
    schedules.map(|schedule| schedule.queued).sum()
}

/// What one look sees of a family.
#[derive(Debug, PartialEq, Eq)]
pub enum Look {
    /// A thread runs, or could. A thread that is woken by what was just written to its input is
    /// ready to run from that moment on, even if it gets no processor.
    Busy,
    /// All wait for something: each thread's number, and what the scheduler says of it.
    Waiting(Vec<(i32, Option<SchedulerTotals>)>),
    /// Nothing is told, or it is gone.
    Unknown,
}

impl Look {
    /// Whether a family waits, and no process of it has run since the look before. One look alone
    /// may miss a program that was started while it went through the list, and whose parent waits
    /// for it. Of what twice nothing is told, so is taken.
    pub fn is_settled_since(&self, before: &Self) -> bool {
        *self != Self::Busy && self == before
    }
}

/// Looks at all threads of a family.
pub fn look_at(process: i32) -> Look {
    let mut seen = Vec::new();
    for process in family(process) {
        for thread in threads(process) {
            // A thread may end between the list and this look at it.
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
    fn who_ran_between_two_looks_has_not_settled() {
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
