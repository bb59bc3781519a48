//! The joint log-likelihood of all games inside groups, and its maximum by Newton's method.
//!
//! With ratings `r` and advantage `a` in logits, a cell of N games in which South took S points
//! adds `S ln σ(x) + (N − S) ln σ(−x)`, `x = r_south − r_north + a`, σ the logistic function. The
//! sum is concave. The mean of each group is held at 0 by adding to the information matrix a
//! multiple of the projection on the group's mean, a direction that the games do not see; it is
//! taken out of the inverse again.

use super::connectivity::Connectivity;
use super::elo::{log_sigmoid, sigmoid};
use super::matrix::{Cholesky, Symmetric};
use super::tally::Cell;

/// Newton stops where no partial derivative (points per logit) exceeds this …
const GRADIENT_GOAL: f64 = 1e-10;
/// … plus this for every game: what rounding leaves of sums over many games.
const ROUNDING_PER_GAME: f64 = 1e-15;
/// Newton needs about ten steps, and one for each logit of a very lopsided pairing.
const MOST_STEPS: usize = 500;

/// How the first-move advantage enters a fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Advantage {
    /// Estimated with the ratings.
    Free,
    /// Known: this many logits.
    Held(f64),
}

/// The games inside groups, ready to be fitted.
pub(super) struct Problem<'a> {
    cells: Vec<Term>,
    connectivity: &'a Connectivity,
    entrants: usize,
    gradient_goal: f64,
}

/// One cell as numbers.
struct Term {
    south: usize,
    north: usize,
    south_points: f64,
    north_points: f64,
}

/// The maximum of a likelihood.
#[derive(Clone, Debug)]
pub(super) struct Fit {
    /// Logits of each entrant; the mean of each group is 0.
    pub(super) ratings: Vec<f64>,
    /// Logits.
    pub(super) advantage: f64,
    /// Natural logarithm.
    pub(super) log_likelihood: f64,
    /// The largest partial derivative left.
    pub(super) gradient: f64,
    /// Whether that is as small as it should be.
    pub(super) converged: bool,
    free: bool,
}

impl<'a> Problem<'a> {
    /// Takes the cells that lie inside groups, in their order.
    pub(super) fn new(cells: &[Cell], connectivity: &'a Connectivity) -> Self {
        let games: u64 = cells.iter().map(Cell::games).sum();
        let cells = cells
            .iter()
            .map(|cell| Term {
                south: cell.south.position(),
                north: cell.north.position(),
                south_points: cell.south_points(),
                north_points: cell.north_points(),
            })
            .collect();
        Self {
            cells,
            connectivity,
            entrants: connectivity.group_of.len(),
            gradient_goal: GRADIENT_GOAL + ROUNDING_PER_GAME * games as f64,
        }
    }

    /// Maximises, beginning at ratings 0 or at others (logits).
    ///
    /// A maximum must exist: always if the advantage is held, and if it is free where `separation`
    /// found it finite.
    pub(super) fn maximise(&self, advantage: Advantage, start: Option<Vec<f64>>) -> Fit {
        let mut ratings = start.unwrap_or_else(|| vec![0.0; self.entrants]);
        self.centre_groups(&mut ratings);
        let mut point = match advantage {
            Advantage::Free => self.point(ratings, 0.0, true),
            Advantage::Held(value) => self.point(ratings, value, false),
        };
        // Two more steps after the goal is reached cost little and leave only rounding.
        let mut polish = 2;
        for _ in 0..MOST_STEPS {
            if point.converged {
                if polish == 0 {
                    break;
                }
                polish -= 1;
            }
            match self.step(&point) {
                Some(next) if !point.converged || next.gradient < point.gradient => point = next,
                _ => break,
            }
        }
        point
    }

    /// The inverse of the information matrix at a maximum, in square logits, means of groups held
    /// at 0; the last row is the advantage's if it was free. `None` if rounding spoils it.
    pub(super) fn covariance(&self, fit: &Fit) -> Option<Symmetric> {
        let mut inverse = self.information(fit).factor(0.0)?.inverse();
        for members in &self.connectivity.groups {
            let (rows, share) = (
                members.iter().map(|m| m.position()),
                1.0 / members.len() as f64,
            );
            let rows: Vec<usize> = rows.collect();
            // The added direction is an eigenvector, so its part is the same in the whole block.
            let added = share
                * share
                * rows
                    .iter()
                    .flat_map(|&i| rows.iter().map(move |&j| (i, j)))
                    .fold(0.0, |sum, (i, j)| sum + inverse.at(i, j));
            for (index, &i) in rows.iter().enumerate() {
                for &j in &rows[..=index] {
                    inverse.add(i, j, -added);
                }
            }
        }
        Some(inverse)
    }

    /// One Newton step, halved until the likelihood does not fall. `None` if no step helps, which
    /// means that the maximum is as near as rounding lets it be.
    fn step(&self, point: &Fit) -> Option<Fit> {
        const MOST_HALVINGS: usize = 60;
        const ROUNDING: f64 = 1e-13;
        const LONGEST_STEP: f64 = 4.0;
        let gradient = self.gradient(&point.ratings, point.advantage, point.free);
        let mut direction = factor_with_ridge(&self.information(point))?.solve(&gradient);
        // Where the likelihood is nearly flat Newton's step is wild: keep it to what changes odds.
        let longest = direction
            .iter()
            .fold(LONGEST_STEP, |longest, d| d.abs().max(longest));
        for component in &mut direction {
            *component *= LONGEST_STEP / longest;
        }
        let floor = point.log_likelihood - ROUNDING * point.log_likelihood.abs();
        for _ in 0..MOST_HALVINGS {
            let mut ratings: Vec<f64> = point
                .ratings
                .iter()
                .zip(&direction)
                .map(|(rating, step)| rating + step)
                .collect();
            self.centre_groups(&mut ratings);
            let advantage = point.advantage
                + if point.free {
                    direction[self.entrants]
                } else {
                    0.0
                };
            let next = self.point(ratings, advantage, point.free);
            if next.log_likelihood >= floor {
                return Some(next);
            }
            for component in &mut direction {
                *component *= 0.5;
            }
        }
        None
    }

    fn point(&self, ratings: Vec<f64>, advantage: f64, free: bool) -> Fit {
        let gradient = self.gradient(&ratings, advantage, free);
        let gradient = gradient
            .iter()
            .fold(0.0, |largest: f64, g| largest.max(g.abs()));
        Fit {
            log_likelihood: self.log_likelihood(&ratings, advantage),
            ratings,
            advantage,
            gradient,
            converged: gradient < self.gradient_goal,
            free,
        }
    }

    fn log_likelihood(&self, ratings: &[f64], advantage: f64) -> f64 {
        self.cells
            .iter()
            .map(|cell| {
                let x = ratings[cell.south] - ratings[cell.north] + advantage;
                cell.south_points * log_sigmoid(x) + cell.north_points * log_sigmoid(-x)
            })
            .sum()
    }

    /// Partial derivatives: points taken minus points expected.
    fn gradient(&self, ratings: &[f64], advantage: f64, free: bool) -> Vec<f64> {
        let mut gradient = vec![0.0; self.entrants + usize::from(free)];
        for cell in &self.cells {
            let x = ratings[cell.south] - ratings[cell.north] + advantage;
            // Written so that a nearly certain result loses no digits.
            let surplus = cell.south_points * sigmoid(-x) - cell.north_points * sigmoid(x);
            gradient[cell.south] += surplus;
            gradient[cell.north] -= surplus;
            if free {
                gradient[self.entrants] += surplus;
            }
        }
        gradient
    }

    /// Minus the second derivatives, with the means of groups tied down.
    fn information(&self, fit: &Fit) -> Symmetric {
        let mut matrix = Symmetric::zero(self.entrants + usize::from(fit.free));
        for cell in &self.cells {
            let x = fit.ratings[cell.south] - fit.ratings[cell.north] + fit.advantage;
            let weight = (cell.south_points + cell.north_points) * sigmoid(x) * sigmoid(-x);
            matrix.add(cell.south, cell.south, weight);
            matrix.add(cell.north, cell.north, weight);
            matrix.add(cell.south, cell.north, -weight);
            if fit.free {
                matrix.add(self.entrants, self.entrants, weight);
                matrix.add(cell.south, self.entrants, weight);
                matrix.add(cell.north, self.entrants, -weight);
            }
        }
        for members in &self.connectivity.groups {
            let size = members.len() as f64;
            let trace: f64 = members
                .iter()
                .map(|m| matrix.at(m.position(), m.position()))
                .sum();
            // Of the size of the other eigenvalues, so that it does not spoil the condition.
            let tie = if trace > 0.0 {
                trace / (size * size)
            } else {
                1.0
            };
            for (index, row) in members.iter().enumerate() {
                for column in &members[..=index] {
                    matrix.add(row.position(), column.position(), tie);
                }
            }
        }
        matrix
    }

    fn centre_groups(&self, ratings: &mut [f64]) {
        for members in &self.connectivity.groups {
            let sum: f64 = members.iter().map(|m| ratings[m.position()]).sum();
            let mean = sum / members.len() as f64;
            for member in members {
                ratings[member.position()] -= mean;
            }
        }
    }
}

/// Factors a matrix that may be nearly singular far from the maximum: a growing ridge turns the
/// Newton step towards plain ascent (K. Levenberg 1944).
fn factor_with_ridge(matrix: &Symmetric) -> Option<Cholesky> {
    let scale = matrix.largest_diagonal();
    std::iter::once(0.0)
        .chain((0..12).map(|power| scale * 1e-12 * 10.0_f64.powi(power)))
        .find_map(|ridge| matrix.factor(ridge))
}
