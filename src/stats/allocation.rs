//! Where further pairs lower the errors of differences most.
//!
//! With the information matrix H and a difference `c`, the model's variance is `v = cᵀH⁺c`. A pair
//! of i and j adds its information w on `e = e_i − e_j`, so that (J. Sherman and W. J. Morrison
//! 1950)
//!
//! ```text
//!   v  falls by  w (cᵀH⁺e)² / (1 + w eᵀH⁺e)
//! ```
//!
//! An error is taken to shrink as the root of this variance: that openings scatter more or less
//! than the model says stays a factor. Pairs of two neighbours are not always the best for them.
//! Far from level they tell little, and one pair of entrants two places apart helps two
//! differences at once.
//!
//! Lowering the largest error alone is short-sighted: the next pair goes elsewhere, and so one by
//! one. The aim is therefore the sum over all differences of `(v / goal)ᵖ` with p = 4, in which
//! the largest count most. In ten bots of spread strength it makes no difference of 1 % to the
//! number of pairs whether p is 1 or 16, and the largest alone costs 2 % more.

use super::elo::sigmoid;
use super::matrix::Symmetric;
use super::ratings::Ratings;
use crate::stats::game::RatedEntrant;

/// Pairs are allocated in about so many parts: each goes where those before it have made it best.
const PARTS: u32 = 64;

/// Two entrants that can play more pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenPairing {
    /// The two.
    pub entrants: [RatedEntrant; 2],
    /// The most pairs that they can play still.
    pub left: u32,
}

/// A difference whose error is too large.
#[derive(Clone, Copy, Debug)]
struct UnsureDifference {
    positions: [usize; 2],
    /// The square of its error over that of the goal, for each square logit of the model.
    scale: f64,
}

impl Ratings {
    /// How many pairs of each pairing bring the errors of these differences below the goal, in Elo,
    /// with the fewest pairs; at most so many in all. A difference without an error is left out.
    pub fn best_pairs(
        &self,
        differences: &[[RatedEntrant; 2]],
        goal95: f64,
        pairings: &[OpenPairing],
        pairs: u32,
    ) -> Vec<u32> {
        let mut dealt = vec![0; pairings.len()];
        let Some(known) = &self.uncertainty else {
            return dealt;
        };
        let everybody: Vec<usize> = (0..self.logits.len()).collect();
        let mut covariance = known.by_model_of(&everybody);
        let unsure: Vec<UnsureDifference> = differences
            .iter()
            .filter_map(|&[upper, lower]| {
                let error = self.difference(upper, lower)?.error95?;
                let positions = [upper, lower].map(RatedEntrant::position);
                let variance = between(&covariance, positions, positions);
                let scale = (error / goal95).powi(2) / variance;
                (variance > 0.0).then_some(UnsureDifference { positions, scale })
            })
            .collect();
        let mut left = pairs;
        while left > 0 {
            let Some(place) = self.best_pairing(&unsure, &covariance, pairings, &dealt) else {
                break;
            };
            let part = (pairs / PARTS).max(1).min(left);
            let part = part.min(pairings[place].left - dealt[place]);
            dealt[place] += part;
            left -= part;
            let positions = pairings[place].entrants.map(RatedEntrant::position);
            add_pairs(
                &mut covariance,
                positions,
                f64::from(part) * self.information(positions),
            );
        }
        dealt
    }

    /// The pairing of which one pair more serves these differences best; `None` if all of them have
    /// reached the goal, or nothing can serve them.
    fn best_pairing(
        &self,
        unsure: &[UnsureDifference],
        covariance: &Symmetric,
        pairings: &[OpenPairing],
        dealt: &[u32],
    ) -> Option<usize> {
        // The sum of `weight · c cᵀ`: with it the fall of all differences is one square.
        let mut weights = Symmetric::zero(covariance.size());
        for it in unsure {
            let square = it.scale * between(covariance, it.positions, it.positions);
            if square > 1.0 {
                let [upper, lower] = it.positions;
                let entries = [(upper, 1.0), (lower, -1.0)].into_iter();
                weights.add_square(&entries, it.scale * square.powi(3));
            }
        }
        let falls = covariance.around(&weights);
        let mut best = None;
        let mut most = 0.0;
        for (place, pairing) in pairings.iter().enumerate() {
            let [one, other] = pairing.entrants;
            if dealt[place] >= pairing.left || !self.is_inside((one, other)) {
                continue;
            }
            let positions = pairing.entrants.map(RatedEntrant::position);
            let information = self.information(positions);
            let own = between(covariance, positions, positions);
            let fall = between(&falls, positions, positions);
            let gain = information * fall / (1.0 + information * own);
            if gain > most {
                (best, most) = (Some(place), gain);
            }
        }
        best
    }

    /// The model's information of a pair about the difference of its two entrants.
    fn information(&self, [one, other]: [usize; 2]) -> f64 {
        let lead = self.logits[one] - self.logits[other];
        let of_game = |lead: f64| sigmoid(lead) * sigmoid(-lead);
        of_game(lead + self.held_advantage) + of_game(lead - self.held_advantage)
    }
}

/// The covariance of two differences.
fn between(covariance: &Symmetric, [a, b]: [usize; 2], [c, d]: [usize; 2]) -> f64 {
    covariance.at(a, c) - covariance.at(a, d) - covariance.at(b, c) + covariance.at(b, d)
}

/// What the covariance becomes with so much more information about one difference.
fn add_pairs(covariance: &mut Symmetric, positions: [usize; 2], information: f64) {
    let own = between(covariance, positions, positions);
    let [one, other] = positions.map(|it| covariance.row(it));
    let moved: Vec<f64> = one
        .iter()
        .zip(other)
        .map(|(one, other)| one - other)
        .collect();
    let entries = moved.into_iter().enumerate();
    covariance.add_square(&entries, -information / (1.0 + information * own));
}
