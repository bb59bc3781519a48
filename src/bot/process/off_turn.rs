//! CPU time that a bot's family uses in its opponent's turns, and when that is its fault.
//!
//! A bot is frozen as soon as its answer is read. What its processes use after that is a moment of
//! grace, what freezing itself takes, or an attempt to think in the opponent's time and on the
//! opponent's core, as with processes in a long system call.
//!
//! On a busy host the referee's thread may have to wait for a processor between the answer and the
//! end of freezing. Nobody is on the clock then, so what the bot uses meanwhile is not counted: the
//! count begins anew when a bot is frozen late.
//!
//! Measured for bots with 400 MiB of live heap and constant allocation, per turn: Java 70 µs at the
//! median and 510 µs at most, Go 40 and 180 µs, Node 50 and 125 µs (`docs/clocks.md`).

use super::talk::BOOKING;
use super::watch::TICK;
use super::{Process, used};
use crate::bot::sandbox::Freezer;
use crate::record::{Fault, FaultKind};
use std::time::{Duration, Instant};

/// The moment after an answer in which a family may use each core of its slot.
pub(in crate::bot) const GRACE: Duration = Duration::from_micros(250);
/// What a family may use in all of its opponent's turns of one game together, beyond the grace.
pub(in crate::bot) const ALLOWANCE: Duration = Duration::from_millis(10);

/// From so much on, beyond the grace, a family is held to one share of the processor.
const SUSPICIOUS: Duration = Duration::from_millis(1);

/// What a family used in its opponent's turns of one game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct OffTurn {
    /// All of it.
    total: Duration,
    /// What went beyond the grace.
    surplus: Duration,
}

impl OffTurn {
    /// Takes one turn of the opponent into account, on a slot of so many cores.
    pub(super) fn add(&mut self, used: Duration, cores: u32) {
        self.total += used;
        self.surplus += used.saturating_sub(GRACE * cores);
    }

    /// All that the family used in its opponent's turns.
    pub(super) const fn total(&self) -> Duration {
        self.total
    }

    /// The fault of a family that used more than it is allowed.
    pub(super) fn fault(&self) -> Option<Fault> {
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        (self.surplus > ALLOWANCE).then(|| {
            let detail = format!(
                "its processes used {:.3} ms of CPU time in the turns of its opponent, {:.3} ms of \
                 them later than {:.3} ms after its answers; {:.3} ms are allowed in a game",
                ms(self.total),
                ms(self.surplus),
                ms(GRACE),
                ms(ALLOWANCE)
            );
            Fault::new(FaultKind::BusyOffTurn, detail)
        })
    }
}

impl Process {
    /// Freezes a bot that answered at such a moment. Whether that was late because the host was
    /// busy: nothing else takes the referee longer than the grace.
    pub(super) fn freeze_after(&mut self, answer: Instant) -> bool {
        self.freeze();
        let frozen = Instant::now();
        self.answered = Some(frozen);
        frozen.saturating_duration_since(answer) > GRACE
    }

    /// CPU time of the family since it was last asked something.
    pub(in crate::bot) fn cpu_since_asked(&mut self) -> Option<Duration> {
        used(self.cpu_before, self.watch.family.read())
    }

    /// A turn of the opponent is over: what the family used in it counts as its own fault, if it is
    /// more than a bot is allowed that ought to stand still. What a hypervisor took meanwhile may
    /// have been counted as the family's, and nobody is accused for that.
    pub(in crate::bot) async fn busy_off_turn(&mut self) -> Option<Fault> {
        let answered = self.answered.take()?;
        // Where no group counts it, a family is looked up anew after a turn that is worth it.
        if self.watch.family.is_looked_up() && answered.elapsed() > TICK {
            self.watch.family.look_off_turn(answered);
        }
        let now = self.watch.family.read();
        let mut used = used(self.cpu_now, now)?;
        self.cpu_now = now;
        let cores = self.watch.cores();
        if used > GRACE * cores + SUSPICIOUS {
            used = used.saturating_sub(self.watch.newly_stolen());
        }
        let before = self.off_turn;
        self.off_turn.add(used, cores);
        if self.off_turn.surplus > SUSPICIOUS {
            self.share_processor();
        }
        if self.freezer == Freezer::None || self.off_turn.fault().is_none() {
            return None;
        }
        tokio::time::sleep(BOOKING).await;
        let used = used.saturating_sub(self.watch.newly_stolen());
        self.off_turn = before;
        self.off_turn.add(used, cores);
        self.off_turn.fault()
    }

    /// CPU time of the family in all turns of its opponent in this game.
    pub(in crate::bot) const fn off_turn_cpu(&self) -> Duration {
        self.off_turn.total()
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
    fn the_fault_has_the_figures() {
        let fault = after(&[20_000, 100], 1).fault().expect("a fault");
        assert_eq!(fault.kind, FaultKind::BusyOffTurn);
        assert_eq!(
            fault.detail,
            "its processes used 20.100 ms of CPU time in the turns of its opponent, 19.750 ms of \
             them later than 0.250 ms after its answers; 10.000 ms are allowed in a game"
        );
    }
}
