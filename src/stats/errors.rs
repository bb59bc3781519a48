//! How uncertain ratings are: the sandwich estimator, clustered by pair.
//!
//! # The estimator
//! With the information matrix H at the maximum (P. J. Huber 1967, H. White 1982, K.-Y. Liang and
//! S. L. Zeger 1986):
//!
//! ```text
//!   V = H⁺ (Σ_c u_c u_cᵀ) H⁺ · G / (G − k)
//!   u_c = Σ over the cluster's games of (points of South − expected) · (e_south − e_north + e_A)
//! ```
//!
//! A cluster is a pair, or a game without one; G is the number of different clusters with a game
//! inside a group, k the number of free parameters: entrants of groups minus groups, plus one if
//! the advantage is estimated, minus what anchors hold. G and k are counted over everything that is
//! fitted together, components too, since all share the advantage. Nothing is assumed of draws, or
//! of how openings favour a side: what pairs really scatter by is what counts.
//!
//! # Copies
//! A pair that repeats another to the move tells nothing new. All copies of a cluster are one
//! cluster with the sum of their scores, so a tournament that is played again by bots that repeat
//! themselves has the errors of one. Where the model is asked instead (below), each different game
//! of a pairing carries the weight of all its copies.
//!
//! # What no scatter tells
//! The fit takes part of the scatter away: of an entrant's only pair all of it, since the rating is
//! whatever the pair says. [`Bread::unseen`] is what is missing if the model holds; which errors to
//! believe then says [`super::uncertainty`].

use std::collections::BTreeMap;

use super::clusters::ClusterKind;
use super::elo::sigmoid;
use super::information::{Factors, Information};
use super::layout::Layout;
use super::likelihood::{Fit, Problem, Term};
use super::matrix::Symmetric;
use super::tally::Outcome;

/// Where errors come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// The sandwich estimator, clustered by pair.
    Sandwich,
    /// The scatter of ratings fitted to pairs drawn again.
    Bootstrap,
    /// The model alone: there are too few pairs to see how they scatter.
    Model,
}

/// The block of an entrant and its row there; `None` if its rating is not free.
pub(super) type Place = Option<(usize, usize)>;

/// Variances and covariances of ratings in square logits, those of each group apart.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Covariance {
    pub(super) blocks: Vec<Symmetric>,
    /// Of the advantage; 0 if it is not estimated.
    pub(super) advantage: f64,
}

/// Sums of squares of scores, from which a covariance is made.
#[derive(Clone, Debug)]
struct Scatter {
    blocks: Vec<Symmetric>,
    /// Of every rating's score with what the score does to the advantage.
    with_advantage: Vec<f64>,
    advantage: f64,
}

/// The derivative of the log-likelihood of one cluster: its non-zero entries.
#[derive(Debug, Default)]
struct Score {
    /// Position among all free ratings, its block and row there, value.
    entries: Vec<(usize, (usize, usize), f64)>,
    advantage: f64,
}

/// Sums of products of the information of clusters in the games of a pairing: with the first as
/// South, of both kinds, with the second as South.
#[derive(Clone, Copy, Debug, Default)]
struct Squares {
    first: f64,
    both: f64,
    second: f64,
}

/// What errors are computed from: the fit, and its information matrix in factors.
#[derive(Debug)]
pub(super) struct Bread<'a> {
    layout: &'a Layout,
    fit: &'a Fit,
    factors: &'a Factors,
    inverses: Vec<Symmetric>,
}

impl<'a> Bread<'a> {
    pub(super) fn new(layout: &'a Layout, fit: &'a Fit, factors: &'a Factors) -> Self {
        Self {
            layout,
            fit,
            factors,
            inverses: factors.inverses(),
        }
    }

    /// The covariance by the model alone. `weights` has for every term how often each different
    /// game of it was played.
    pub(super) fn model(&self, problem: &Problem<'_>, weights: &[f64]) -> Covariance {
        if weights.iter().all(|&weight| weight <= 1.0) {
            return self.inverse();
        }
        let mut scatter = Scatter::none(self.layout);
        let mut score = Score::default();
        let mut meat = Information::none(self.layout, self.fit.free);
        for (term, weight) in problem.terms().iter().zip(weights) {
            let games = term.south_points + term.north_points;
            let square = games * weight * self.fit.variance(term);
            meat.add(self.layout, term.south, term.north, square);
            score.clear();
            score.add(self.layout, term.south, term.north, 1.0);
            let on_advantage = self.on_advantage(&score);
            for &(index, _, value) in &score.entries {
                scatter.with_advantage[index] += square * value * on_advantage;
            }
            scatter.advantage += square * on_advantage * on_advantage;
        }
        scatter.blocks = meat.blocks;
        self.sandwich_of(&scatter)
    }

    /// The inverse of the information matrix.
    fn inverse(&self) -> Covariance {
        let mut blocks = self.inverses.clone();
        let Some(pivot) = self.factors.pivot else {
            return Covariance {
                blocks,
                advantage: 0.0,
            };
        };
        for (matrix, block) in blocks.iter_mut().zip(&self.layout.blocks) {
            let lean = &self.factors.lean[block.range()];
            for row in 0..matrix.size() {
                for column in 0..=row {
                    matrix.add(row, column, lean[row] * lean[column] / pivot);
                }
            }
        }
        Covariance {
            blocks,
            advantage: 1.0 / pivot,
        }
    }

    /// The sandwich without its factor, from the kinds of clusters inside groups.
    pub(super) fn sandwich(&self, kinds: &[ClusterKind]) -> Covariance {
        let mut scatter = Scatter::none(self.layout);
        let mut score = Score::default();
        for kind in kinds {
            score.clear();
            for &(result, games) in &kind.results {
                let (south, north) = (result.south.position(), result.north.position());
                let x = self.fit.lead(south, north);
                // Points minus expected points, without loss of digits near certainty.
                let surplus = match result.outcome {
                    Outcome::SouthWins => sigmoid(-x),
                    Outcome::Draw => 0.5 * (sigmoid(-x) - sigmoid(x)),
                    Outcome::NorthWins => -sigmoid(x),
                };
                score.add(self.layout, south, north, surplus * games as f64);
            }
            let copies = kind.copies as f64;
            let on_advantage = self.on_advantage(&score);
            scatter.add(&score, on_advantage, kind.distinct as f64 * copies * copies);
        }
        self.sandwich_of(&scatter)
    }

    /// What the sandwich, without its factor, misses of the model's covariance if the model holds:
    /// with the information I of each cluster, `H⁺ (Σ I H⁺ I) H⁺`, since residuals of a fit vary
    /// less than errors by `I H⁺ I`. Pairings that share a cluster are taken as if each had its
    /// own.
    pub(super) fn unseen(&self, kinds: &[ClusterKind]) -> Covariance {
        let inverse = self.inverse();
        let mut scatter = Scatter::none(self.layout);
        for ((one, other), squares) in self.squares(kinds) {
            let [on, across, back] = self.leverages(&inverse, one, other);
            let mixed = squares.both * across;
            // x yᵀ + y xᵀ is the square of x + y without those of x and y.
            for (games, weight) in [
                ([1.0, 0.0], squares.first * on - mixed),
                ([0.0, 1.0], squares.second * back - mixed),
                ([1.0, 1.0], mixed),
            ] {
                let mut score = Score::default();
                score.add(self.layout, one, other, games[0]);
                score.add(self.layout, other, one, games[1]);
                let on_advantage = self.on_advantage(&score);
                scatter.add(&score, on_advantage, weight);
            }
        }
        self.sandwich_of(&scatter)
    }

    /// Of each pairing: sums over clusters of products of the information in games with the one as
    /// South and with the other.
    fn squares(&self, kinds: &[ClusterKind]) -> BTreeMap<(usize, usize), Squares> {
        let mut pairings: BTreeMap<(usize, usize), Squares> = BTreeMap::new();
        for kind in kinds {
            let mut played: BTreeMap<(usize, usize), [f64; 2]> = BTreeMap::new();
            for &(result, games) in &kind.results {
                let (south, north) = (result.south.position(), result.north.position());
                let x = self.fit.lead(south, north);
                let pairing = (south.min(north), south.max(north));
                played.entry(pairing).or_default()[usize::from(south > north)] +=
                    games as f64 * sigmoid(x) * sigmoid(-x);
            }
            let weight = kind.distinct as f64 * (kind.copies as f64).powi(3);
            for (pairing, [first, second]) in played {
                let squares = pairings.entry(pairing).or_default();
                squares.first += weight * first * first;
                squares.both += weight * first * second;
                squares.second += weight * second * second;
            }
        }
        pairings
    }

    /// `x H⁺ x`, `x H⁺ y` and `y H⁺ y` of games with the one as South, x, and with the other, y.
    fn leverages(&self, inverse: &Covariance, one: usize, other: usize) -> [f64; 3] {
        let difference = inverse.of_difference(&self.layout.places, one, other);
        let lean = |entrant| {
            self.layout
                .index(entrant)
                .map_or(0.0, |i| self.factors.lean[i])
        };
        let pivot = self.factors.pivot;
        let shared = pivot.map_or(0.0, |pivot| (lean(other) - lean(one)) / pivot);
        [
            difference + inverse.advantage + 2.0 * shared,
            inverse.advantage - difference,
            difference + inverse.advantage - 2.0 * shared,
        ]
    }

    /// By how much a score moves the advantage.
    fn on_advantage(&self, score: &Score) -> f64 {
        let Some(pivot) = self.factors.pivot else {
            return 0.0;
        };
        let entries = score.entries.iter();
        let known: f64 = entries
            .map(|&(index, _, value)| self.factors.lean[index] * value)
            .sum();
        (score.advantage - known) / pivot
    }

    /// `H⁺ S H⁺` by blocks: a score u moves the advantage by t and the ratings of a block by
    /// `B⁺u − q t` (see `information`).
    fn sandwich_of(&self, scatter: &Scatter) -> Covariance {
        let blocks = self
            .layout
            .blocks
            .iter()
            .zip(&self.inverses)
            .zip(&scatter.blocks);
        let blocks = blocks
            .map(|((block, inverse), meat)| {
                let mut covariance = inverse.around(meat);
                let lean = &self.factors.lean[block.range()];
                let moved = inverse.times(&scatter.with_advantage[block.range()]);
                for row in 0..covariance.size() {
                    for column in 0..=row {
                        let change = scatter.advantage * lean[row] * lean[column]
                            - moved[row] * lean[column]
                            - lean[row] * moved[column];
                        covariance.add(row, column, change);
                    }
                }
                covariance
            })
            .collect();
        Covariance {
            blocks,
            advantage: scatter.advantage,
        }
    }
}

impl Score {
    fn clear(&mut self) {
        self.entries.clear();
        self.advantage = 0.0;
    }

    fn add(&mut self, layout: &Layout, south: usize, north: usize, surplus: f64) {
        for (entrant, change) in [(south, surplus), (north, -surplus)] {
            let (Some(index), Some(place)) = (layout.index(entrant), layout.places[entrant]) else {
                continue;
            };
            match self.entries.iter_mut().find(|entry| entry.0 == index) {
                Some(entry) => entry.2 += change,
                None => self.entries.push((index, place, change)),
            }
        }
        self.advantage += surplus;
    }
}

impl Scatter {
    fn none(layout: &Layout) -> Self {
        let blocks = layout.blocks.iter();
        Self {
            blocks: blocks.map(|b| Symmetric::zero(b.members.len())).collect(),
            with_advantage: vec![0.0; layout.size],
            advantage: 0.0,
        }
    }

    fn add(&mut self, score: &Score, on_advantage: f64, weight: f64) {
        for (place, &(index, (block, row), value)) in score.entries.iter().enumerate() {
            for &(_, (other_block, column), other) in &score.entries[..=place] {
                if block == other_block {
                    self.blocks[block].add(row, column, weight * value * other);
                }
            }
            self.with_advantage[index] += weight * value * on_advantage;
        }
        self.advantage += weight * on_advantage * on_advantage;
    }
}

impl Covariance {
    /// The variance of `upper − lower`, entrants of one block or held.
    pub(super) fn of_difference(&self, places: &[Place], upper: usize, lower: usize) -> f64 {
        let at = |i: usize, j: usize| match (places[i], places[j]) {
            (Some((block, row)), Some((_, column))) => self.blocks[block].at(row, column),
            _ => 0.0,
        };
        at(upper, upper) + at(lower, lower) - 2.0 * at(upper, lower)
    }

    /// The variance of one entrant against the mean of its group.
    pub(super) fn of_rating(&self, places: &[Place], entrant: usize) -> f64 {
        places[entrant].map_or(0.0, |(block, row)| self.blocks[block].at(row, row))
    }

    /// The same times a number.
    pub(super) fn times(mut self, factor: f64) -> Self {
        for block in &mut self.blocks {
            block.scale(factor);
        }
        self.advantage *= factor;
        self
    }
}

/// How often each different game of a term was played.
pub(super) fn repetitions(terms: &[Term], share: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    let of = |term: &Term| 1.0 / share(term.south, term.north);
    terms.iter().map(of).collect()
}
