//! How long a test will take: before it from assumed results, during it from those observed.
//!
//! The log-likelihood ratio is taken as a random walk: an observation of kind i adds ln(p1ᵢ / p0ᵢ),
//! the two nearest distributions held at those of the true frequencies. That is exact to first
//! order: both have the greatest likelihood, so small errors of the observed frequencies do not
//! move them.

use super::counts::{GameCounts, PairCounts, SprtCounts};
use super::likelihood::{game_increments, mean, pair_increments, regularised};
use super::{Settings, Sprt, State};
use crate::stats::sprt::assumed_results::TypicalResults;
use crate::stats::sprt::first_passage::BoundedWalk;

/// Least share of a kind of result in a forecast: no kind counts as impossible.
const LEAST_SHARE: f64 = 1e-9;

/// How a test is expected to go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// Mean number of observations until the end: pairs, or lone games. Infinite only if
    /// observations say nothing about the hypotheses.
    pub observations: f64,
    /// Probability that the test ends with H1.
    pub pass: f64,
}

/// Shares of each kind of observation; they sum to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shares {
    /// As in [`PairCounts`].
    Pairs([f64; 5]),
    /// As in [`GameCounts`].
    Games([f64; 3]),
}

impl Sprt {
    /// Strengths of the new bot, Elo, each with the expected number of pairs if results have this
    /// shape: H0, halfway between the hypotheses (the longest tests), and H1.
    pub fn outlook(&self, typical: &TypicalResults) -> [(f64, Forecast); 3] {
        let Settings {
            elo0, elo1, model, ..
        } = self.settings();
        let at = |elo| {
            (
                elo,
                self.forecast(&Shares::Pairs(typical.pairs(model, elo))),
            )
        };
        [elo0, f64::midpoint(elo0, elo1), elo1].map(at)
    }

    /// How a test of observations with these shares is expected to go, from its beginning.
    pub fn forecast(&self, shares: &Shares) -> Forecast {
        self.walk_from(0.0, shares)
    }

    /// Expected number of observations left, and the probability to pass, if results go on as
    /// observed. `None` before the first observation. Nothing is left once a bound is reached.
    pub fn remaining(&self, counts: &SprtCounts) -> Option<Forecast> {
        if counts.total() == 0 {
            return None;
        }
        let evaluation = self.evaluate(counts);
        let pass = match evaluation.state {
            State::H0 => 0.0,
            State::H1 => 1.0,
            State::Continue => {
                let shares = match counts {
                    SprtCounts::Pairs(PairCounts(counts)) => Shares::Pairs(regularised(counts).1),
                    SprtCounts::Games(GameCounts(counts)) => Shares::Games(regularised(counts).1),
                };
                return Some(self.walk_from(evaluation.llr, &shares));
            }
        };
        let observations = 0.0;
        Some(Forecast { observations, pass })
    }

    fn walk_from(&self, llr: f64, shares: &Shares) -> Forecast {
        let exit = self.walk(llr, shares).exit();
        Forecast {
            observations: exit.steps,
            pass: exit.at_upper,
        }
    }

    /// The walk that the log-likelihood ratio takes from here if results have these shares.
    pub(super) fn walk(&self, llr: f64, shares: &Shares) -> BoundedWalk {
        let (drift, variance) = match shares {
            Shares::Pairs(shares) => {
                let shares = all_possible(shares);
                moments(&shares, &pair_increments(&shares, &self.settings()))
            }
            Shares::Games(shares) => {
                let shares = all_possible(shares);
                moments(&shares, &game_increments(&shares, &self.settings()))
            }
        };
        BoundedWalk {
            drift,
            variance,
            lower: self.lower() - llr,
            upper: self.upper() - llr,
        }
    }
}

fn all_possible<const N: usize>(shares: &[f64; N]) -> [f64; N] {
    let filled = shares.map(|share| share.max(LEAST_SHARE));
    let sum: f64 = filled.iter().sum();
    filled.map(|share| share / sum)
}

/// Mean and variance of values that have these shares.
pub fn moments<const N: usize>(shares: &[f64; N], values: &[f64; N]) -> (f64, f64) {
    let centre = mean(shares, values);
    let squares = values.map(|value| (value - centre).powi(2));
    (centre, mean(shares, &squares))
}
