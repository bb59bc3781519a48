//! The likelihood of a difference of two entrants of one group.
//!
//! Where one entrant takes nearly all points of another, the few openings in which it did not make
//! all of the scatter, and what is estimated from few is known badly. The likelihood knows more:
//! 319 of 320 games are far from what equals do. As for the bounds of clean sweeps (see
//! [`super::bounds`]) the other ratings are held where they are; of the two, both may move.
//!
//! An opening with all its games counts as one observation, as if one of them decided the others:
//! that is the most by which the games of an opening can go together.

use super::bounds::halve;
use super::elo::{LIKELIHOOD_DROP_95, log_sigmoid, sigmoid};
use crate::stats::ratings::{Ratings, SeatGames};

/// The likelihood of the games of two entrants; the first is rated above the second.
pub struct PairLikelihood {
    /// Logits between the two.
    apart: f64,
    /// The games of each against all others: lead, points, points lost.
    games: [Vec<Lead>; 2],
    /// Of the games between them, as the first one sees them.
    between: Vec<Lead>,
    /// By how much of it the first one moves when the two are brought nearer.
    share: f64,
    /// Observations in a game.
    weight: f64,
    /// The factor by which intervals are widened.
    widening: f64,
}

/// Games that were expected with the same lead, in logits.
#[derive(Clone, Copy)]
struct Lead {
    logits: f64,
    points: f64,
    lost: f64,
}

impl Lead {
    /// The fall of the log-likelihood if the lead shrinks by this much.
    fn fall(&self, by: f64) -> f64 {
        let at = |x: f64| self.points * log_sigmoid(x) + self.lost * log_sigmoid(-x);
        at(self.logits) - at(self.logits - by)
    }

    /// Its derivative.
    fn slope(&self, by: f64) -> f64 {
        let x = self.logits - by;
        self.points * sigmoid(-x) - self.lost * sigmoid(x)
    }
}

impl PairLikelihood {
    /// Of `upper` and `lower`, whose difference rests on so many openings.
    pub fn new(ratings: &Ratings, upper: usize, lower: usize, openings: f64) -> Self {
        let leads = |entrant: usize, is_between: bool| -> Vec<Lead> {
            let other = if entrant == upper { lower } else { upper };
            let games = ratings.played[entrant].iter();
            let wanted = games.filter(|it| (it.opponent == other) == is_between);
            let lead = |it: &SeatGames| Lead {
                logits: ratings.logits[entrant] - ratings.logits[it.opponent] + it.side,
                points: it.points,
                lost: it.lost,
            };
            wanted.map(lead).collect()
        };
        let games = [leads(upper, false), leads(lower, false)];
        let between = leads(upper, true);
        let all = games.iter().flatten().chain(&between);
        let played: f64 = all.map(|it| it.points + it.lost).sum();
        let mut pair = Self {
            apart: ratings.logits[upper] - ratings.logits[lower],
            games,
            between,
            share: 0.0,
            weight: (openings / played).min(1.0),
            widening: ratings.widening,
        };
        let is_free = [upper, lower].map(|it| !ratings.is_held[it]);
        pair.share = match is_free {
            [true, true] => pair.least_share(),
            [first, _] => f64::from(u8::from(first)),
        };
        pair
    }

    /// How many standard deviations 0 is away from the difference: the root of twice the fall of
    /// the likelihood.
    pub fn level(&self) -> f64 {
        (2.0 * self.fall(self.apart)).sqrt() / self.widening
    }

    /// From the difference down to where the likelihood-ratio test at 95 % refuses, logits.
    pub fn half_width(&self) -> f64 {
        /// Nothing is farther apart, in logits.
        const FARTHEST: f64 = 1e4;
        let most = LIKELIHOOD_DROP_95 * self.widening.powi(2);
        let refuses = |by: f64| self.fall(by) >= most;
        let mut far = self.apart.max(1.0);
        while !refuses(far) && far < FARTHEST {
            far *= 2.0;
        }
        halve(0.0, far, refuses)
    }

    /// The share at which the two become equals with the least fall of the likelihood.
    fn least_share(&self) -> f64 {
        let [first, second] = &self.games;
        // The first goes down by a share of it, the second comes up by the rest.
        let slope = |share: f64| {
            let down: f64 = first.iter().map(|it| it.slope(share * self.apart)).sum();
            let by = (share - 1.0) * self.apart;
            let up: f64 = second.iter().map(|it| -it.slope(by)).sum();
            down - up
        };
        if slope(0.0) >= 0.0 {
            0.0
        } else if slope(1.0) <= 0.0 {
            1.0
        } else {
            halve(0.0, 1.0, |share| slope(share) >= 0.0)
        }
    }

    /// The fall of the log-likelihood, in observations, if the two are nearer by this much.
    fn fall(&self, by: f64) -> f64 {
        let [first, second] = &self.games;
        let of = |games: &[Lead], by: f64| -> f64 { games.iter().map(|it| it.fall(by)).sum() };
        let moved = of(first, self.share * by) + of(second, (self.share - 1.0) * by);
        self.weight * (moved + of(&self.between, by)).max(0.0)
    }
}
