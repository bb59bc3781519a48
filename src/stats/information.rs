//! The information matrix: one block for every group, dense or sparse, and bordered by the
//! first-move advantage, which all groups share.
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

use super::layout::{Block, RatingLayout, SolverKind};
use super::matrix::{Cholesky, Symmetric};
use super::sparse::{EXACT, Graph, Lanes, Solver};

/// Sums of weighted squares of the vectors `e_south − e_north + e_advantage`.
#[derive(Clone, Debug)]
pub struct Information {
    blocks: Blocks,
    border: Vec<f64>,
    corner: f64,
    free: bool,
}

/// The blocks of the matrix.
#[derive(Clone, Debug)]
enum Blocks {
    Dense(Vec<Symmetric>),
    /// All of them.
    Sparse(Graph),
}

/// The information matrix, ready for solving.
#[derive(Debug)]
pub struct Factors {
    blocks: Solvable,
    border: Vec<f64>,
    /// `B⁻¹b`
    pub lean: Vec<f64>,
    /// `d − bᵀB⁻¹b`; `None` if the advantage is not free.
    pub pivot: Option<f64>,
}

/// The blocks, ready for solving.
#[derive(Debug)]
enum Solvable {
    /// Each with what was added to all its entries.
    Dense(Vec<(Cholesky, f64)>),
    Sparse(Solver),
}

impl Information {
    /// No games yet. `free`: whether the advantage is estimated.
    pub fn none(layout: &RatingLayout, free: bool) -> Self {
        let blocks = layout.blocks.iter();
        Self {
            blocks: match layout.way {
                SolverKind::Dense => {
                    Blocks::Dense(blocks.map(|b| Symmetric::zero(b.members.len())).collect())
                }
                SolverKind::Sparse => Blocks::Sparse(Graph::none(layout.size)),
            },
            border: vec![0.0; layout.size],
            corner: 0.0,
            free,
        }
    }

    /// Adds the information of games between two entrants of one group.
    pub fn add(&mut self, layout: &RatingLayout, south: usize, north: usize, weight: f64) {
        let indices = (layout.index(south), layout.index(north));
        for (index, weight) in [(indices.0, weight), (indices.1, -weight)] {
            if let Some(index) = index {
                self.border[index] += weight;
            }
        }
        self.corner += weight;
        let blocks = match &mut self.blocks {
            Blocks::Dense(blocks) => blocks,
            Blocks::Sparse(graph) => return graph.add(indices.0, indices.1, weight),
        };
        let places = (layout.places[south], layout.places[north]);
        for (block, row) in [places.0, places.1].into_iter().flatten() {
            blocks[block].add(row, row, weight);
        }
        if let (Some((block, row)), Some((_, column))) = places {
            blocks[block].add(row, column, -weight);
        }
    }

    /// Factors; `None` if rounding errors ruin it. The ridge is added to the whole diagonal.
    pub fn factor(&self, layout: &RatingLayout, ridge: f64) -> Option<Factors> {
        let mut factors = Factors {
            blocks: self.blocks.factor(layout, ridge)?,
            border: self.border.clone(),
            lean: Vec::new(),
            pivot: None,
        };
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
    pub fn factor_with_ridge(&self, layout: &RatingLayout) -> Option<Factors> {
        let of_advantage = if self.free { self.corner } else { 0.0 };
        let scale = self.blocks.largest_diagonal().max(of_advantage);
        std::iter::once(0.0)
            .chain((0..12).map(|power| scale * 1e-12 * 10.0_f64.powi(power)))
            .find_map(|ridge| self.factor(layout, ridge))
    }
}

impl Blocks {
    fn factor(&self, layout: &RatingLayout, ridge: f64) -> Option<Solvable> {
        match self {
            Self::Dense(blocks) => {
                let factored = layout.blocks.iter().zip(blocks).map(|(block, matrix)| {
                    let tie = if block.tied { tie(matrix) } else { 0.0 };
                    Some((matrix.plus_all(tie).factor(ridge)?, tie))
                });
                Some(Solvable::Dense(factored.collect::<Option<_>>()?))
            }
            Self::Sparse(graph) => {
                let tied = layout.blocks.iter().filter(|block| block.tied);
                let tied = tied.map(Block::range).collect();
                Some(Solvable::Sparse(Solver::new(graph, ridge, tied)?))
            }
        }
    }

    fn largest_diagonal(&self) -> f64 {
        match self {
            Self::Dense(blocks) => {
                let blocks = blocks.iter().map(Symmetric::largest_diagonal);
                blocks.fold(0.0, f64::max)
            }
            Self::Sparse(graph) => graph.largest_diagonal(),
        }
    }
}

impl Factors {
    /// Solves with a vector of all free ratings and one number for the advantage.
    pub fn solve(&self, layout: &RatingLayout, ratings: &[f64], advantage: f64) -> (Vec<f64>, f64) {
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

    fn solve_blocks(&self, layout: &RatingLayout, right: &[f64]) -> Vec<f64> {
        match &self.blocks {
            Solvable::Dense(blocks) => {
                let blocks = layout.blocks.iter().zip(blocks);
                blocks
                    .flat_map(|(block, (factor, _))| factor.solve(&right[block.range()]))
                    .collect()
            }
            Solvable::Sparse(solver) => {
                let mut values: Vec<Lanes<1>> = right.iter().map(|&value| [value]).collect();
                solver.solve(&mut values, EXACT);
                values.into_iter().map(|[value]| value).collect()
            }
        }
    }

    /// Solves several systems at once, sparsely, with right sides in all free ratings and numbers
    /// for the advantage; puts the solutions in their place. `missing`: see [`Solver::solve`].
    ///
    /// # Panics
    /// If the factors are dense.
    pub fn solve_lanes<const L: usize>(
        &self,
        ratings: &mut [Lanes<L>],
        advantage: &mut Lanes<L>,
        missing: f64,
    ) {
        let Solvable::Sparse(solver) = &self.blocks else {
            panic!("only sparse factors solve some systems at a time");
        };
        solver.solve(ratings, missing);
        let Some(pivot) = self.pivot else {
            *advantage = [0.0; L];
            return;
        };
        for (known, border) in ratings.iter().zip(&self.border) {
            for lane in 0..L {
                advantage[lane] -= known[lane] * border;
            }
        }
        *advantage = advantage.map(|value| value / pivot);
        for (value, lean) in ratings.iter_mut().zip(&self.lean) {
            for lane in 0..L {
                value[lane] -= lean * advantage[lane];
            }
        }
    }

    /// The covariance of each free rating with the advantage.
    pub fn with_advantage(&self) -> Vec<f64> {
        let pivot = self.pivot.unwrap_or(f64::INFINITY);
        self.lean.iter().map(|lean| -lean / pivot).collect()
    }

    /// The inverse of each block alone, among differences if it is tied.
    ///
    /// # Panics
    /// If the factors are sparse: inverses are dense.
    pub fn inverses(&self) -> Vec<Symmetric> {
        let Solvable::Dense(blocks) = &self.blocks else {
            panic!("sparse factors have no inverse");
        };
        let blocks = blocks.iter();
        blocks
            .map(|(factor, tie)| {
                let mut inverse = factor.inverse();
                if *tie > 0.0 {
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
    pub fn range(&self) -> std::ops::Range<usize> {
        self.start..self.start + self.members.len()
    }
}

/// What to add to every entry of a tied block: of the size of the other eigenvalues, so that it
/// does not harm the condition.
fn tie(matrix: &Symmetric) -> f64 {
    let size = matrix.size();
    let trace: f64 = (0..size).map(|i| matrix.at(i, i)).sum();
    if trace > 0.0 {
        trace / (size as f64 * size as f64)
    } else {
        1.0
    }
}
