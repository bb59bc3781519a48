//! CPU time of a bot's family in its opponent's turns, and when it is a fault.
//!
//! A bot is frozen as soon as its answer is read. CPU time after that is one of three things: the
//! grace, the cost of freezing itself, or an attempt to think in the opponent's time and on the
//! opponent's core, for example by processes in long system calls.
//!
//! On a busy host the referee's thread may wait for a processor between the answer and the freeze.
//! No clock runs then, so CPU time of the bot in that gap does not count: the count starts again
//! when a bot is frozen late.
//!
//! A signal of process 1 of a box stops a running thread later than a control group does, such as
//! one of a library that never sleeps. So the count starts when its threads are stopped, at most
//! 5 ms after the signal, and no clock runs in this time. A system call that lasts longer counts
//! from then on. A bot whose threads do not stop before its first turn has no fast path.
//!
//! After an answer within the first moment a bot runs on for a moment, and the clock of its family
//! is not read. Two sums stand in for the readings:
//!
//! * Its own part is at most the wall time of its answers on every core, and a short tail after
//!   each. A family that used much more has worked in its opponent's turns: it loses the fast path.
//! * The clock is read before the first turn of a game and after the last. What is left of the
//!   difference after the turns that were measured one by one belongs to the short turns.
//!
//! Measured for bots with 400 MiB of live heap and constant allocation, per turn: Java 70 µs at the
//! median and 510 µs at most, Go 40 and 180 µs, Node 50 and 125 µs (`docs/design/clocks.md`).

use super::exchange::TICK;
use super::signal_freezer::await_stop;
use super::watch::Watch;
use super::{Process, RunState, holders};
use crate::bot::sandbox::Freezer;
use crate::record::{Fault, FaultKind};
use crate::text::exact_ms;
use std::time::{Duration, Instant};

/// The kernel books stolen time at its next tick, at least 100 times a second: after this pause the
/// time is known.
pub const BOOKING: Duration = Duration::from_millis(20);
/// A family that exceeds the grace by this much is limited to one share of the processor.
const SUSPICIOUS: Duration = Duration::from_millis(1);

impl Process {
    /// Freezes a bot that answered at this moment. Returns whether its CPU time off turn begins
    /// only now: the freeze came late because the host was busy, as everything else takes less
    /// than the grace, or process 1 of its box stops it by a signal.
    pub fn freeze_after(&mut self, answer: Instant) -> bool {
        self.freeze();
        let is_late = answer.elapsed() > GRACE;
        let by_signal = self.freezer == Freezer::Inner;
        if by_signal {
            await_stop(self.number(), holders(self.level), &self.pipes.exit);
        }
        self.cpu.answered = Some(Instant::now());
        is_late || by_signal
    }

    /// Freezes a bot that is ready for its first turn and whose threads do not rest, where process
    /// 1 of a box stops it by a signal: in the opponent's turn the referee could not wait for them.
    pub fn freeze_if_sleepless(&mut self) {
        if self.freezer == Freezer::Inner
            && !await_stop(self.number(), holders(self.level), &self.pipes.exit)
        {
            self.fast_path.is_revoked = true;
            self.freeze_after(Instant::now());
            self.cpu.now = self.watch.family.read();
        }
    }

    /// Freezes a bot that still runs after an answer within the first moment: the other side's turn
    /// lasts longer than that. From now on its CPU time is out of turn.
    pub fn freeze_if_running(&mut self) {
        if self.run_state == RunState::RunsOn {
            self.freeze();
            let now = self.watch.family.read();
            let used = used(self.cpu.now, now).unwrap_or_default();
            let short_turns = std::mem::take(&mut self.cpu.short_turns);
            self.fast_path.is_revoked |= short_turns.are_exceeded_by(used, self.watch.cores());
            self.cpu.now = now;
            self.cpu.answered = Some(Instant::now());
        }
    }

    /// CPU time of the family since its last request.
    pub fn cpu_since_asked(&mut self) -> Option<Duration> {
        used(self.cpu.before, self.watch.family.read())
    }

    /// Ends a turn of the opponent: returns a fault if the family used more CPU time in it than a
    /// frozen bot is allowed. Time that a hypervisor stole may have been booked as the family's,
    /// and is subtracted first.
    pub async fn busy_off_turn(&mut self) -> Option<Fault> {
        let answered = self.cpu.answered.take()?;
        let used = self.cpu.since(answered, &mut self.watch);
        self.cpu.game.note_measured(used);
        let mut used = used?;
        let cores = self.watch.cores();
        if used > GRACE * cores + SUSPICIOUS {
            used = used.saturating_sub(self.watch.newly_stolen());
        }
        let before = self.cpu.off_turn;
        self.cpu.off_turn.add(used, cores);
        if self.cpu.off_turn.surplus > SUSPICIOUS {
            self.share_processor();
        }
        if self.freezer == Freezer::None || self.cpu.off_turn.fault().is_none() {
            return None;
        }
        tokio::time::sleep(BOOKING).await;
        let used = used.saturating_sub(self.watch.newly_stolen());
        self.cpu.off_turn = before;
        self.cpu.off_turn.add(used, cores);
        let fault = self.cpu.off_turn.fault()?;
        self.cpu.game.ended = self.cpu.now;
        Some(fault)
    }

    /// CPU time in the turns of this game that ended within their first moment, each with the
    /// moment after its answer; `None` if there are none, or if it is unknown.
    pub fn cpu_of_short_turns(&mut self) -> Option<Duration> {
        let has_any = self.cpu.game.has_short_turns;
        let now = has_any.then(|| self.watch.family.read())?;
        self.cpu.game.of_short_turns(now)
    }
}

/// The CPU time of a bot's family, in its own turns and in those of others.
#[derive(Debug, Default)]
pub struct CpuAccount {
    /// The family's clock before the last request.
    pub before: Option<Duration>,
    /// The family's clock at its last reading.
    pub now: Option<Duration>,
    /// When the bot answered and was frozen; `None` once its CPU time since then was read.
    pub answered: Option<Instant>,
    /// CPU time in the opponent's turns of this game.
    pub off_turn: OffTurn,
    /// Short turns since the last reading of the clock.
    pub short_turns: ShortTurns,
    /// CPU time of the turns of this game that are not measured one by one.
    pub game: GameCpu,
}

impl CpuAccount {
    pub fn begin_game(&mut self) {
        self.off_turn = OffTurn::default();
        self.game = GameCpu::default();
    }

    /// CPU time of the last turn.
    pub fn of_turn(&self) -> Option<Duration> {
        used(self.before, self.now)
    }

    /// CPU time since the last reading, in a turn of others that began at this moment. Without a
    /// control group the family is looked up again after a turn that is long enough.
    pub fn since(&mut self, begun: Instant, watch: &mut Watch) -> Option<Duration> {
        if watch.family.is_looked_up() && begun.elapsed() > TICK {
            let cores = watch.cores();
            watch.family.refresh_off_turn(begun, cores);
        }
        let before = std::mem::replace(&mut self.now, watch.family.read());
        used(before, self.now)
    }
}

/// The difference of two readings of a clock.
pub fn used(before: Option<Duration>, now: Option<Duration>) -> Option<Duration> {
    Some(now?.saturating_sub(before?))
}

/// What a family may use in all opponent's turns of one game together, beyond the grace.
pub const ALLOWANCE: Duration = Duration::from_millis(10);
/// The moment after an answer in which a family may use each core of its slot.
pub const GRACE: Duration = Duration::from_micros(250);

/// CPU time of a family in its opponent's turns of one game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OffTurn {
    /// The sum of all turns and of the wait.
    pub total: Duration,
    /// The sum of what exceeded the grace of each of them.
    pub surplus: Duration,
    /// The part of `total` in the wait.
    waited: Duration,
}

impl OffTurn {
    /// Adds one turn of the opponent, on a slot with this number of cores.
    pub fn add(&mut self, used: Duration, cores: u32) {
        self.total += used;
        self.surplus += used.saturating_sub(GRACE * cores);
    }

    /// Adds the wait for the game, which is one more turn of others.
    pub fn add_wait(&mut self, used: Duration, cores: u32) {
        self.add(used, cores);
        self.waited += used;
    }

    /// The fault of a family that exceeded its allowance.
    pub fn fault(&self) -> Option<Fault> {
        (self.surplus > ALLOWANCE).then(|| {
            let before = if self.waited > GRACE {
                let waited = exact_ms(self.waited);
                format!(" and while it waited for the game ({waited})")
            } else {
                String::new()
            };
            let detail = format!(
                "its processes used {} of CPU time in the turns of its opponent{before}, {} of \
                 them later than {} after its answers; {} are allowed in a game",
                exact_ms(self.total),
                exact_ms(self.surplus),
                exact_ms(GRACE),
                exact_ms(ALLOWANCE)
            );
            Fault::new(FaultKind::BusyOffTurn, detail)
        })
    }
}

/// What a family may use after each answer, on average, to become idle.
const TAIL: Duration = GRACE.checked_div(2).expect("a divisor above 0");

/// The short turns since the last reading of the family's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShortTurns {
    turns: u32,
    wall: Duration,
}

impl ShortTurns {
    /// Adds a turn that took this wall time.
    pub fn add(&mut self, wall: Duration) {
        self.turns = self.turns.saturating_add(1);
        self.wall = self.wall.saturating_add(wall);
    }

    /// Whether a family that used this CPU time has worked beyond its answers, on a slot with this
    /// number of cores.
    pub fn are_exceeded_by(self, used: Duration, cores: u32) -> bool {
        let own = (self.wall + TAIL * self.turns).saturating_mul(cores);
        used > own
    }
}

/// The account of one game.
#[derive(Clone, Copy, Debug, Default)]
pub struct GameCpu {
    /// The family's clock before the first turn, if known.
    begun: Option<Duration>,
    /// The sum of what was measured turn by turn, in the turns of both sides. Stolen time that the
    /// kernel may have charged is included, as it is in the clock.
    measured: Duration,
    /// Whether any turn ended within its first moment.
    pub has_short_turns: bool,
    /// The family's clock when the game ended for CPU time out of turn. What an interrupted call
    /// still takes afterwards belongs to no turn.
    pub ended: Option<Duration>,
}

impl GameCpu {
    /// An account that begins with this reading of the family's clock.
    pub fn new(begun: Option<Duration>) -> Self {
        Self {
            begun,
            ..Self::default()
        }
    }

    /// Notes a turn, of either side, in which the CPU time was measured.
    pub fn note_measured(&mut self, used: Option<Duration>) {
        self.measured += used.unwrap_or_default();
    }

    /// CPU time of the short turns, each with the moment after its answer, by a last reading of the
    /// clock.
    pub fn of_short_turns(&self, now: Option<Duration>) -> Option<Duration> {
        let total = self.ended.or(now)?.saturating_sub(self.begun?);
        Some(total.saturating_sub(self.measured))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(turns: &[u64], cores: u32) -> OffTurn {
        let mut off_turn = OffTurn::default();
        for &us in turns {
            off_turn.add(Duration::from_micros(us), cores);
        }
        off_turn
    }

    #[test]
    fn grace_is_given_for_each_turn_and_the_allowance_once_a_game() {
        for (turns, cores, guilty) in [
            (&[250; 300][..], 1, false),
            (&[250, 10_250], 1, false),
            (&[10_251], 1, true),
            (&[5_250, 5_251], 1, true),
            (&[10_500], 2, false),
            (&[10_501], 2, true),
            (&[], 1, false),
        ] {
            assert_eq!(after(turns, cores).fault().is_some(), guilty, "{turns:?}");
        }
    }

    #[test]
    fn a_wait_is_one_more_turn() {
        for (wait_us, turn_us, guilty) in [
            (10_250, 250, false),
            (10_251, 250, true),
            (5_250, 5_251, true),
            (250, 10_251, true),
        ] {
            let mut off_turn = OffTurn::default();
            off_turn.add_wait(Duration::from_micros(wait_us), 1);
            off_turn.add(Duration::from_micros(turn_us), 1);
            let is_guilty = off_turn.fault().is_some();
            assert_eq!(is_guilty, guilty, "{wait_us} + {turn_us}");
        }
    }

    #[test]
    fn the_fault_has_the_figures() {
        let mut waited = OffTurn::default();
        waited.add_wait(Duration::from_millis(12), 1);
        let fault = waited.fault().expect("a fault");
        assert_eq!(
            fault.detail,
            "its processes used 12.000 ms of CPU time in the turns of its opponent and while it \
             waited for the game (12.000 ms), 11.750 ms of them later than 0.250 ms after its \
             answers; 10.000 ms are allowed in a game"
        );
        let fault = after(&[20_000, 100], 1).fault().expect("a fault");
        assert_eq!(fault.kind, FaultKind::BusyOffTurn);
        assert_eq!(
            fault.detail,
            "its processes used 20.100 ms of CPU time in the turns of its opponent, 19.750 ms of \
             them later than 0.250 ms after its answers; 10.000 ms are allowed in a game"
        );
    }

    #[test]
    fn answers_and_a_tail_after_each_are_a_familys_own() {
        let us = Duration::from_micros;
        for (turns, used, cores, exceeds) in [
            (&[8, 9][..], 267, 1, false),
            (&[8, 9], 268, 1, true),
            (&[8, 9], 268, 2, false),
            (&[8, 9], 535, 2, true),
            (&[], 0, 1, false),
            (&[], 1, 1, true),
        ] {
            let mut short_turns = ShortTurns::default();
            for &turn in turns {
                short_turns.add(us(turn));
            }
            let exceeded = short_turns.are_exceeded_by(us(used), cores);
            assert_eq!(exceeded, exceeds, "{used} in {turns:?} on {cores}");
        }
    }

    #[test]
    fn short_turns_have_what_is_left_of_the_sum() {
        let ms = Duration::from_millis;
        let mut cpu = GameCpu::new(Some(ms(100)));
        cpu.note_measured(Some(ms(30)));
        cpu.note_measured(None);
        cpu.note_measured(Some(ms(3)));
        assert_eq!(cpu.of_short_turns(Some(ms(140))), Some(ms(7)));
        // Clocks of the kernel may differ by a tick.
        assert_eq!(cpu.of_short_turns(Some(ms(130))), Some(ms(0)));
        assert_eq!(cpu.of_short_turns(None), None);
        cpu.ended = Some(ms(134));
        assert_eq!(cpu.of_short_turns(Some(ms(500))), Some(ms(1)));
        assert_eq!(GameCpu::new(None).of_short_turns(Some(ms(1))), None);
    }
}
