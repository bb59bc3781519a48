//! Which bots of a run have more processes than they may, where the host does not limit them.
//!
//! Bots of an ordinary user are one user, of whom the kernel counts all processes together: who
//! takes them all takes them from the bots on every slot. So a bot that could not start a process,
//! or ended for want of one, asks for the excess of all. A process that was killed is counted until
//! somebody has asked for its status, so an excess lasts until then.

use crate::procfs::{family, threads_of_family};
use rustix::process::{Pid, test_kill_process};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// So many excesses are remembered: more than are found while one bot is on turn.
const REMEMBERED: usize = 256;
/// How long killed processes are waited for. What lives then is left to itself.
const LONGEST_END: Duration = Duration::from_secs(1);
/// Pause before they are looked at again.
const END_PAUSE: Duration = Duration::from_millis(1);

/// The families that only the referee limits, and what was found of them.
#[derive(Debug, Default)]
pub struct Crowding {
    known: Mutex<KnownFamilies>,
}

#[derive(Debug, Default)]
struct KnownFamilies {
    /// Every family has a number of its own: the kernel's are given again.
    families: BTreeMap<u64, ProcessFamily>,
    next: u64,
    /// The latest excesses, the oldest first.
    excesses: VecDeque<Excess>,
}

#[derive(Clone, Copy, Debug)]
struct ProcessFamily {
    first_process: i32,
    /// Processes and threads that it may have.
    most: u32,
    /// How many it had when it was killed.
    killed: Option<usize>,
}

#[derive(Clone, Copy, Debug)]
struct Excess {
    first_process: i32,
    count: usize,
    most: u32,
    found: Instant,
}

impl Crowding {
    /// The families, one apart, that have more processes than they may, or had since that moment;
    /// in words.
    pub fn besides(&self, first_process: Option<i32>, since: Instant) -> Option<String> {
        let families = self.lock().families.clone();
        let others = families.into_values();
        for other in others.filter(|it| Some(it.first_process) != first_process) {
            self.look(other);
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
    fn look(&self, family: ProcessFamily) -> Option<usize> {
        let living = || threads_of_family(family.first_process);
        let count = family.killed.unwrap_or_else(living);
        if count <= family.most as usize {
            return None;
        }
        let mut known = self.lock();
        if known.excesses.len() == REMEMBERED {
            known.excesses.pop_front();
        }
        known.excesses.push_back(Excess {
            first_process: family.first_process,
            count,
            most: family.most,
            found: Instant::now(),
        });
        Some(count)
    }

    fn lock(&self) -> MutexGuard<'_, KnownFamilies> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What one family may have, for as long as it lives.
#[derive(Debug)]
pub struct ProcessLimit {
    crowding: Arc<Crowding>,
    number: u64,
    family: ProcessFamily,
    /// Those who are killed because they are too many; the last one is asked for first.
    killed: Vec<i32>,
}

impl ProcessLimit {
    /// Of the family of a process that was started.
    pub fn new(crowding: &Arc<Crowding>, first_process: i32, most: u32) -> Self {
        let family = ProcessFamily {
            first_process,
            most,
            killed: None,
        };
        let mut known = crowding.lock();
        let number = known.next;
        known.next += 1;
        known.families.insert(number, family);
        Self {
            crowding: Arc::clone(crowding),
            number,
            family,
            killed: Vec::new(),
        }
    }

    /// Processes and threads that it may have.
    pub const fn most(&self) -> u32 {
        self.family.most
    }

    /// How many it has, if these are more.
    pub fn excess(&self) -> Option<usize> {
        self.crowding.look(self.family)
    }

    /// The family is about to be killed: from here on nothing looks up which process has its first
    /// process's number.
    pub fn begin_end(&mut self) {
        if self.family.killed.is_some() {
            return;
        }
        let count = self.excess();
        if count.is_some() {
            self.killed = family(self.family.first_process);
        }
        self.family.killed = Some(count.unwrap_or_default());
        let mut known = self.crowding.lock();
        known.families.insert(self.number, self.family);
    }

    /// Waits until the kernel no longer counts those who were killed, in bounded time. May be
    /// dropped in the middle and asked again.
    pub async fn ended(&mut self) {
        let end = Instant::now() + LONGEST_END;
        while let Some(process) = self.killed.last().copied().and_then(Pid::from_raw) {
            if test_kill_process(process).is_err() {
                self.killed.pop();
            } else if Instant::now() < end {
                tokio::time::sleep(END_PAUSE).await;
            } else {
                return;
            }
        }
    }
}

/// A family that was killed for its excess had it until now.
impl Drop for ProcessLimit {
    fn drop(&mut self) {
        if self.family.killed.is_some() {
            self.excess();
        }
        self.crowding.lock().families.remove(&self.number);
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
        // A family that was ended for it had it all the same while the other bot was asked.
        drop(of_greedy);
        drop(greedy);
        assert_eq!(besides(None, before).as_deref(), Some(words));
        assert_eq!(besides(None, Instant::now()), None);
    }

    #[tokio::test]
    async fn an_excess_lasts_until_its_processes_no_longer_count() {
        let mut greedy = Command::new("sleep").arg("600").spawn().unwrap();
        let crowding = Arc::<Crowding>::default();
        let number = i32::try_from(greedy.id()).unwrap();
        let mut limit = ProcessLimit::new(&crowding, number, 0);
        limit.begin_end();
        greedy.kill().unwrap();
        // Killed, but not yet reaped: the kernel still counts it.
        let ended = tokio::time::timeout(Duration::from_millis(20), limit.ended());
        assert!(ended.await.is_err());
        let meanwhile = Instant::now();
        assert!(crowding.besides(None, meanwhile).is_some());
        greedy.wait().unwrap();
        limit.ended().await;
        assert!(limit.killed.is_empty());
        let before = Instant::now();
        drop(limit);
        assert!(crowding.besides(None, before).is_some());
        assert_eq!(crowding.besides(None, Instant::now()), None);
    }
}
