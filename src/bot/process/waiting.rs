//! A process between two games: it waits for its next game, perhaps while other bots play on its
//! cores.
//!
//! ```text
//! last answer   game-over        park                          begin_game     new-game
//! ─┬────────────┬────────────────┬─────────────────────────────┬──────────────┬───────▶
//!  frozen       in the pipe      frozen once more,             CPU time       thawed
//!                                standard error not drained    is judged
//! ```
//!
//! * A bot is frozen since its last answer, and reads `game-over` when it is continued, for
//!   `new-game` or `quit`. A bot that answered within its first moment runs on, and is frozen when
//!   another bot's exchange lasts longer than a moment, or plays in its place.
//! * A wait is one more turn of others: the CPU time of the family counts to the game that follows
//!   it, with that game's allowance. A process that no freeze reaches loses its next game if it
//!   computes meanwhile.
//! * Output, an end, and too much memory or too many processes are found at the next game.
//! * The slot's thread does no work for a process that waits: what it writes to standard error
//!   stays in the pipe, and a full pipe stops it.

use super::family_limits::{FamilyLimits, held_bytes};
use super::off_turn::{BOOKING, OffTurn};
use super::{Process, RunState, holders};
use crate::bot::control_group::ControlGroup;
use crate::bot::sandbox::Freezer;
use crate::record::Fault;
use std::time::{Duration, Instant};

/// The family's limits are checked after a wait of this length. In a shorter one the checks of the
/// turns suffice.
const LONG: Duration = Duration::from_millis(100);

impl Process {
    /// Tells the bot how its game ended; false if the pipe cannot take that.
    pub fn end_game(&mut self, message: &[u8]) -> bool {
        self.wait.since = Some(Instant::now());
        self.pipes.post(message)
    }

    /// Lets the process wait while other bots play. False if it has more memory or processes than
    /// it may: then others could lack them, and it must end. So must one that lost processes, which
    /// its next games could lack.
    pub fn park(&mut self) -> bool {
        self.freeze_if_running();
        self.freeze();
        if let Some(drain) = self.drain.take() {
            drain.abort();
        }
        let excess = self.limits.as_ref().and_then(FamilyLimits::excess);
        excess.is_none() && !self.has_lost_processes()
    }

    /// Ends a wait: adds the CPU time in it to the game that begins.
    pub(super) fn end_wait(&mut self) {
        if self.drain.is_none() && !self.ending.is_over {
            self.drain = Some(self.error.spawn_drain());
        }
        // A process that has not played yet has just answered `hello`.
        let Some(ended) = self.wait.since.take() else {
            return;
        };
        // It ran on since its last answer, because no other bot has had a longer turn.
        if self.run_state == RunState::RunsOn {
            return;
        }
        let since = self.cpu.answered.take().unwrap_or(ended);
        let used = self.cpu.since(since, &mut self.watch).unwrap_or_default();
        let used = used.saturating_sub(self.watch.newly_stolen());
        self.cpu.off_turn.add_wait(used, self.watch.cores());
        let time = since.elapsed();
        self.wait.ended = Some(EndedWait { time, used });
    }

    /// The fault of a process that did in its wait what it must not do, at the beginning of its
    /// next game.
    pub async fn fault_of_wait(&mut self) -> Option<Fault> {
        let wait = self.wait.ended.take()?;
        let limits = self.limits.as_ref().filter(|_| wait.time >= LONG);
        if let Some(fault) = limits.and_then(FamilyLimits::excess) {
            return Some(fault);
        }
        if self.freezer == Freezer::None || self.cpu.off_turn.fault().is_none() {
            return None;
        }
        // The kernel may have booked stolen time as the family's.
        tokio::time::sleep(BOOKING).await;
        let used = wait.used.saturating_sub(self.watch.newly_stolen());
        self.cpu.off_turn = OffTurn::default();
        self.cpu.off_turn.add_wait(used, self.watch.cores());
        self.cpu.off_turn.fault()
    }

    /// Bytes of memory that the family holds: what its control group counts, else what the referee
    /// counts at most.
    pub fn held_bytes(&self) -> u64 {
        let counted = self.family.as_ref().and_then(ControlGroup::memory);
        counted.unwrap_or_else(|| held_bytes(self.number(), holders(self.level)))
    }
}

/// Where a process is between two games.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wait {
    /// When its last game ended; `None` while it plays, and before its first game.
    pub since: Option<Instant>,
    /// The wait for the present game, until it is judged.
    pub ended: Option<EndedWait>,
}

/// A wait that is over.
#[derive(Clone, Copy, Debug)]
pub struct EndedWait {
    pub time: Duration,
    /// CPU time of the family in it.
    pub used: Duration,
}
