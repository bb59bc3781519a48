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
//! # What is never 0, infinite, or nothing
//! * Without more clusters than parameters the scatter cannot be seen: the errors are those of the
//!   model, `H⁺`, in which every game is won or lost by a throw of a coin ([`Method::Model`]).
//! * Scatter can be 0 by chance or because every game is drawn, which does not make a rating known
//!   beyond doubt. No variance is taken to be less than about `1/N` of the model's, N the number of
//!   different games: as if one game were as uncertain as the model thinks it. The exact share is
//!   such that two entrants who drew all their games get the likelihood-ratio interval of their
//!   score: what a test at 95 % does not refuse is a share of decided games, all won by one of
//!   them, of `1 − exp(−1.92 / N)`. Twenty draws are ±31.9 Elo.

use super::clusters::ClusterKind;
use super::elo::{LIKELIHOOD_DROP_95, NORMAL_95, sigmoid};
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
    /// The same times a number.
    pub(super) fn times(mut self, factor: f64) -> Self {
        for block in &mut self.blocks {
            block.scale(factor);
        }
        self.advantage *= factor;
        self
    }
}

/// The covariances of a fit, and which of them to believe.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Uncertainty {
    /// By the sandwich or the bootstrap; `None` if there are too few clusters.
    seen: Option<Covariance>,
    model: Covariance,
    /// Which part of the model's variance is the least to be believed.
    floor: f64,
    /// Of every entrant: its block and row.
    places: Vec<Option<(usize, usize)>>,
}

impl Uncertainty {
    /// `games`: number of different games.
    pub(super) fn new(
        seen: Option<Covariance>,
        model: Covariance,
        games: f64,
        layout: &Layout,
    ) -> Self {
        Self {
            seen,
            model,
            floor: least_share(games.max(1.0)),
            places: layout.places.clone(),
        }
    }

    /// The variance of `upper − lower` in square logits; without `lower`, of `upper` against the
    /// mean of its group. Whoever is held has none.
    pub(super) fn variance(&self, upper: usize, lower: Option<usize>) -> f64 {
        let of = |covariance: &Covariance| {
            let at = |i: Option<(usize, usize)>, j: Option<(usize, usize)>| match (i, j) {
                (Some((block, row)), Some((_, column))) => covariance.blocks[block].at(row, column),
                _ => 0.0,
            };
            let i = self.places[upper];
            let Some(lower) = lower else { return at(i, i) };
            let j = self.places[lower];
            at(i, i) + at(j, j) - 2.0 * at(i, j)
        };
        self.believed(of)
    }

    /// The variance of the advantage in square logits.
    pub(super) fn variance_of_advantage(&self) -> f64 {
        self.believed(|covariance| covariance.advantage)
    }

    fn believed(&self, of: impl Fn(&Covariance) -> f64) -> f64 {
        let model = of(&self.model).max(0.0);
        match &self.seen {
            None => model,
            Some(seen) => of(seen).max(self.floor * model),
        }
    }
}

/// The least share of the model's variance to be believed, from so many different games.
fn least_share(games: f64) -> f64 {
    let decided = -(-LIKELIHOOD_DROP_95 / games).exp_m1();
    // Half the width of the interval in logits, and the model's variance of a score of ½.
    let half_width = 2.0 * decided.atanh();
    let model = 4.0 / games;
    (half_width / NORMAL_95).powi(2) / model
}

/// How often each different game of a term was played.
pub(super) fn repetitions(terms: &[Term], share: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    let of = |term: &Term| 1.0 / share(term.south, term.north);
    terms.iter().map(of).collect()
}
