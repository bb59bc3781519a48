//! CPU time that a bot's family uses in its opponent's turns, and when that is its fault.
//!
//! A bot is frozen as soon as its answer is read. What its processes use after that is a moment of
//! grace, what freezing itself takes, or an attempt to think in the opponent's time and on the
//! opponent's core, as with processes in a long system call.
//!
//! On a busy host the referee's thread may have to wait for a processor between the answer and the
//! end of freezing. No clock runs then, so what the bot uses meanwhile is not counted: the
//! count begins anew when a bot is frozen late.
//!
//! Measured for bots with 400 MiB of live heap and constant allocation, per turn: Java 70 µs at the
//! median and 510 µs at most, Go 40 and 180 µs, Node 50 and 125 µs (`docs/clocks.md`).

use super::Process;
use crate::bot::process::off_turn_total::GRACE;
use crate::bot::process::talk_error::BOOKING;
use crate::bot::process::tick::TICK;
use crate::bot::process::used_time::used;
use crate::bot::sandbox::Freezer;
use crate::record::Fault;
use std::time::{Duration, Instant};

/// From so much on, beyond the grace, a family is held to one share of the processor.
const SUSPICIOUS: Duration = Duration::from_millis(1);

impl Process {
    /// Freezes a bot that answered at such a moment. Whether that was late because the host was
    /// busy: nothing else takes the referee longer than the grace.
    pub fn freeze_after(&mut self, answer: Instant) -> bool {
        self.freeze();
        let frozen = Instant::now();
        self.answered = Some(frozen);
        frozen.saturating_duration_since(answer) > GRACE
    }

    /// CPU time of the family since it was last asked something.
    pub fn cpu_since_asked(&mut self) -> Option<Duration> {
        used(self.cpu_before, self.watch.family.read())
    }

    /// A turn of the opponent is over: what the family used in it counts as its own fault, if it is
    /// more than a bot is allowed that ought to stand still. What a hypervisor took meanwhile may
    /// have been counted as the family's, which is not accused for that.
    pub async fn busy_off_turn(&mut self) -> Option<Fault> {
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
    pub const fn off_turn_cpu(&self) -> Duration {
        self.off_turn.total()
    }
}
