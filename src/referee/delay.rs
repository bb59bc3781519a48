//! What the host itself took from a turn: the time that is given back to a bot, and when a silence
//! is nobody's fault.
//!
//! The slot's thread and the bot share processors with whatever else runs on the host. With
//!
//! ```text
//! L  how late the slot's thread was woken, all wake-ups of the turn together
//! N  how late it was woken to notice the answer, a part of L
//! R  how long it stood in the run queue meanwhile: it could run, and something else ran
//! O  how long it ran itself: a bot that writes without end keeps the referee busy reading
//! S  how long other programs ran on the slot's cores: what these cores were busy, the time that a
//!    hypervisor stole from them included, less the CPU time of the bot's family and what of O
//!    was not spent on finding these numbers
//! W  how long the bot's family could have run and did not: the thread that waited longest
//!
//! lost = max(min(S, max(N, W)), L − R − O)          each difference at least 0
//! ```
//!
//! * A bot is held up only while another program runs on its core (S) and only while it could run
//!   itself (W), or while its answer lies there and the referee cannot come to it (N). Idle time of
//!   the core is in none of these. On one core the bot's CPU time and S fit into the turn together,
//!   so that no bot gets more CPU time than it is charged.
//! * The opponent's family counts as another program: what it takes in this turn is given back,
//!   and is the opponent's own fault beyond an allowance (`busy-off-turn`).
//! * What the slot's thread was late without standing in the queue or running, L − R − O, is a
//!   stop: Ctrl-Z, a halted machine. It stopped the bot, too, or kept the referee from hearing it.
//!
//! These may be one and the same delay, so that the largest counts, not the sum. No bot can write
//! any of these numbers. What is not known counts as nothing.

use std::time::Duration;

/// What is known of the host's part in one turn. All zero: the host was quiet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HostDelay {
    /// The turn's time on the wall's clock.
    pub used: Duration,
    /// Whether there was an answer; else the referee gave up after `used`.
    pub answered: bool,
    /// L: how late the slot's thread was woken.
    pub woken_late: Duration,
    /// N: how late it was woken to notice the answer.
    pub noticed_late: Duration,
    /// R and O: how long that thread stood in the run queue, and ran.
    pub thread: Option<Scheduled>,
    /// S: how long other programs than the bot's family and the referee ran on the slot's cores.
    pub others_ran: Option<Duration>,
    /// W: how long the bot's family could have run and did not.
    pub family_waited: Option<Duration>,
}

/// What the scheduler did with a thread in some time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scheduled {
    /// It ran so long.
    pub ran: Duration,
    /// It could have run, and stood in the run queue.
    pub queued: Duration,
}

impl Scheduled {
    /// What came after something that is a part of it.
    #[must_use]
    pub const fn since(self, before: Self) -> Self {
        Self {
            ran: self.ran.saturating_sub(before.ran),
            queued: self.queued.saturating_sub(before.queued),
        }
    }
}

impl HostDelay {
    /// What the host took, and what is given back: never more than the turn itself.
    pub fn lost(&self) -> Duration {
        let waited = self.family_waited.unwrap_or_default();
        let waited = waited.max(self.noticed_late);
        let held_up = self.others_ran.unwrap_or_default().min(waited);
        let stopped = self.thread.map_or(Duration::ZERO, |thread| {
            let explained = thread.queued.saturating_add(thread.ran);
            self.woken_late.saturating_sub(explained)
        });
        held_up.max(stopped).min(self.used)
    }

    /// What the host took, if that is why there was no answer within `stop`: the bot had less than
    /// `stop` for itself.
    pub fn excused(&self, stop: Duration) -> Option<Duration> {
        let lost = self.lost();
        let had = self.used.saturating_sub(lost);
        (!self.answered && had < stop && !lost.is_zero()).then_some(lost)
    }

    /// Why a turn is void that the host took so much from.
    pub fn cause(&self, lost: Duration) -> String {
        let ms = |time: Duration| format!("{:.3} ms", time.as_secs_f64() * 1e3);
        let known = |time: Option<Duration>| time.map_or("unknown".to_owned(), ms);
        let (late, lost, used) = (ms(self.woken_late), ms(lost), ms(self.used));
        let (ran, waited) = (known(self.others_ran), known(self.family_waited));
        format!(
            "the host was late by {lost}: in a turn of {used} it woke the referee {late} late, let \
             the bot wait {waited} for a processor, and ran other programs there for {ran}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// In ms, `-` where unknown: time used, L, N, R, O, S, W, and what is lost.
    const CASES: &str = "
         150    0    0   0    0   0   0     0  a quiet host, a slow bot
         100    0    0   0    0  90   0     0  a bot that sleeps while others run
         160    0    0   0    0   0  80     0  kept from its processor by its own threads
         160    0    0   0    0  80  80    80  kept from its processor by others
         160    0    0   0    0  80  20    20  others ran, and it could run for a part of that
         160    0    0   0    0  20  80    20  it waited for its own threads, and for others
         160    0    0   0    0   -  80     0  nobody knows whether others ran
         160    0    0   0    0  80   -     0  nobody knows whether it waited
        1100 1050 1050   0    0   0   0  1050  the referee was stopped
        1100 1050 1050   -    -   0   0     0  late for reasons that are not known
         300  250  250 250    0 220   0   220  heard late, for other programs
         300  250  250 250    0   0   0     0  heard late, for its own threads
         300  250    0 250    0 220   0     0  late before, and not to hear it
         300  250  250   0  260   0   0     0  heard late for reading what it wrote
         180   50   50   0    0  50  50    50  one delay is not counted twice
          40    0    0   0    0  90  90    40  never more than the turn
    ";

    fn delay(words: &[&str]) -> HostDelay {
        let time = |index: usize| words[index].parse().ok().map(ms);
        HostDelay {
            used: time(0).unwrap(),
            answered: true,
            woken_late: time(1).unwrap(),
            noticed_late: time(2).unwrap(),
            thread: time(3)
                .zip(time(4))
                .map(|(queued, ran)| Scheduled { ran, queued }),
            others_ran: time(5),
            family_waited: time(6),
        }
    }

    #[test]
    fn cases() {
        for case in CASES.trim().lines() {
            let words: Vec<&str> = case.split_whitespace().take(8).collect();
            let expected = ms(words[7].parse().unwrap());
            assert_eq!(delay(&words).lost(), expected, "{case}");
        }
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
        /// Whatever a bot's own threads do, it gets back no more than others took, and the CPU time
        /// that it had fits into what it is charged.
        #[test]
        fn no_bot_gets_more_than_others_took(
            (used, own, others, referee) in (times(), times(), times(), times()),
            (waited, more, unheard) in (times(), times(), times()),
        ) {
            // One core: these cannot run at the same time.
            prop_assume!(own + others + referee <= used);
            let before = HostDelay {
                used: ms(used),
                answered: true,
                woken_late: ms(unheard),
                noticed_late: ms(unheard),
                thread: Some(Scheduled { ran: ms(referee), queued: ms(unheard) }),
                others_ran: Some(ms(others)),
                family_waited: Some(ms(waited)),
            };
            let lost = before.lost();
            prop_assert!(lost <= ms(others));
            prop_assert!(ms(own) <= ms(used).saturating_sub(lost));
            // More of its own threads in the queue: no more than others took.
            let after = HostDelay { family_waited: Some(ms(waited + more)), ..before };
            prop_assert!(after.lost() <= ms(others));
        }
    }
}
