//! Which bots of a run have more processes than they may, where the host does not limit them.
//!
//! Bots of an ordinary user are one user, of whom the kernel counts all processes together: who
//! takes them all takes them from the bots on every slot. So whoever could not start a process, or
//! ended for want of one, asks for the excess of all.

use super::process::threads_of_family;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// So many excesses are remembered: more than are found while one bot is on turn.
const REMEMBERED: usize = 256;

/// The families that only the referee limits, and what was found of them.
#[derive(Debug, Default)]
pub(super) struct Crowding {
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    /// First processes, with the processes and threads that each family may have.
    families: BTreeMap<i32, u32>,
    /// The latest excesses, the oldest first.
    excesses: VecDeque<Excess>,
}

#[derive(Clone, Copy, Debug)]
struct Excess {
    first_process: i32,
    count: usize,
    most: u32,
    found: Instant,
}

impl Crowding {
    /// Who besides one family has more processes than it may, or had since that moment; in words.
    pub(super) fn besides(&self, first_process: Option<i32>, since: Instant) -> Option<String> {
        let families = self.lock().families.clone();
        for (other, most) in families {
            if Some(other) != first_process {
                self.look(other, most);
            }
        }
        let known = self.lock();
        let mut excesses = known.excesses.iter().rev();
        let excess =
            excesses.find(|it| Some(it.first_process) != first_process && it.found >= since)?;
        Some(format!(
            "another bot of this user had {} processes and threads, of which it may have {}",
            excess.count, excess.most
        ))
    }

    /// How many processes a family has, if these are more than it may have.
    fn look(&self, first_process: i32, most: u32) -> Option<usize> {
        let count = threads_of_family(first_process);
        if count <= most as usize {
            return None;
        }
        let mut known = self.lock();
        if known.excesses.len() == REMEMBERED {
            known.excesses.pop_front();
        }
        known.excesses.push_back(Excess {
            first_process,
            count,
            most,
            found: Instant::now(),
        });
        Some(count)
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What one family may have, for as long as it lives.
#[derive(Debug)]
pub(super) struct ProcessLimit {
    crowding: Arc<Crowding>,
    first_process: i32,
    most: u32,
}

impl ProcessLimit {
    /// Of the family of a process that was started.
    pub(super) fn new(crowding: &Arc<Crowding>, first_process: i32, most: u32) -> Self {
        crowding.lock().families.insert(first_process, most);
        Self {
            crowding: Arc::clone(crowding),
            first_process,
            most,
        }
    }

    /// Processes and threads that it may have.
    pub(super) const fn most(&self) -> u32 {
        self.most
    }

    /// How many it has, if these are more.
    pub(super) fn excess(&self) -> Option<usize> {
        self.crowding.look(self.first_process, self.most)
    }
}

impl Drop for ProcessLimit {
    fn drop(&mut self) {
        self.crowding.lock().families.remove(&self.first_process);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Child, Command, Stdio};
    use std::time::Duration;

    /// A shell and the program that it started.
    struct Pair(Child);

    impl Pair {
        fn new() -> Self {
            let shell = Command::new("sh")
                .args(["-c", "cat; true"])
                .stdin(Stdio::piped())
                .spawn()
                .unwrap();
            let pair = Self(shell);
            while threads_of_family(pair.number()) < 2 {
                std::thread::sleep(Duration::from_millis(1));
            }
            pair
        }

        fn number(&self) -> i32 {
            i32::try_from(self.0.id()).unwrap()
        }
    }

    /// The program's input ends with the shell's.
    impl Drop for Pair {
        fn drop(&mut self) {
            drop(self.0.stdin.take());
            self.0.wait().unwrap();
        }
    }

    #[test]
    fn only_others_and_only_since_then_count() {
        let (greedy, modest) = (Pair::new(), Pair::new());
        let crowding = Arc::<Crowding>::default();
        let before = Instant::now();
        let of_greedy = ProcessLimit::new(&crowding, greedy.number(), 1);
        let of_modest = ProcessLimit::new(&crowding, modest.number(), 2);
        assert_eq!(of_modest.excess(), None);
        assert_eq!(of_greedy.excess(), Some(2));
        let words = "another bot of this user had 2 processes and threads, of which it may have 1";
        let besides = |number: Option<i32>, since| crowding.besides(number, since);
        assert_eq!(besides(Some(greedy.number()), before), None);
        assert_eq!(
            besides(Some(modest.number()), before).as_deref(),
            Some(words)
        );
        assert_eq!(besides(None, before).as_deref(), Some(words));
        // It is still there, whenever somebody asks.
        assert_eq!(besides(None, Instant::now()).as_deref(), Some(words));
        // Whoever was ended for it had it all the same while the other was asked.
        drop(of_greedy);
        drop(greedy);
        assert_eq!(besides(None, before).as_deref(), Some(words));
        assert_eq!(besides(None, Instant::now()), None);
    }
}
