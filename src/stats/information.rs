//! The information matrix: dense in every group, and bordered by the first-move advantage, which
//! all groups share.
//!
//! ```text
//!   B₁       b₁      A tied block has no information on its mean. A multiple of the projection on
//!      B₂    b₂      the mean is added before factoring and taken out of the inverse again: what
//!         …  …       is left is the inverse among differences (Moore and Penrose).
//!   b₁ᵀ b₂ᵀ  d
//! ```
//!
//! With `q = B⁻¹b` and the pivot `s = d − Σ bᵀq` the inverse is `B⁻¹ + q qᵀ/s` in a block, `−q/s`
//! in the border and `1/s` in the corner.

use super::layout::{Block, Layout};
use super::matrix::{Cholesky, Symmetric};

/// Sums of weighted squares of the vectors `e_south − e_north + e_advantage`.
#[derive(Clone, Debug)]
pub(super) struct Information {
    pub(super) blocks: Vec<Symmetric>,
    pub(super) border: Vec<f64>,
    pub(super) corner: f64,
    free: bool,
}

/// The information matrix, ready for solving.
#[derive(Debug)]
pub(super) struct Factors {
    blocks: Vec<Cholesky>,
    ties: Vec<f64>,
    border: Vec<f64>,
    /// `B⁻¹b`
    pub(super) lean: Vec<f64>,
    /// `d − bᵀB⁻¹b`; `None` if the advantage is not free.
    pub(super) pivot: Option<f64>,
}

impl Information {
    /// No games yet. `free`: whether the advantage is estimated.
    pub(super) fn none(layout: &Layout, free: bool) -> Self {
        let blocks = layout.blocks.iter();
        Self {
            blocks: blocks.map(|b| Symmetric::zero(b.members.len())).collect(),
            border: vec![0.0; layout.size],
            corner: 0.0,
            free,
        }
    }

    /// Adds the information of games between two entrants of one group.
    pub(super) fn add(&mut self, layout: &Layout, south: usize, north: usize, weight: f64) {
        let places = (layout.places[south], layout.places[north]);
        if let Some((block, row)) = places.0 {
            self.blocks[block].add(row, row, weight);
            self.border[layout.blocks[block].start + row] += weight;
        }
        if let Some((block, row)) = places.1 {
            self.blocks[block].add(row, row, weight);
            self.border[layout.blocks[block].start + row] -= weight;
        }
        if let (Some((block, row)), Some((_, column))) = places {
            self.blocks[block].add(row, column, -weight);
        }
        self.corner += weight;
    }

    /// Factors; `None` if rounding spoils it. The ridge is added to the whole diagonal.
    pub(super) fn factor(&self, layout: &Layout, ridge: f64) -> Option<Factors> {
        let mut factors = Factors {
            blocks: Vec::with_capacity(self.blocks.len()),
            ties: Vec::with_capacity(self.blocks.len()),
            border: self.border.clone(),
            lean: Vec::new(),
            pivot: None,
        };
        for (block, matrix) in layout.blocks.iter().zip(&self.blocks) {
            let tie = if block.tied { tie(matrix) } else { 0.0 };
            factors.blocks.push(matrix.plus_all(tie).factor(ridge)?);
            factors.ties.push(tie);
        }
        if self.free {
            const LOST_TO_ROUNDING: f64 = 1e-13;
            factors.lean = factors.solve_blocks(layout, &self.border);
            let explained: f64 = factors
                .lean
                .iter()
                .zip(&self.border)
                .map(|(q, b)| q * b)
                .sum();
            let whole = self.corner + ridge;
            let pivot = whole - explained;
            if pivot.is_nan() || pivot <= LOST_TO_ROUNDING * whole {
                return None;
            }
            factors.pivot = Some(pivot);
        } else {
            factors.lean = vec![0.0; layout.size];
        }
        Some(factors)
    }

    /// Factors what may be nearly singular far from the maximum: a growing ridge turns the Newton
    /// step towards plain ascent (K. Levenberg 1944).
    pub(super) fn factor_with_ridge(&self, layout: &Layout) -> Option<Factors> {
        let blocks = self.blocks.iter().map(Symmetric::largest_diagonal);
        let scale = blocks.fold(if self.free { self.corner } else { 0.0 }, f64::max);
        std::iter::once(0.0)
            .chain((0..12).map(|power| scale * 1e-12 * 10.0_f64.powi(power)))
            .find_map(|ridge| self.factor(layout, ridge))
    }
}

impl Factors {
    /// Solves with a vector of all free ratings and one number for the advantage.
    pub(super) fn solve(
        &self,
        layout: &Layout,
        ratings: &[f64],
        advantage: f64,
    ) -> (Vec<f64>, f64) {
        let mut solution = self.solve_blocks(layout, ratings);
        let Some(pivot) = self.pivot else {
            return (solution, 0.0);
        };
        let known: f64 = solution.iter().zip(&self.border).map(|(x, b)| x * b).sum();
        let advantage = (advantage - known) / pivot;
        for (x, lean) in solution.iter_mut().zip(&self.lean) {
            *x -= lean * advantage;
        }
        (solution, advantage)
    }

    fn solve_blocks(&self, layout: &Layout, right: &[f64]) -> Vec<f64> {
        let blocks = layout.blocks.iter().zip(&self.blocks);
        blocks
            .flat_map(|(block, factor)| factor.solve(&right[block.range()]))
            .collect()
    }

    /// The inverse of each block alone, among differences if it is tied.
    pub(super) fn inverses(&self) -> Vec<Symmetric> {
        let blocks = self.blocks.iter().zip(&self.ties);
        blocks
            .map(|(factor, &tie)| {
                let mut inverse = factor.inverse();
                if tie > 0.0 {
                    // The vector of ones is an eigenvector of the tied matrix: eigenvalue tie · n.
                    let size = inverse.size() as f64;
                    inverse = inverse.plus_all(-1.0 / (tie * size * size));
                }
                inverse
            })
            .collect()
    }
}

impl Block {
    /// Where its ratings stand in a vector of all free ratings.
    pub(super) fn range(&self) -> std::ops::Range<usize> {
        self.start..self.start + self.members.len()
    }
}

/// What to add to every entry of a tied block: of the size of the other eigenvalues, so that it
/// does not spoil the condition.
fn tie(matrix: &Symmetric) -> f64 {
    let size = matrix.size();
    let trace: f64 = (0..size).map(|i| matrix.at(i, i)).sum();
    if trace > 0.0 {
        trace / (size as f64 * size as f64)
    } else {
        1.0
    }
}
