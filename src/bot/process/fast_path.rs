//! What a process carries from one short exchange to the next.

use super::game_cpu::GameCpu;
use super::short_turns::ShortTurns;
use crate::bot::fast_reply_timer::FastReplyTimer;
use std::sync::Arc;
use std::time::Instant;

/// The state of the first moments of one process.
#[derive(Debug)]
pub struct FastPath {
    /// Ends the first moment of an exchange.
    pub timer: Arc<FastReplyTimer>,
    /// Short turns since the last reading of the family's clock.
    pub short_turns: ShortTurns,
    /// Whether the family has worked in the moment after its answers: it is frozen at once.
    pub is_revoked: bool,
    /// CPU time of the turns of this game that are not measured one by one.
    pub game_cpu: GameCpu,
    /// When the last request was written.
    pub written: Instant,
    /// When other tasks of the slot ran last.
    pub gave_way: Instant,
}

impl FastPath {
    /// The state of a new process on the thread of this timer.
    pub fn new(timer: Arc<FastReplyTimer>) -> Self {
        let now = Instant::now();
        Self {
            timer,
            short_turns: ShortTurns::default(),
            is_revoked: false,
            game_cpu: GameCpu::default(),
            written: now,
            gave_way: now,
        }
    }
}
