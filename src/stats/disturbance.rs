//! A test of whether one of two sides is disturbed more often than chance explains. It stays valid
//! if it is evaluated after every observation.
//!
//! Two sides alternate turns, and sometimes an outside event hits the side on turn. By chance, the
//! share of the hits on one side is at most what its turns explain. Three explanations are allowed,
//! and the one that explains most is used:
//!
//! ```text
//! even    both sides are hit alike
//! time    a side is hit in proportion to its time on turn
//! edge    a side is hit in proportion to the 16th power of a turn's time: a delay matters only to
//!         a turn that is close to its limit already
//! ```
//!
//! With a share s of the three, hits on one side are still chance if they are at most [`TOLERANCE`]
//! times as likely as on the other: p = T s / (T s + 1 − s). Hits are only compared with hits of
//! the same game, so a host that is noisy for some minutes, or that gets worse, is not evidence by
//! itself.
//!
//! The test bets against chance, with a capital of 1: on a hit of the side a bet of b becomes 1 + b
//! (1 − p) / p, on a hit of the other side 1 − b. If chance hits the side with a probability of at
//! most p, whatever has happened before, the expected capital never grows, and by Ville's
//! inequality (J. Ville, Étude critique de la notion de collectif, 1939) it ever reaches N with a
//! probability of at most 1 / N. The number of looks need not be planned, and observations need not
//! be independent. Two bets run side by side, because the best one is unknown.

/// The factor by which the bet against chance must have grown its stake.
pub const CERTAINTY: f64 = 10_000.0;
/// How many times as likely as by its turns alone chance may hit a side.
pub const TOLERANCE: f64 = 1.5;
/// Shares of the capital that are bet.
const BETS: [f64; 2] = [0.5, 0.9];

/// The turns of a side.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Turns {
    count: u64,
    time_us: u64,
    /// The sum of times in seconds, each to the 16th power.
    edge: f64,
}

impl Turns {
    /// Adds a turn of this many µs.
    pub fn add(&mut self, time_us: u64) {
        let seconds = time_us as f64 / 1e6;
        self.count += 1;
        self.time_us = self.time_us.saturating_add(time_us);
        self.edge += [(); 4].iter().fold(seconds, |power, ()| power * power);
    }

    /// Adds other turns of the same side.
    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.time_us = self.time_us.saturating_add(other.time_us);
        self.edge += other.edge;
    }

    fn mean(&self, sum: f64) -> f64 {
        sum / self.count.max(1) as f64
    }

    /// The largest share of the hits on this side, in games against another, that chance explains:
    /// at least one half.
    pub fn share_against(&self, other: &Self) -> f64 {
        let part = |own: f64, others: f64| {
            let whole = own + others;
            if whole > 0.0 { own / whole } else { 0.0 }
        };
        let time = part(
            self.mean(self.time_us as f64),
            other.mean(other.time_us as f64),
        );
        let edge = part(self.mean(self.edge), other.mean(other.edge));
        time.max(edge).max(0.5)
    }
}

/// The capital of a bet that a side is hit more often than by chance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Suspicion {
    capitals: [f64; 2],
    hits: u32,
}

impl Default for Suspicion {
    fn default() -> Self {
        Self {
            capitals: [1.0; 2],
            hits: 0,
        }
    }
}

impl Suspicion {
    /// Notes a hit of the side, in a game in which chance explains this share of hits on it.
    pub fn hit(&mut self, share: f64) {
        self.hits += 1;
        let odds = (1.0 - share) / (TOLERANCE * share);
        for (capital, bet) in self.capitals.iter_mut().zip(BETS) {
            *capital *= 1.0 + bet * odds;
        }
    }

    /// Notes a hit of the other side of its game.
    pub fn other_hit(&mut self) {
        for (capital, bet) in self.capitals.iter_mut().zip(BETS) {
            *capital *= 1.0 - bet;
        }
    }

    /// How often the side was hit.
    pub const fn hits(&self) -> u32 {
        self.hits
    }

    /// Whether chance is rejected: of sides that only chance hits, at most one in [`CERTAINTY`] is
    /// ever rejected.
    pub fn is_proved(&self) -> bool {
        let [one, other] = self.capitals;
        f64::midpoint(one, other) >= CERTAINTY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turns(count: u64, time_us: u64) -> Turns {
        let mut turns = Turns::default();
        (0..count).for_each(|_| turns.add(time_us));
        turns
    }

    /// The number of consecutive hits after which chance with this share is rejected.
    fn proved_after(share: f64) -> u32 {
        let mut suspicion = Suspicion::default();
        while !suspicion.is_proved() && suspicion.hits() < 10_000 {
            suspicion.hit(share);
        }
        suspicion.hits()
    }

    #[test]
    fn shares_worked_out_by_hand() {
        let none = Turns::default();
        for (own, other, share) in [
            (none, none, 0.5),
            (none, turns(9, 1_000), 0.5),
            (turns(9, 1_000), none, 1.0),
            (turns(9, 1_000), turns(3, 1_000), 0.5),
            // Twice the time: 2^16 : 1.
            (turns(9, 2_000), turns(3, 1_000), 65_536.0 / 65_537.0),
            (turns(9, 1_000), turns(3, 2_000), 0.5),
            (turns(5, 0), turns(5, 0), 0.5),
        ] {
            let found = own.share_against(&other);
            assert!((found - share).abs() < 1e-12, "{own:?} {other:?}: {found}");
        }
    }

    #[test]
    fn a_row_of_hits_is_proof_and_a_hit_of_the_other_side_sets_it_back() {
        // One half of a capital that grows by the factor 1.6 with each hit: 1.6^22 / 2 is 15 000.
        assert_eq!(proved_after(0.5), 22);
        assert_eq!(proved_after(0.9), 154);
        assert_eq!(
            proved_after(1.0),
            10_000,
            "what chance explains whole proves nothing"
        );
        let mut suspicion = Suspicion::default();
        for _ in 0..2_000 {
            (0..2).for_each(|_| suspicion.hit(0.5));
            suspicion.other_hit();
            assert!(
                !suspicion.is_proved(),
                "two of three are within the tolerance"
            );
        }
    }

    /// The expected capital after the next hit never exceeds the present one.
    #[test]
    fn the_bet_is_fair_at_the_edge_of_chance() {
        for share in [0.5, 0.6, 0.75, 0.9, 0.999] {
            let p = TOLERANCE * share / (TOLERANCE * share + 1.0 - share);
            let (mut hit, mut other) = (Suspicion::default(), Suspicion::default());
            hit.hit(share);
            other.other_hit();
            for (won, lost) in hit.capitals.iter().zip(other.capitals) {
                let expected = p * won + (1.0 - p) * lost;
                assert!((expected - 1.0).abs() < 1e-12, "{share}: {expected}");
            }
        }
    }
}
