//! CPU time of a bot's family in the opponent's turns of a game, and while it waited for the game.

use crate::record::{Fault, FaultKind};
use std::time::Duration;

/// What a family may use in all opponent's turns of one game together, beyond the grace.
pub const ALLOWANCE: Duration = Duration::from_millis(10);
/// The moment after an answer in which a family may use each core of its slot.
pub const GRACE: Duration = Duration::from_micros(250);

/// CPU time of a family in its opponent's turns of one game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OffTurn {
    /// The sum of all turns and of the wait.
    total: Duration,
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

    /// The sum of all turns and of the wait.
    pub const fn total(&self) -> Duration {
        self.total
    }

    /// The fault of a family that exceeded its allowance.
    pub fn fault(&self) -> Option<Fault> {
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        (self.surplus > ALLOWANCE).then(|| {
            let before = if self.waited > GRACE {
                let waited = ms(self.waited);
                format!(" and while it waited for the game ({waited:.3} ms)")
            } else {
                String::new()
            };
            let detail = format!(
                "its processes used {:.3} ms of CPU time in the turns of its opponent{before}, \
                 {:.3} ms of them later than {:.3} ms after its answers; {:.3} ms are allowed in a \
                 game",
                ms(self.total),
                ms(self.surplus),
                ms(GRACE),
                ms(ALLOWANCE)
            );
            Fault::new(FaultKind::BusyOffTurn, detail)
        })
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
}
