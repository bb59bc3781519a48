//! Solves systems of equations with the information of many ratings, some at a time.
//!
//! Part of the nodes is eliminated (see [`super::elimination`]), the core is solved by conjugate
//! gradients (M. R. Hestenes and E. Stiefel 1952) on the matrix divided by its diagonal.

use std::ops::Range;

use super::elimination::{EliminatedNode, Elimination};
use super::graph::{Graph, number};

/// Steps in the core that are expected before anything is known of it.
const EXPECTED_STEPS: usize = 12;
/// How much of a solution x may be missing, as a share of `xᵀHx`: where numbers are to be as
/// good as rounding lets them be …
pub const EXACT: f64 = 1e-28;
/// … and where an error of less than a thousandth does not matter.
pub const CLOSE: f64 = 1e-7;

/// The information matrix of all groups, ready for solving.
#[derive(Debug)]
pub struct Solver {
    steps: Vec<EliminatedNode>,
    shares: Vec<(u32, f64)>,
    core: Core,
    /// Blocks of which only differences are determined: the mean of a solution there is 0.
    tied: Vec<Range<usize>>,
}

/// The part of the matrix that is not eliminated.
#[derive(Debug, Default)]
struct Core {
    /// Where each row stands in the whole matrix.
    nodes: Vec<u32>,
    /// Where the links of each row end.
    ends: Vec<usize>,
    links: Vec<(u32, f64)>,
    diagonal: Vec<f64>,
    /// One over each of the diagonal; 0 for the single node of a tied block, which has no links.
    inverse: Vec<f64>,
}

/// One number for each of L systems.
pub type Lanes<const L: usize> = [f64; L];

impl Solver {
    /// `tied`: the ranges of nodes of which only differences matter. `None` if rounding errors ruin
    /// it.
    pub fn new(graph: &Graph, ridge: f64, tied: Vec<Range<usize>>) -> Option<Self> {
        let mut solver = Self::expecting(graph, ridge, tied, EXPECTED_STEPS);
        let steps = solver.trial();
        if steps > 2 * EXPECTED_STEPS {
            solver = Self::expecting(graph, ridge, solver.tied, steps);
        }
        let pivots = solver.steps.iter().map(|step| step.inverse);
        let mut all = pivots.chain(solver.core.diagonal.iter().copied());
        all.all(f64::is_finite).then_some(solver)
    }

    /// How many ratings are not eliminated.
    #[cfg(test)]
    pub(super) fn core_size(&self) -> usize {
        self.core.nodes.len()
    }

    /// A solver that was told how many steps a solution takes in the core.
    pub fn expecting(graph: &Graph, ridge: f64, tied: Vec<Range<usize>>, steps: usize) -> Self {
        let found = Elimination::new(graph, ridge, steps);
        let core = Core::new(&found);
        Self {
            steps: found.steps,
            shares: found.shares,
            core,
            tied,
        }
    }

    /// How many steps one solution takes in the core: that of the first row.
    fn trial(&self) -> usize {
        let Some(&first) = self.core.nodes.first() else {
            return 0;
        };
        let mut right = vec![[0.0]; self.core.nodes.len()];
        right[0] = [1.0];
        let first = first as usize;
        if let Some(block) = self.tied.iter().find(|block| block.contains(&first)) {
            let inside = |node: &u32| block.contains(&(*node as usize));
            let count = self.core.nodes.iter().filter(|node| inside(node)).count();
            for (value, _) in right
                .iter_mut()
                .zip(&self.core.nodes)
                .filter(|it| inside(it.1))
            {
                value[0] -= 1.0 / count as f64;
            }
        }
        self.core.solve(right, CLOSE).1
    }

    /// Puts solutions in place of the right sides. In tied blocks the sum of each right side is
    /// taken as 0. `missing`: how much of a solution x may be, as a share of `xᵀHx`.
    pub fn solve<const L: usize>(&self, values: &mut [Lanes<L>], missing: f64) {
        self.settle(values);
        let mut begin = 0;
        for step in &self.steps {
            let known = values[step.node as usize];
            for &(other, share) in &self.shares[begin..step.end] {
                let target = &mut values[other as usize];
                for lane in 0..L {
                    target[lane] += share * known[lane];
                }
            }
            begin = step.end;
        }
        let right = self.core.nodes.iter().map(|&node| values[node as usize]);
        let (solution, _) = self.core.solve(right.collect(), missing);
        for (&node, value) in self.core.nodes.iter().zip(solution) {
            values[node as usize] = value;
        }
        let mut end = self.shares.len();
        for (index, step) in self.steps.iter().enumerate().rev() {
            let begin = index
                .checked_sub(1)
                .map_or(0, |before| self.steps[before].end);
            let mut sum = values[step.node as usize].map(|value| value * step.inverse);
            for &(other, share) in &self.shares[begin..end] {
                let known = &values[other as usize];
                for lane in 0..L {
                    sum[lane] += share * known[lane];
                }
            }
            values[step.node as usize] = sum;
            end = begin;
        }
        self.settle(values);
    }

    /// Takes the mean out of every tied block.
    fn settle<const L: usize>(&self, values: &mut [Lanes<L>]) {
        for block in &self.tied {
            let values = &mut values[block.clone()];
            let mut mean = [0.0; L];
            for value in &*values {
                for lane in 0..L {
                    mean[lane] += value[lane];
                }
            }
            let mean = mean.map(|sum| sum / values.len() as f64);
            for value in values {
                for lane in 0..L {
                    value[lane] -= mean[lane];
                }
            }
        }
    }
}

/// By how much steps made `xᵀHx` grow.
#[derive(Clone, Copy, Debug, Default)]
struct Gains {
    all: f64,
    /// Of the last three steps, the newest first.
    last: [f64; 3],
}

impl Gains {
    fn add(&mut self, gain: f64) {
        self.all += gain;
        self.last = [gain, self.last[0], self.last[1]];
    }

    /// What all further steps will add if they go on as the last three.
    fn missing(&self) -> f64 {
        let [newest, _, oldest] = self.last;
        if newest == 0.0 {
            return 0.0;
        }
        let ratio = (newest / oldest).sqrt();
        if ratio < 1.0 {
            newest * ratio / (1.0 - ratio)
        } else {
            f64::INFINITY
        }
    }
}

impl Core {
    fn new(found: &Elimination) -> Self {
        let mut places = vec![u32::MAX; found.rows.len()];
        for (place, &node) in found.core.iter().enumerate() {
            places[node as usize] = number(place);
        }
        let mut core = Self {
            nodes: found.core.clone(),
            ..Self::default()
        };
        for &node in &found.core {
            let row = &found.rows[node as usize];
            let links = row
                .iter()
                .map(|&(other, weight)| (places[other as usize], weight));
            core.links.extend(links);
            core.ends.push(core.links.len());
            let weights: f64 = row.iter().map(|&(_, weight)| weight).sum();
            let diagonal = weights + found.excess[node as usize];
            core.inverse
                .push(if diagonal == 0.0 { 0.0 } else { 1.0 / diagonal });
            core.diagonal.push(diagonal);
        }
        core
    }

    /// The solutions, and how many steps they took.
    fn solve<const L: usize>(&self, right: Vec<Lanes<L>>, missing: f64) -> (Vec<Lanes<L>>, usize) {
        let size = self.nodes.len();
        let mut left = right;
        let mut solution = vec![[0.0; L]; size];
        let mut product = vec![[0.0; L]; size];
        let mut direction: Vec<Lanes<L>> = left.iter().zip(&self.inverse).map(times).collect();
        let mut power = dot(&left, &direction);
        let mut gains = [Gains::default(); L];
        // Rounding may need some steps more than there are rows.
        for step in 0..2 * size + 10 {
            let curved = self.times(&direction, &mut product);
            let mut ahead = [0.0; L];
            for lane in 0..L {
                // A system that is solved to the last digit stays where it is.
                if curved[lane] > 0.0 {
                    ahead[lane] = power[lane] / curved[lane];
                }
                gains[lane].add(ahead[lane] * power[lane]);
            }
            let next = self.advance(&mut solution, &mut left, &direction, &product, &ahead);
            if gains
                .iter()
                .all(|gains| gains.missing() <= missing * gains.all)
            {
                return (solution, step + 1);
            }
            let mut keep = [0.0; L];
            for lane in 0..L {
                if power[lane] > 0.0 {
                    keep[lane] = next[lane] / power[lane];
                }
            }
            power = next;
            for ((towards, left), scale) in direction.iter_mut().zip(&left).zip(&self.inverse) {
                for lane in 0..L {
                    towards[lane] = left[lane] * scale + keep[lane] * towards[lane];
                }
            }
        }
        (solution, 2 * size + 10)
    }

    /// Goes ahead; returns what is left, squared and over the diagonal.
    fn advance<const L: usize>(
        &self,
        solution: &mut [Lanes<L>],
        left: &mut [Lanes<L>],
        direction: &[Lanes<L>],
        product: &[Lanes<L>],
        ahead: &Lanes<L>,
    ) -> Lanes<L> {
        let mut power = [0.0; L];
        for row in 0..solution.len() {
            let scale = self.inverse[row];
            for lane in 0..L {
                solution[row][lane] += ahead[lane] * direction[row][lane];
                let rest = left[row][lane] - ahead[lane] * product[row][lane];
                left[row][lane] = rest;
                power[lane] += rest * rest * scale;
            }
        }
        power
    }

    /// The matrix times vectors; returns the product of each with its vector.
    fn times<const L: usize>(&self, vectors: &[Lanes<L>], products: &mut [Lanes<L>]) -> Lanes<L> {
        let mut curved = [0.0; L];
        let mut begin = 0;
        for (row, product) in products.iter_mut().enumerate() {
            let own = &vectors[row];
            let mut sum = own.map(|value| self.diagonal[row] * value);
            for &(other, weight) in &self.links[begin..self.ends[row]] {
                let known = &vectors[other as usize];
                for lane in 0..L {
                    sum[lane] -= weight * known[lane];
                }
            }
            for lane in 0..L {
                curved[lane] += sum[lane] * own[lane];
            }
            *product = sum;
            begin = self.ends[row];
        }
        curved
    }
}

fn times<const L: usize>((values, factor): (&Lanes<L>, &f64)) -> Lanes<L> {
    values.map(|value| value * factor)
}

fn dot<const L: usize>(one: &[Lanes<L>], other: &[Lanes<L>]) -> Lanes<L> {
    let mut sums = [0.0; L];
    for (one, other) in one.iter().zip(other) {
        for lane in 0..L {
            sums[lane] += one[lane] * other[lane];
        }
    }
    sums
}
