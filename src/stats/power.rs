//! How many pairs a tournament needs until a difference shows, computed before any game.
//!
//! A difference *shows* if its 95 % interval excludes 0. With n pairs for each pairing, each with
//! its own opening and the variance s² in logits², the ratings of a tournament are the potentials
//! of a network of resistances s²/n, and the variance of a difference is the resistance between its
//! two entrants (D. J. Klein and M. Randić 1993):
//!
//! ```text
//!   round robin of m         2 s² / (m n)
//!   gauntlet, k and m        2 s² / (k n) between two challengers,
//!                            (k + m − 1) s² / (k m n) between champion and challenger
//! ```
//!
//! s² of a pairing depends on how unequal its two entrants are: d apart, or d / 2 where one of them
//! stands between. A change of one resistance changes the whole by the square of its current times
//! that change, so that the s² above is the mean over pairings, weighed by the squares of currents.
//!
//! A true difference d shows in the share Φ(d / σ − t) of tournaments, where t is the 97.5 % point
//! of Student's t with the degrees of freedom that the openings of these entrants leave. Two
//! entrants with fewer than about 15 pairs show a large difference less often: the width of their
//! interval depends on how the pairs came out, which the formula does not see.

use super::elo::{ELO_PER_LOGIT, NORMAL_95, sigmoid};
use super::sprt::{PairCounts, TypicalResults};
use super::student;
use super::student::normal_probability;
use super::uncertainty::quantile;
use crate::stats::comparison::Difference;
use crate::stats::sprt::Model;
use statrs::function::erf::erf_inv;
use std::f64::consts::SQRT_2;

/// The search for a number of pairs ends here.
pub const MOST_PAIRS: u64 = 100_000_000;

/// The pairings of a tournament.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairingScheme {
    /// All entrants against all others; at least two.
    RoundRobin {
        /// Number of entrants.
        entrants: u64,
    },
    /// Champions against all others; at least one of each.
    Gauntlet {
        /// Number of champions.
        champions: u64,
        /// Number of others.
        challengers: u64,
    },
}

impl PairingScheme {
    /// Number of pairings.
    pub fn pairings(&self) -> u64 {
        match *self {
            Self::RoundRobin { entrants } => entrants * (entrants - 1) / 2,
            Self::Gauntlet {
                champions,
                challengers,
            } => champions * challengers,
        }
    }

    /// Which two entrants can be compared: these differ in how many pairs they need.
    pub fn comparisons(&self) -> Vec<Compared> {
        match *self {
            Self::RoundRobin { .. } => vec![Compared::Entrants],
            Self::Gauntlet {
                champions,
                challengers,
            } => {
                let mut all = vec![Compared::ChampionAndChallenger];
                all.extend((challengers > 1).then_some(Compared::Challengers));
                all.extend((champions > 1).then_some(Compared::Champions));
                all
            }
        }
    }

    /// The potential drops over the pairings, for a current of 1 from one of the two entrants to
    /// the other and a resistance of 1 for each pairing.
    fn drops(&self, compared: Compared) -> Vec<PotentialDrop> {
        let between = |drop, pairings| PotentialDrop {
            drop,
            pairings,
            apart: 1.0,
        };
        let beside = |drop, pairings| PotentialDrop {
            drop,
            pairings,
            apart: 0.5,
        };
        let (champions, challengers) = match *self {
            // Every other entrant has half of the potential.
            Self::RoundRobin { entrants } => {
                let m = entrants as f64;
                return vec![between(2.0 / m, 1.0), beside(1.0 / m, 2.0 * (m - 2.0))];
            }
            Self::Gauntlet {
                champions,
                challengers,
            } => (champions as f64, challengers as f64),
        };
        match compared {
            // All of the other side have half of the potential.
            Compared::Challengers => vec![beside(1.0 / champions, 2.0 * champions)],
            Compared::Champions => vec![beside(1.0 / challengers, 2.0 * challengers)],
            // What flows past the pairing of the two goes to all other challengers, from each to
            // all other champions, and from each of those to the challenger.
            Compared::Entrants | Compared::ChampionAndChallenger => {
                let all = champions * challengers;
                let (others, rivals) = (challengers - 1.0, champions - 1.0);
                vec![
                    between((1.0 + others + rivals) / all, 1.0),
                    beside(rivals / all, others),
                    beside(others / all, rivals),
                    beside(1.0 / all, others * rivals),
                ]
            }
        }
    }
}

/// Which two entrants are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compared {
    /// Any two of a round robin.
    Entrants,
    /// A champion and a challenger.
    ChampionAndChallenger,
    /// Two challengers.
    Challengers,
    /// Two champions.
    Champions,
}

/// Pairings that carry the same part of a current between two entrants.
#[derive(Clone, Copy, Debug)]
struct PotentialDrop {
    /// The potential drop over each.
    drop: f64,
    /// Their number.
    pairings: f64,
    /// The difference of the two of such a pairing, in differences of the two that are compared.
    apart: f64,
}

/// The question about a tournament.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PowerQuestion {
    /// Who plays whom.
    pub schedule: PairingScheme,
    /// Which two of them are compared.
    pub compared: Compared,
    /// The true difference of two entrants, Elo; above 0.
    pub difference: f64,
    /// The distribution of results.
    pub typical: TypicalResults,
}

impl PowerQuestion {
    /// The share of tournaments with this many pairs to a pairing in which the difference shows.
    pub fn power(&self, pairs: u64) -> f64 {
        let drops = self.schedule.drops(self.compared);
        let moment = |power: i32| -> f64 {
            let each = drops.iter().map(|it| it.pairings * it.drop.powi(power));
            each.sum::<f64>() * pairs as f64
        };
        // A pairing of n pairs has one n-th of the resistance of a pair.
        let resistances = drops
            .iter()
            .map(|it| it.pairings * it.drop.powi(2) * self.variance_of_a_pair(it.apart));
        let error = (resistances.sum::<f64>() / pairs as f64).sqrt();
        let observations = moment(2).powi(2) / moment(4);
        let freedom = observations * (1.0 - self.hidden(pairs));
        if freedom < 1.0 {
            return 0.0;
        }
        let difference = self.difference / ELO_PER_LOGIT;
        normal_probability(difference / error - student::quantile_95(freedom))
    }

    /// The least number of pairs to a pairing with which the difference shows in this share of
    /// tournaments, in (0, 1); `None` above [`MOST_PAIRS`].
    pub fn pairs(&self, power: f64) -> Option<u64> {
        let is_enough = |pairs: u64| self.power(pairs) >= power;
        let mut most = 1;
        while !is_enough(most) {
            if most >= MOST_PAIRS {
                return None;
            }
            most *= 2;
        }
        let mut least = most / 2;
        // The power grows with the number of pairs.
        while most - least > 1 {
            let middle = u64::midpoint(least, most);
            if is_enough(middle) {
                most = middle;
            } else {
                least = middle;
            }
        }
        Some(most)
    }

    /// The share of the scatter that a fit hides: fitted numbers over observations.
    fn hidden(&self, pairs: u64) -> f64 {
        let fitted = match self.schedule {
            PairingScheme::RoundRobin { entrants } => entrants - 1,
            PairingScheme::Gauntlet {
                champions,
                challengers,
            } => champions + challengers - 1,
        };
        fitted as f64 / (self.schedule.pairings() as f64 * pairs as f64)
    }

    /// The variance of a difference from a single pair of two who are so many times the difference
    /// apart, in square logits.
    fn variance_of_a_pair(&self, apart: f64) -> f64 {
        let elo = self.difference * apart;
        let shares = self.typical.pairs(Model::Logistic, elo);
        let score: f64 = weighed(&shares, |above| above);
        let variance = weighed(&shares, |above| (above - score).powi(2));
        let logits = elo / ELO_PER_LOGIT;
        let slope = sigmoid(logits) * sigmoid(-logits);
        variance / (slope * slope)
    }
}

fn weighed(shares: &[f64; 5], of: impl Fn(f64) -> f64) -> f64 {
    let scores = PairCounts::ABOVE_HALF.into_iter();
    scores
        .zip(shares)
        .map(|(score, share)| share * of(score))
        .sum()
}

impl Difference {
    /// How many times as many pairs are needed until a true difference of this many Elo shows in
    /// this share of tournaments. `None` where the error is unknown or 0, or there is only a bound.
    pub fn times_as_many(&self, elo: f64, power: f64) -> Option<f64> {
        let half_width = self.error95.filter(|&it| it > 0.0)?;
        Some(times(elo / half_width * quantile(self.freedom), power))
    }
}

/// The same for a difference that is this many standard errors above 0 now. With many more pairs
/// the interval is that of the normal distribution.
fn times(deviations: f64, power: f64) -> f64 {
    let point = SQRT_2 * erf_inv(2.0 * power - 1.0);
    ((NORMAL_95 + point) / deviations).powi(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_robin(entrants: u64, difference: f64) -> PowerQuestion {
        PowerQuestion {
            schedule: PairingScheme::RoundRobin { entrants },
            compared: Compared::Entrants,
            difference,
            typical: TypicalResults::default(),
        }
    }

    #[test]
    fn resistances_are_those_of_the_textbook() {
        let gauntlet = |champions, challengers| PairingScheme::Gauntlet {
            champions,
            challengers,
        };
        let all = |entrants| PairingScheme::RoundRobin { entrants };
        for (schedule, compared, resistance) in [
            (all(2), Compared::Entrants, 1.0),
            (all(3), Compared::Entrants, 2.0 / 3.0),
            (all(24), Compared::Entrants, 1.0 / 12.0),
            (gauntlet(1, 1), Compared::ChampionAndChallenger, 1.0),
            (gauntlet(1, 9), Compared::Challengers, 2.0),
            (gauntlet(4, 9), Compared::Challengers, 0.5),
            (gauntlet(4, 9), Compared::Champions, 2.0 / 9.0),
            (gauntlet(1, 9), Compared::ChampionAndChallenger, 1.0),
            (gauntlet(3, 1), Compared::ChampionAndChallenger, 1.0),
            // Of the edges of a complete bipartite graph: (k + m − 1) / (k m); a square's is 3 / 4.
            (gauntlet(2, 2), Compared::ChampionAndChallenger, 0.75),
            (gauntlet(4, 9), Compared::ChampionAndChallenger, 1.0 / 3.0),
        ] {
            let drops = schedule.drops(compared);
            let found: f64 = drops.iter().map(|it| it.pairings * it.drop.powi(2)).sum();
            assert!((found - resistance).abs() < 1e-12, "{schedule:?}: {found}");
        }
    }

    #[test]
    fn a_match_needs_what_the_formula_of_two_says() {
        // No draws, level openings: pairs are two throws of a coin, s² = 2 square logits. 10 Elo
        // between two: ((1.96 + 0.8416) · 173.7178 / 10)² · 2 = 4737 pairs, and 0.08 % more at
        // σ(10 Elo).
        let question = PowerQuestion {
            typical: TypicalResults::new(0.0, 0.0).expect("a shape"),
            ..round_robin(2, 10.0)
        };
        let pairs = question.pairs(0.8).expect("a number");
        assert!((4_735..=4_745).contains(&pairs), "{pairs}");
        // Between two of 24 entrants it is one twelfth.
        let among = PowerQuestion {
            schedule: PairingScheme::RoundRobin { entrants: 24 },
            ..question
        };
        let pairs = among.pairs(0.8).expect("a number");
        assert!((394..=397).contains(&pairs), "{pairs}");
    }

    #[test]
    fn pairings_scatter_as_unequal_entrants_do() {
        // Three to one, no draws, level openings: a pair has the variance 1 / (2 p q) = 8 / 3. With
        // 12 pairs that is 1.0986 / √(8 / 36) = 2.3305 standard errors, and t is 2.2010 with 11
        // degrees of freedom: Φ(0.1295).
        let question = PowerQuestion {
            typical: TypicalResults::new(0.0, 0.0).expect("a shape"),
            ..round_robin(2, 190.848_501_887_864_98)
        };
        let power = question.power(12);
        assert!((power - 0.5515).abs() < 1e-4, "{power}");
        // Between three, the pairing of the two makes 2 / 3 of it, and σ(0.5493) of a level half
        // 1 / (2 · 0.6340 · 0.3660) = 2.1547 the rest: 2.4960 · 2 / 3. With 9 pairs each that is
        // 2.5550 standard errors. The squares of currents are as 4 to 1 to 1, which counts as
        // 9 · (4 + 1 + 1)² / (16 + 1 + 1) = 18 openings. The fit leaves 25 / 27 of them, 16.67, for
        // which t is 2.1131.
        let question = PowerQuestion {
            schedule: PairingScheme::RoundRobin { entrants: 3 },
            ..question
        };
        let power = question.power(9);
        assert!((power - 0.6707).abs() < 1e-3, "{power}");
    }

    #[test]
    fn the_number_of_pairs_is_the_least() {
        for entrants in [2, 3, 8, 24] {
            for difference in [5.0, 50.0, 300.0] {
                for power in [0.5, 0.8, 0.95] {
                    let question = round_robin(entrants, difference);
                    let pairs = question.pairs(power).expect("a number");
                    assert!(question.power(pairs) >= power);
                    assert!(pairs == 1 || question.power(pairs - 1) < power);
                }
            }
        }
        assert_eq!(round_robin(2, 1e-3).pairs(0.8), None);
    }

    #[test]
    fn what_was_seen_says_how_many_more() {
        // At 1.96 + 0.8416 standard errors it shows in 80 of 100 tournaments.
        assert!((times(2.801_585, 0.8) - 1.0).abs() < 1e-5);
        assert!((times(2.801_585 / 2.0, 0.8) - 4.0).abs() < 1e-4);
        assert!((times(1.959_964, 0.5) - 1.0).abs() < 1e-5);
        assert!(times(0.0, 0.8).is_infinite());
    }
}
