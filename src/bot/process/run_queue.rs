//! How long a bot's family stood in the run queue: it was runnable while something else ran.
//!
//! The scheduler publishes the time that a thread stood in the queue (`schedstat`) once the thread
//! runs again, and nothing after the thread has ended. For a thread that has ended, or that stands
//! in the queue while its bot is silent, this is an upper bound: the time since the family was last
//! seen asleep, less the CPU time that the family used since. The bound is too high for a bot that
//! slept unnoticed; the referee never gives back more than other programs really ran.
//!
//! An answer was not delayed by a wait that goes on after it. A bot that has just answered still
//! stands in the queue, for it has not had the time to fall asleep or to be stopped.

use crate::procfs::{SchedulerTotals, Stat, threads};
use crate::referee::Scheduled;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// The clocks of a family and of its threads may differ by this much.
const UNACCOUNTED: Duration = Duration::from_millis(1);

/// What is known of a turn when its waits are looked up.
#[derive(Clone, Copy, Debug, Default)]
pub struct TurnSoFar {
    /// Its age.
    pub elapsed: Duration,
    /// The CPU time of the family over its whole life.
    pub used: Option<Duration>,
    /// The part of it in this turn.
    pub cpu: Option<Duration>,
    /// Whether the bot has answered.
    pub is_answered: bool,
}

/// The run-queue times of one family.
#[derive(Debug, Default)]
pub struct RunQueue {
    /// The running and queued time of each thread, over its whole life, at the last look.
    before: BTreeMap<i32, Scheduled>,
    /// When the family was last seen asleep or the turn began, and its CPU time then.
    awake: Option<(Instant, Duration)>,
    /// The family's CPU time at the last look.
    used: Option<Duration>,
    /// Whether the family was left in the queue at the end of its last turn.
    was_left_in_queue: bool,
}

impl RunQueue {
    /// Begins a turn; `used` is the family's CPU time so far.
    pub fn begin(&mut self, used: Option<Duration>, now: Instant) {
        self.awake = used.map(|used| (now, used));
        self.used = used;
    }

    /// Notes whether the family has run since the last look, and if not, whether it is asleep:
    /// `processes` is called only in that case. Returns whether a thread of a sleeping family is
    /// stopped by a signal.
    pub fn refresh(
        &mut self,
        used: Option<Duration>,
        now: Instant,
        processes: impl FnOnce() -> Vec<i32>,
    ) -> bool {
        let stands_still = self.used == used;
        self.used = used;
        if !stands_still {
            return false;
        }
        let states: Vec<char> = states(&processes()).collect();
        let is_asleep = !states.contains(&'R');
        if is_asleep {
            self.begin(used, now);
        }
        is_asleep && states.contains(&'T')
    }

    /// How long the threads of these processes stood in the queue, one after another or together,
    /// in a turn.
    pub fn waited(&mut self, processes: &[i32], turn: TurnSoFar) -> Duration {
        let TurnSoFar { elapsed, used, .. } = turn;
        let (mut queued, mut ran) = (Duration::ZERO, Duration::ZERO);
        let mut any_could_run = false;
        let mut seen = BTreeMap::new();
        for (process, thread) in each_thread(processes) {
            // A thread that has never run has no numbers yet.
            let now = schedule((process, thread)).unwrap_or_default();
            // A thread that is new here counts at most with the length of the turn.
            let before = self.before.get(&thread).copied().unwrap_or_default();
            let since = now.since(before);
            queued += since.queued;
            ran += since.ran;
            any_could_run |= could_run((process, thread));
            seen.insert(thread, before);
        }
        self.before = seen;
        // CPU time that no living thread accounts for was used by threads that have ended.
        let any_ended = turn.cpu.is_some_and(|cpu| cpu > ran + UNACCOUNTED);
        let any_waits = any_could_run && !turn.is_answered;
        let unseen = self.awake.zip(used).filter(|_| any_waits || any_ended);
        let unseen = unseen.map_or(Duration::ZERO, |((since, before), used)| {
            since.elapsed().saturating_sub(used.saturating_sub(before))
        });
        queued.saturating_add(unseen).min(elapsed)
    }

    /// Ends a turn: takes new readings, so that the next turn does not count earlier waits.
    pub fn settle(&mut self, processes: &[i32]) {
        self.read(processes);
        self.was_left_in_queue = each_thread(processes).any(could_run);
    }

    /// Takes new readings early in a turn, if the family may have stood in the queue since its last
    /// one: beside busy programs a bot waits for the processor even to be stopped. `processes` is
    /// called only in that case.
    pub fn forget_wait_between_turns(&mut self, processes: impl FnOnce() -> Vec<i32>) {
        if std::mem::take(&mut self.was_left_in_queue) {
            self.read(&processes());
        }
    }

    fn read(&mut self, processes: &[i32]) {
        let threads = each_thread(processes);
        let schedules = threads.filter_map(|(process, thread)| {
            let schedule = schedule((process, thread))?;
            Some((thread, schedule))
        });
        self.before = schedules.collect();
    }
}

fn each_thread(processes: &[i32]) -> impl Iterator<Item = (i32, i32)> + '_ {
    let of = |&process: &i32| {
        threads(process)
            .into_iter()
            .map(move |thread| (process, thread))
    };
    processes.iter().flat_map(of)
}

fn schedule((process, thread): (i32, i32)) -> Option<Scheduled> {
    SchedulerTotals::of_thread(process, thread).map(scheduled)
}

/// The same in the referee's type.
pub fn scheduled(schedule: SchedulerTotals) -> Scheduled {
    Scheduled {
        ran: schedule.ran,
        queued: schedule.queued,
    }
}

/// The letters of the states of all threads (proc(5)).
fn states(processes: &[i32]) -> impl Iterator<Item = char> + '_ {
    each_thread(processes).filter_map(state_of)
}

fn state_of((process, thread): (i32, i32)) -> Option<char> {
    Stat::of_thread(process, thread).map(|stat| stat.state())
}

/// Whether a thread runs or is runnable.
fn could_run(thread: (i32, i32)) -> bool {
    state_of(thread) == Some('R')
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;
    use std::sync::atomic::{AtomicBool, Ordering};

    const MINUTE: Duration = Duration::from_secs(60);

    /// A turn of a bot that is silent.
    fn so_far(elapsed: Duration, used: Option<Duration>, cpu: Option<Duration>) -> TurnSoFar {
        TurnSoFar {
            elapsed,
            used,
            cpu,
            is_answered: false,
        }
    }

    fn a_minute_ago() -> Instant {
        let earlier = Instant::now().checked_sub(MINUTE);
        earlier.expect("a host that is up for a minute")
    }

    #[test]
    fn a_process_that_sleeps_does_not_wait() {
        let mut sleeper = Command::new("sleep").arg("60").spawn().expect("a program");
        let process: i32 = sleeper.id().try_into().expect("a number");
        // Waits until it sleeps.
        while states(&[process]).any(|state| state == 'R') {
            std::thread::sleep(Duration::from_millis(1));
        }
        let mut queue = RunQueue::default();
        let used = Some(Duration::from_millis(3));
        queue.begin(used, a_minute_ago());
        queue.settle(&[process]);
        assert_eq!(
            queue.waited(&[process], so_far(MINUTE, used, None)),
            Duration::ZERO
        );
        queue.refresh(used, Instant::now(), || vec![process]);
        let (awake, _) = queue.awake.expect("a time");
        assert!(awake.elapsed() < MINUTE / 2, "it was seen asleep");
        sleeper
            .kill()
            .and_then(|()| sleeper.wait())
            .expect("its end");
        assert_eq!(
            queue.waited(&[process], so_far(MINUTE, used, None)),
            Duration::ZERO
        );
    }

    #[test]
    fn every_thread_counts_less_what_the_family_ran() {
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            // A thread that is not the first of its process and is always runnable.
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
            let process: i32 = std::process::id().try_into().expect("a number");
            let mut queue = RunQueue::default();
            let second = Duration::from_secs(1);
            queue.begin(Some(second), a_minute_ago());
            queue.settle(&[process]);
            // A family that ran, or is runnable, is not asleep.
            for used in [second, second, 2 * second] {
                queue.refresh(Some(used), Instant::now(), || vec![process]);
            }
            let waited = queue.waited(&[process], so_far(2 * MINUTE, Some(11 * second), None));
            assert!(waited + 10 * second >= MINUTE, "{waited:?}");
            let turn = Duration::from_millis(5);
            assert_eq!(
                queue.waited(&[process], so_far(turn, Some(11 * second), None)),
                turn
            );
            // An answer has not waited for a thread that is runnable after it.
            let answered = TurnSoFar {
                is_answered: true,
                ..so_far(2 * MINUTE, Some(11 * second), None)
            };
            assert!(queue.waited(&[process], answered) < MINUTE / 2);
            stop.store(true, Ordering::Relaxed);
        });
    }

    /// One thread waits for another that waits for a processor: the bot waits for both.
    #[test]
    fn waits_that_follow_each_other_add_up() {
        let mut cores = rustix::thread::CpuSet::new();
        let mine = rustix::thread::sched_getaffinity(None).expect("cores");
        let core = (0..rustix::thread::CpuSet::MAX_CPU).find(|&core| mine.is_set(core));
        cores.set(core.expect("a core"));
        let busy = || {
            let mut shell = Command::new("sh");
            let child = shell.args(["-c", "while :; do :; done"]).spawn();
            let child = child.expect("a shell");
            let process = child.id().try_into().expect("a number");
            let pid = rustix::process::Pid::from_raw(process);
            rustix::thread::sched_setaffinity(pid, &cores).expect("a core");
            (child, process)
        };
        let queued = |process: i32| schedule((process, process));
        let mut children = [busy(), busy(), busy()];
        let [(_, first), (_, second), _] = children;
        // Each of them waits for the other two.
        let waited = |process| queued(process).is_some_and(|now| !now.queued.is_zero());
        while !waited(first) || !waited(second) {
            std::thread::sleep(Duration::from_millis(1));
        }
        for (_, process) in &children {
            let pid = rustix::process::Pid::from_raw(*process).expect("a number");
            rustix::process::kill_process(pid, rustix::process::Signal::STOP).expect("a signal");
        }
        while states(&[first, second]).any(|state| state != 'T') {
            std::thread::sleep(Duration::from_millis(1));
        }
        let mut queue = RunQueue::default();
        let expected: Duration = [first, second]
            .map(|process| queued(process).expect("numbers").queued)
            .iter()
            .sum();
        let waited = queue.waited(&[first, second], so_far(MINUTE, None, None));
        for (child, _) in &mut children {
            child.kill().and_then(|()| child.wait()).expect("its end");
        }
        assert_eq!(waited, expected);
    }

    #[test]
    fn a_thread_that_has_ended_may_have_waited() {
        let process: i32 = std::process::id().try_into().expect("a number");
        let mut queue = RunQueue::default();
        let second = Duration::from_secs(1);
        queue.begin(Some(second), a_minute_ago());
        queue.settle(&[process]);
        // Much more than living threads can have run since.
        let turn = Some(40 * second);
        let waited = queue.waited(&[process], so_far(MINUTE, Some(41 * second), turn));
        assert!(waited >= 20 * second, "{waited:?}");
    }
}
