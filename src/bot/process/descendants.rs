//! What lives of a bot, as `/proc` tells it: the process that was started and all that it started.

use nix::time::ClockId;
use std::fs;
use std::time::Duration;

/// More processes are not looked at.
const MOST: usize = 4096;
/// Ticks of the times in `/proc/PID/stat` in a second: `USER_HZ`, a part of the kernel's interface
/// to programs that is 100 on every machine that it runs on today.
const TICKS_PER_SECOND: u64 = 100;

/// A process and its living descendants.
pub(in crate::bot) fn family(started: i32) -> Vec<i32> {
    let mut family = vec![started];
    let mut next = 0;
    while next < family.len() && family.len() < MOST {
        family.extend(children(family[next]));
        next += 1;
    }
    family
}

/// Whether anybody of a family runs, waits for a processor, or is in the kernel's hands: a family
/// that is about to end is, and one that only waits for us is not.
pub(super) fn is_busy(started: i32) -> bool {
    family(started).into_iter().any(|process| {
        let stat = fs::read(format!("/proc/{process}/stat")).unwrap_or_default();
        matches!(state(&stat), Some(b'R' | b'D'))
    })
}

/// The letter of a process's state in its `/proc/PID/stat`: it follows the name, which may hold
/// anything (proc(5)).
pub(super) fn state(stat: &[u8]) -> Option<u8> {
    let after = stat.windows(2).rposition(|pair| pair == b") ")?;
    stat.get(after + 2).copied()
}

/// How long ago a process was started, to a hundredth of a second: field 22 of its `stat` is its
/// start in ticks since the host's boot.
pub(super) fn age(process: i32) -> Option<Duration> {
    let stat = fs::read(format!("/proc/{process}/stat")).ok()?;
    let after_name = stat.windows(2).rposition(|pair| pair == b") ")?;
    let fields = std::str::from_utf8(&stat[after_name + 2..]).ok()?;
    let ticks: u64 = fields.split(' ').nth(22 - 3)?.parse().ok()?;
    let now = ClockId::CLOCK_BOOTTIME.now().map(Duration::from).ok()?;
    let started = Duration::from_millis(ticks * (1000 / TICKS_PER_SECOND));
    Some(now.saturating_sub(started))
}

/// How many threads a process and its living descendants have.
pub(in crate::bot) fn threads_of_family(started: i32) -> usize {
    let family = family(started).into_iter();
    family.map(|process| threads(process).len()).sum()
}

/// The threads of a process, by their numbers.
pub(super) fn threads(process: i32) -> Vec<i32> {
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

/// What all threads of a process have started and what is alive of it.
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn who_computes_is_busy_and_who_sleeps_is_not() {
        for (script, busy) in [("while :; do :; done", true), ("sleep 60; true", false)] {
            let mut shell = Command::new("sh").args(["-c", script]).spawn().unwrap();
            let process = i32::try_from(shell.id()).unwrap();
            assert!(children(i32::try_from(std::process::id()).unwrap()).contains(&process));
            // A new process is busy until it has come to what it does.
            while is_busy(process) != busy {
                std::thread::sleep(Duration::from_millis(1));
            }
            for member in family(process).into_iter().rev() {
                let member = rustix::process::Pid::from_raw(member).unwrap();
                let _ = rustix::process::kill_process(member, rustix::process::Signal::KILL);
            }
            shell.wait().unwrap();
        }
    }
}
