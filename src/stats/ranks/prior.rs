//! A group's ratings as they may be: what its games say, seen before what all its ratings say.
//!
//! The strengths r of the members are drawn from a normal distribution with the standard deviation
//! τ about an unknown mean; the fit gives `r̂ = r + e`, e by the joint distribution, its
//! covariance Σ. Over the differences, with `V = Σ + τ²`,
//!
//! ```text
//!   weight of τ    |V|^−½ exp(−½ r̂ᵀ V⁻¹ r̂), on a grid of τ with equal weight before
//!   a draw         r₀ + τ² V⁻¹ (r̂ − r₀ − e₀), with r₀ and e₀ drawn from what is assumed
//! ```
//!
//! which has the mean and the covariance of r given r̂ (Y. Hoffman and E. Ribak 1991).
//!
//! Where anchors give differences these are what they are in every table, and nothing is taken from
//! the spread: it is that of the anchors' choice.

use super::joint::Joint;
use super::random::Normal;
use crate::stats::matrix::{Cholesky, Symmetric};
use crate::stats::ranks::joint::LEAST_ENTRANTS;
use crate::stats::ratings::Ratings;

/// Values of τ that are looked at, each a fifth above the last.
const GRID: i32 = 40;

/// The ratings of a group, to be drawn.
pub struct Posterior {
    members: Vec<usize>,
    /// Of the members, logits, their mean being 0.
    estimates: Vec<f64>,
    /// `None` for a group of one.
    joint: Option<Joint>,
    /// Of each member whether anchors give its rating.
    held: Vec<bool>,
    /// With the number of tables up to and with each; none if ratings are taken as they are.
    spreads: Vec<(usize, StrengthPosterior)>,
}

/// What strengths are drawn from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Population {
    /// Logits.
    pub mean: f64,
    /// Logits.
    pub deviation: f64,
}

/// What strengths are if they have a known spread.
struct StrengthPosterior {
    /// τ, logits.
    deviation: f64,
    /// Of V, with something of the mean in it.
    factor: Cholesky,
}

impl Posterior {
    /// Of a group of which this many tables will be drawn.
    pub fn new(ratings: &Ratings, group: usize, joint: Option<Joint>, tables: usize) -> Self {
        let members: Vec<usize> = ratings.connectivity.groups[group]
            .iter()
            .map(|it| it.position())
            .collect();
        let logits = || members.iter().map(|&member| ratings.logits[member]);
        let mean = logits().sum::<f64>() / members.len() as f64;
        let estimates: Vec<f64> = logits().map(|it| it - mean).collect();
        let held = held(ratings, &members);
        let spreads = match &joint {
            Some(joint) if members.len() >= LEAST_ENTRANTS && !held.contains(&true) => {
                spreads(joint, &estimates, tables)
            }
            _ => Vec::new(),
        };
        Self {
            members,
            estimates,
            joint,
            held,
            spreads,
        }
    }

    /// Draws the members' strengths inside the group, for the table of this number. Returns what
    /// they are drawn from, if anything.
    pub fn draw(
        &self,
        table: usize,
        normal: &mut Normal,
        strengths: &mut [f64],
    ) -> Option<Population> {
        let spread = self.spreads.iter().find(|(up_to, _)| table < *up_to);
        let spread = spread.map(|(_, spread)| spread);
        let mut drawn = match &self.joint {
            None => self.estimates.clone(),
            Some(joint) => {
                let errors = joint.errors(normal);
                match spread {
                    Some(spread) => spread.draw(&self.estimates, &errors, normal),
                    None => added(&self.estimates, &errors),
                }
            }
        };
        self.hold(&mut drawn);
        for (&member, strength) in self.members.iter().zip(drawn) {
            strengths[member] = strength;
        }
        let members = self.members.iter();
        let mean = members.map(|&it| strengths[it]).sum::<f64>() / self.members.len() as f64;
        spread.map(|spread| Population {
            mean,
            deviation: spread.deviation,
        })
    }

    /// Puts those whom anchors hold at their values, and moves the others with them.
    fn hold(&self, drawn: &mut [f64]) {
        let held = || (0..drawn.len()).filter(|&row| self.held[row]);
        let count = held().count();
        if count == 0 {
            return;
        }
        let off: f64 = held().map(|row| drawn[row] - self.estimates[row]).sum();
        let off = off / count as f64;
        for (row, value) in drawn.iter_mut().enumerate() {
            if self.held[row] {
                *value = self.estimates[row];
            } else {
                *value -= off;
            }
        }
    }
}

impl StrengthPosterior {
    fn draw(&self, estimates: &[f64], errors: &[f64], normal: &mut Normal) -> Vec<f64> {
        let assumed: Vec<f64> = errors
            .iter()
            .map(|_| self.deviation * normal.next())
            .collect();
        let mut missed: Vec<f64> = estimates
            .iter()
            .zip(&assumed)
            .zip(errors)
            .map(|((estimate, assumed), error)| estimate - assumed - error)
            .collect();
        // The mean belongs to no entrant.
        let mean = missed.iter().sum::<f64>() / missed.len() as f64;
        for value in &mut missed {
            *value -= mean;
        }
        let pulled = self.factor.solve(&missed);
        let weight = self.deviation * self.deviation;
        assumed
            .iter()
            .zip(pulled)
            .map(|(assumed, pulled)| assumed + weight * pulled)
            .collect()
    }
}

/// Whether anchors give the rating of each member, beside that of another: one anchor alone gives
/// no difference.
fn held(ratings: &Ratings, members: &[usize]) -> Vec<bool> {
    let is_given = |&it: &usize| {
        ratings.ratings[it]
            .error95
            .is_some_and(|error| error <= 0.0)
    };
    let held: Vec<bool> = members.iter().map(is_given).collect();
    if held.iter().filter(|&&held| held).count() < 2 {
        return vec![false; members.len()];
    }
    held
}

fn added(one: &[f64], other: &[f64]) -> Vec<f64> {
    one.iter().zip(other).map(|(a, b)| a + b).collect()
}

/// A grid of τ, each with its part of the tables.
fn spreads(joint: &Joint, estimates: &[f64], tables: usize) -> Vec<(usize, StrengthPosterior)> {
    let size = estimates.len() as f64;
    let squares: f64 = estimates.iter().map(|it| it * it).sum();
    let variance: f64 = (0..estimates.len())
        .map(|row| joint.covariance.at(row, row))
        .sum();
    // From next to nothing to twice what is seen with all its errors.
    let largest = 4.0 * ((squares + variance) / (size - 1.0)).sqrt();
    let deviations = (0..GRID).map(|step| largest * 1.2_f64.powi(step - GRID + 1));
    let weighed: Vec<(f64, StrengthPosterior)> = deviations
        .filter_map(|deviation| weighed(joint, estimates, deviation))
        .collect();
    let most = weighed
        .iter()
        .map(|it| it.0)
        .fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = weighed.iter().map(|it| (it.0 - most).exp()).collect();
    let sum: f64 = weights.iter().sum();
    let mut before = 0.0;
    let mut shares = Vec::with_capacity(weighed.len());
    for (weight, (_, spread)) in weights.iter().zip(weighed) {
        before += weight / sum;
        shares.push((rounded(before * tables as f64), spread));
    }
    if let Some(last) = shares.last_mut() {
        last.0 = tables;
    }
    shares
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a number of tables"
)]
fn rounded(tables: f64) -> usize {
    tables.round() as usize
}

/// The logarithm of the weight of τ, and what strengths then are.
fn weighed(joint: &Joint, estimates: &[f64], deviation: f64) -> Option<(f64, StrengthPosterior)> {
    let mut whole: Symmetric = joint.covariance.clone();
    let size = estimates.len();
    let variance = deviation * deviation;
    for row in 0..size {
        whole.add(row, row, variance);
    }
    // The mean, which Σ leaves out, must not decide anything: it is given a weight of its own.
    let mean = whole.largest_diagonal();
    let factor = whole.plus_all(mean).factor(0.0)?;
    let pulled = factor.solve(estimates);
    let square: f64 = pulled.iter().zip(estimates).map(|(p, r)| p * r).sum();
    let of_mean = mean_eigenvalue(&whole) + mean * size as f64;
    let volume = factor.log_determinant() - of_mean.ln();
    // Equal steps of the logarithm of τ: each stands for a range as wide as τ.
    let weight = deviation.ln() - 0.5 * volume - 0.5 * square;
    let spread = StrengthPosterior { deviation, factor };
    Some((weight, spread))
}

/// 1ᵀV1 / 1ᵀ1: the vector of ones is an eigenvector of V, since Σ has its mean taken out.
fn mean_eigenvalue(whole: &Symmetric) -> f64 {
    let size = whole.size();
    let sum: f64 = (0..size)
        .map(|row| whole.row(row).iter().sum::<f64>())
        .sum();
    sum / size as f64
}
