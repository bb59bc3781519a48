//! What score and what Elo the results of two entrants allow.
//!
//! # The score
//! Mean score ± t standard errors from the differences between n openings, by Student's t with
//! n − 1 degrees of freedom, and never narrower than the likelihood-ratio interval of n openings
//! that are all level. One opening shows nothing. Where nothing else can be measured, as at the
//! edges below, it is the likelihood-ratio interval.
//!
//! # The Elo of the score
//! As the field computes it, for comparison with other programs:
//! * Usually: mean score ± 1.96 standard errors from the differences between openings, both ends
//!   put through the logistic curve.
//! * Where all pairs but one at most are level: the likelihood-ratio interval of the mean score of
//!   pairs, as in the tables of many entrants: thirty level pairs are ±21.6 Elo.
//! * At the edges: the likelihood-ratio interval of the mean score of games. That is: where all
//!   pairs but one at most have the same score, so that there is no spread to measure; and where
//!   the usual interval ends nearer to 0 or 100 % than half a point in all games, where no record
//!   but a sweep can lie. It has an end wherever there is evidence for one, and it is never without
//!   width.
//!
//! The likelihood-ratio interval holds every score s at which the greatest likelihood of the wins,
//! draws and losses, among all distributions with mean s, has fallen by less than half the 95 %
//! point of χ² (S. S. Wilks 1938; A. B. Owen, *Empirical Likelihood*, 2001). Results not seen count
//! as possible: twenty draws allow some wins. Games are taken as independent, which is the careful
//! choice, as the swapped sides of a pair make its games differ; should pairs show more spread than
//! independent games have, the games count as fewer in proportion.

use super::pairing::Pairing;
use crate::stats::elo::{ELO_PER_LOGIT, LIKELIHOOD_DROP_95, NORMAL_95, expected_score, sigmoid};
use crate::stats::sprt::tilt::Tilt;
use crate::stats::sprt::{GameCounts, PairCounts};
use crate::stats::uncertainty::quantile;

/// Elo above the other entrant, with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EloEstimate {
    /// Both have points.
    Between {
        /// The estimate.
        elo: f64,
        /// Low end of the interval.
        low: f64,
        /// High end of the interval.
        high: f64,
    },
    /// Every game was won: no estimate, only the low end.
    AtLeast(f64),
    /// Every game was lost: no estimate, only the high end.
    AtMost(f64),
}

impl EloEstimate {
    /// Half the width of the interval, where it has two ends. The ends need not be as far from the
    /// estimate.
    pub fn error95(&self) -> Option<f64> {
        match self {
            Self::Between { low, high, .. } => Some((high - low) / 2.0),
            Self::AtLeast(_) | Self::AtMost(_) => None,
        }
    }
}

/// How an interval was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntervalMethod {
    /// From the standard error of the mean score of pairs.
    Normal,
    /// From the likelihood of the games' results: there was too little spread between pairs, or
    /// the score too near to 0 or 100 %.
    LikelihoodRatio,
}

/// A score so far from ½ in logits is 0 or 1 for every purpose.
const FARTHEST: f64 = 80.0;

/// The 95 % interval of the mean score; `None` for a single opening.
pub fn of_score(pairing: &Pairing, spread: &ScoreSpread) -> Option<(f64, f64)> {
    let openings = pairing.observations() as f64 * spread.weight;
    if openings < 2.0 {
        return None;
    }
    let error = (spread.between_openings * openings / (openings - 1.0)).sqrt();
    let level = -(-LIKELIHOOD_DROP_95 / openings).exp_m1() / 2.0;
    let half_width = (quantile(openings - 1.0) * error).max(level);
    Some(match interval(pairing, spread, half_width).0 {
        EloEstimate::Between { low, high, .. } => (expected_score(low), expected_score(high)),
        EloEstimate::AtLeast(low) => (expected_score(low), 1.0),
        EloEstimate::AtMost(high) => (0.0, expected_score(high)),
    })
}

/// The Elo of the score, by the rule of this file.
pub fn estimate(pairing: &Pairing, spread: &ScoreSpread) -> (EloEstimate, IntervalMethod) {
    interval(pairing, spread, NORMAL_95 * spread.between_openings.sqrt())
}

/// The same with half the width of the usual interval of the score.
fn interval(
    pairing: &Pairing,
    spread: &ScoreSpread,
    half_width: f64,
) -> (EloEstimate, IntervalMethod) {
    let (low, high) = (spread.score() - half_width, spread.score() + half_width);
    let half_a_point = 0.5 / (spread.games * spread.weight);
    let regular = !spread.is_flat() && low >= half_a_point && high <= 1.0 - half_a_point;
    let elo = |score: f64| ELO_PER_LOGIT * (score / (1.0 - score)).ln();
    if regular {
        let between = EloEstimate::Between {
            elo: elo(spread.score()),
            low: elo(low),
            high: elo(high),
        };
        return (between, IntervalMethod::Normal);
    }
    if spread.is_flat() && is_of_level_pairs(pairing) {
        return (of_pairs(pairing, spread), IntervalMethod::LikelihoodRatio);
    }
    let likelihood = Likelihood::of_games(pairing, spread);
    let [losses, draws, wins] = pairing.games().0;
    let estimate = if losses == 0 && draws == 0 {
        EloEstimate::AtLeast(ELO_PER_LOGIT * likelihood.end(-1.0))
    } else if wins == 0 && draws == 0 {
        EloEstimate::AtMost(ELO_PER_LOGIT * likelihood.end(1.0))
    } else {
        EloEstimate::Between {
            elo: ELO_PER_LOGIT * likelihood.logit(),
            low: ELO_PER_LOGIT * likelihood.end(-1.0),
            high: ELO_PER_LOGIT * likelihood.end(1.0),
        }
    };
    (estimate, IntervalMethod::LikelihoodRatio)
}

/// Whether there are pairs alone, and most of them level.
fn is_of_level_pairs(pairing: &Pairing) -> bool {
    let pairs = pairing.pairs();
    pairing.lone().total() == 0 && 2 * pairs.0[2] > pairs.total()
}

fn of_pairs(pairing: &Pairing, spread: &ScoreSpread) -> EloEstimate {
    let pairs = pairing.pairs();
    let total = pairs.total() as f64;
    let likelihood = Likelihood {
        frequencies: pairs.0.map(|count| count as f64 / total),
        scores: PairCounts::ABOVE_HALF.map(|above| 0.5 + above),
        worth: total * spread.weight,
    };
    EloEstimate::Between {
        elo: ELO_PER_LOGIT * likelihood.logit(),
        low: ELO_PER_LOGIT * likelihood.end(-1.0),
        high: ELO_PER_LOGIT * likelihood.end(1.0),
    }
}

/// The likelihood of a mean score of observations.
struct Likelihood<const N: usize> {
    /// Shares of each kind of observation.
    frequencies: [f64; N],
    /// Their scores, 0 to 1.
    scores: [f64; N],
    /// How many independent observations these are worth.
    worth: f64,
}

impl Likelihood<3> {
    fn of_games(pairing: &Pairing, spread: &ScoreSpread) -> Self {
        let worth = if spread.between_pairs > spread.between_games {
            spread.between_games / spread.between_pairs
        } else {
            1.0
        };
        Self {
            frequencies: pairing.games().0.map(|count| count as f64 / spread.games),
            scores: [0.0, 0.5, 1.0],
            worth: spread.games * spread.weight * worth,
        }
    }
}

impl<const N: usize> Likelihood<N> {
    /// The observed mean score in logits.
    fn logit(&self) -> f64 {
        let mean = |score: &dyn Fn(f64) -> f64| -> f64 {
            let cells = self.frequencies.iter().zip(&self.scores);
            cells.map(|(share, &it)| share * score(it)).sum()
        };
        (mean(&|score| score) / mean(&|score| 1.0 - score))
            .ln()
            .clamp(-FARTHEST, FARTHEST)
    }

    /// How far the logarithm of the likelihood falls if the mean score is this, in logits.
    fn fall(&self, logit: f64) -> f64 {
        let (score, rest) = (sigmoid(logit), sigmoid(-logit));
        // Each cell's score less the mean, without loss near 0 and 1.
        let values = self.scores.map(|it| it * rest - (1.0 - it) * score);
        Tilt::new(&self.frequencies, &values).map_or(f64::INFINITY, |tilt| {
            self.worth * tilt.cost(&self.frequencies)
        })
    }

    /// The end of the interval on one side of the observed score (−1 or 1), in logits.
    fn end(&self, side: f64) -> f64 {
        let (mut inside, mut outside) = (self.logit(), side * FARTHEST);
        for _ in 0..100 {
            let middle = f64::midpoint(inside, outside);
            if self.fall(middle) < LIKELIHOOD_DROP_95 {
                inside = middle;
            } else {
                outside = middle;
            }
        }
        f64::midpoint(inside, outside)
    }
}

/// How uncertain a mean score is. The games of one opening are one observation; where openings are
/// new each time that is a pair, or a game that stands alone.
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
