//! The family's memory and number of processes, where the host does not limit them. The referee
//! checks both while it waits for an answer, so that a bot is stopped before the host, or the bots'
//! user, runs out.
//!
//! The checks have a fixed distance in time, even across many short turns. Each process counts with
//! its share of shared memory. A family that grows and shrinks between two checks is not noticed:
//! only control groups enforce limits without gaps.

use super::verdict::{too_large, too_many};
use crate::bot::crowding::{Crowding, ProcessLimit};
use crate::procfs::{family, proportional_bytes, resident_bytes};
use crate::record::Fault;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The time between two checks.
const PAUSE: Duration = Duration::from_millis(100);

/// Checks the memory and the processes of one bot.
#[derive(Debug)]
pub struct FamilyLimits {
    /// The process that the referee started.
    started: i32,
    /// Bytes that the family may hold; `None` where the host enforces this.
    memory_bytes: Option<u64>,
    /// Processes and threads that the family may have; `None` likewise.
    processes: Option<ProcessLimit>,
    /// When the next check is due.
    due: Instant,
}

impl FamilyLimits {
    /// The limits of the family of this process; `None` if there is nothing to check.
    pub fn new(
        started: i32,
        memory_bytes: Option<u64>,
        processes: Option<(u32, &Arc<Crowding>)>,
    ) -> Option<Self> {
        let is_needed = memory_bytes.is_some() || processes.is_some();
        let processes =
            processes.map(|(most, crowding)| ProcessLimit::new(crowding, started, most));
        is_needed.then(|| Self {
            started,
            memory_bytes,
            processes,
            due: Instant::now() + PAUSE,
        })
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
        self.too_large().or_else(|| self.too_many())
    }

    /// The fault of a family that holds too much memory now.
    fn too_large(&self) -> Option<Fault> {
        let limit = self.memory_bytes?;
        // This check is quick, and never below the sum with proportional shares.
        if self.held(resident_bytes) <= limit {
            return None;
        }
        let held = self
            .held(|process| proportional_bytes(process).unwrap_or_else(|| resident_bytes(process)));
        (held > limit).then(|| too_large(held, limit))
    }

    /// The fault of a family that has too many processes now.
    pub fn too_many(&self) -> Option<Fault> {
        let limit = self.processes.as_ref()?;
        let count = limit.excess()?;
        Some(too_many(count, limit.most()))
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

    fn held(&self, by: impl Fn(i32) -> u64) -> u64 {
        family(self.started).into_iter().map(by).sum()
    }
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
        let family = FamilyLimits::new(process, Some(0), None).unwrap();
        let of_family = [resident_bytes, |it| proportional_bytes(it).unwrap_or(0)];
        let of_family = of_family.map(|by: fn(i32) -> u64| family.held(by));
        let alone = resident_bytes(process);
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
        let limits = FamilyLimits::new(process, Some(48 << 20), None).unwrap();
        let sleeps = |process: &i32| {
            let name = std::fs::read_to_string(format!("/proc/{process}/comm"));
            name.is_ok_and(|name| name == "sleep\n")
        };
        while family(process).iter().filter(|&it| sleeps(it)).count() < 2 {
            std::thread::sleep(Duration::from_millis(1));
        }
        let (all, fault) = (limits.held(resident_bytes), limits.too_large());
        end(process);
        shell.wait().unwrap();
        assert!(all > 90 << 20, "{all}");
        assert_eq!(fault, None);
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
        let kind = |memory, processes: Option<u32>| {
            let crowding = Arc::default();
            let processes = processes.map(|most| (most, &crowding));
            let limits = FamilyLimits::new(process, memory, processes)?;
            let fault = limits.excess();
            fault.map(|fault| fault.kind)
        };
        assert_eq!(kind(None, None), None);
        assert_eq!(kind(Some(1 << 30), Some(2)), None);
        assert_eq!(kind(Some(1 << 30), Some(1)), Some(FaultKind::ProcessLimit));
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
