//! One entrant against one other, in the numbers that engine authors expect: Elo and normalised Elo
//! with their errors, pairs by their points, draws. Counts in, numbers out. Tables are fitted
//! elsewhere, and so is the difference of two entrants: the Elo here is that of the mean score.
//!
//! ```text
//! pairing      the counts: pairs, and games whose pair is not complete
//!   └─ interval  the score and its Elo that the results allow, also where they show no spread
//! ```

mod interval;
mod pairing;

pub use interval::{EloEstimate, IntervalMethod};
pub use pairing::{Pairing, PairingError};

use super::elo::NORMAL_95;
use super::sprt::likelihood::ELO_PER_DEVIATION;
use super::sprt::{GameCounts, PairCounts};
use interval::ScoreSpread;

/// Everything about one entrant (the first) against one other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// Mean score of a game, 0 to 1.
    pub score: f64,
    /// The 95 % interval of the score, 0 to 1; `None` where it rests on one opening.
    pub score95: Option<(f64, f64)>,
    /// The Elo of the score, with its 95 % interval as the field computes it.
    pub elo: EloEstimate,
    /// How that interval was found.
    pub method: IntervalMethod,
    /// Normalised Elo; `None` where no game differs from another in its result: a sweep, or only
    /// draws.
    pub normalised: Option<NormalisedElo>,
    /// All games, those of pairs and those that stand alone.
    pub games: GameCounts,
    /// Pairs by their points.
    pub pairs: PairCounts,
    /// Share of games drawn.
    pub draw_ratio: f64,
    /// Share of pairs that ended level (both drawn, or one won by each); `None` without pairs.
    pub level_ratio: Option<f64>,
    /// Pairs won over pairs lost: (WD + WW) / (LL + LD); `None` if none was lost.
    pub pairs_ratio: Option<f64>,
}

/// Normalised Elo: the score above ½ in standard deviations of one game, times 800 / ln 10.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NormalisedElo {
    /// The estimate.
    pub elo: f64,
    /// Half the width of the 95 % interval, the standard deviation taken as known.
    pub error95: f64,
}

impl Summary {
    /// Sums up a pairing; `None` without games.
    pub fn of(pairing: &Pairing) -> Option<Self> {
        let games = pairing.games();
        let spread = ScoreSpread::of(pairing)?;
        let (elo, method) = interval::estimate(pairing, &spread);
        let [all_lost, lost, level, won, all_won] = pairing.pairs().0.map(|count| count as f64);
        let (lost, won) = (all_lost + lost, won + all_won);
        let pairs = lost + level + won;
        Some(Self {
            score: spread.score(),
            score95: interval::of_score(pairing, &spread),
            elo,
            method,
            normalised: normalised(&spread, method),
            games,
            pairs: pairing.pairs(),
            draw_ratio: games.0[1] as f64 / spread.games,
            level_ratio: (pairs > 0.0).then(|| level / pairs),
            pairs_ratio: (lost > 0.0).then(|| won / lost),
        })
    }
}

/// The error holds the standard deviation fixed, as the field does; that of pairs counts √2 times.
fn normalised(spread: &ScoreSpread, method: IntervalMethod) -> Option<NormalisedElo> {
    let of_mean = match method {
        IntervalMethod::Normal => spread.between_pairs,
        IntervalMethod::LikelihoodRatio => spread.between_pairs.max(spread.between_games),
    };
    let deviation = (of_mean * spread.games).sqrt();
    (deviation > 0.0).then(|| NormalisedElo {
        elo: spread.above_half / deviation * ELO_PER_DEVIATION,
        error95: NORMAL_95 * ELO_PER_DEVIATION / (spread.games * spread.weight).sqrt(),
    })
}
