//! The time that the host took from a turn: how much of it is given back to a bot, and when a
//! silence is not the bot's fault.
//!
//! The slot's thread and the bot share processors with everything else on the host. With
//!
//! ```text
//! L  how late the slot's thread was woken, all wake-ups of the turn together
//! A  how long it took from the start of the turn's clock until the request was written
//! N  how late it was woken to notice the answer, a part of L
//! R  how long it stood in the run queue meanwhile: it could run, and something else ran
//! O  how long it ran itself; r of that to read what the bot wrote: a bot that writes without end
//!    keeps the referee busy
//! S  how long other programs ran on the slot's cores: what these cores were busy, the time that a
//!    hypervisor stole from them included, less C and r; at least what the slot's thread stood in
//!    the run queue of L, less C, and what it ran of the rest of L, less r
//! W  how long the bot's family could have run and did not: the waits of all its threads together,
//!    and H₁
//! C  CPU time of the bot's family, as far as it is its own for certain: less H
//! H  the part of S that a hypervisor stole; H₁ is the part of the core that lost most
//! T  the turn's time
//! k  how many cores the slot has
//!
//! preempted = min(S, A + W + N)
//! stopped   = L − R − r − max(O − r, H₁)
//! lost      = max(min(preempted, T − C), min(preempted, k T − C) / k) + stopped
//!                                          each difference at least 0, the whole at most T
//! ```
//!
//! * A bot is held up only while another program runs on its core (S), and only while it is
//!   runnable itself (W), while its request is not written yet (A), or while its answer is in the
//!   pipe and the referee cannot read it (N). None of these includes idle time of the core.
//! * One thread may wait for another that waits for a processor, so the waits of all threads count.
//!   Overlapping waits bring a bot no advantage, because S and T − C bound the sum: no bot gets
//!   more CPU time than its limit on each of the slot's cores. A bot of one thread that is kept
//!   from its core is held up for the whole time; one that keeps all k cores busy lost only its
//!   share of them.
//! * The opponent's family counts as another program: what it takes in this turn is given back, and
//!   is the opponent's fault beyond an allowance (`busy-off-turn`).
//! * If the slot's thread was late without queueing or running, it was stopped: Ctrl-Z, or a halted
//!   machine. The stop affected the bot too, or kept the referee from reading its answer. A stop
//!   that the hypervisor reports is in S and W.
//! * The kernel books a stop that comes while the slot's thread runs as running time of that thread
//!   (O), and partly as stolen: it must not count twice. Apart from reading, the referee has almost
//!   nothing to do in a turn.
//!
//! A bot cannot write any of these numbers. Unknown numbers count as 0.

use crate::text::exact_ms;
use std::fmt::Write as _;
use std::time::Duration;

/// The host's part in one turn. All zero: the host was quiet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HostDelay {
    /// T: the turn's wall time.
    pub used: Duration,
    /// Whether there was an answer; otherwise the referee gave up after `used`.
    pub answered: bool,
    /// L: the sum of the delays of the slot's thread at its wake-ups.
    pub woken_late: Duration,
    /// N: the delay of the wake-up that noticed the answer.
    pub noticed_late: Duration,
    /// A: the time until the request was written, in which the bot could not think about it.
    pub asked_late: Duration,
    /// R and O: how long that thread was queued, and ran.
    pub thread: Option<Scheduled>,
    /// r: the part of O that reading the bot's output took.
    pub reading: Duration,
    /// S: how long programs other than the bot's family ran on the slot's cores, the referee
    /// included except for its reading of the bot's output.
    pub others_ran: Option<Duration>,
    /// Whether processes of the bot's family started and ended uncounted. Then S is only the stolen
    /// time.
    pub uncounted: bool,
    /// H and H₁: the stolen part of S.
    pub stolen: Stolen,
    /// W: the waits of all threads of the bot's family, added up, and the stolen time of one core.
    pub family_waited: Option<Duration>,
    /// C: CPU time of the bot's family.
    pub family_ran: Duration,
    /// The CPU time that the kernel booked for the family: C, and stolen time that it counted as
    /// such.
    pub family_booked: Duration,
    /// k: the number of cores of the slot; 0 counts as 1.
    pub cores: u32,
}

/// The time that a hypervisor stole from the cores of a slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stolen {
    /// The sum over the cores.
    pub total: Duration,
    /// The time of the core that lost most: no thread lost more.
    pub most: Duration,
}

impl Stolen {
    /// The sum of both.
    #[must_use]
    pub const fn and(self, more: Self) -> Self {
        Self {
            total: self.total.saturating_add(more.total),
            most: self.most.saturating_add(more.most),
        }
    }

    /// The difference to an earlier value.
    #[must_use]
    pub const fn since(self, before: Self) -> Self {
        Self {
            total: self.total.saturating_sub(before.total),
            most: self.most.saturating_sub(before.most),
        }
    }
}

/// What the scheduler did with a thread in some time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scheduled {
    /// The time in which it ran.
    pub ran: Duration,
    /// The time in which it was runnable, but queued.
    pub queued: Duration,
}

impl Scheduled {
    /// The difference to an earlier value.
    #[must_use]
    pub const fn since(self, before: Self) -> Self {
        Self {
            ran: self.ran.saturating_sub(before.ran),
            queued: self.queued.saturating_sub(before.queued),
        }
    }

    /// The part that fits into this time.
    #[must_use]
    pub fn at_most(self, time: Duration) -> Self {
        Self {
            ran: self.ran.min(time),
            queued: self.queued.min(time),
        }
    }
}

impl HostDelay {
    /// The time to give back: never more than the turn itself.
    pub fn lost(&self) -> Duration {
        self.preempted()
            .saturating_add(self.stopped())
            .min(self.used)
    }

    /// How long other programs kept the bot from running, or the referee from reading its answer.
    fn preempted(&self) -> Duration {
        let waited = self.family_waited.unwrap_or_default();
        let waited = waited.saturating_add(self.asked_late);
        let waited = waited.saturating_add(self.noticed_late);
        let preempted = self.others().min(waited);
        let cores = self.cores.max(1);
        let without = |time: Duration| time.saturating_sub(self.family_ran);
        let of_one_core = preempted.min(without(self.used));
        let of_all_cores = preempted.min(without(self.used.saturating_mul(cores)));
        of_one_core.max(of_all_cores / cores)
    }

    /// How long other programs ran, at least. While the slot's thread ran or was queued, its core
    /// was not idle, whatever the kernel reports of a core whose wake-up a hypervisor delayed. The
    /// delay of that thread belongs to this turn.
    fn others(&self) -> Duration {
        let others = match self.others_ran {
            Some(others) if !self.uncounted => others,
            known => return known.unwrap_or_default(),
        };
        let thread = self.thread.unwrap_or_default();
        let queued = thread.queued.min(self.woken_late);
        let ran = thread.ran.saturating_sub(self.reading);
        let ran = ran.min(self.woken_late.saturating_sub(queued));
        others.max(
            queued
                .saturating_sub(self.family_booked)
                .saturating_add(ran),
        )
    }

    /// How long the slot's thread stood still while it was due to run.
    fn stopped(&self) -> Duration {
        self.thread.map_or(Duration::ZERO, |thread| {
            let ran = thread.ran.saturating_sub(self.reading);
            let explained = thread.queued.saturating_add(self.reading);
            let explained = explained.saturating_add(ran.max(self.stolen.most));
            self.woken_late.saturating_sub(explained)
        })
    }

    /// The most CPU time that a bot can have used: what a hypervisor left of the cores.
    pub fn most_cpu(&self) -> Duration {
        let all = self.used.saturating_mul(self.cores.max(1));
        all.saturating_sub(self.stolen.total)
    }

    /// Whether more stolen time may be booked later. A thread that woke in time was not stopped,
    /// but other cores of the slot may have been.
    pub fn may_grow(&self) -> bool {
        self.cores > 1 || !self.woken_late.is_zero()
    }

    /// The same with additional stolen time.
    #[must_use]
    pub fn with_stolen(self, more: Stolen) -> Self {
        let longer = |time: Option<Duration>, by: Duration| Some(time?.saturating_add(by));
        Self {
            stolen: self.stolen.and(more),
            others_ran: longer(self.others_ran, more.total),
            family_waited: longer(self.family_waited, more.most),
            family_ran: self.family_ran.saturating_sub(more.total),
            ..self
        }
    }

    /// The time that the host took, if it explains why there was no answer within `stop`: the bot
    /// itself had less than `stop`.
    pub fn excused(&self, stop: Duration) -> Option<Duration> {
        let lost = self.lost();
        let had = self.used.saturating_sub(lost);
        (!self.answered && had < stop && !lost.is_zero()).then_some(lost)
    }

    /// The cause of a void turn from which the host took this much.
    pub fn cause(&self, lost: Duration) -> String {
        format!(
            "the host was late by {}: {}",
            exact_ms(lost),
            self.describe_figures()
        )
    }

    /// The host's figures of the turn, for readers who doubt a verdict.
    pub fn describe_figures(&self) -> String {
        let known = |time: Option<Duration>| time.map_or("an unknown time".to_owned(), exact_ms);
        let mut text = format!(
            "in a turn of {} the referee was woken {} late, the bot waited {} for a processor, and \
             other programs ran there for {}",
            exact_ms(self.used),
            exact_ms(self.woken_late),
            known(self.family_waited),
            known(self.others_ran),
        );
        if !self.stolen.total.is_zero() {
            let stolen = exact_ms(self.stolen.total);
            let _ = write!(text, ", a hypervisor for {stolen} of that");
        }
        if self.uncounted {
            text += "; it started and ended processes, which are not counted here, so that nothing \
                     else is given back";
        }
        if let Some(thread) = self.thread {
            let (queued, ran) = (exact_ms(thread.queued), exact_ms(thread.ran));
            let _ = write!(
                text,
                "; the referee itself waited {queued} for a processor and ran for {ran}"
            );
        }
        if !self.reading.is_zero() {
            let _ = write!(
                text,
                ", {} of that to read what the bot wrote",
                exact_ms(self.reading)
            );
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// On one core, in ms, `-` where unknown: T, L, N, R, O, r, S, W, C, H, and the time to give
    /// back.
    const CASES: &str = "
     150    0    0   0    0   0   0   0   0  0     0  a quiet host, a slow bot
     100    0    0   0    0   0  90   0   0  0     0  a bot that sleeps while others run
     160    0    0   0    0   0   0  80  80  0     0  kept from its processor by its own threads
     160    0    0   0    0   0  80  80  80  0    80  kept from its processor by others
     160    0    0   0    0   0  80  20  80  0    20  others ran, and it could run for a part
     160    0    0   0    0   0  20  80  80  0    20  it waited for its own, and for others
     160    0    0   0    0   0  80 160 110  0    50  its own time and theirs fit into it
     160    0    0   0    0   0   -  80   0  0     0  unknown whether others ran
     160    0    0   0    0   0  80   -   0  0     0  unknown whether it waited
    1100 1050 1050   0    0   0   0   0   0  0  1050  the referee was stopped
    1100 1050 1050   0    0   0   0   0 1090 0  1050  the referee was stopped, and the bot went on
    1100 1050 1050   -    -   0   0   0   0  0     0  late for reasons that are not known
     300  250  250 250    0   0 220   0  30  0   220  heard late, for other programs
     300  250  250 250    0   0   0   0 250  0     0  heard late, for its own threads
     300  250    0 250    0   0 220   0  30  0     0  late before, and not to hear it
     125   87   13 102    4   0  64 125   8  0    79  a core that was idle, it is said, with a queue
     125   87   13 102    4   0  64 125   8 42    79  and a part of that stolen
     125  120   13 102    4   0  64 125   8  0   112  the rest was a stop
     300  250  250   0  260 260   0   0   0  0     0  heard late for reading what it wrote
     300  250  250   0  260   0 230   0   0  0   250  heard late for other work of the referee
     180   50   50   0    0   0  50  50 120 50    50  a hypervisor's pause that it owns up to
     180   50   50   0    0   0   0   0 120  0    50  and one that it does not
     180  100  100   0    0   0  50  50  70 50   100  one of each
     170  100  100  40    0   0  60  60  12  0   120  strangers, and a pause
      40    0    0   0    0   0  90  90   0  0    40  never more than the turn
     221  201   13   1  120   0  54 262  14 54   200  a pause booked as the referee's own work
     221  201   13   1  120 120  54 262  14 54    80  and that much spent on reading
     160   80   80   0   80   0   0  80  80  0    80  the referee's own work, not booked yet
     160   80   80  80   80   0   0  80  80  0     0  and work that was before the turn
    ";

    const fn stolen(total: Duration) -> Stolen {
        Stolen { total, most: total }
    }

    fn delay(words: &[&str]) -> HostDelay {
        let time = |index: usize| words[index].parse().ok().map(ms);
        HostDelay {
            used: time(0).unwrap(),
            answered: true,
            woken_late: time(1).unwrap(),
            noticed_late: time(2).unwrap(),
            asked_late: Duration::ZERO,
            thread: time(3)
                .zip(time(4))
                .map(|(queued, ran)| Scheduled { ran, queued }),
            reading: time(5).unwrap(),
            others_ran: time(6),
            family_waited: time(7),
            family_ran: time(8).unwrap(),
            family_booked: time(8).unwrap(),
            stolen: stolen(time(9).unwrap()),
            uncounted: false,
            cores: 1,
        }
    }

    #[test]
    fn cases() {
        for case in CASES.trim().lines() {
            let words: Vec<&str> = case.split_whitespace().take(11).collect();
            let expected = ms(words[10].parse().unwrap());
            assert_eq!(delay(&words).lost(), expected, "{case}");
        }
    }

    #[test]
    fn on_two_cores_a_bot_is_preempted_on_those_that_it_uses() {
        // In ms: S, W, C, and the time to give back, for a turn of 100 ms.
        for (others, waited, ran, lost) in [
            (100, 30, 70, 30),   // one thread, on the core that strangers are on for a third
            (100, 100, 0, 100),  // one thread, never let on a core
            (100, 100, 100, 50), // two threads, one of them never let on its core
            (50, 50, 150, 25),
            (100, 0, 100, 0), // one thread, and strangers on the other core
            (200, 200, 0, 100),
            (80, 80, 200, 0),
        ] {
            let delay = HostDelay {
                used: ms(100),
                others_ran: Some(ms(others)),
                family_waited: Some(ms(waited)),
                family_ran: ms(ran),
                cores: 2,
                ..HostDelay::default()
            };
            assert_eq!(delay.lost(), ms(lost), "{delay:?}");
        }
        // A bot that sleeps while a hypervisor takes half of each core lost at most half.
        let asleep = HostDelay {
            used: ms(100),
            others_ran: Some(ms(0)),
            family_waited: Some(ms(0)),
            cores: 2,
            ..HostDelay::default()
        };
        let half = Stolen {
            total: ms(100),
            most: ms(50),
        };
        assert_eq!(asleep.with_stolen(half).lost(), ms(50));
    }

    /// Observed on a busy hypervisor: a bot computed for 8 ms after a pause of 216 ms that the
    /// kernel had not booked as stolen yet, and counted as the bot's time.
    #[test]
    fn a_pause_that_comes_out_later_is_given_back() {
        let words = ["242", "232", "0", "250", "1", "0", "17", "18", "224", "0"];
        let before = delay(&words);
        assert!(before.may_grow());
        assert_eq!(before.lost(), ms(17));
        assert_eq!(before.most_cpu(), ms(242));
        let after = before.with_stolen(stolen(ms(216)));
        assert_eq!(after.lost(), ms(233));
        assert_eq!(after.most_cpu(), ms(26));
        // A pause that looked like a stop of the referee is not counted twice.
        let words = ["180", "50", "50", "0", "0", "0", "0", "0", "120", "0"];
        assert_eq!(delay(&words).with_stolen(stolen(ms(50))).lost(), ms(50));
        assert!(
            !HostDelay {
                cores: 1,
                ..HostDelay::default()
            }
            .may_grow()
        );
        assert!(
            HostDelay {
                cores: 2,
                ..HostDelay::default()
            }
            .may_grow()
        );
    }

    /// Observed beside 25 busy programs: the referee lost its processor before it wrote the
    /// request.
    #[test]
    fn a_bot_that_was_not_asked_yet_is_not_late() {
        let words = ["87", "67", "16", "110", "2", "0", "75", "11", "8", "0"];
        let before = delay(&words);
        let asked_late = ms(51);
        assert_eq!(before.lost(), ms(27));
        assert_eq!(
            HostDelay {
                asked_late,
                ..before
            }
            .lost(),
            ms(75)
        );
    }

    #[test]
    fn a_verdict_has_the_figures() {
        let words = ["170", "90", "0", "40", "1", "0", "50", "-", "12", "0"];
        assert_eq!(
            delay(&words).cause(ms(49)),
            "the host was late by 49.000 ms: in a turn of 170.000 ms the referee was woken \
             90.000 ms late, the bot waited an unknown time for a processor, and other programs \
             ran there for 50.000 ms; the referee itself waited 40.000 ms for a processor and ran \
             for 1.000 ms"
        );
        let words = ["40", "20", "0", "0", "9", "8", "0", "0", "12", "0"];
        let figures = delay(&words).describe_figures();
        let ran = "ran for 9.000 ms, 8.000 ms of that to read what the bot wrote";
        assert!(figures.ends_with(ran), "{figures}");
    }

    #[test]
    fn without_a_measurement_stolen_time_is_given_back() {
        let words = ["125", "87", "13", "102", "4", "0", "42", "125", "8", "42"];
        let uncounted = HostDelay {
            uncounted: true,
            ..delay(&words)
        };
        assert_eq!(uncounted.lost(), ms(42));
        let figures = uncounted.describe_figures();
        assert!(figures.contains("which are not counted here"), "{figures}");
    }

    #[test]
    fn a_silence_is_excused_if_less_than_the_limit_was_left() {
        let silent = |used, lost| HostDelay {
            used: ms(used),
            others_ran: Some(ms(lost)),
            family_waited: Some(ms(lost)),
            ..HostDelay::default()
        };
        assert_eq!(silent(160, 61).excused(ms(100)), Some(ms(61)));
        assert_eq!(silent(160, 60).excused(ms(100)), None);
        assert_eq!(silent(90, 0).excused(ms(100)), None);
        let answered = HostDelay {
            answered: true,
            ..silent(160, 150)
        };
        assert_eq!(answered.excused(ms(100)), None, "an answer gets time back");
    }

    fn times() -> impl Strategy<Value = u64> {
        prop_oneof![Just(0), 0..400_u64, 0..4_000_u64]
    }

    proptest! {
        /// Whatever its own threads do, a bot gets back at most what others took, and its CPU time
        /// fits into what it is charged.
        #[test]
        fn no_bot_gets_more_than_others_took(
            (used, own, others, referee) in (times(), times(), times(), times()),
            (waited, more, unheard, read) in (times(), times(), times(), times()),
            cores in 1..5_u32,
        ) {
            // Two programs cannot run on the same core at the same time.
            prop_assume!(own + others + referee <= used * u64::from(cores));
            // A queued process waits for one of these, and may be late because of its own work; of
            // that, only reading is the bot's doing.
            let queued = unheard.min(own + others);
            let reading = read.min(referee);
            let late = queued + unheard.min(referee);
            let before = HostDelay {
                used: ms(used),
                answered: true,
                woken_late: ms(late),
                noticed_late: ms(late),
                asked_late: ms(more),
                thread: Some(Scheduled { ran: ms(referee), queued: ms(queued) }),
                reading: ms(reading),
                others_ran: Some(ms(others)),
                uncounted: false,
                stolen: Stolen::default(),
                family_waited: Some(ms(waited)),
                family_ran: ms(own),
                family_booked: ms(own),
                cores,
            };
            let lost = before.lost();
            let most = ms(others + referee - reading);
            prop_assert!(lost <= most);
            prop_assert!(ms(own) <= ms(used).saturating_sub(lost) * cores);
            // With more of its own threads in the queue, the bot gets back at most what others
            // took.
            let after = HostDelay { family_waited: Some(ms(waited + more)), ..before };
            prop_assert!(after.lost() <= most);
            prop_assert!(ms(own) <= ms(used).saturating_sub(after.lost()) * cores);
        }
    }
}
