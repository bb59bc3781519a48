//! The information matrix H of all free numbers: the ratings of all groups, block by block, and the
//! first-move advantage, which all groups share.
//!
//! A tied block has no information on its mean. A multiple of the projection on the mean is added
//! before factoring and taken out of the inverse again: what is left is the inverse among
//! differences (Moore and Penrose).

use std::ops::Range;

use super::layout::{Block, RatingLayout};
use super::matrix::{Cholesky, Symmetric};

/// Sums of weighted squares of the vectors `e_south − e_north + e_advantage`.
#[derive(Clone, Debug)]
pub struct Information<'a> {
    layout: &'a RatingLayout,
    matrix: Symmetric,
    advantage_is_free: bool,
}

/// The information matrix, ready for solving.
#[derive(Debug)]
pub struct Factors {
    cholesky: Cholesky,
    /// The tied blocks, each with the number that was added to all its entries.
    ties: Vec<(Range<usize>, f64)>,
}

impl<'a> Information<'a> {
    /// No games yet. `advantage_is_free`: whether the advantage is estimated.
    pub fn none(layout: &'a RatingLayout, advantage_is_free: bool) -> Self {
        Self {
            layout,
            matrix: Symmetric::zero(layout.size + usize::from(advantage_is_free)),
            advantage_is_free,
        }
    }

    /// Adds the information of games between two entrants of one group.
    pub fn add(&mut self, south: usize, north: usize, weight: f64) {
        let entries = self
            .layout
            .lead_entries(south, north, self.advantage_is_free);
        self.matrix.add_square(&entries, weight);
    }

    /// Factors; `None` if rounding errors ruin it. The ridge is added to the whole diagonal.
    pub fn factor(&self, ridge: f64) -> Option<Factors> {
        const LOST_TO_ROUNDING: f64 = 1e-13;
        let mut matrix = self.matrix.clone();
        let tied = self.layout.blocks.iter().filter(|block| block.tied);
        let ties = tied.map(|block: &Block| {
            let range = block.range();
            let tie = tie(&self.matrix, &range);
            matrix.add_to_all(&range, tie);
            (range, tie)
        });
        let ties = ties.collect();
        let cholesky = matrix.factor(ridge)?;
        if self.advantage_is_free {
            // The part of the advantage's information that the ratings do not explain.
            let last = self.layout.size;
            if cholesky.pivot(last) <= LOST_TO_ROUNDING * (matrix.at(last, last) + ridge) {
                return None;
            }
        }
        Some(Factors { cholesky, ties })
    }

    /// Factors a matrix that may be nearly singular far from the maximum: a growing ridge turns the
    /// Newton step towards plain ascent (K. Levenberg 1944).
    pub fn factor_with_ridge(&self) -> Option<Factors> {
        let scale = self.matrix.largest_diagonal();
        std::iter::once(0.0)
            .chain((0..12).map(|power| scale * 1e-12 * 10.0_f64.powi(power)))
            .find_map(|ridge| self.factor(ridge))
    }
}

impl Factors {
    /// The x with H x = `right`.
    pub fn solve(&self, right: &[f64]) -> Vec<f64> {
        self.cholesky.solve(right)
    }

    /// H⁺, among differences where a block is tied.
    pub fn inverse(&self) -> Symmetric {
        let mut inverse = self.cholesky.inverse();
        for (range, tie) in &self.ties {
            // The vector of ones is an eigenvector of the tied block: eigenvalue tie · n.
            let size = range.len() as f64;
            inverse.add_to_all(range, -1.0 / (tie * size * size));
        }
        inverse
    }
}

/// The number to add to every entry of a tied block: of the size of the other eigenvalues, so that
/// it does not harm the condition.
fn tie(matrix: &Symmetric, range: &Range<usize>) -> f64 {
    let size = range.len() as f64;
    let trace: f64 = range.clone().map(|i| matrix.at(i, i)).sum();
    if trace > 0.0 {
        trace / (size * size)
    } else {
        1.0
    }
}
