//! How much memory a bot holds, where no control group limits it: looked at while the referee waits
//! for an answer, so that a bot that takes too much is stopped before the host runs out.
//!
//! The sum of what the processes hold resident. It counts what they share more than once, and a
//! process that grows and shrinks between two looks is not seen: a limit that cannot be dodged
//! needs control groups.

use super::descendants;
use std::fs;
use std::time::Duration;

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(100);

/// Looks after the memory of one bot.
#[derive(Debug)]
pub(super) struct MemoryWatch {
    /// The process that the referee started.
    started: i32,
    limit_bytes: u64,
}

impl MemoryWatch {
    /// Over a process and all that it starts.
    pub(super) const fn new(started: i32, limit_bytes: u64) -> Self {
        Self {
            started,
            limit_bytes,
        }
    }

    /// Waits until the family holds more than it may, and says how many bytes; forever, if it
    /// never does.
    pub(super) async fn exceeded(&self) -> u64 {
        loop {
            tokio::time::sleep(PAUSE).await;
            let held = self.held();
            if held > self.limit_bytes {
                return held;
            }
        }
    }

    fn held(&self) -> u64 {
        let family = descendants::family(self.started);
        family.into_iter().map(resident_bytes).sum()
    }
}

/// The second number of `/proc/PID/statm`, in pages (proc(5)).
fn resident_bytes(process: i32) -> u64 {
    let page = rustix::param::page_size() as u64;
    let text = fs::read_to_string(format!("/proc/{process}/statm")).unwrap_or_default();
    let pages = text
        .split(' ')
        .nth(1)
        .and_then(|word| word.parse::<u64>().ok());
    pages.unwrap_or_default() * page
}

/// How many processes the whole host has killed for want of memory since it started, whatever
/// their group; `None` where the kernel does not count them.
pub(super) fn host_kills() -> Option<u64> {
    let text = fs::read_to_string("/proc/vmstat").ok()?;
    let mut lines = text.lines();
    let count = lines.find_map(|line| line.strip_prefix("oom_kill "));
    count?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let (family, alone) = (MemoryWatch::new(process, 0).held(), resident_bytes(process));
        drop(input);
        shell.wait().unwrap();
        assert!(alone < 16 << 20, "the shell itself: {alone}");
        assert!((63 << 20..128 << 20).contains(&family), "{family}");
    }
}
