//! How strong the new bot is, after a test that stopped because of its results.
//!
//! The mean score of such a test is biased: it stops where results are far out. Instead, outcomes
//! are put in an order from the worst for the new bot to the best (P. Armitage 1958; D. Siegmund,
//! *Estimation following sequential tests*, 1978):
//!
//! ```text
//!   failed early < failed late < not decided, by its likelihood ratio < passed late < passed early
//! ```
//!
//! The estimate is the strength under which an outcome this good or better has the probability ½:
//! it is as often too high as too low. The ends of the 95 % interval are those with 2.5 and 97.5 %.
//! The order asks for nothing that lies in the future, so a test that goes on with more pairs keeps
//! it.
//!
//! Probabilities are those of `first_passage::Walk`, whose steps are the increments of the
//! log-likelihood ratio.
//! A strength is a distribution of results: of all with its mean the one nearest to those observed,
//! `p ∝ f e^(λ·score)` (smallest divergence from f).

use super::counts::{GameCounts, PairCounts, SprtCounts};
use super::forecast::{Shares, moments};
use super::likelihood::{ELO_PER_DEVIATION, mean, regularised};
use super::{Sprt, State};
use crate::stats::elo::ELO_PER_LOGIT;
use crate::stats::student;
use statrs::function::erf::erfc;
use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

/// A strength on both scales.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strength {
    /// By the expected score, Elo.
    pub elo: f64,
    /// In standard deviations of a game, normalised Elo.
    pub normalised: f64,
}

/// An estimate that knows that its test stopped because of its results.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unbiased {
    /// Too high as often as too low; `None` if all observations but one at most are of one kind:
    /// that shows no spread, and only the end of the interval that is nearer to 0.
    pub median: Option<Strength>,
    /// The lower end of the 95 % interval; `None` if nothing is too weak for this outcome.
    pub low95: Option<Strength>,
    /// The upper end; `None` if nothing is too strong for it.
    pub high95: Option<Strength>,
}

/// No tilt is stronger: e^50 times the weight of one score over that of another in every quarter.
const MOST_TILT: f64 = 200.0;

impl Sprt {
    /// What the strength is, if the test stops here. `None` if the test had stopped before, if no
    /// strength has an even chance of this outcome, and if it shows no spread and no decision.
    pub fn unbiased(&self, counts: &SprtCounts) -> Option<Unbiased> {
        if !self.is_reached_by(counts) {
            return None;
        }
        let outcome = StoppedTest {
            sprt: self,
            state: self.evaluate(counts).state,
            llr: self.evaluate(counts).llr,
            observed: match counts {
                SprtCounts::Pairs(PairCounts(counts)) => Shares::Pairs(regularised(counts).1),
                SprtCounts::Games(GameCounts(counts)) => Shares::Games(regularised(counts).1),
            },
            total: counts.total() as f64,
        };
        let tail = outcome.tail();
        let (low95, high95) = (
            || outcome.strength_at(tail),
            || outcome.strength_at(1.0 - tail),
        );
        if !counts.is_flat() {
            return Some(Unbiased {
                median: Some(outcome.strength_at(0.5)?),
                low95: low95(),
                high95: high95(),
            });
        }
        let (low95, high95) = match outcome.state {
            State::H1 => (Some(low95()?), None),
            State::H0 => (None, Some(high95()?)),
            State::Continue => return None,
        };
        Some(Unbiased {
            median: None,
            low95,
            high95,
        })
    }
}

impl Sprt {
    /// Whether the test was not decided one observation before, whichever was the last.
    fn is_reached_by(&self, counts: &SprtCounts) -> bool {
        let is_undecided = |before: SprtCounts| self.evaluate(&before).state == State::Continue;
        is_undecided(*counts) || counts.each_less_one().into_iter().any(is_undecided)
    }
}

/// Where a test stands.
struct StoppedTest<'a> {
    sprt: &'a Sprt,
    state: State,
    llr: f64,
    /// Shares of results, none of them 0.
    observed: Shares,
    /// Number of observations.
    total: f64,
}

impl StoppedTest<'_> {
    /// The probability beyond each end of the interval: 2.5 % of Student's t. The spread of results
    /// is not known but estimated from as many of them as there are.
    fn tail(&self) -> f64 {
        let freedom = (self.total - 1.0).max(1.0);
        0.5 * erfc(student::quantile_95(freedom) * FRAC_1_SQRT_2)
    }

    /// The strength under which an outcome this good or better has this probability.
    fn strength_at(&self, probability: f64) -> Option<Strength> {
        let above = |tilt: f64| self.as_good_or_better(tilt) > probability;
        // Outward from what was observed: towards weaker bots if it is too likely there.
        let direction = if above(0.0) { -1.0 } else { 1.0 };
        let (mut inner, mut outer) = (0.0, direction * 0.01);
        while above(outer) == above(0.0) {
            if outer.abs() >= MOST_TILT {
                return None;
            }
            (inner, outer) = (outer, (outer * 1.5).clamp(-MOST_TILT, MOST_TILT));
        }
        let is_inner = above(inner);
        while (outer - inner).abs() > 1e-9 * outer.abs().max(1e-3) {
            let middle = f64::midpoint(inner, outer);
            if above(middle) == is_inner {
                inner = middle;
            } else {
                outer = middle;
            }
        }
        Some(strength(&tilted(&self.observed, outer)))
    }

    fn as_good_or_better(&self, tilt: f64) -> f64 {
        let shares = tilted(&self.observed, tilt);
        let walk = self.sprt.walk(0.0, &shares);
        let better = self.better_score(&shares);
        // Of the tests that stop at the same observation, those with a better score.
        let among = |before: f64, after: f64, share: f64| before + (after - before) * share;
        match self.state {
            State::H1 => {
                let by = |steps: f64| walk.left_at_upper(steps);
                among(by(self.total - 1.0), by(self.total), better)
            }
            State::H0 => {
                let by = |steps: f64| walk.left_at_lower(steps);
                1.0 - among(by(self.total - 1.0), by(self.total), 1.0 - better)
            }
            State::Continue => {
                walk.left_at_upper(self.total) + walk.inside_above(self.llr, self.total)
            }
        }
    }

    /// The probability of a better score than that observed after as many observations, by the
    /// normal distribution.
    fn better_score(&self, shares: &Shares) -> f64 {
        let (observed, _) = moments_of(&self.observed);
        let (mean, variance) = moments_of(shares);
        let error = (variance / self.total).sqrt();
        0.5 * erfc((observed - mean) / error * FRAC_1_SQRT_2)
    }
}

/// `p ∝ f e^(tilt·score)`.
fn tilted(shares: &Shares, tilt: f64) -> Shares {
    match shares {
        Shares::Pairs(shares) => Shares::Pairs(tilt_by(shares, &PairCounts::ABOVE_HALF, tilt)),
        Shares::Games(shares) => Shares::Games(tilt_by(shares, &GameCounts::ABOVE_HALF, tilt)),
    }
}

fn tilt_by<const N: usize>(shares: &[f64; N], above_half: &[f64; N], tilt: f64) -> [f64; N] {
    let logarithms: [f64; N] =
        std::array::from_fn(|cell| shares[cell].ln() + tilt * above_half[cell]);
    let largest = logarithms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights = logarithms.map(|logarithm| (logarithm - largest).exp());
    let sum: f64 = weights.iter().sum();
    weights.map(|weight| weight / sum)
}

/// Mean and variance of an observation's score above ½.
fn moments_of(shares: &Shares) -> (f64, f64) {
    match shares {
        Shares::Pairs(shares) => moments(shares, &PairCounts::ABOVE_HALF),
        Shares::Games(shares) => moments(shares, &GameCounts::ABOVE_HALF),
    }
}

fn strength(shares: &Shares) -> Strength {
    match shares {
        // A pair's standard deviation counts √2 times.
        Shares::Pairs(shares) => strength_of(shares, &PairCounts::ABOVE_HALF, SQRT_2),
        Shares::Games(shares) => strength_of(shares, &GameCounts::ABOVE_HALF, 1.0),
    }
}

fn strength_of<const N: usize>(
    shares: &[f64; N],
    above_half: &[f64; N],
    widening: f64,
) -> Strength {
    let (above, variance) = moments(shares, above_half);
    // Both ends by themselves: a score of nearly 1 keeps its digits.
    let score = mean(shares, &above_half.map(|value| value + 0.5));
    let rest = mean(shares, &above_half.map(|value| 0.5 - value));
    Strength {
        // A sum with 0 has no sign of zero.
        elo: (score.ln() - rest.ln()) * ELO_PER_LOGIT + 0.0,
        normalised: above / (variance.sqrt() * widening) * ELO_PER_DEVIATION,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Model, Settings};
    use super::*;

    fn sprt(elo1: f64) -> Sprt {
        Sprt::new(Settings {
            elo0: 0.0,
            elo1,
            alpha: 0.05,
            beta: 0.05,
            model: Model::Logistic,
        })
        .expect("a test")
    }

    fn of_pairs(elo1: f64, counts: [u64; 5]) -> Option<Unbiased> {
        sprt(elo1).unbiased(&SprtCounts::Pairs(PairCounts(counts)))
    }

    #[test]
    fn what_cannot_be_the_end_of_a_test_has_no_estimate() {
        for counts in [
            // No spread, and not decided.
            [0, 0, 0, 0, 0],
            [0, 0, 29, 1, 0],
            // The test had stopped long before.
            [0, 10, 100, 300, 100],
        ] {
            assert_eq!(of_pairs(10.0, counts), None, "{counts:?}");
        }
    }

    /// Nothing is too strong for a bot that won all pairs, or all but one.
    #[test]
    fn without_a_spread_only_one_end_is_known() {
        for cell in [0, 1] {
            let decided = (1..200).find_map(|won| {
                let mut counts = [0, 0, 0, 0, won];
                counts[3] += cell;
                of_pairs(100.0, counts)
            });
            let Unbiased {
                median,
                low95,
                high95,
            } = decided.expect("a test that passes");
            assert_eq!((median, high95), (None, None));
            assert!(low95.expect("an end").elo > 0.0, "{low95:?}");
        }
    }

    #[test]
    fn opponents_see_the_same_from_the_other_side() {
        let counts = SprtCounts::Pairs(PairCounts([4, 3, 41, 4, 9]));
        let symmetric = Sprt::new(Settings {
            elo0: -20.0,
            ..sprt(20.0).settings()
        })
        .expect("a test");
        let one = symmetric.unbiased(&counts).expect("an estimate");
        let other = symmetric.unbiased(&counts.reversed()).expect("an estimate");
        let pairs = [
            (
                one.median.expect("a middle"),
                other.median.expect("a middle"),
            ),
            (one.low95.expect("an end"), other.high95.expect("an end")),
            (one.high95.expect("an end"), other.low95.expect("an end")),
        ];
        for (one, other) in pairs {
            assert!((one.elo + other.elo).abs() < 1e-5, "{one:?} {other:?}");
            assert!((one.normalised + other.normalised).abs() < 1e-5);
        }
    }

    #[test]
    fn without_bounds_in_reach_it_is_the_interval_of_a_fixed_number() {
        // So far apart from both bounds that no test stops: mean ± 1.96 errors, on the scale of the
        // score. 400 games, half of them drawn.
        let far = Sprt::new(Settings {
            elo0: -0.01,
            ..sprt(0.01).settings()
        })
        .expect("a test");
        let counts = SprtCounts::Games(GameCounts([90, 200, 110]));
        let estimate = far.unbiased(&counts).expect("an estimate");
        let score = |elo: f64| 1.0 / (1.0 + 10_f64.powf(-elo / 400.0));
        assert!(
            (score(estimate.median.expect("a middle").elo) - 0.525).abs() < 1e-4,
            "{estimate:?}"
        );
        let error = (0.5 * 0.25 - 0.025_f64.powi(2)).sqrt() / 20.0;
        let half = 1.966 * error;
        for (end, at) in [
            (estimate.low95, 0.525 - half),
            (estimate.high95, 0.525 + half),
        ] {
            let end = score(end.expect("an end").elo);
            // The spread is that of the end, not that of the middle.
            assert!((end - at).abs() < 0.02 * half, "{end} {at}");
        }
    }
}
