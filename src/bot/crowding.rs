//! Which bots of a run have more processes than their limit, where the host does not enforce it.
//!
//! Bots of an ordinary user share one user id, and the kernel counts all processes of a user
//! together: one bot that starts too many takes them from the bots on every slot. So when a bot
//! cannot start a process, or ends for that reason, the referee checks all families for an excess.
//! The kernel counts a killed process until it is reaped, so an excess lasts until then.

use crate::procfs::{family, threads_of_family};
use rustix::process::{Pid, test_kill_process};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The number of excesses that are kept: more than can occur while one bot is on turn.
const REMEMBERED: usize = 256;
/// How long the wait for killed processes may take. A process that still lives then is left alone.
const LONGEST_END: Duration = Duration::from_secs(1);
/// The pause before they are checked again.
const END_PAUSE: Duration = Duration::from_millis(1);

/// The families that only the referee limits, and their excesses.
#[derive(Debug, Default)]
pub struct Crowding {
    known: Mutex<KnownFamilies>,
}

#[derive(Debug, Default)]
struct KnownFamilies {
    /// Families by a number of our own: the kernel reuses process ids.
    families: BTreeMap<u64, ProcessFamily>,
    next: u64,
    /// The latest excesses, oldest first.
    excesses: VecDeque<Excess>,
}

#[derive(Clone, Copy, Debug)]
struct ProcessFamily {
    first_process: i32,
    /// Its limit of processes and threads.
    most: u32,
    /// The number of them when it was killed; 0 without an excess.
    killed: Option<usize>,
}

#[derive(Clone, Copy, Debug)]
struct Excess {
    family: ProcessFamily,
    count: usize,
    found: Instant,
}

impl Crowding {
    /// Describes a family other than this one that exceeds its limit now, or did so since that
    /// moment.
    pub fn besides(&self, first_process: Option<i32>, since: Instant) -> Option<String> {
        let families = self.lock().families.clone();
        let others = families.into_values();
        for other in others.filter(|it| Some(it.first_process) != first_process) {
            self.note_excess(other);
        }
        let known = self.lock();
        let mut excesses = known.excesses.iter().rev();
        let excess = excesses
            .find(|it| Some(it.family.first_process) != first_process && it.found >= since)?;
        Some(format!(
            "another bot of this user had {} processes and threads, of which it may have {}",
            excess.count, excess.family.most
        ))
    }

    /// The number of a family's processes, if it exceeds the limit.
    fn note_excess(&self, family: ProcessFamily) -> Option<usize> {
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
            family,
            count,
            found: Instant::now(),
        });
        Some(count)
    }

    fn lock(&self) -> MutexGuard<'_, KnownFamilies> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The limit of one family, for as long as the family exists.
#[derive(Debug)]
pub struct ProcessLimit {
    crowding: Arc<Crowding>,
    number: u64,
    family: ProcessFamily,
    /// The processes that are killed for the excess; the last one is checked first.
    killed: Vec<i32>,
}

impl ProcessLimit {
    /// The limit of the family of this process.
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

    /// The number of processes and the limit, if it is exceeded.
    pub fn excess(&self) -> Option<(usize, u32)> {
        let count = self.crowding.note_excess(self.family)?;
        Some((count, self.family.most))
    }

    /// Prepares for the kill of the family: from here on no code looks up the first process by its
    /// id, which may be reused.
    pub fn begin_end(&mut self) {
        if self.family.killed.is_some() {
            return;
        }
        let count = self.crowding.note_excess(self.family);
        if count.is_some() {
            self.killed = family(self.family.first_process);
        }
        self.family.killed = Some(count.unwrap_or_default());
        let mut known = self.crowding.lock();
        known.families.insert(self.number, self.family);
    }

    /// Waits, in bounded time, until the kernel no longer counts the killed processes. The future
    /// may be dropped and called again.
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

    /// The program ends when its input does.
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
        assert_eq!(of_greedy.excess(), Some((2, 1)));
        let words = "another bot of this user had 2 processes and threads, of which it may have 1";
        let besides = |number: Option<i32>, since| crowding.besides(number, since);
        assert_eq!(besides(Some(greedy.number()), before), None);
        assert_eq!(
            besides(Some(modest.number()), before).as_deref(),
            Some(words)
        );
        assert_eq!(besides(None, before).as_deref(), Some(words));
        // The excess is found again on every call.
        assert_eq!(besides(None, Instant::now()).as_deref(), Some(words));
        // The excess of a family that was ended for it counts for the whole time until then.
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
        // The process is killed but not reaped, so the kernel still counts it.
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
