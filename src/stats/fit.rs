//! Checks whether the model holds. One number for each entrant cannot express that a beats b, b
//! beats c and c beats a; pairings show where the model fails.
//!
//! # Pairings
//! The points of each pairing are compared with those that the ratings predict:
//!
//! ```text
//!   z = ± √(2 D n p q / (φ w (1 − h))),   D = s ln(s / e) + (n − s) ln((n − s) / (n − e))
//! ```
//!
//! the signed root of the deviance of s points of n where `e = n p` are expected, `q = 1 − p`: near
//! e it is `(s − e) / √(φ w (1 − h))`, and it stays normal where one side wins nearly always. w is
//! the model's variance of the points, `h = w R` the part of them that the fit follows (R the
//! model's variance of the difference of the two), and φ how many times as much as the model says
//! the points of openings really scatter about the mean of their pairing, over all pairings; one
//! opening is added that scatters as the model says. If the model holds, z is about Student's t
//! with as many degrees of freedom as φ has. A pairing *misfits* if chance exceeds its z in less
//! than 1 % of tournaments anywhere among all pairings (C. E. Bonferroni).
//!
//! # Circles
//! Of two entrants whose pairing misfits, one is stronger beyond chance if it won so many more
//! openings than the other that a coin would not: the sign test, at 1 % over all these pairings
//! together. Three whose known directions make a circle are one.
//!
//! # Moving first
//! One advantage for all cannot express that moving first helps some more than others. Of each
//! entrant, each opening gives a difference: the points beyond expectation that it took as South,
//! less those that it took as North. Their mean has Student's t, and an entrant is named if chance
//! exceeds it in less than 1 % of tournaments anywhere among all entrants.

use std::collections::BTreeMap;

use statrs::function::beta::beta_reg;

use super::clusters::{SeatedResult, pairing};
use super::elo::{ELO_PER_LOGIT, sigmoid};
use super::student;
use super::tally::Tally;
use crate::stats::game::{Outcome, RatedEntrant};
use crate::stats::ratings::Ratings;

/// The probability that chance alone is reported, over all pairings together.
pub(super) const LEVEL: f64 = 0.01;

/// The points of two entrants in their games, and those that their ratings predict.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairingFit {
    /// The lower of the two.
    pub one: RatedEntrant,
    /// The higher of the two.
    pub other: RatedEntrant,
    /// Games of the two.
    pub games: u64,
    /// Points of `one`.
    pub points: f64,
    /// The points of `one` that the ratings predict; `None` for two of different groups.
    pub expected: Option<f64>,
    /// By how many standard errors `one` has more points than expected; `None` where two are rated
    /// by these games alone, or where too few openings tell how results scatter.
    pub z: Option<f64>,
    /// Openings in which `one` took more than half of the points.
    pub won: u64,
    /// Openings in which it took less than half.
    pub lost: u64,
}

/// The advantage of moving first of one entrant, beyond that of all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FirstMoveFit {
    /// The entrant.
    pub entrant: RatedEntrant,
    /// Elo beyond the advantage of all.
    pub elo: f64,
    /// The same in standard errors.
    pub t: f64,
    /// Degrees of freedom of that.
    freedom: f64,
}

/// How the games of all pairings fit the ratings.
#[derive(Clone, Debug, PartialEq)]
pub struct Fits {
    /// All pairings with games, sorted by the lower, then the higher entrant.
    pub pairings: Vec<PairingFit>,
    /// The entrants that have enough openings to show it.
    first_moves: Vec<FirstMoveFit>,
    /// Degrees of freedom of each z.
    freedom: f64,
}

/// Sums over the openings of a pairing, or of an entrant.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OpeningResiduals {
    pub openings: f64,
    games: u64,
    points: f64,
    expected: f64,
    /// The model's variance of the points.
    pub information: f64,
    /// The sum of the squared deviations of the openings, in square points.
    pub squares: f64,
    /// The same of their fourth powers.
    pub fourths: f64,
    won: u64,
    lost: u64,
}

/// Those for whom a game counts, and whether each sees it as South does.
pub(super) type SeenBy<K> = [Option<(K, bool)>; 2];

/// Sums over the openings of an entrant.
#[derive(Clone, Copy, Debug, Default)]
struct SeatResiduals {
    openings: f64,
    /// The sum of the differences between its surplus of points as South and as North.
    sum: f64,
    squares: f64,
    /// The model's variance of the points.
    information: f64,
}

impl SeatResiduals {
    /// `None` where one opening, or no scatter, tells nothing.
    fn fit(&self, entrant: RatedEntrant) -> Option<FirstMoveFit> {
        let freedom = self.openings - 1.0;
        let mean = self.sum / self.openings;
        let variance = (self.squares - self.sum * mean) / freedom / self.openings;
        // Rounding leaves a little of openings that are all alike.
        (freedom >= 1.0 && variance > 1e-12).then(|| FirstMoveFit {
            entrant,
            // As South it gains so much, as North it does not: ratings follow half of it.
            elo: 2.0 * self.sum / self.information * ELO_PER_LOGIT,
            t: mean / variance.sqrt(),
            freedom,
        })
    }
}

impl OpeningResiduals {
    /// The signed root of the deviance, on the scale of this variance of the points.
    pub fn deviance_root(&self, variance: f64) -> f64 {
        let games = self.games as f64;
        let part = |points: f64, expected: f64| {
            if points > 0.0 {
                points * (points / expected).ln()
            } else {
                0.0
            }
        };
        let rest = (games - self.points, games - self.expected);
        let deviance = part(self.points, self.expected) + part(rest.0, rest.1);
        let binomial = self.expected * rest.1 / games;
        let square = 2.0 * deviance.max(0.0) * binomial / variance;
        square.sqrt().copysign(self.points - self.expected)
    }

    /// The squared deviations from the mean of the openings, in square points.
    pub fn scatter(&self) -> f64 {
        let off = self.points - self.expected;
        (self.squares - off * off / self.openings).max(0.0)
    }

    /// The same, as the model predicts it.
    pub fn scatter_of_model(&self) -> f64 {
        self.information * (self.openings - 1.0) / self.openings
    }
}

impl Ratings {
    /// How the games of this tally fit these ratings, which were computed from it.
    pub fn fits(&self, tally: &Tally) -> Fits {
        let sums = self.sums_by(tally, |result| {
            let key = pairing(result.south, result.north);
            [Some((key, key.0 == result.south)), None]
        });
        let inside = || sums.iter().filter(|(key, _)| self.is_inside(**key));
        let freedom: f64 = inside().map(|(_, sums)| sums.openings - 1.0).sum();
        let openings: f64 = inside().map(|(_, sums)| sums.openings).sum();
        let information: f64 = inside().map(|(_, sums)| sums.information).sum();
        let one = information / openings.max(1.0);
        let seen: f64 = inside().map(|(_, sums)| sums.scatter()).sum();
        let expected: f64 = inside().map(|(_, sums)| sums.scatter_of_model()).sum();
        let ratio = (seen + one) / (expected + one);
        let fit = |(&(one, other), sums): (&(RatedEntrant, RatedEntrant), &OpeningResiduals)| {
            let is_inside = self.is_inside((one, other));
            let left = if is_inside {
                self.left_by_fit(one, other, sums.information)
            } else {
                None
            };
            let variance = ratio * sums.information * left.unwrap_or(0.0);
            PairingFit {
                one,
                other,
                games: sums.games,
                points: sums.points,
                expected: is_inside.then_some(sums.expected),
                z: (freedom >= 1.0 && variance > 0.0).then(|| sums.deviance_root(variance)),
                won: sums.won,
                lost: sums.lost,
            }
        };
        let residuals = self.seat_sums(tally);
        let moves = residuals
            .iter()
            .filter_map(|(&entrant, sums)| sums.fit(entrant));
        Fits {
            pairings: sums.iter().map(fit).collect(),
            first_moves: moves.collect(),
            freedom,
        }
    }

    /// The score of South that these ratings predict, from 0 to 1; `None` for two of different
    /// groups.
    pub fn expected_score(&self, south: RatedEntrant, north: RatedEntrant) -> Option<f64> {
        let lead = self.logits[south.position()] - self.logits[north.position()];
        self.is_inside((south, north))
            .then(|| sigmoid(lead + self.held_advantage))
    }

    pub(super) fn is_inside(&self, (one, other): (RatedEntrant, RatedEntrant)) -> bool {
        let group = |it: RatedEntrant| self.ratings[it.position()].group;
        group(one) == group(other)
    }

    /// The part of the points of a pairing inside a group that the fit does not follow; `None` if
    /// it follows all of them.
    fn left_by_fit(&self, one: RatedEntrant, other: RatedEntrant, information: f64) -> Option<f64> {
        /// Rounding leaves at most this much of 0.
        const ROUNDING: f64 = 1e-6;
        let known = self.uncertainty.as_ref()?;
        let (one, other) = (one.position(), other.position());
        let resistance = known.difference_by_model(one, other);
        Some(1.0 - information * resistance).filter(|&left| left > ROUNDING)
    }

    /// Sums over openings, of each entrant, from games inside groups.
    fn seat_sums(&self, tally: &Tally) -> BTreeMap<RatedEntrant, SeatResiduals> {
        let mut all: BTreeMap<_, SeatResiduals> = BTreeMap::new();
        for kind in tally.cluster_kinds() {
            let mut here: BTreeMap<RatedEntrant, (f64, f64)> = BTreeMap::new();
            for (result, games) in &kind.results {
                if !self.is_inside((result.south, result.north)) {
                    continue;
                }
                let lead = self.logits[result.south.position()]
                    - self.logits[result.north.position()]
                    + self.held_advantage;
                let weight = (games * kind.copies) as f64;
                let residual = weight * (points_of_south(result.outcome) - sigmoid(lead));
                let information = weight * sigmoid(lead) * sigmoid(-lead);
                // South's surplus is North's deficit: both are evidence for the advantage.
                for entrant in [result.south, result.north] {
                    let sums = here.entry(entrant).or_default();
                    sums.0 += residual;
                    sums.1 += information;
                }
            }
            let count = kind.distinct as f64;
            for (entrant, (difference, information)) in here {
                let sums = all.entry(entrant).or_default();
                sums.openings += count;
                sums.sum += count * difference;
                sums.squares += count * difference * difference;
                sums.information += count * information;
            }
        }
        all
    }

    /// Sums over openings, by those for whom each game counts.
    pub(super) fn sums_by<K: Copy + Ord>(
        &self,
        tally: &Tally,
        seen_by: impl Fn(&SeatedResult) -> SeenBy<K>,
    ) -> BTreeMap<K, OpeningResiduals> {
        let mut all: BTreeMap<_, OpeningResiduals> = BTreeMap::new();
        for kind in tally.cluster_kinds() {
            // For one opening: games, points, predicted points, information.
            let mut here: BTreeMap<_, (u64, f64, f64, f64)> = BTreeMap::new();
            for (result, games) in &kind.results {
                let games = games * kind.copies;
                let lead = self.logits[result.south.position()]
                    - self.logits[result.north.position()]
                    + self.held_advantage;
                let of_south = points_of_south(result.outcome);
                for (key, is_south) in seen_by(result).into_iter().flatten() {
                    let (points, expected) = if is_south {
                        (of_south, sigmoid(lead))
                    } else {
                        (1.0 - of_south, sigmoid(-lead))
                    };
                    let sums = here.entry(key).or_insert((0, 0.0, 0.0, 0.0));
                    let weight = games as f64;
                    sums.0 += games;
                    sums.1 += weight * points;
                    sums.2 += weight * expected;
                    sums.3 += weight * sigmoid(lead) * sigmoid(-lead);
                }
            }
            for (key, (games, points, expected, information)) in here {
                let sums = all.entry(key).or_default();
                let count = kind.distinct as f64;
                let above = 2.0 * points - games as f64;
                sums.openings += count;
                sums.games += games * kind.distinct;
                sums.points += count * points;
                sums.expected += count * expected;
                sums.information += count * information;
                sums.squares += count * (points - expected).powi(2);
                sums.fourths += count * (points - expected).powi(4);
                sums.won += kind.distinct * u64::from(above > 0.0);
                sums.lost += kind.distinct * u64::from(above < 0.0);
            }
        }
        all
    }
}

const fn points_of_south(outcome: Outcome) -> f64 {
    match outcome {
        Outcome::SouthWins => 1.0,
        Outcome::Draw => 0.5,
        Outcome::NorthWins => 0.0,
    }
}

impl Fits {
    /// The entrants to which moving first is worth more, or less, than to all, the farthest first.
    pub fn first_moves(&self) -> Vec<FirstMoveFit> {
        let tested = self.first_moves.len() as f64;
        let is_other = |fit: &&FirstMoveFit| {
            2.0 * student::probability(-fit.t.abs(), fit.freedom) * tested < LEVEL
        };
        let mut others: Vec<FirstMoveFit> =
            self.first_moves.iter().filter(is_other).copied().collect();
        others.sort_by(|one, other| other.t.abs().total_cmp(&one.t.abs()));
        others
    }

    /// The pairings that misfit, the worst first.
    pub fn misfits(&self) -> Vec<PairingFit> {
        let tested = self.pairings.iter().filter(|fit| fit.z.is_some()).count();
        let size = |fit: &PairingFit| fit.z.map_or(0.0, f64::abs);
        let is_misfit = |fit: &&PairingFit| {
            let beyond = 2.0 * student::probability(-size(fit), self.freedom);
            beyond * (tested as f64) < LEVEL
        };
        let mut misfits: Vec<PairingFit> = self
            .pairings
            .iter()
            .filter(|fit| fit.z.is_some())
            .filter(is_misfit)
            .copied()
            .collect();
        misfits.sort_by(|one, other| size(other).total_cmp(&size(one)));
        misfits
    }

    /// Circles of three entrants: each beats the next one beyond chance, and the last one beats the
    /// first, in pairings that misfit. Each circle is given once, from its lowest entrant.
    pub fn circles(&self) -> Vec<[RatedEntrant; 3]> {
        let mut beaten: BTreeMap<RatedEntrant, Vec<RatedEntrant>> = BTreeMap::new();
        let misfits = self.misfits();
        for fit in &misfits {
            let most = fit.won.max(fit.lost);
            if sign_test(most, fit.won.min(fit.lost)) * misfits.len() as f64 >= LEVEL {
                continue;
            }
            let (winner, loser) = if fit.won > fit.lost {
                (fit.one, fit.other)
            } else {
                (fit.other, fit.one)
            };
            beaten.entry(winner).or_default().push(loser);
        }
        for losers in beaten.values_mut() {
            losers.sort_unstable();
        }
        let of = |winner: RatedEntrant| beaten.get(&winner).map_or(&[][..], Vec::as_slice);
        let mut circles = Vec::new();
        for (&first, losers) in &beaten {
            for &second in losers.iter().filter(|&&second| second > first) {
                let closing = of(second)
                    .iter()
                    .filter(|&&third| third > first && of(third).binary_search(&first).is_ok());
                circles.extend(closing.map(|&third| [first, second, third]));
            }
        }
        circles
    }
}

/// The probability that a fair coin divides this many throws at least as unevenly.
pub fn sign_test(most: u64, least: u64) -> f64 {
    if most <= least + 1 {
        return 1.0;
    }
    // The probability of at least `most`: the regularised incomplete beta function at ½.
    (2.0 * beta_reg(most as f64, least as f64 + 1.0, 0.5)).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coins_are_counted_as_by_hand() {
        for (most, least, share) in [
            (0, 0, 1.0),
            (1, 0, 1.0),
            (5, 5, 1.0),
            // 2 / 2⁵, 2 (1 + 10) / 2¹⁰, 2 (1 + 20 + 190) / 2²⁰.
            (5, 0, 2.0 / 32.0),
            (9, 1, 22.0 / 1024.0),
            (18, 2, 422.0 / 1_048_576.0),
        ] {
            let found = sign_test(most, least);
            assert!((found - share).abs() < 1e-12, "{most} {least}: {found}");
        }
    }
}
