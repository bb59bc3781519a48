//! How much memory a bot holds and how many processes it has, where the host does not limit it:
//! looked at while the referee waits for an answer, so that a bot that takes too much is stopped
//! before the host, or its user, runs out.
//!
//! Memory is the sum of what the processes hold resident. It counts what they share more than once.
//! Whoever grows and shrinks between two looks is not seen: limits that cannot be dodged need
//! control groups.

use super::descendants;
use super::memory::resident_bytes;
use super::verdict::{too_large, too_many};
use crate::record::Fault;
use std::time::Duration;

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(100);

/// Looks after what one bot takes.
#[derive(Clone, Copy, Debug)]
pub(super) struct FamilyLimits {
    /// The process that the referee started.
    pub(super) started: i32,
    /// Bytes that it and all that it starts may hold; nothing where the host sees to it.
    pub(super) memory_bytes: Option<u64>,
    /// Processes and threads, likewise.
    pub(super) processes: Option<u32>,
}

impl FamilyLimits {
    /// Waits until the family takes more than it may; forever, if it never does.
    pub(super) async fn exceeded(&self) -> Fault {
        if self.memory_bytes.is_none() && self.processes.is_none() {
            return std::future::pending().await;
        }
        loop {
            tokio::time::sleep(PAUSE).await;
            if let Some(fault) = self.look() {
                return fault;
            }
        }
    }

    /// The fault of a family that takes more than it may now.
    pub(super) fn look(&self) -> Option<Fault> {
        let held = self.memory_bytes.map_or(0, |_| self.held());
        if self.memory_bytes.is_some_and(|limit| held > limit) {
            return Some(too_large(held));
        }
        let limit = self.processes?;
        let count = self.count();
        (count > limit as usize).then(|| too_many(count, limit))
    }

    fn held(&self) -> u64 {
        let family = descendants::family(self.started);
        family.into_iter().map(resident_bytes).sum()
    }

    fn count(&self) -> usize {
        let family = descendants::family(self.started);
        let threads = family.into_iter().map(descendants::threads);
        threads.map(|threads| threads.len()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::FaultKind;
    use std::io::Write as _;
    use std::process::{Command, Stdio};

    fn limits(started: i32, memory_bytes: Option<u64>, processes: Option<u32>) -> FamilyLimits {
        FamilyLimits {
            started,
            memory_bytes,
            processes,
        }
    }

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
        let (family, alone) = (limits(process, None, None).held(), resident_bytes(process));
        drop(input);
        shell.wait().unwrap();
        assert!(alone < 16 << 20, "the shell itself: {alone}");
        assert!((63 << 20..128 << 20).contains(&family), "{family}");
    }

    #[test]
    fn whoever_has_more_than_it_may_is_at_fault() {
        let mut shell = Command::new("sh")
            .args(["-c", "sleep 60; true"])
            .spawn()
            .unwrap();
        let process = i32::try_from(shell.id()).unwrap();
        // The shell, and the program that it starts.
        while descendants::family(process).len() < 2 {
            std::thread::sleep(Duration::from_millis(1));
        }
        let kind = |memory, processes| {
            let fault = limits(process, memory, processes).look();
            fault.map(|fault| fault.kind)
        };
        assert_eq!(kind(None, None), None);
        assert_eq!(kind(Some(1 << 30), Some(2)), None);
        assert_eq!(kind(Some(1 << 30), Some(1)), Some(FaultKind::ProcessLimit));
        assert_eq!(kind(Some(1), Some(2)), Some(FaultKind::MemoryLimit));
        for member in descendants::family(process).into_iter().rev() {
            let member = rustix::process::Pid::from_raw(member).unwrap();
            let _ = rustix::process::kill_process(member, rustix::process::Signal::KILL);
        }
        shell.wait().unwrap();
    }
}
