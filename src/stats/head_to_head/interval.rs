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
use super::spread::ScoreSpread;
use crate::stats::elo::{ELO_PER_LOGIT, LIKELIHOOD_DROP_95, NORMAL_95, expected_score, sigmoid};
use crate::stats::sprt::PairCounts;
use crate::stats::sprt::tilt::Tilt;
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
