//! The family's memory, temporary files and number of processes, where the host does not limit
//! them. The referee checks them while it waits for an answer, so that a bot is stopped before the
//! host, or the bots' user, runs out.
//!
//! The checks have a fixed distance in time, even across many short turns. Each process counts with
//! its share of shared memory, and each pipe and socket with the buffer that it can fill: the
//! kernel does not tell how full it is. Where only the referee counts, the filter of system calls
//! refuses memory that neither shows. A family that grows and shrinks between two checks is not
//! noticed: only control groups enforce limits without gaps.

use super::verdict::{too_large, too_many, too_much_stored};
use crate::bot::crowding::ProcessLimit;
use crate::bot::temporary_files::{bytes_of_names, temporary_bytes};
use crate::procfs::{ProcessMemory, family};
use crate::record::Fault;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The time between two checks.
const PAUSE: Duration = Duration::from_millis(100);

/// Bytes that a pipe or a socket can hold: `net.core.wmem_default`, more than a pipe's 16 pages.
const BUFFER_BYTES: u64 = 208 << 10;

/// Checks what one bot has.
#[derive(Debug)]
pub struct FamilyLimits {
    /// The process that the referee started.
    pub started: i32,
    /// How many of the family's first processes hold the box and are not the bot.
    pub holders: usize,
    /// Bytes that the family may hold; `None` where the host enforces this.
    pub memory_bytes: Option<u64>,
    /// The folder of temporary files and the bytes that they may have; `None` likewise.
    pub temporary: Option<(PathBuf, u64)>,
    /// The bytes that the names in its box may take; `None` likewise.
    pub names_bytes: Option<u64>,
    /// Processes and threads that the family may have; `None` likewise.
    pub processes: Option<ProcessLimit>,
    /// When the next check is due.
    pub due: Instant,
}

impl FamilyLimits {
    /// Limits of the family of this process that check nothing.
    pub fn new(started: i32, holders: usize) -> Self {
        Self {
            started,
            holders,
            memory_bytes: None,
            temporary: None,
            names_bytes: None,
            processes: None,
            due: Instant::now() + PAUSE,
        }
    }

    /// Whether there is nothing to check.
    pub const fn is_empty(&self) -> bool {
        self.memory_bytes.is_none() && self.temporary.is_none() && self.processes.is_none()
    }

    /// Whether the next check is due.
    pub fn is_due(&self) -> bool {
        Instant::now() >= self.due
    }

    /// Waits until the family exceeds a limit; forever, if it never does. The future may be dropped
    /// and called again.
    pub async fn exceeded(&mut self) -> Fault {
        loop {
            tokio::time::sleep_until(self.due.into()).await;
            self.due = Instant::now() + PAUSE;
            if let Some(fault) = self.excess() {
                return fault;
            }
        }
    }

    /// The fault of a family that exceeds a limit now.
    pub fn excess(&self) -> Option<Fault> {
        let members = memory_of_family(self.started, self.holders);
        self.too_large(&members)
            .or_else(|| self.too_much_stored(&members))
            .or_else(|| self.too_many_names())
            .or_else(|| self.too_many())
    }

    /// The fault of a family that holds too much memory now.
    fn too_large(&self, members: &[ProcessMemory]) -> Option<Fault> {
        let limit = self.memory_bytes?;
        // This check is quick, and never below the sum of the other.
        let most = |it: &ProcessMemory| it.held_bytes() + it.most_descriptors() * BUFFER_BYTES;
        if members.iter().map(most).sum::<u64>() <= limit {
            return None;
        }
        let pages = members.iter().map(ProcessMemory::proportional_bytes);
        let (pages, buffers) = (pages.sum::<u64>(), buffer_bytes(members));
        (pages + buffers > limit).then(|| too_large(pages, buffers, limit))
    }

    /// The fault of a family whose temporary files are too large now.
    fn too_much_stored(&self, members: &[ProcessMemory]) -> Option<Fault> {
        let (folder, limit) = self.temporary.as_ref()?;
        let bytes = temporary_bytes(folder, *limit, members);
        (bytes > *limit).then(|| too_much_stored(*limit))
    }

    /// The fault of a family with too many names in its box now.
    fn too_many_names(&self) -> Option<Fault> {
        let limit = self.names_bytes?;
        let first_process = *family(self.started).get(self.holders.checked_sub(1)?)?;
        (bytes_of_names(first_process, limit) > limit).then(|| too_much_stored(limit))
    }

    /// The fault of a family that has too many processes now.
    pub fn too_many(&self) -> Option<Fault> {
        let (count, most) = self.processes.as_ref()?.excess()?;
        Some(too_many(count, most))
    }

    /// Prepares for the kill of the family. Call this before its first process is reaped:
    /// afterwards another process may get that process id.
    pub fn begin_end(&mut self) {
        if let Some(processes) = &mut self.processes {
            processes.begin_end();
        }
    }

    /// Waits until the kernel no longer counts the killed processes. The future may be dropped.
    pub async fn ended(&mut self) {
        if let Some(processes) = &mut self.processes {
            processes.ended().await;
        }
    }
}

/// The memory of all living processes of a family, except those that hold its box.
fn memory_of_family(started: i32, holders: usize) -> Vec<ProcessMemory> {
    let members = family(started).into_iter().skip(holders);
    members.filter_map(ProcessMemory::of).collect()
}

/// Bytes of memory that a family holds at most; shared memory counts more than once.
pub fn held_bytes(started: i32, holders: usize) -> u64 {
    let members = memory_of_family(started, holders);
    members.iter().map(ProcessMemory::held_bytes).sum::<u64>() + buffer_bytes(&members)
}

/// Bytes that the pipes and sockets of a family can hold. A process that does not show what it has
/// open can have a socket for each descriptor.
fn buffer_bytes(members: &[ProcessMemory]) -> u64 {
    let (mut shown, mut hidden) = (BTreeSet::new(), 0);
    for member in members {
        match member.pipes_and_sockets() {
            Some(names) => shown.extend(names),
            None => hidden += member.most_descriptors(),
        }
    }
    (shown.len() as u64 + hidden) * BUFFER_BYTES
}

/// Waits for the fault of a family that exceeds its limits; forever, where the host enforces them.
/// The future may be dropped and called again.
pub async fn exceeded(limits: Option<&mut FamilyLimits>) -> Fault {
    match limits {
        Some(limits) => limits.exceeded().await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::FaultKind;
    use std::io::Write as _;
    use std::process::{Command, Stdio};
    use std::sync::Arc;

    /// The test starts processes of its own: in this process other tests allocate memory meanwhile.
    #[test]
    fn a_family_holds_what_its_members_hold() {
        // `tail` keeps a line without an end; the shell is its parent.
        let mut shell = Command::new("sh")
            .args(["-c", "tail; true"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let process = i32::try_from(shell.id()).unwrap();
        let mut input = shell.stdin.take().unwrap();
        // When this returns, `tail` has read everything except what fits into the pipe.
        input.write_all(&vec![b'x'; 64 << 20]).unwrap();
        let sum = |by: fn(&ProcessMemory) -> u64| -> u64 {
            memory_of_family(process, 0).iter().map(by).sum()
        };
        let of_family = [
            sum(ProcessMemory::held_bytes),
            sum(ProcessMemory::proportional_bytes),
        ];
        let alone = ProcessMemory::of(process).unwrap().held_bytes();
        drop(input);
        shell.wait().unwrap();
        assert!(alone < 16 << 20, "the shell itself: {alone}");
        for family in of_family {
            assert!((63 << 20..128 << 20).contains(&family), "{family}");
        }
    }

    /// Three shells share the text that one of them has made.
    #[test]
    fn what_processes_share_is_held_once() {
        let script = "x=$(head -c 32000000 /dev/zero | tr '\\0' x); \
                      (sleep 60; : $x) & (sleep 60; : $x) & wait";
        let mut shell = Command::new("sh").args(["-c", script]).spawn().unwrap();
        let process = i32::try_from(shell.id()).unwrap();
        let limits = FamilyLimits {
            memory_bytes: Some(48 << 20),
            ..FamilyLimits::new(process, 0)
        };
        let sleeps = |process: &i32| {
            let name = std::fs::read_to_string(format!("/proc/{process}/comm"));
            name.is_ok_and(|name| name == "sleep\n")
        };
        while family(process).iter().filter(|&it| sleeps(it)).count() < 2 {
            std::thread::sleep(Duration::from_millis(1));
        }
        let (all, fault) = (held_bytes(process, 0), limits.excess());
        end(process);
        shell.wait().unwrap();
        assert!(all > 90 << 20, "{all}");
        assert_eq!(fault, None);
    }

    /// A pipe that three processes share counts once.
    #[test]
    fn each_pipe_of_a_family_counts_with_its_room() {
        // Both are counted in one family, because a sandbox that another test starts meanwhile can
        // pass a socket on to this shell.
        let script = "sleep 60 & read line; sleep 60 | (sleep 60; true) | sleep 60; true";
        let mut shell = Command::new("sh")
            .args(["-c", script])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let process = i32::try_from(shell.id()).unwrap();
        let bytes_with_sleeps = |count| {
            let name = |it: &i32| std::fs::read_to_string(format!("/proc/{it}/comm"));
            let is_sleep = |it: &i32| name(it).is_ok_and(|name| name == "sleep\n");
            while family(process).iter().filter(|it| is_sleep(it)).count() < count {
                std::thread::sleep(Duration::from_millis(1));
            }
            buffer_bytes(&memory_of_family(process, 0))
        };
        let without = bytes_with_sleeps(1);
        shell.stdin.as_mut().unwrap().write_all(b"\n").unwrap();
        assert_eq!(bytes_with_sleeps(4), without + 2 * BUFFER_BYTES);
        end(process);
        shell.wait().unwrap();
    }

    #[test]
    fn a_family_with_more_than_it_may_have_is_at_fault() {
        let mut shell = Command::new("sh")
            .args(["-c", "sleep 60; true"])
            .spawn()
            .unwrap();
        let process = i32::try_from(shell.id()).unwrap();
        // The shell and the program that it starts.
        while family(process).len() < 2 {
            std::thread::sleep(Duration::from_millis(1));
        }
        let kind = |memory_bytes, processes: Option<u32>| {
            let crowding = Arc::default();
            let limits = FamilyLimits {
                memory_bytes,
                processes: processes.map(|most| ProcessLimit::new(&crowding, process, most)),
                ..FamilyLimits::new(process, 0)
            };
            let fault = limits.excess();
            fault.map(|fault| fault.kind)
        };
        assert_eq!(kind(None, None), None);
        assert_eq!(kind(Some(2 << 30), Some(2)), None);
        assert_eq!(kind(Some(2 << 30), Some(1)), Some(FaultKind::ProcessLimit));
        assert_eq!(kind(Some(1), Some(2)), Some(FaultKind::MemoryLimit));
        end(process);
        shell.wait().unwrap();
    }

    fn end(process: i32) {
        for member in family(process).into_iter().rev() {
            let member = rustix::process::Pid::from_raw(member).unwrap();
            let _ = rustix::process::kill_process(member, rustix::process::Signal::KILL);
        }
    }
}
