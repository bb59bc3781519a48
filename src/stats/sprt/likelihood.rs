//! The exact generalised likelihood ratio of two strengths.
//!
//! For N observations with frequencies f it is `N Σ fᵢ ln(p1ᵢ / p0ᵢ)`, where pⱼ is the distribution
//! of greatest likelihood among all that have the strength of hypothesis j: the results' shape
//! (draws, correlation within pairs) is not assumed but estimated under each hypothesis.
//! Closed-form short cuts replace both by the observed shape, which fails where it shows little
//! spread: ten wins in ten games would prove anything.

use super::counts::{GameCounts, PairCounts, SprtCounts};
use super::normalised;
use super::tilt::Tilt;
use crate::stats::elo::{ELO_PER_LOGIT, sigmoid};
use crate::stats::sprt::{Model, Settings};
use std::f64::consts::SQRT_2;

/// The count of a cell without observation: a result that was not seen yet is not impossible.
const UNSEEN: f64 = 1e-3;

/// Normalised Elo of one standard deviation of a game: 800 / ln 10.
pub(in crate::stats) const ELO_PER_DEVIATION: f64 = 2.0 * ELO_PER_LOGIT;

/// The log-likelihood ratio of H1 over H0; 0 without observations.
pub(super) fn log_likelihood_ratio(counts: &SprtCounts, settings: &Settings) -> f64 {
    if counts.total() == 0 {
        return 0.0;
    }
    match counts {
        SprtCounts::Pairs(PairCounts(counts)) => {
            let (total, frequencies) = regularised(counts);
            let increments = pair_increments(&frequencies, settings);
            total * mean(&frequencies, &increments)
        }
        SprtCounts::Games(GameCounts(counts)) => {
            let (total, frequencies) = regularised(counts);
            let increments = game_increments(&frequencies, settings);
            total * mean(&frequencies, &increments)
        }
    }
}

/// Counts with unseen cells filled in: their sum and their shares of it.
pub(super) fn regularised<const N: usize>(counts: &[u64; N]) -> (f64, [f64; N]) {
    let filled = counts.map(|count| if count == 0 { UNSEEN } else { count as f64 });
    let total: f64 = filled.iter().sum();
    (total, filled.map(|count| count / total))
}

/// Σ fᵢ vᵢ.
pub(super) fn mean<const N: usize>(frequencies: &[f64; N], values: &[f64; N]) -> f64 {
    frequencies.iter().zip(values).map(|(f, v)| f * v).sum()
}

/// What one more pair of each kind adds to the log-likelihood ratio: ln(p1ᵢ / p0ᵢ). All frequencies
/// must be positive.
pub(super) fn pair_increments(frequencies: &[f64; 5], settings: &Settings) -> [f64; 5] {
    increments(frequencies, &PairCounts::ABOVE_HALF, settings, SQRT_2)
}

/// The change of the log-likelihood ratio by one more lone game, for each result.
pub(super) fn game_increments(frequencies: &[f64; 3], settings: &Settings) -> [f64; 3] {
    increments(frequencies, &GameCounts::ABOVE_HALF, settings, 1.0)
}

/// `widening`: how many times an observation's standard deviation counts on the normalised scale.
fn increments<const N: usize>(
    frequencies: &[f64; N],
    above_half: &[f64; N],
    settings: &Settings,
    widening: f64,
) -> [f64; N] {
    let fallen = |elo: f64| match settings.model {
        Model::Logistic => logistic(frequencies, above_half, elo),
        Model::Normalised => {
            let strength = elo / ELO_PER_DEVIATION * widening;
            normalised::logarithms(frequencies, above_half, strength)
        }
    };
    let (under_h0, under_h1) = (fallen(settings.elo0), fallen(settings.elo1));
    std::array::from_fn(|cell| under_h0[cell] - under_h1[cell])
}

/// Logarithms of frequency over probability for the nearest distribution with the expected score of
/// `elo`.
fn logistic<const N: usize>(frequencies: &[f64; N], above_half: &[f64; N], elo: f64) -> [f64; N] {
    // Tails of the logistic curve are taken from their own end: no loss where the score is nearly
    // 1.
    let (score, rest) = (sigmoid(elo / ELO_PER_LOGIT), sigmoid(-elo / ELO_PER_LOGIT));
    let values = above_half.map(|above| {
        if above > 0.0 {
            rest - (0.5 - above)
        } else {
            (above + 0.5) - score
        }
    });
    Tilt::new(frequencies, &values)
        .expect("an expected score strictly between 0 and 1 lies between the cells' scores")
        .logarithms(frequencies)
}
