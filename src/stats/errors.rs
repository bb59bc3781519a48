//! How uncertain ratings are: the sandwich estimator, clustered by opening.
//!
//! # The estimator
//! With the information matrix H at the maximum (P. J. Huber 1967, H. White 1982, K.-Y. Liang and
//! S. L. Zeger 1986):
//!
//! ```text
//!   V = H⁺ (Σ_c u_c u_cᵀ) H⁺
//!   u_c = Σ over the cluster's games of (points of South − expected) · (e_south − e_north + e_A)
//! ```
//!
//! A cluster is an opening with all games that begin from it, of whatever pairings; where openings
//! are not known, a pair; else a game. Nothing is assumed of draws, of how openings favour a side,
//! or of how alike bots play what they have met before: what openings really scatter by is what
//! counts. How much of it the fit hides, and how surely it is known, says `uncertainty`.
//!
//! Clusters are of openings alone: the games of one pairing from different openings are taken as
//! independent, for who meets whom is fixed by the schedule, and a pairing in which the model is
//! off is off in every schedule of these entrants.
//!
//! # Copies
//! All copies of a game within an opening are in one cluster with the sum of their scores, so a
//! tournament that is played again by bots that repeat themselves has the errors of one.

use std::collections::BTreeMap;

use super::clusters::ClusterKind;
use super::elo::sigmoid;
use super::information::Factors;
use super::layout::RatingLayout;
use super::likelihood::Fit;
use super::matrix::Symmetric;
use crate::stats::game::Outcome;

/// The method of the errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorSource {
    /// The sandwich estimator, clustered by opening.
    Sandwich,
    /// The scatter of ratings fitted to openings drawn again.
    Bootstrap,
    /// Not at all: there are too few openings to see how they scatter.
    None,
}

/// The block of an entrant and its row there; `None` if its rating is not free.
pub type FreeRating = Option<(usize, usize)>;

/// Variances and covariances of ratings in square logits, those of each group apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Covariance {
    pub blocks: Vec<Symmetric>,
    /// Of the advantage; 0 if it is not estimated.
    pub advantage: f64,
}

/// Sums of squares of scores, from which a covariance is made.
#[derive(Clone, Debug)]
pub struct Scatter {
    pub blocks: Vec<Symmetric>,
    /// Of every rating's score with what the score does to the advantage.
    pub with_advantage: Vec<f64>,
    pub advantage: f64,
}

/// The derivative of the log-likelihood of one cluster: its non-zero entries.
#[derive(Debug, Default)]
pub struct ClusterScore {
    /// Position among all free ratings, its block and row there, value.
    pub entries: Vec<(usize, (usize, usize), f64)>,
    pub advantage: f64,
}

/// What errors are computed from: the fit, and its information matrix in factors.
#[derive(Debug)]
pub struct Bread<'a> {
    layout: &'a RatingLayout,
    fit: &'a Fit,
    pub factors: &'a Factors,
    inverses: Vec<Symmetric>,
}

impl<'a> Bread<'a> {
    pub fn new(layout: &'a RatingLayout, fit: &'a Fit, factors: &'a Factors) -> Self {
        Self {
            layout,
            fit,
            factors,
            inverses: factors.inverses(),
        }
    }

    /// The layout of the fit.
    pub fn layout(&self) -> &RatingLayout {
        self.layout
    }

    /// The inverse of the information matrix.
    pub fn inverse(&self) -> Covariance {
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
    pub fn sandwich(&self, kinds: &[ClusterKind]) -> Covariance {
        let mut scatter = Scatter::none(self.layout);
        let mut score = ClusterScore::default();
        for kind in kinds {
            score.clear();
            for &(result, games) in &kind.results {
                let (south, north) = (result.south.position(), result.north.position());
                let surplus = surplus(self.fit.lead(south, north), result.outcome);
                score.add(self.layout, south, north, surplus * games as f64);
            }
            let copies = kind.copies as f64;
            let on_advantage = self.on_advantage(&score);
            scatter.add(&score, on_advantage, kind.distinct as f64 * copies * copies);
        }
        self.sandwich_of(&scatter)
    }

    /// By how much a score moves the advantage.
    pub fn on_advantage(&self, score: &ClusterScore) -> f64 {
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
    pub fn sandwich_of(&self, scatter: &Scatter) -> Covariance {
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

/// Points of South minus expected points, without loss of digits near certainty.
fn surplus(lead: f64, outcome: Outcome) -> f64 {
    match outcome {
        Outcome::SouthWins => sigmoid(-lead),
        Outcome::Draw => 0.5 * (sigmoid(-lead) - sigmoid(lead)),
        Outcome::NorthWins => -sigmoid(lead),
    }
}

impl ClusterScore {
    fn clear(&mut self) {
        self.entries.clear();
        self.advantage = 0.0;
    }

    pub(super) fn add(&mut self, layout: &RatingLayout, south: usize, north: usize, surplus: f64) {
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
    pub fn none(layout: &RatingLayout) -> Self {
        let blocks = layout.blocks.iter();
        Self {
            blocks: blocks.map(|b| Symmetric::zero(b.members.len())).collect(),
            with_advantage: vec![0.0; layout.size],
            advantage: 0.0,
        }
    }

    fn add(&mut self, score: &ClusterScore, on_advantage: f64, weight: f64) {
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
    pub fn of_difference(&self, places: &[FreeRating], upper: usize, lower: usize) -> f64 {
        let at = |i: usize, j: usize| match (places[i], places[j]) {
            (Some((block, row)), Some((_, column))) => self.blocks[block].at(row, column),
            _ => 0.0,
        };
        at(upper, upper) + at(lower, lower) - 2.0 * at(upper, lower)
    }

    /// The variance of one entrant against the mean of its group.
    pub fn of_rating(&self, places: &[FreeRating], entrant: usize) -> f64 {
        places[entrant].map_or(0.0, |(block, row)| self.blocks[block].at(row, row))
    }

    /// The same times a number.
    pub fn times(mut self, factor: f64) -> Self {
        for block in &mut self.blocks {
            block.scale(factor);
        }
        self.advantage *= factor;
        self
    }
}

/// What is played from one opening, as far as the errors of the model go.
#[derive(Clone, Debug, PartialEq)]
pub struct Design {
    pub cells: Vec<DesignCell>,
    /// How many openings are alike in this.
    pub count: f64,
}

/// All games of one entrant as South against one other from an opening.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DesignCell {
    pub south: usize,
    pub north: usize,
    /// Of all these games.
    pub information: f64,
}

/// The designs of all clusters, in a fixed order.
pub fn designs(fit: &Fit, kinds: &[ClusterKind]) -> Vec<Design> {
    let mut counts: BTreeMap<Vec<(usize, usize, u64)>, u64> = BTreeMap::new();
    for kind in kinds {
        let mut played: BTreeMap<(usize, usize), u64> = BTreeMap::new();
        for (result, games) in &kind.results {
            let sides = (result.south.position(), result.north.position());
            *played.entry(sides).or_default() += games * kind.copies;
        }
        let played = played
            .into_iter()
            .map(|((south, north), games)| (south, north, games));
        *counts.entry(played.collect()).or_default() += kind.distinct;
    }
    let design = |(cells, count): (Vec<(usize, usize, u64)>, u64)| {
        let cell = |&(south, north, games): &(usize, usize, u64)| {
            let x = fit.lead(south, north);
            let information = games as f64 * sigmoid(x) * sigmoid(-x);
            DesignCell {
                south,
                north,
                information,
            }
        };
        Design {
            cells: cells.iter().map(cell).collect(),
            count: count as f64,
        }
    };
    counts.into_iter().map(design).collect()
}

/// What came of all games from an opening.
#[derive(Clone, Debug, PartialEq)]
pub struct Surplus {
    pub cells: Vec<SurplusCell>,
    /// How many openings are alike in this.
    pub count: f64,
}

/// What one entrant as South took from one other more than was expected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurplusCell {
    pub south: usize,
    pub north: usize,
    /// Points minus expected points, of all these games.
    pub points: f64,
}

/// What came of each kind of cluster.
pub fn surpluses(fit: &Fit, kinds: &[ClusterKind]) -> Vec<Surplus> {
    let of_kind = |kind: &ClusterKind| {
        let mut points: BTreeMap<(usize, usize), f64> = BTreeMap::new();
        for &(result, games) in &kind.results {
            let (south, north) = (result.south.position(), result.north.position());
            let here = surplus(fit.lead(south, north), result.outcome);
            *points.entry((south, north)).or_default() += here * (games * kind.copies) as f64;
        }
        let cells = points
            .into_iter()
            .map(|((south, north), points)| SurplusCell {
                south,
                north,
                points,
            });
        Surplus {
            cells: cells.collect(),
            count: kind.distinct as f64,
        }
    };
    kinds.iter().map(of_kind).collect()
}
