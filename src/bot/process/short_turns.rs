//! What a family used in turns that ended within their first moment, beyond its own answers.
//!
//! A bot runs on for a moment after such an answer. The clock of its family is not read before it,
//! but its own part is known: at most the wall time of its answers, on every core. A family that
//! used much more has worked in its opponent's turns, so it loses the moment.

use super::off_turn_total::GRACE;
use std::time::Duration;

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

#[cfg(test)]
mod tests {
    use super::*;

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
}
