//! Errors by resampling: all openings are drawn again at random with replacement, and rated again.
//!
//! What is drawn are whole clusters (see [`super::clusters`]), each with all its copies, G draws of
//! the G different ones that have games inside a group. The scatter of
//! what the resamples gave, about their mean, stands in place of the sandwich's, and `uncertainty`
//! makes intervals of either in the same way.
//!
//! In a resample an entrant may win every game, and no finite rating would fit. Therefore every
//! resample also contains the whole tournament once, every game with the weight 1/G: one cluster
//! more, and an average one. The likelihood then has a maximum wherever that of all games has.
//!
//! Clusters are drawn by their number in an order of their contents, from `ChaCha` with 8 rounds:
//! the same games and seed give the same errors in any order of the games and on any machine.
//! Entrants numbered in another order are another order of contents: their errors then differ as
//! those of another seed would. The sandwich has no such whim.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};

use super::clusters::ClusterKind;
use super::errors::Covariance;
use super::information::Factors;
use super::layout::RatingLayout;
use super::likelihood::{Fit, Problem, Term};
use super::matrix::Symmetric;
use super::sparse::Number;
use crate::stats::game::Outcome;

/// What is fitted again.
pub struct Resampling<'a> {
    pub problem: &'a Problem<'a>,
    pub layout: &'a RatingLayout,
    /// The fit to all games.
    pub fit: &'a Fit,
    /// The factors of its information matrix.
    pub factors: &'a Factors,
    /// Clusters inside groups.
    pub kinds: &'a [ClusterKind],
}

/// The covariance of what this many resamples give.
pub fn resampled(what: &Resampling<'_>, seed: u64, resamples: u32) -> Covariance {
    let mut scatter = Deviations::none(what.layout);
    draw_again(what, seed, resamples, |fit| scatter.add(what, fit));
    scatter.covariance()
}

/// The variances of some numbers in the same resamples.
pub fn resampled_each(
    what: &Resampling<'_>,
    seed: u64,
    resamples: u32,
    numbers: &[Number],
) -> Vec<f64> {
    let mut sums = vec![(0.0, 0.0); numbers.len()];
    let mut count = 0.0;
    draw_again(what, seed, resamples, |fit| {
        count += 1.0;
        for ((sum, squares), number) in sums.iter_mut().zip(numbers) {
            let moved = |entrant: usize| fit.ratings[entrant] - what.fit.ratings[entrant];
            let change = match *number {
                Number::Rating(upper, lower) => moved(upper) - lower.map_or(0.0, moved),
                Number::Advantage => fit.advantage - what.fit.advantage,
            };
            *sum += change;
            *squares += change * change;
        }
    });
    let variance = |(sum, squares): (f64, f64)| (squares - sum * sum / count) / (count - 1.0);
    sums.into_iter().map(variance).collect()
}

/// Shows the fit to each of this many resamples.
fn draw_again(what: &Resampling<'_>, seed: u64, resamples: u32, mut show: impl FnMut(&Fit)) {
    let draws = Draws::new(what);
    let mut source = ChaCha8Rng::seed_from_u64(seed);
    for _ in 0..resamples.max(2) {
        let terms = draws.draw(what.problem.terms(), &mut source);
        let problem = Problem::new(terms, what.layout);
        show(&fit_near(&problem, what));
    }
}

/// The maximum of a likelihood that is not far from that of all games: with the matrix of all games
/// as long as that is good enough, which saves making another, then by Newton's method proper.
fn fit_near(problem: &Problem<'_>, what: &Resampling<'_>) -> Fit {
    const MOST_STEPS: usize = 40;
    const GOOD_ENOUGH: f64 = 0.4;
    let all = what.fit;
    let mut point = problem.point(all.ratings.clone(), all.advantage, all.free);
    for _ in 0..MOST_STEPS {
        if point.converged {
            return point;
        }
        match problem.step(&point, what.factors) {
            Some(next) if next.gradient < GOOD_ENOUGH * point.gradient => point = next,
            _ => break,
        }
    }
    problem.climb(point)
}

/// Clusters, ready to be drawn.
struct Draws {
    /// The kind of each cluster.
    kinds: Vec<u32>,
    /// For each kind, and each of its cells: which cell, South's and North's points.
    changes: Vec<Vec<(usize, f64, f64)>>,
}

impl Draws {
    fn new(what: &Resampling<'_>) -> Self {
        let terms = what.problem.terms();
        let mut kinds = Vec::new();
        let mut changes = Vec::with_capacity(what.kinds.len());
        for (number, kind) in (0..).zip(what.kinds) {
            let distinct = usize::try_from(kind.distinct).expect("fewer clusters than bytes");
            kinds.resize(kinds.len() + distinct, number);
            let mut change: Vec<(usize, f64, f64)> = Vec::new();
            for &(result, games) in &kind.results {
                let sides = (result.south.position(), result.north.position());
                // Terms are in the order of cells: by South, then by North.
                let cell = terms
                    .binary_search_by_key(&sides, |term| (term.south, term.north))
                    .expect("a cluster inside groups has its cells there");
                let games = (games * kind.copies) as f64;
                let south = games
                    * match result.outcome {
                        Outcome::SouthWins => 1.0,
                        Outcome::Draw => 0.5,
                        Outcome::NorthWins => 0.0,
                    };
                change.push((cell, south, games - south));
            }
            changes.push(change);
        }
        Self { kinds, changes }
    }

    /// As many clusters as there are, and all games once with the weight of one.
    fn draw(&self, all: &[Term], source: &mut ChaCha8Rng) -> Vec<Term> {
        let clusters = self.kinds.len();
        let mut terms: Vec<Term> = all
            .iter()
            .map(|term| term.times(1.0 / clusters as f64))
            .collect();
        let mut counts = vec![0_u32; self.changes.len()];
        for _ in 0..clusters {
            // The upper half of the product is an even number below `clusters`, but for 2^−64.
            let drawn = (u128::from(source.next_u64()) * clusters as u128) >> 64;
            let drawn = usize::try_from(drawn).expect("below the number of clusters");
            counts[self.kinds[drawn] as usize] += 1;
        }
        for (change, &count) in self.changes.iter().zip(&counts) {
            for &(cell, south, north) in change {
                terms[cell].south_points += f64::from(count) * south;
                terms[cell].north_points += f64::from(count) * north;
            }
        }
        terms
    }
}

/// Sums of deviations from the fit to all games, and of their products.
struct Deviations {
    count: f64,
    sums: Vec<f64>,
    products: Vec<Symmetric>,
    /// Of the advantage: sum, and sum of squares.
    advantage: (f64, f64),
    starts: Vec<usize>,
}

impl Deviations {
    fn none(layout: &RatingLayout) -> Self {
        let blocks = layout.blocks.iter();
        Self {
            count: 0.0,
            sums: vec![0.0; layout.size],
            products: blocks
                .clone()
                .map(|b| Symmetric::zero(b.members.len()))
                .collect(),
            advantage: (0.0, 0.0),
            starts: blocks.map(|block| block.start).collect(),
        }
    }

    fn add(&mut self, what: &Resampling<'_>, fit: &Fit) {
        self.count += 1.0;
        for (block, products) in what.layout.blocks.iter().zip(&mut self.products) {
            let members = block.members.iter();
            let moved: Vec<f64> = members
                .map(|&member| fit.ratings[member] - what.fit.ratings[member])
                .collect();
            for (row, &change) in moved.iter().enumerate() {
                self.sums[block.start + row] += change;
                for (column, &other) in moved[..=row].iter().enumerate() {
                    products.add(row, column, change * other);
                }
            }
        }
        let change = fit.advantage - what.fit.advantage;
        self.advantage.0 += change;
        self.advantage.1 += change * change;
    }

    fn covariance(mut self) -> Covariance {
        for (products, &start) in self.products.iter_mut().zip(&self.starts) {
            for row in 0..products.size() {
                for column in 0..=row {
                    let product = self.sums[start + row] * self.sums[start + column];
                    products.add(row, column, -product / self.count);
                }
            }
        }
        let (sum, squares) = self.advantage;
        let covariance = Covariance {
            blocks: self.products,
            advantage: squares - sum * sum / self.count,
        };
        covariance.times(1.0 / (self.count - 1.0))
    }
}
