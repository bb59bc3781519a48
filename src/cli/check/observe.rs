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
pub(super) fn peak_memory_kib(process: u32) -> Option<u64> {
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
pub(super) fn time_in_queue(process: u32) -> Duration {
    let queued = |process| {
        let line = std::fs::read_to_string(folder(process).join("schedstat")).ok()?;
        let second = line.split_whitespace().nth(1)?;
        second.parse().ok().map(Duration::from_nanos)
    };
    family(process).into_iter().filter_map(queued).sum()
}

/// Whether all threads of a family wait for something. Whoever is woken by what was just written
/// to its input is ready to run from that moment on, even if it gets no processor. None if nothing
/// is told, or it is gone.
pub(super) fn is_waiting(process: u32) -> Option<bool> {
    let threads = family(process).into_iter().flat_map(threads);
    // A thread may end between the list and this look at it.
    let lines = threads.filter_map(|thread| std::fs::read_to_string(thread.join("stat")).ok());
    let states: Option<Vec<char>> = lines.map(|line| state(&line)).collect();
    let states = states.filter(|states| !states.is_empty())?;
    Some(states.iter().all(|state| *state == 'S'))
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
    fn a_state_stands_after_the_last_bracket() {
        assert_eq!(state("12 (sh) S 1 12"), Some('S'));
        assert_eq!(state("12 (a) R (b) D 1 12"), Some('D'));
        assert_eq!(state("12"), None);
    }
}
