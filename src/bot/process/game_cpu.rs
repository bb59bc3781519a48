//! The CPU time of a family in the turns of a game that ended within their first moment: its clock
//! is read before the first turn and after the last, and what was measured apart is subtracted.

use std::time::Duration;

/// The account of one game.
#[derive(Clone, Copy, Debug, Default)]
pub struct GameCpu {
    /// The family's clock before the first turn, if known.
    begun: Option<Duration>,
    /// The sum of what was measured turn by turn, in the turns of both sides. Stolen time that the
    /// kernel may have charged is included, as it is in the clock.
    measured: Duration,
    /// Whether any turn ended within its first moment.
    has_short_turns: bool,
    /// The family's clock when the game ended for CPU time out of turn. What an interrupted call
    /// still takes afterwards belongs to no turn.
    ended: Option<Duration>,
}

impl GameCpu {
    /// An account that begins with this reading of the family's clock.
    pub const fn new(begun: Option<Duration>) -> Self {
        Self {
            begun,
            measured: Duration::ZERO,
            has_short_turns: false,
            ended: None,
        }
    }

    /// Notes a turn, of either side, in which the CPU time was measured.
    pub fn note_measured(&mut self, used: Option<Duration>) {
        self.measured += used.unwrap_or_default();
    }

    /// Notes a turn that ended within its first moment.
    pub const fn note_short(&mut self) {
        self.has_short_turns = true;
    }

    /// Ends the account with this reading of the family's clock: later ones have no effect.
    pub const fn end(&mut self, now: Option<Duration>) {
        self.ended = now;
    }

    /// Whether any turn ended within its first moment.
    pub const fn has_short_turns(&self) -> bool {
        self.has_short_turns
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

    #[test]
    fn short_turns_have_what_is_left_of_the_sum() {
        let ms = Duration::from_millis;
        let mut cpu = GameCpu::new(Some(ms(100)));
        assert!(!cpu.has_short_turns());
        cpu.note_measured(Some(ms(30)));
        cpu.note_measured(None);
        cpu.note_short();
        assert!(cpu.has_short_turns());
        cpu.note_measured(Some(ms(3)));
        assert_eq!(cpu.of_short_turns(Some(ms(140))), Some(ms(7)));
        // Clocks of the kernel may differ by a tick.
        assert_eq!(cpu.of_short_turns(Some(ms(130))), Some(ms(0)));
        assert_eq!(cpu.of_short_turns(None), None);
        cpu.end(Some(ms(134)));
        assert_eq!(cpu.of_short_turns(Some(ms(500))), Some(ms(1)));
        assert_eq!(GameCpu::new(None).of_short_turns(Some(ms(1))), None);
    }
}
