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
//! one of a library that never sleeps. So the count starts when its threads stand still, at most
//! 5 ms after the signal.
//! No clock runs in this time. A system call that lasts longer counts from then on. A bot whose
//! threads do not rest before its first turn has no first moment.
//!
//! Measured for bots with 400 MiB of live heap and constant allocation, per turn: Java 70 µs at the
//! median and 510 µs at most, Go 40 and 180 µs, Node 50 and 125 µs (`docs/design/clocks.md`).

use super::signal_freezer::await_stop;
use super::{Process, RunState, holders};
use crate::bot::process::off_turn_total::GRACE;
use crate::bot::process::talk_error::BOOKING;
use crate::bot::process::tick::TICK;
use crate::bot::process::used_time::used;
use crate::bot::sandbox::Freezer;
use crate::record::Fault;
use std::time::{Duration, Instant};

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
            await_stop(self.number(), holders(self.level), &self.exit);
        }
        self.answered = Some(Instant::now());
        is_late || by_signal
    }

    /// Freezes a bot that is ready for its first turn and whose threads do not rest, where process
    /// 1 of a box stops it by a signal: in the opponent's turn the referee could not wait for them.
    pub fn freeze_if_sleepless(&mut self) {
        if self.freezer == Freezer::Inner
            && !await_stop(self.number(), holders(self.level), &self.exit)
        {
            self.moment.is_revoked = true;
            self.freeze_after(Instant::now());
            self.cpu_now = self.watch.family.read();
        }
    }

    /// Freezes a bot that still runs after an answer within the first moment: the other side's turn
    /// lasts longer than that. From now on its CPU time is out of turn.
    pub fn freeze_if_running(&mut self) {
        if self.run_state == RunState::RunsOn {
            self.freeze();
            let now = self.watch.family.read();
            let used = used(self.cpu_now, now).unwrap_or_default();
            let short_turns = std::mem::take(&mut self.moment.short_turns);
            self.moment.is_revoked |= short_turns.are_exceeded_by(used, self.watch.cores());
            self.cpu_now = now;
            self.answered = Some(Instant::now());
        }
    }

    /// CPU time of the family since its last request.
    pub fn cpu_since_asked(&mut self) -> Option<Duration> {
        used(self.cpu_before, self.watch.family.read())
    }

    /// Ends a turn of the opponent: returns a fault if the family used more CPU time in it than a
    /// frozen bot is allowed. Time that a hypervisor stole may have been booked as the family's,
    /// and is subtracted first.
    pub async fn busy_off_turn(&mut self) -> Option<Fault> {
        let answered = self.answered.take()?;
        // Without a group the family is looked up again after a turn that is long enough.
        if self.watch.family.is_looked_up() && answered.elapsed() > TICK {
            let cores = self.watch.cores();
            self.watch.family.refresh_off_turn(answered, cores);
        }
        let now = self.watch.family.read();
        let used = used(self.cpu_now, now);
        self.cpu_now = now;
        self.moment.game_cpu.note_measured(used);
        let mut used = used?;
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
        let fault = self.off_turn.fault()?;
        self.moment.game_cpu.end(now);
        Some(fault)
    }

    /// CPU time of the family in all turns of its opponent in this game.
    pub const fn off_turn_cpu(&self) -> Duration {
        self.off_turn.total()
    }
}
