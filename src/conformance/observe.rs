//! What Linux tells of a running process: how much memory it had, how long it waited for a
//! processor, and whether it has anything left to do. Elsewhere nothing is told.

use std::path::{Path, PathBuf};
use std::time::Duration;

fn folder(process: u32) -> PathBuf {
    Path::new("/proc").join(process.to_string())
}

/// A process and all that it started and that have not been orphaned: a bot may stand behind a
/// shell, or in a box. Itself first.
fn family(process: u32) -> Vec<u32> {
    let mut family = vec![process];
    let mut place = 0;
    while let Some(parent) = family.get(place).copied() {
        for thread in threads(parent) {
            let children = std::fs::read_to_string(thread.join("children")).unwrap_or_default();
            let numbers = children.split_whitespace();
            family.extend(numbers.filter_map(|number| number.parse::<u32>().ok()));
        }
        place += 1;
    }
    family
}

/// The folders of a process's threads.
fn threads(process: u32) -> Vec<PathBuf> {
    let folders = std::fs::read_dir(folder(process).join("task"));
    let entries = folders.into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

/// The most memory that a process of a family has had, in KiB: `VmHWM` of `/proc/PID/status`.
pub fn peak_memory_kib(process: u32) -> Option<u64> {
    let peak = |process| {
        let status = std::fs::read_to_string(folder(process).join("status")).ok()?;
        let mut lines = status.lines();
        let line = lines.find_map(|line| line.strip_prefix("VmHWM:"))?;
        line.split_whitespace().next()?.parse().ok()
    };
    family(process).into_iter().filter_map(peak).max()
}

/// How long the processes of a family were ready to run and had no processor: the second field of
/// `/proc/PID/schedstat`, in ns. Of the first thread of each.
pub fn time_in_queue(process: u32) -> Duration {
    let queued = |process| {
        let line = std::fs::read_to_string(folder(process).join("schedstat")).ok()?;
        let second = line.split_whitespace().nth(1)?;
        second.parse().ok().map(Duration::from_nanos)
    };
    family(process).into_iter().filter_map(queued).sum()
}

/// What one look sees of a family.
#[derive(Debug, PartialEq, Eq)]
pub enum Look {
    /// A thread runs, or could. Whoever is woken by what was just written to its input is ready to
    /// run from that moment on, even if it gets no processor.
    Busy,
    /// All wait for something. Each thread's folder, with how long it has run and how often.
    Waiting(Vec<(PathBuf, String)>),
    /// Nothing is told, or it is gone.
    Unknown,
}

impl Look {
    /// Whether a family waits, and nobody of it has run since the look before. One look alone may
    /// miss a program that was started while it went through the list, and whose parent waits for
    /// it. Of what twice nothing is told, so is taken.
    pub fn is_settled_since(&self, before: &Self) -> bool {
        *self != Self::Busy && self == before
    }
}

/// Looks at all threads of a family.
pub fn look_at(process: u32) -> Look {
    let mut seen = Vec::new();
    for thread in family(process).into_iter().flat_map(threads) {
        // A thread may end between the list and this look at it.
        let Ok(line) = std::fs::read_to_string(thread.join("stat")) else {
            continue;
        };
        match state(&line) {
            Some('S') => {}
            Some(_) => return Look::Busy,
            None => return Look::Unknown,
        }
        let times = std::fs::read_to_string(thread.join("schedstat")).unwrap_or_default();
        seen.push((thread, times));
    }
    if seen.is_empty() {
        Look::Unknown
    } else {
        Look::Waiting(seen)
    }
}

/// The state in a line of `/proc/PID/stat`: after the name, which may hold anything.
fn state(line: &str) -> Option<char> {
    let (_, rest) = line.rsplit_once(')')?;
    rest.trim_start().chars().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_ran_between_two_looks_has_not_settled() {
        let waiting = |times: &str| Look::Waiting(vec![("1".into(), times.to_owned())]);
        assert!(waiting("5 0 1").is_settled_since(&waiting("5 0 1")));
        assert!(!waiting("6 0 2").is_settled_since(&waiting("5 0 1")));
        assert!(!waiting("5 0 1").is_settled_since(&Look::Busy));
        assert!(!Look::Busy.is_settled_since(&Look::Busy));
        assert!(!Look::Unknown.is_settled_since(&Look::Busy));
        assert!(Look::Unknown.is_settled_since(&Look::Unknown));
    }

    #[test]
    fn a_state_stands_after_the_last_bracket() {
        assert_eq!(state("12 (sh) S 1 12"), Some('S'));
        assert_eq!(state("12 (a) R (b) D 1 12"), Some('D'));
        assert_eq!(state("12"), None);
    }
}
