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
    terms: Vec<Term>,
    layout: &'a RatingLayout,
    gradient_goal: f64,
}

/// One cell as numbers.
#[derive(Clone, Copy, Debug)]
pub struct Term {
    pub south: usize,
    pub north: usize,
    /// Points that South took.
    pub south_points: f64,
    /// Points that North took.
    pub north_points: f64,
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
    /// Partial derivatives: of all free ratings, then of the advantage.
    derivatives: (Vec<f64>, f64),
}

impl Term {
    /// A cell as it is.
    pub fn of(cell: &Cell) -> Self {
        Self {
            south: cell.south.position(),
            north: cell.north.position(),
            south_points: cell.south_points(),
            north_points: cell.north_points(),
        }
    }

    /// The same with every game counted this many times.
    pub fn times(self, weight: f64) -> Self {
        Self {
            south_points: self.south_points * weight,
            north_points: self.north_points * weight,
            ..self
        }
    }
}

impl<'a> Problem<'a> {
    /// Takes the cells that lie inside groups, in their order.
    pub fn new(terms: Vec<Term>, layout: &'a RatingLayout) -> Self {
        let games: f64 = terms
            .iter()
            .map(|term| term.south_points + term.north_points)
            .sum();
        Self {
            terms,
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
    pub fn climb(&self, mut point: Fit) -> Fit {
        for _ in 0..MOST_STEPS {
            if point.converged {
                break;
            }
            let information = self.information(&point);
            let Some(factors) = information.factor_with_ridge(self.layout) else {
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
    pub fn step(&self, point: &Fit, factors: &Factors) -> Option<Fit> {
        const MOST_HALVINGS: usize = 60;
        const ROUNDING: f64 = 1e-13;
        const LONGEST_STEP: f64 = 4.0;
        let (derivatives, of_advantage) = &point.derivatives;
        let (mut direction, mut towards) = factors.solve(self.layout, derivatives, *of_advantage);
        // Where the likelihood is nearly flat Newton's step is wild: keep it to what changes odds.
        let longest = direction
            .iter()
            .chain([&towards])
            .fold(LONGEST_STEP, |longest, d| d.abs().max(longest));
        for d in &mut direction {
            *d *= LONGEST_STEP / longest;
        }
        towards *= LONGEST_STEP / longest;
        let floor = point.log_likelihood - ROUNDING * point.log_likelihood.abs();
        for _ in 0..MOST_HALVINGS {
            let mut ratings = point.ratings.clone();
            for block in &self.layout.blocks {
                for (&member, step) in block.members.iter().zip(&direction[block.range()]) {
                    ratings[member] += step;
                }
            }
            self.layout.settle(&mut ratings);
            let next = self.point(ratings, point.advantage + towards, point.free);
            if next.log_likelihood >= floor {
                return Some(next);
            }
            for d in &mut direction {
                *d *= 0.5;
            }
            towards *= 0.5;
        }
        None
    }

    /// A point with everything that is known of it.
    pub fn point(&self, ratings: Vec<f64>, advantage: f64, free: bool) -> Fit {
        let mut surpluses = vec![0.0; ratings.len()];
        let (mut log_likelihood, mut all) = (0.0, 0.0);
        for term in &self.terms {
            let x = ratings[term.south] - ratings[term.north] + advantage;
            // Written so that a nearly certain result loses no digits.
            let surplus = term.south_points * sigmoid(-x) - term.north_points * sigmoid(x);
            surpluses[term.south] += surplus;
            surpluses[term.north] -= surplus;
            all += surplus;
            log_likelihood +=
                term.south_points * log_sigmoid(x) + term.north_points * log_sigmoid(-x);
        }
        let members = self.layout.blocks.iter().flat_map(|block| &block.members);
        let of_ratings: Vec<f64> = members.map(|&member| surpluses[member]).collect();
        let of_advantage = if free { all } else { 0.0 };
        let gradient = of_ratings
            .iter()
            .fold(of_advantage.abs(), |largest, g| largest.max(g.abs()));
        Fit {
            log_likelihood,
            ratings,
            advantage,
            gradient,
            converged: gradient < self.gradient_goal,
            free,
            derivatives: (of_ratings, of_advantage),
        }
    }

    /// Minus the second derivatives.
    pub fn information(&self, fit: &Fit) -> Information {
        self.information_by(self.layout, fit)
    }

    /// The same for a layout that is to be solved in another way.
    pub fn information_by(&self, layout: &RatingLayout, fit: &Fit) -> Information {
        let mut information = Information::none(layout, fit.free);
        for term in &self.terms {
            let weight = (term.south_points + term.north_points) * fit.variance(term);
            information.add(layout, term.south, term.north, weight);
        }
        information
    }

    /// The cells.
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }
}

impl Fit {
    /// South's lead in logits.
    pub fn lead(&self, south: usize, north: usize) -> f64 {
        self.ratings[south] - self.ratings[north] + self.advantage
    }

    /// The variance of a game's result that is won or lost, as the model has it, in square points.
    pub fn variance(&self, term: &Term) -> f64 {
        let x = self.lead(term.south, term.north);
        sigmoid(x) * sigmoid(-x)
    }
}
