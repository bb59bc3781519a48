//! How much memory a bot holds and how many processes it has, where the host does not limit it:
//! looked at while the referee waits for an answer, so that a bot that takes too much is stopped
//! before the host, or its user, runs out.
//!
//! Looks are so far apart whatever the turns are: many short ones have one between them. Of memory
//! that processes share each holds its part. A family that grows and shrinks between two looks is
//! not seen: limits that cannot be dodged need control groups.

use super::verdict::{too_large, too_many};
use crate::bot::crowding::{Crowding, ProcessLimit};
use crate::procfs::{family, proportional_bytes, resident_bytes};
use crate::record::Fault;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(100);

/// Looks after what one bot takes.
#[derive(Debug)]
pub struct FamilyLimits {
    /// The process that the referee started.
    started: i32,
    /// Bytes that it and all that it starts may hold; nothing where the host sees to it.
    memory_bytes: Option<u64>,
    /// Processes and threads, likewise.
    processes: Option<ProcessLimit>,
    /// When they are looked at next.
    due: Instant,
}

impl FamilyLimits {
    /// Of the family of a process that was started. `None` if there is nothing to look after.
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

    /// Waits until the family takes more than it may; forever, if it never does. May be dropped and
    /// called again.
    pub async fn exceeded(&mut self) -> Fault {
        loop {
            tokio::time::sleep_until(self.due.into()).await;
            self.due = Instant::now() + PAUSE;
            if let Some(fault) = self.too_large().or_else(|| self.too_many()) {
                return fault;
            }
        }
    }

    /// The fault of a family that holds more memory than it may now.
    fn too_large(&self) -> Option<Fault> {
        let limit = self.memory_bytes?;
        // Quick, and no less than what is shared rightly.
        if self.held(resident_bytes) <= limit {
            return None;
        }
        let held = self
            .held(|process| proportional_bytes(process).unwrap_or_else(|| resident_bytes(process)));
        (held > limit).then(|| too_large(held))
    }

    /// The fault of a family that has more processes than it may now.
    pub fn too_many(&self) -> Option<Fault> {
        let limit = self.processes.as_ref()?;
        let count = limit.excess()?;
        Some(too_many(count, limit.most()))
    }

    /// The family is about to be killed. To be said before its first process is reaped: another
    /// process may get its number then.
    pub fn begin_end(&mut self) {
        if let Some(processes) = &mut self.processes {
            processes.begin_end();
        }
    }

    /// Waits until those who were killed leave others their room. May be dropped in the middle.
    pub async fn ended(&mut self) {
        if let Some(processes) = &mut self.processes {
            processes.ended().await;
        }
    }

    fn held(&self, by: impl Fn(i32) -> u64) -> u64 {
        family(self.started).into_iter().map(by).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::FaultKind;
    use std::io::Write as _;
    use std::process::{Command, Stdio};

    /// Processes of our own: in this one other tests take memory and give it back meanwhile.
    #[test]
    fn a_family_holds_what_its_members_hold() {
        // `tail` keeps a line that has no end; the shell is its parent.
        let mut shell = Command::new("sh")
            .args(["-c", "tail; true"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let process = i32::try_from(shell.id()).unwrap();
        let mut input = shell.stdin.take().unwrap();
        // All but what fits into the pipe has been taken when this returns.
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

    /// Three shells with the text that one of them has made.
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
        // The shell, and the program that it starts.
        while family(process).len() < 2 {
            std::thread::sleep(Duration::from_millis(1));
        }
        let kind = |memory, processes: Option<u32>| {
            let crowding = Arc::default();
            let processes = processes.map(|most| (most, &crowding));
            let limits = FamilyLimits::new(process, memory, processes)?;
            let fault = limits.too_large().or_else(|| limits.too_many());
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
