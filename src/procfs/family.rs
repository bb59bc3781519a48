//! The processes of a bot in `/proc`: the process that was started and its descendants.

use super::{SchedulerTotals, Stat};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// Further processes are ignored.
const MOST: usize = 4096;

/// A process and its living descendants.
pub fn family(started: i32) -> Vec<i32> {
    let mut family = vec![started];
    let mut next = 0;
    while next < family.len() && family.len() < MOST {
        family.extend(children(family[next]));
        next += 1;
    }
    family
}

/// Whether the kernel shows the children of a process; otherwise every process seems to have none.
fn shows_children(process: i32) -> bool {
    fs::read(format!("/proc/{process}/task/{process}/children")).is_ok()
}

/// Whether any process of a family runs, waits for a processor, or is in an uninterruptible call. A
/// family that is about to end is busy; one that only waits for input is not.
pub fn is_busy(started: i32) -> bool {
    family(started)
        .into_iter()
        .any(|process| Stat::of(process).is_some_and(|stat| matches!(stat.state(), 'R' | 'D')))
}

/// The state of a family at one reading.
#[derive(Debug, PartialEq, Eq)]
pub enum FamilyState {
    /// A thread runs or is runnable, or is in an uninterruptible call. A thread that waits for
    /// input is runnable from the moment of the write on, even if it gets no processor.
    Busy,
    /// All threads sleep: the id of each thread, and its scheduler figures.
    Asleep(Vec<(i32, Option<SchedulerTotals>)>),
    /// The state is unknown, or the family has ended.
    Unknown,
}

impl FamilyState {
    /// Reads the state of all threads of a family.
    pub fn of(started: i32) -> Self {
        let mut seen = Vec::new();
        for process in family(started) {
            for thread in threads(process) {
                // A thread may end between the listing and this reading.
                let Some(stat) = Stat::of_thread(process, thread) else {
                    continue;
                };
                if stat.state() != 'S' {
                    return Self::Busy;
                }
                seen.push((thread, SchedulerTotals::of_thread(process, thread)));
            }
        }
        if seen.is_empty() {
            Self::Unknown
        } else {
            Self::Asleep(seen)
        }
    }

    /// Whether a family sleeps, and none of its threads has run since the earlier reading. A single
    /// reading may miss a program that starts meanwhile, and whose parent waits for it. Two unknown
    /// states count as settled.
    pub fn is_settled_since(&self, before: &Self) -> bool {
        *self != Self::Busy && self == before
    }

    /// Whether it is certain that no thread has run since the earlier reading.
    pub fn has_slept_since(&self, before: &Self) -> bool {
        let is_counted = |seen: &[(i32, Option<SchedulerTotals>)]| {
            seen.iter().all(|(_, totals)| totals.is_some())
        };
        matches!(self, Self::Asleep(seen) if is_counted(seen)) && self == before
    }
}

/// The number of threads of a process and its living descendants.
pub fn threads_of_family(started: i32) -> usize {
    let family = family(started).into_iter();
    family.map(|process| threads(process).len()).sum()
}

/// The thread ids of a process.
pub fn threads(process: i32) -> Vec<i32> {
    let list = fs::read_dir(format!("/proc/{process}/task"));
    let names = list
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name());
    names
        .filter_map(|name| name.to_str()?.parse().ok())
        .collect()
}

/// The letters of the states of a process's threads (proc(5)); none if it has ended. The first one
/// can end before the others.
pub fn thread_states(process: i32) -> Vec<char> {
    let threads = threads(process).into_iter();
    let stats = threads.filter_map(|thread| Stat::of_thread(process, thread));
    stats.map(|stat| stat.state()).collect()
}

/// The command lines of all other processes that can be seen, their words ended by zero bytes.
pub fn command_lines_of_others() -> Vec<Vec<u8>> {
    let own = std::process::id();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers
        .filter(|&number: &u32| number != own)
        .filter_map(|number| fs::read(format!("/proc/{number}/cmdline")).ok())
        .collect()
}

/// Whether a process has children. It may have some if the kernel does not show them.
pub fn may_have_children(process: i32) -> bool {
    !shows_children(process) || !children(process).is_empty()
}

/// The living children of all threads of a process. If one of them ends meanwhile, others may be
/// missing.
fn children(process: i32) -> Vec<i32> {
    let threads = fs::read_dir(format!("/proc/{process}/task"));
    let lists = threads
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|thread| {
            let list = fs::read_to_string(thread.path().join("children")).ok()?;
            Some(
                list.split_whitespace()
                    .filter_map(|word| word.parse().ok())
                    .collect::<Vec<i32>>(),
            )
        });
    lists.flatten().collect()
}

/// The children of every process on the host.
pub fn children_of_all() -> BTreeMap<i32, BTreeSet<i32>> {
    let mut children: BTreeMap<i32, BTreeSet<i32>> = BTreeMap::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let name = entry.file_name();
        let process = name.to_str().and_then(|name| name.parse().ok());
        if let Some(process) = process
            && let Some(parent) = Stat::of(process).and_then(|stat| stat.parent())
        {
            children.entry(parent).or_default().insert(process);
        }
    }
    children
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;
    use std::time::Duration;

    #[test]
    fn a_computing_process_is_busy_and_a_sleeping_one_is_not() {
        for (script, busy) in [("while :; do :; done", true), ("sleep 60; true", false)] {
            let has_child = !busy;
            let mut shell = Command::new("sh").args(["-c", script]).spawn().unwrap();
            let process = i32::try_from(shell.id()).unwrap();
            assert!(children(i32::try_from(std::process::id()).unwrap()).contains(&process));
            // A new process is busy until it reaches its first wait.
            while is_busy(process) != busy {
                std::thread::sleep(Duration::from_millis(1));
            }
            assert_eq!(may_have_children(process), has_child, "{script}");
            for member in family(process).into_iter().rev() {
                let member = rustix::process::Pid::from_raw(member).unwrap();
                let _ = rustix::process::kill_process(member, rustix::process::Signal::KILL);
            }
            shell.wait().unwrap();
        }
    }

    #[test]
    fn a_process_that_ran_between_two_readings_has_not_settled() {
        let waiting = |times: u64| {
            let schedule = SchedulerTotals {
                ran: Duration::from_nanos(5),
                queued: Duration::ZERO,
                times,
            };
            FamilyState::Asleep(vec![(1, Some(schedule))])
        };
        assert!(waiting(1).is_settled_since(&waiting(1)));
        assert!(!waiting(2).is_settled_since(&waiting(1)));
        assert!(!waiting(1).is_settled_since(&FamilyState::Busy));
        assert!(!FamilyState::Busy.is_settled_since(&FamilyState::Busy));
        assert!(!FamilyState::Unknown.is_settled_since(&FamilyState::Busy));
        assert!(FamilyState::Unknown.is_settled_since(&FamilyState::Unknown));
    }
}
