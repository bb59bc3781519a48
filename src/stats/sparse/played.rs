//! The games of each cluster (an opening, mostly), so that one pass over them says for some numbers
//! at a time what each cluster does to them.
//!
//! Of two entrants with ratings `a_low` and `a_high` in the vector a, `d` is the difference and `α`
//! the advantage's. A game of `low` as South moves by `d + α`, one of `high` as South by `α − d`.
//! Both are kept as one.

use std::collections::BTreeMap;

use super::graph::number;
use super::solver::Lanes;
use crate::stats::clusters::ClusterKind;
use crate::stats::elo::sigmoid;
use crate::stats::game::Outcome;
use crate::stats::layout::RatingLayout;
use crate::stats::likelihood::Fit;

/// The games of all clusters.
#[derive(Debug, Default)]
pub struct ClusterGames {
    pub clusters: Vec<Cluster>,
    pub pairings: Vec<ClusterPairing>,
}

/// All clusters with the same results.
#[derive(Clone, Copy, Debug)]
pub struct Cluster {
    /// Where its pairings end; they begin where those of the cluster before end.
    end: usize,
    /// Points that South scored above its expectation.
    surplus: f64,
    /// How many clusters of the kind there are.
    pub count: f64,
    /// How often each was played.
    copies: f64,
}

/// The games of two entrants in one cluster.
#[derive(Clone, Copy, Debug, Default)]
pub struct ClusterPairing {
    /// Where the ratings of the two are; see [`ClusterGames::new`].
    pub low: u32,
    pub high: u32,
    /// Points more than expected that `low` took.
    surplus: f64,
    /// Of all games.
    information: f64,
    /// Of the games with `low` as South, minus that of the others.
    tilt: f64,
}

/// What all clusters do to a number.
#[derive(Clone, Copy, Debug, Default)]
pub struct ClusterSums {
    /// The sum of squares of what they moved it by.
    pub scatter: f64,
    /// The sum of fourth powers of that.
    pub fourths: f64,
    /// `Σ q_c`
    pub sum: f64,
    /// `Σ q_c²`
    pub squares: f64,
}

/// A pairing that matters to a number.
#[derive(Clone, Copy, Debug)]
pub struct Kept {
    pub cluster: u32,
    pub pairing: u32,
}

impl ClusterGames {
    /// From the kinds of clusters inside groups. Ratings stand where the layout has them, and those
    /// that are not free behind all others, where vectors have a 0.
    pub fn new(layout: &RatingLayout, fit: &Fit, kinds: &[ClusterKind]) -> Self {
        let mut played = Self::default();
        for kind in kinds {
            let copies = kind.copies as f64;
            let mut pairings: BTreeMap<(usize, usize), ClusterPairing> = BTreeMap::new();
            let mut surplus = 0.0;
            for &(result, games) in &kind.results {
                let (south, north) = (result.south.position(), result.north.position());
                let x = fit.lead(south, north);
                // Points minus expected points, without loss of digits near certainty.
                let one = match result.outcome {
                    Outcome::SouthWins => sigmoid(-x),
                    Outcome::Draw => 0.5 * (sigmoid(-x) - sigmoid(x)),
                    Outcome::NorthWins => -sigmoid(x),
                };
                let sign = if south < north { 1.0 } else { -1.0 };
                let information = games as f64 * copies * sigmoid(x) * sigmoid(-x);
                surplus += one * games as f64;
                let sides = (south.min(north), south.max(north));
                let here = pairings.entry(sides).or_default();
                here.surplus += sign * one * games as f64;
                here.information += information;
                here.tilt += sign * information;
            }
            let place = |entrant: usize| number(layout.index(entrant).unwrap_or(layout.size));
            let placed = pairings
                .into_iter()
                .map(|((low, high), here)| ClusterPairing {
                    low: place(low),
                    high: place(high),
                    ..here
                });
            played.pairings.extend(placed);
            played.clusters.push(Cluster {
                end: played.pairings.len(),
                surplus,
                count: kind.distinct as f64,
                copies,
            });
        }
        played.pairings.shrink_to_fit();
        played
    }

    /// The opponents of each free rating, ascending; entrants with a given rating stand behind all
    /// others.
    pub fn opponents(&self, size: usize) -> Vec<Vec<u32>> {
        let mut opponents = vec![Vec::new(); size + 1];
        for it in &self.pairings {
            opponents[it.low as usize].push(it.high);
            opponents[it.high as usize].push(it.low);
        }
        opponents.truncate(size);
        for others in &mut opponents {
            others.sort_unstable();
            others.dedup();
        }
        opponents
    }

    /// The sums of some numbers, each with its vector a, and the pairings that add more than
    /// `floor` to the variance of each, by cluster.
    pub fn sums<const L: usize>(
        &self,
        ratings: &[Lanes<L>],
        advantage: &Lanes<L>,
        floor: &Lanes<L>,
    ) -> ([ClusterSums; L], [Vec<Kept>; L]) {
        let mut sums = [ClusterSums::default(); L];
        let mut kept = [const { Vec::new() }; L];
        let mut begin = 0;
        for (cluster, here) in self.clusters.iter().enumerate() {
            let mut score = advantage.map(|advantage| here.surplus * advantage);
            let mut added = [0.0; L];
            for (pairing, it) in (begin..).zip(&self.pairings[begin..here.end]) {
                let (low, high) = (&ratings[it.low as usize], &ratings[it.high as usize]);
                let mut one = [0.0; L];
                let mut matters = false;
                for lane in 0..L {
                    let difference = low[lane] - high[lane];
                    score[lane] += it.surplus * difference;
                    one[lane] = it.adds(difference, advantage[lane]);
                    added[lane] += one[lane];
                    matters |= one[lane] > floor[lane];
                }
                if matters {
                    for lane in (0..L).filter(|&lane| one[lane] > floor[lane]) {
                        kept[lane].push(Kept {
                            cluster: number(cluster),
                            pairing: number(pairing),
                        });
                    }
                }
            }
            for lane in 0..L {
                let square = (here.copies * score[lane]).powi(2);
                sums[lane].scatter += here.count * square;
                sums[lane].fourths += here.count * square * square;
                sums[lane].sum += here.count * added[lane];
                sums[lane].squares += here.count * added[lane] * added[lane];
            }
            begin = here.end;
        }
        (sums, kept)
    }
}

impl ClusterPairing {
    /// `aᵀHa` with the information H of these games.
    pub fn adds(&self, difference: f64, advantage: f64) -> f64 {
        let squares = difference * difference + advantage * advantage;
        self.information * squares + 2.0 * self.tilt * difference * advantage
    }

    /// `Ha`: of `low` (of `high` it is the opposite), and of the advantage.
    pub fn times(&self, difference: f64, advantage: f64) -> (f64, f64) {
        (
            self.information * difference + self.tilt * advantage,
            self.tilt * difference + self.information * advantage,
        )
    }
}
