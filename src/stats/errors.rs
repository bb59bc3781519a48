//! The matrices behind the errors of ratings: the sandwich estimator, clustered by opening.
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
//! are not known, a pair; else a game. The estimator assumes nothing about draws, about how
//! openings favour a side, or about how alike bots play what they have met before: it measures how
//! openings really scatter. `uncertainty` says how much of the scatter the fit hides, and how
//! surely it is known.
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
use super::likelihood::{Fit, Problem};
use super::matrix::Symmetric;
use crate::stats::game::Outcome;

/// A fit, its openings, and the matrices of all free numbers: the ratings in the order of the
/// layout, then the advantage if it is estimated. All variances are in square logits.
#[derive(Clone, Debug, PartialEq)]
pub struct SandwichInputs {
    /// The derivatives of the log-likelihood, by kind of cluster.
    pub scores: Vec<ClusterScore>,
    /// The games that were played from openings, openings with the same games taken together.
    pub designs: Vec<Design>,
    /// H⁺: the covariance if the model holds.
    pub inverse: Symmetric,
}

/// The derivative u of the log-likelihood of one cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct ClusterScore {
    /// Non-zero entries by index, points.
    entries: Vec<(usize, f64)>,
    /// The number of clusters with this score.
    pub count: f64,
}

/// The games that are played from one opening, as far as the errors of the model go.
#[derive(Clone, Debug, PartialEq)]
pub struct Design {
    cells: Vec<DesignCell>,
    /// The number of openings with these games.
    pub count: f64,
}

/// All games of one entrant as South against one other from an opening.
#[derive(Clone, Debug, PartialEq)]
struct DesignCell {
    /// The non-zero entries of `e_south − e_north + e_A`.
    lead: Vec<(usize, f64)>,
    /// The information of all these games.
    information: f64,
}

impl SandwichInputs {
    /// The inputs from clusters inside groups. `None` if rounding errors ruin the inverse.
    pub fn new(problem: &Problem<'_>, fit: &Fit, kinds: &[ClusterKind]) -> Option<Self> {
        let inverse = problem.information(fit).factor(0.0)?.inverse();
        let score = |kind| ClusterScore::new(problem, fit, kind);
        Some(Self {
            scores: kinds.iter().map(score).collect(),
            designs: designs(problem, fit, kinds),
            inverse,
        })
    }

    /// The sandwich without any factor.
    pub fn sandwich(&self) -> Symmetric {
        let mut scatter = Symmetric::zero(self.inverse.size());
        for score in &self.scores {
            scatter.add_square(&score.entries.iter().copied(), score.count);
        }
        self.inverse.around(&scatter)
    }

    /// The part of the model's covariance that the fit hides, `H⁺ (Σ H_c H⁺ H_c) H⁺` with the
    /// information `H_c` of each opening: residuals vary less than errors by that.
    pub fn hidden(&self) -> Symmetric {
        let mut hidden = Symmetric::zero(self.inverse.size());
        for design in &self.designs {
            // Only the rows and columns of the numbers that this opening tells about.
            let leads = design.cells.iter().flat_map(|cell| &cell.lead);
            let mut numbers: Vec<usize> = leads.map(|&(index, _)| index).collect();
            numbers.sort_unstable();
            numbers.dedup();
            let place = |index| numbers.binary_search(&index).expect("one of them");
            let mut information = Symmetric::zero(numbers.len());
            for cell in &design.cells {
                let lead = cell
                    .lead
                    .iter()
                    .map(|&(index, value)| (place(index), value));
                information.add_square(&lead, cell.information);
            }
            let product = information.around(&self.inverse.part(&numbers));
            for (row, &index) in numbers.iter().enumerate() {
                for (column, &other) in numbers[..=row].iter().enumerate() {
                    hidden.add(index, other, design.count * product.at(row, column));
                }
            }
        }
        self.inverse.around(&hidden)
    }
}

impl ClusterScore {
    fn new(problem: &Problem<'_>, fit: &Fit, kind: &ClusterKind) -> Self {
        let mut entries: BTreeMap<usize, f64> = BTreeMap::new();
        for &(result, games) in &kind.results {
            let (south, north) = (result.south.position(), result.north.position());
            let points = surplus(fit.lead(south, north), result.outcome) * games as f64;
            for (index, sign) in problem.layout().lead_entries(south, north, fit.free) {
                *entries.entry(index).or_default() += sign * points * kind.copies as f64;
            }
        }
        Self {
            entries: entries.into_iter().collect(),
            count: kind.distinct as f64,
        }
    }

    /// `aᵀu`: by how much the cluster moves the number with this vector `a = H⁺ℓ`.
    pub fn moves(&self, vector: &[f64]) -> f64 {
        product(&self.entries, vector)
    }

    /// The size of the sum in [`ClusterScore::moves`].
    pub fn size(&self) -> usize {
        self.entries.len()
    }
}

impl Design {
    /// `aᵀH_c a`: the part of a number's variance that one of these openings adds, if the model
    /// holds.
    pub fn variance(&self, vector: &[f64]) -> f64 {
        let cells = self.cells.iter();
        let terms = cells.map(|cell| cell.information * product(&cell.lead, vector).powi(2));
        terms.sum()
    }

    /// The size of the sum in [`Design::variance`].
    pub fn size(&self) -> usize {
        self.cells.len()
    }
}

fn product(entries: &[(usize, f64)], vector: &[f64]) -> f64 {
    let terms = entries.iter().map(|&(index, value)| value * vector[index]);
    terms.sum()
}

/// Points of South minus expected points, without loss of digits near certainty.
fn surplus(lead: f64, outcome: Outcome) -> f64 {
    match outcome {
        Outcome::SouthWins => sigmoid(-lead),
        Outcome::Draw => 0.5 * (sigmoid(-lead) - sigmoid(lead)),
        Outcome::NorthWins => -sigmoid(lead),
    }
}

/// The designs of all clusters, in a fixed order.
fn designs(problem: &Problem<'_>, fit: &Fit, kinds: &[ClusterKind]) -> Vec<Design> {
    type Played = BTreeMap<(usize, usize), u64>;
    let mut counts: BTreeMap<Played, u64> = BTreeMap::new();
    for kind in kinds {
        let mut played = Played::new();
        for (result, games) in &kind.results {
            let sides = (result.south.position(), result.north.position());
            *played.entry(sides).or_default() += games * kind.copies;
        }
        *counts.entry(played).or_default() += kind.distinct;
    }
    let design = |(played, count): (Played, u64)| {
        let cell = |((south, north), games): ((usize, usize), u64)| {
            let lead = problem.layout().lead_entries(south, north, fit.free);
            DesignCell {
                lead: lead.collect(),
                information: games as f64 * fit.variance(south, north),
            }
        };
        Design {
            cells: played.into_iter().map(cell).collect(),
            count: count as f64,
        }
    };
    counts.into_iter().map(design).collect()
}
