//! What the host itself took from a turn, and when that excuses a time-out.
//!
//! The slot's thread and the bot share processors, so that whoever is kept waiting there may have
//! been kept by strangers or by the game's own bots. Only the former excuses. With
//!
//! ```text
//! L  how late the slot's thread was woken, all wake-ups of the turn together
//! N  how late it was woken to notice the answer, a part of L
//! R  how long it stood in the run queue meanwhile: it could run, and something else ran
//! O  how long it ran itself: a bot that writes without end keeps the referee busy reading
//! C  CPU time that both families used meanwhile, on whatever processors
//! W  how long the bot's first thread stood in the run queue, and stands there now
//! B  CPU time of that thread, a part of C
//!
//! lost = max(N − min(C, R), L − R, W − (C − B)) − O          each difference at least 0
//! ```
//!
//! * The answer may have lain there for N. Bots delay the slot's thread only while it stands in the
//!   queue (R), and only while they run (C): they explain at most min(C, R) of it.
//! * What the thread was late without standing in the queue, L − R, is a stop: Ctrl-Z, a halted
//!   machine. No CPU time explains it, and it stopped the bot, too, or kept us from hearing it.
//! * Bots delay the bot's first thread only while they run, but not while it runs itself (it does
//!   not wait then): they explain at most C − B of W.
//!
//! These may be one and the same delay, so that the largest counts, not the sum. What is not known
//! counts as explaining everything. Every part errs to the bots' disadvantage: C counts what ran on
//! other processors or just before the turn, too, and R and O may have begun before. More CPU time
//! of a bot beyond its first thread can therefore only lower `lost`.

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
    /// CPU time of the player's own family.
    pub family_cpu: Option<Duration>,
    /// W and B: how long the player's first thread stood in the run queue, and ran.
    pub player: Option<Scheduled>,
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
    /// What the host took for sure, given the CPU time of the opponent's family meanwhile.
    pub fn lost(&self, opponent_cpu: Option<Duration>) -> Duration {
        let bots_cpu = self.family_cpu.zip(opponent_cpu);
        let bots_cpu = bots_cpu.map_or(Duration::MAX, |(own, others)| own.saturating_add(others));
        let thread = self.thread.unwrap_or(Scheduled {
            ran: Duration::ZERO,
            queued: Duration::MAX,
        });
        let queued = thread.queued;
        let unheard = self.noticed_late.saturating_sub(bots_cpu.min(queued));
        let stopped = self.woken_late.saturating_sub(queued);
        let of_player = self.player.map_or(Duration::ZERO, |first| {
            first
                .queued
                .saturating_sub(bots_cpu.saturating_sub(first.ran))
        });
        let longest = unheard.max(stopped).max(of_player);
        longest.saturating_sub(thread.ran)
    }

    /// What the host took, if without it the turn would have been within `stop`. Who has not
    /// answered had to have less than `stop`.
    pub fn excused(&self, stop: Duration, opponent_cpu: Option<Duration>) -> Option<Duration> {
        let lost = self.lost(opponent_cpu);
        let had = self.used.saturating_sub(lost);
        let was_late = self.used > stop || !self.answered;
        let in_time = had < stop || self.answered && had == stop;
        (was_late && in_time && !lost.is_zero()).then_some(lost)
    }

    /// Why a turn is spoilt that the host took so much from.
    pub fn cause(&self, lost: Duration) -> String {
        let ms = |time: Duration| format!("{:.3} ms", time.as_secs_f64() * 1e3);
        let (late, lost) = (ms(self.woken_late), ms(lost));
        let queued = self.player.map_or("unknown".to_owned(), |it| ms(it.queued));
        let used = ms(self.used);
        format!(
            "the host was late by {lost}: in a turn of {used} it woke the referee {late} late and \
             let the bot wait for a processor: {queued}; the bots' own CPU time does not explain it"
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

    /// In ms, `-` where unknown: whether answered, time used, L, N, R, C of the player, W, B, C of
    /// the opponent, O, and by how much a turn of 100 ms is excused.
    const CASES: &str = "
        yes  150    0    0   0  150    0 150     0   0     -  a quiet host, a slow bot
        no   101    0    0   0    0    0   0     0   0     -  a quiet host, a bot asleep
        yes 1100 1050 1050   0   20    0  20     0   0  1050  stopped, answered meanwhile
        yes 1100 1050 1050   1   20   20  20  1080   0  1049  the same, and the opponent pondered
        yes 1300 1000 1000   0  300    0 300     0   0     -  stopped, but too slow all the same
        yes 1140 1050    0   0   90    0  90     0   0  1050  stopped, and answered afterwards
        yes  300  250  250   -    -    -   -     -   0     -  woken late, nothing else known
        yes  300  250  250  10    -    -   -     -   0   240  woken late, only the queue known
        yes  300  250  250   -   10    -   -     0   0   240  woken late, only the CPU time known
        yes  300  250  250 250   30    0  30     0   0   220  heard late, for strangers
        yes  300  250    0 250   30    0  30     0   0     -  late before, but not to hear it
        yes  300  250  250   0   10    0  10     0 260     -  heard late for reading what it wrote
        yes  160    0    0   0   80   80  80     0  60     -  waited while the referee read
        yes  300  250  250 250  300  290   5     0   0     -  heard late, for its own 64 threads
        yes  300  250  250 250   10  280  10   290   0     -  heard late, for the opponent's threads
        yes  160    0    0   0   80   80  80     0   0    80  kept from its processor by strangers
        yes  160    0    0   0   80   80  80    80   0     -  kept from it by a pondering opponent
        yes  160    0    0   0  100   50 100     0   0     -  kept from it by strangers, not enough
        yes  180   50   50  50    0   50   0     0   0     -  one delay is not counted twice
        yes  150   50   50   0    0    -   -     0   0    50  just in time without the host
        no   150   50   50   0    0    -   -     0   0     -  silent for all the time that it had
        no   149   50   50   0    0    -   -     0   0    50  silent, but not for all of it
        yes  100   90   90   0    0    -   -     0   0     -  in time: nothing to excuse
    ";

    #[test]
    fn cases() {
        for case in CASES.trim().lines() {
            let words: Vec<&str> = case.split_whitespace().take(11).collect();
            let time = |index: usize| words[index].parse().ok().map(ms);
            let scheduled = |queued, ran| {
                let (queued, ran) = time(queued).zip(time(ran))?;
                Some(Scheduled { ran, queued })
            };
            let delay = HostDelay {
                used: time(1).unwrap(),
                answered: words[0] == "yes",
                woken_late: time(2).unwrap(),
                noticed_late: time(3).unwrap(),
                thread: scheduled(4, 9),
                family_cpu: time(5),
                player: scheduled(6, 7),
            };
            assert_eq!(delay.excused(ms(100), time(8)), time(10), "{case}");
        }
    }

    fn times() -> impl Strategy<Value = u64> {
        prop_oneof![Just(0), 0..400_u64, 0..4_000_u64]
    }

    proptest! {
        /// More CPU time, of the player or of its opponent, never turns a loss into a void.
        #[test]
        fn own_cpu_time_never_excuses(
            (used, late, unheard) in (times(), times(), times()),
            queued in proptest::option::of(times()),
            (cpu, waited, ran) in (times(), times(), times()),
            (opponent, more, more_of_opponent) in (times(), times(), times()),
            answered: bool,
        ) {
            let before = HostDelay {
                used: ms(used),
                answered,
                woken_late: ms(late),
                noticed_late: ms(unheard.min(late)),
                thread: queued.map(|queued| Scheduled { ran: ms(0), queued: ms(queued) }),
                family_cpu: Some(ms(cpu)),
                player: Some(Scheduled { ran: ms(ran.min(cpu)), queued: ms(waited) }),
            };
            let after = HostDelay { family_cpu: Some(ms(cpu + more)), ..before };
            let (calm, busy) = (Some(ms(opponent)), Some(ms(opponent + more_of_opponent)));
            prop_assert!(after.lost(busy) <= before.lost(calm));
            if before.excused(ms(100), calm).is_none() {
                prop_assert_eq!(after.excused(ms(100), busy), None);
                // Nor does it when nobody can tell how much it was.
                prop_assert_eq!(after.excused(ms(100), None), None);
            }
            prop_assert!(before.lost(calm) <= ms(late.max(waited)));
        }
    }
}
