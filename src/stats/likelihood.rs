//! The joint log-likelihood of all games inside groups, and its maximum by Newton's method.
//!
//! With ratings `r` and advantage `a` in logits, a cell of N games in which South took S points
//! adds `S ln σ(x) + (N − S) ln σ(−x)`, `x = r_south − r_north + a`, σ the logistic function. The
//! sum is concave. Which ratings are free, held, or known up to their mean says [`super::layout`].

use super::elo::{log_sigmoid, sigmoid};
use super::information::{Factors, Information};
use super::layout::RatingLayout;
use super::tally::Cell;

/// Newton stops where no partial derivative (points per logit) exceeds this …
const GRADIENT_GOAL: f64 = 1e-10;
/// … plus this for every game: what rounding leaves of sums over many games.
const ROUNDING_PER_GAME: f64 = 1e-15;
/// Newton needs about ten steps, and one for each logit of a very lopsided pairing.
const MOST_STEPS: usize = 500;

/// How the first-move advantage enters a fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AdvantageModel {
    /// Estimated with the ratings.
    Free,
    /// Known: this many logits.
    Held(f64),
}

/// The games inside groups, ready to be fitted.
#[derive(Clone, Debug)]
pub struct Problem<'a> {
    cells: Vec<Cell>,
    layout: &'a RatingLayout,
    gradient_goal: f64,
}

/// A point of a likelihood, mostly its maximum.
#[derive(Clone, Debug)]
pub struct Fit {
    /// Logits of each entrant; the mean of each group is 0 unless some of it are held.
    pub ratings: Vec<f64>,
    /// Logits.
    pub advantage: f64,
    /// Natural logarithm.
    pub log_likelihood: f64,
    /// The largest partial derivative left.
    pub gradient: f64,
    /// Whether that is as small as it should be.
    pub converged: bool,
    /// Whether the advantage was estimated.
    pub free: bool,
    /// Partial derivatives: of all free ratings, then of the advantage if it was estimated.
    derivatives: Vec<f64>,
}

impl<'a> Problem<'a> {
    /// Takes the cells that lie inside groups, in their order.
    pub fn new(cells: Vec<Cell>, layout: &'a RatingLayout) -> Self {
        let games: f64 = cells.iter().map(Cell::points).sum();
        Self {
            cells,
            layout,
            gradient_goal: GRADIENT_GOAL + ROUNDING_PER_GAME * games,
        }
    }

    /// Maximises, beginning where all are equal or at other ratings (logits).
    ///
    /// A maximum must exist: always if the advantage is held, and if it is free where `separation`
    /// found it finite.
    pub fn maximise(&self, advantage: AdvantageModel, start: Option<Vec<f64>>) -> Fit {
        let mut ratings = start.unwrap_or_else(|| self.layout.start());
        self.layout.settle(&mut ratings);
        let start = match advantage {
            AdvantageModel::Free => self.point(ratings, 0.0, true),
            AdvantageModel::Held(value) => self.point(ratings, value, false),
        };
        self.climb(start)
    }

    /// Newton's method from a point.
    fn climb(&self, mut point: Fit) -> Fit {
        for _ in 0..MOST_STEPS {
            if point.converged {
                break;
            }
            let information = self.information(&point);
            let Some(factors) = information.factor_with_ridge() else {
                break;
            };
            let Some(next) = self.step(&point, &factors) else {
                break;
            };
            point = next;
            if point.converged {
                return self.polish(point, &factors);
            }
        }
        point
    }

    /// Two more steps after the goal is reached cost little and leave only rounding. The matrix of
    /// the last step is near enough for them.
    fn polish(&self, mut point: Fit, factors: &Factors) -> Fit {
        for _ in 0..2 {
            match self.step(&point, factors) {
                Some(next) if next.gradient < point.gradient => point = next,
                _ => break,
            }
        }
        point
    }

    /// One step with a given matrix, halved until the likelihood does not fall. `None` if no step
    /// helps, which means that the maximum is as near as rounding lets it be.
    fn step(&self, point: &Fit, factors: &Factors) -> Option<Fit> {
        const MOST_HALVINGS: usize = 60;
        const ROUNDING: f64 = 1e-13;
        const LONGEST_STEP: f64 = 4.0;
        let mut direction = factors.solve(&point.derivatives);
        // Where the likelihood is nearly flat Newton's step is wild: keep it to what changes odds.
        let longest = direction
            .iter()
            .fold(LONGEST_STEP, |most, d| d.abs().max(most));
        for d in &mut direction {
            *d *= LONGEST_STEP / longest;
        }
        let floor = point.log_likelihood - ROUNDING * point.log_likelihood.abs();
        for _ in 0..MOST_HALVINGS {
            let mut ratings = point.ratings.clone();
            for block in &self.layout.blocks {
                for (&member, step) in block.members.iter().zip(&direction[block.range()]) {
                    ratings[member] += step;
                }
            }
            self.layout.settle(&mut ratings);
            let towards = if point.free {
                direction[self.layout.size]
            } else {
                0.0
            };
            let next = self.point(ratings, point.advantage + towards, point.free);
            if next.log_likelihood >= floor {
                return Some(next);
            }
            for d in &mut direction {
                *d *= 0.5;
            }
        }
        None
    }

    /// A point with its likelihood and derivatives.
    fn point(&self, ratings: Vec<f64>, advantage: f64, free: bool) -> Fit {
        let mut surpluses = vec![0.0; ratings.len()];
        let (mut log_likelihood, mut all) = (0.0, 0.0);
        for cell in &self.cells {
            let (south, north) = (cell.south.position(), cell.north.position());
            let (south_points, north_points) = (cell.south_points(), cell.north_points());
            let x = ratings[south] - ratings[north] + advantage;
            // Written so that a nearly certain result loses no digits.
            let surplus = south_points * sigmoid(-x) - north_points * sigmoid(x);
            surpluses[south] += surplus;
            surpluses[north] -= surplus;
            all += surplus;
            log_likelihood += south_points * log_sigmoid(x) + north_points * log_sigmoid(-x);
        }
        let members = self.layout.blocks.iter().flat_map(|block| &block.members);
        let of_ratings = members.map(|&member| surpluses[member]);
        let derivatives: Vec<f64> = of_ratings.chain(free.then_some(all)).collect();
        let gradient = derivatives
            .iter()
            .fold(0.0_f64, |most, g| most.max(g.abs()));
        Fit {
            log_likelihood,
            ratings,
            advantage,
            gradient,
            converged: gradient < self.gradient_goal,
            free,
            derivatives,
        }
    }

    /// Minus the second derivatives.
    pub fn information(&self, fit: &Fit) -> Information<'a> {
        let mut information = Information::none(self.layout, fit.free);
        for cell in &self.cells {
            let (south, north) = (cell.south.position(), cell.north.position());
            information.add(south, north, cell.points() * fit.variance(south, north));
        }
        information
    }

    /// The layout of the free numbers.
    pub fn layout(&self) -> &'a RatingLayout {
        self.layout
    }

    /// The cells.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }
}

impl Fit {
    /// South's lead in logits.
    pub fn lead(&self, south: usize, north: usize) -> f64 {
        self.ratings[south] - self.ratings[north] + self.advantage
    }

    /// The variance of a game's result that is won or lost, as the model has it, in square points.
    pub fn variance(&self, south: usize, north: usize) -> f64 {
        let x = self.lead(south, north);
        sigmoid(x) * sigmoid(-x)
    }
}
