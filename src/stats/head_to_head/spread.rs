//! How uncertain a mean score is. What was played from one opening is one observation; where
//! openings are new each time that is a pair, or a game that stands alone.

use super::pairing::Pairing;
use crate::stats::sprt::{GameCounts, PairCounts};

/// Mean score and its variance, seen in two ways.
#[derive(Clone, Copy, Debug)]
pub struct ScoreSpread {
    /// Mean score less ½.
    pub above_half: f64,
    /// Number of games.
    pub games: f64,
    /// Share of observations that are not repetitions.
    pub weight: f64,
    /// Variance of the mean score, from the differences between openings.
    pub between_openings: f64,
    /// Variance of the mean score, from the differences between pairs (and lone games), as if
    /// nothing were repeated.
    pub between_pairs: f64,
    /// The same from the differences between games, as if all were independent.
    pub between_games: f64,
    /// Pairs and lone games whose score is not the commonest one.
    unlike: f64,
}

impl ScoreSpread {
    /// `None` without games.
    pub fn of(pairing: &Pairing) -> Option<Self> {
        let by_result = pairing.games().0.map(|count| count as f64);
        let games: f64 = by_result.iter().sum();
        if games == 0.0 {
            return None;
        }
        let pairs = pairing.pairs().0.map(|count| count as f64);
        let lone = pairing.lone().0.map(|count| count as f64);
        let above_half = dot(&by_result, &GameCounts::ABOVE_HALF) / games;
        let squares_from = |scores: &[f64]| -> Vec<f64> {
            let square = |score: &f64| (score - above_half).powi(2);
            scores.iter().map(square).collect()
        };
        let (of_pairs, of_games) = (
            squares_from(&PairCounts::ABOVE_HALF),
            squares_from(&GameCounts::ABOVE_HALF),
        );
        // A pair is off by two games at once.
        let between_pairs = 4.0 * dot(&pairs, &of_pairs) + dot(&lone, &of_games);
        let between_pairs = between_pairs / (games * games);
        let between_openings = pairing.openings().map_or(between_pairs, |sums| {
            // In half points: twice the score.
            let mean = 2.0 * above_half + 1.0;
            let [square, mixed, games_squared] =
                [sums.points_squared, sums.points_games, sums.games_squared].map(|sum| sum as f64);
            let squares = square - 2.0 * mean * mixed + mean * mean * games_squared;
            squares.max(0.0) / (4.0 * games * games)
        });
        let alike = [
            pairs[0] + lone[0],
            pairs[1],
            pairs[2] + lone[1],
            pairs[3],
            pairs[4] + lone[2],
        ];
        let commonest = alike.iter().copied().fold(0.0, f64::max);
        Some(Self {
            above_half,
            games,
            weight: pairing.weight(),
            between_openings,
            between_pairs,
            between_games: dot(&by_result, &of_games) / (games * games),
            unlike: alike.iter().sum::<f64>() - commonest,
        })
    }

    /// Whether all pairs and lone games but one at most have the same score: their spread says
    /// nothing of how uncertain the mean is.
    pub fn is_flat(&self) -> bool {
        self.unlike <= 1.0
    }

    /// Mean score.
    pub fn score(&self) -> f64 {
        0.5 + self.above_half
    }
}

fn dot(counts: &[f64], values: &[f64]) -> f64 {
    counts.iter().zip(values).map(|(c, v)| c * v).sum()
}
