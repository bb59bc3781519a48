//! What a test has shown, as a number that may be compared with that of other tests: an e-value.
//!
//! A gambler who thinks that the new bot is stronger than H0 says begins with 1 and bets on each
//! pair. With the score x of a pair (0 to 1), the highest mean score s₀ that H0 allows and a bet
//! λ ≥ 0 his capital is
//!
//! ```text
//!   K = Π (1 + λ (x − s₀))
//! ```
//!
//! If H0 is true, no bet gains on average: the expected capital is at most 1 at whatever pair he
//! stops, whatever makes him stop (I. Waudby-Smith and A. Ramdas, *Estimating means of bounded
//! random variables by betting*, 2024). So a large capital is evidence against H0: 20 or more has
//! a probability of at most 5 %. Nothing is assumed of draws, of spread or of how long a test
//! takes, as the likelihood ratio of the test does, which is a ratio of two maxima: it errs as
//! rarely as it says only in tests that are long enough.
//!
//! The best bet is (s − s₀) / σ² for a bot of mean score s and the variance σ² of a pair, which
//! nobody knows beforehand. So the capital is spread evenly over several bets. It depends on the
//! counts alone: the order of the pairs changes nothing.

use super::counts::{GameCounts, PairCounts, SprtCounts};
use super::likelihood::ELO_PER_DEVIATION;
use super::{Model, Sprt};
use crate::stats::elo::expected_score;
use std::f64::consts::SQRT_2;

/// The number of bets, each √2 times the one before.
const BETS: i32 = 9;
/// The smallest bet is the gain in score that H1 says times this: that for the largest variance
/// that a score between 0 and 1 can have, ¼.
const LEAST_BET: f64 = 4.0;
/// No bet risks more of the capital than this.
const MOST_RISK: f64 = 0.75;

impl Sprt {
    /// The evidence against H0 as an e-value: at least 0 and finite; 1 without observations.
    pub fn e_value(&self, counts: &SprtCounts) -> f64 {
        let null = self.highest_null_score();
        let settings = self.settings();
        let gain = expected_score(settings.elo1) - expected_score(settings.elo0);
        let logarithms: Vec<f64> = (0..BETS)
            .map(|number| LEAST_BET * gain * SQRT_2.powi(number))
            .map(|bet| log_capital(counts, bet.min(MOST_RISK / null), null))
            .collect();
        let largest = logarithms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = logarithms.iter().map(|it| (it - largest).exp()).sum();
        (largest + (sum / f64::from(BETS)).ln()).exp().min(f64::MAX)
    }

    /// The highest mean score (0 to 1) of a bot that H0 is true of.
    fn highest_null_score(&self) -> f64 {
        let elo0 = self.settings().elo0;
        match self.settings().model {
            Model::Logistic => expected_score(elo0),
            // The mean above ½ is at most c deviations. A score of mean ½ + y has a variance of at
            // most ¼ − y², so y² ≤ c² (¼ − y²). If c is negative, a bot that always draws level is
            // still one of H0.
            Model::Normalised => {
                let most = (elo0 / ELO_PER_DEVIATION * SQRT_2).max(0.0);
                0.5 + 0.5 * most / most.hypot(1.0)
            }
        }
    }
}

/// The natural logarithm of the capital after these results with one bet.
fn log_capital(counts: &SprtCounts, bet: f64, null: f64) -> f64 {
    fn sum(counts: &[u64], above_half: &[f64], bet: f64, null: f64) -> f64 {
        let results = counts.iter().zip(above_half);
        results
            .map(|(&count, above)| count as f64 * (bet * (0.5 + above - null)).ln_1p())
            .sum()
    }
    match counts {
        SprtCounts::Pairs(PairCounts(counts)) => sum(counts, &PairCounts::ABOVE_HALF, bet, null),
        SprtCounts::Games(GameCounts(counts)) => sum(counts, &GameCounts::ABOVE_HALF, bet, null),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Settings;
    use super::*;
    use proptest::prelude::*;

    fn sprt(elo0: f64, elo1: f64, model: Model) -> Sprt {
        Sprt::new(Settings {
            elo0,
            elo1,
            alpha: 0.05,
            beta: 0.05,
            model,
        })
        .expect("a test")
    }

    fn of_pairs(sprt: &Sprt, counts: [u64; 5]) -> f64 {
        sprt.e_value(&SprtCounts::Pairs(PairCounts(counts)))
    }

    /// Two pairs won and one lost at s₀ = ½, [0, 400] Elo: the gain is 10/11 − ½ = 9/22, and of the
    /// nine bets all but none are cut at 0.75 / ½ = 1.5, since the smallest would be 18/11.
    #[test]
    fn a_capital_worked_out_by_hand() {
        let e = of_pairs(&sprt(0.0, 400.0, Model::Logistic), [1, 0, 0, 0, 2]);
        assert!((e - 0.25 * 1.75 * 1.75).abs() < 1e-12, "{e}");
    }

    #[test]
    fn extremes_are_finite() {
        for model in [Model::Logistic, Model::Normalised] {
            for (elo0, elo1) in [(-10_000.0, 10_000.0), (9_999.0, 10_000.0), (-1e-9, 1e-9)] {
                let sprt = sprt(elo0, elo1, model);
                assert!((of_pairs(&sprt, [0; 5]) - 1.0).abs() < 1e-12);
                for counts in [[1 << 50, 0, 0, 0, 0], [0, 0, 0, 0, 1 << 50], [1 << 50; 5]] {
                    let e = of_pairs(&sprt, counts);
                    assert!(e.is_finite() && e >= 0.0, "{sprt:?} {counts:?}: {e}");
                }
            }
        }
    }

    /// Any shares of results.
    fn shares() -> impl Strategy<Value = [f64; 5]> {
        proptest::array::uniform5(0.001..1.0_f64).prop_map(|weights| {
            let sum: f64 = weights.iter().sum();
            weights.map(|weight| weight / sum)
        })
    }

    proptest! {
        /// The capital is a martingale for a bot at the edge of H0, whatever its spread: one more
        /// pair changes nothing on average. So its mean is 1 wherever a test stops.
        #[test]
        fn one_more_pair_gains_nothing_on_average(
            shares in shares(),
            counts in proptest::array::uniform5(0..60_u64),
            gap in 1.0..200.0_f64,
        ) {
            let score: f64 = (0_u32..5).zip(shares).map(|(cell, it)| f64::from(cell) / 4.0 * it).sum();
            let elo0 = 400.0 * (score / (1.0 - score)).log10();
            let sprt = sprt(elo0, elo0 + gap, Model::Logistic);
            let now = of_pairs(&sprt, counts);
            let after: f64 = (0..5).map(|cell| {
                let mut counts = counts;
                counts[cell] += 1;
                shares[cell] * of_pairs(&sprt, counts)
            }).sum();
            prop_assert!((after / now - 1.0).abs() < 1e-9, "{now} {after}");
        }

        /// A bot whose normalised strength is that of H0 gains nothing either.
        #[test]
        fn nor_does_it_on_the_normalised_scale(
            shares in shares(),
            counts in proptest::array::uniform5(0..60_u64),
            gap in 1.0..200.0_f64,
        ) {
            let scores = [0.0, 0.25, 0.5, 0.75, 1.0];
            let mean: f64 = (0..5).map(|it| shares[it] * scores[it]).sum();
            let variance: f64 = (0..5).map(|it| shares[it] * (scores[it] - mean).powi(2)).sum();
            let elo0 = 800.0 / std::f64::consts::LN_10 * (mean - 0.5) / (2.0 * variance).sqrt();
            let sprt = sprt(elo0, elo0 + gap, Model::Normalised);
            let now = of_pairs(&sprt, counts);
            let after: f64 = (0..5).map(|cell| {
                let mut counts = counts;
                counts[cell] += 1;
                shares[cell] * of_pairs(&sprt, counts)
            }).sum();
            prop_assert!(after / now < 1.0 + 1e-9, "{now} {after}");
        }
    }
}
