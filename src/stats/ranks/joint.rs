//! The joint distribution of the ratings of a group.
//!
//! Each difference has an error of its own, by its own openings and degrees of freedom. The joint
//! distribution is the normal one whose differences have these errors: from their squares
//! `D_ij = (± / 1.96)²` the covariance is `−½ J D J`, J taking out the mean (W. S. Torgerson 1952).
//! For two or three entrants it is Student's t with the middle one of their degrees of freedom, so
//! that the better of two is so with the probability that the likelihood of superiority says.
//! Errors that were estimated one by one may fit no distribution; then every variance is made a
//! little larger until they do. A difference of which nothing is known gets an error beyond all
//! that bots differ by.

use super::random::Normal;
use crate::stats::elo::ELO_PER_LOGIT;
use crate::stats::matrix::{Cholesky, Symmetric};
use crate::stats::ratings::Ratings;
use crate::stats::uncertainty::quantile;

/// Standard error of an unknown difference, logits.
const UNKNOWN: f64 = 2000.0 / ELO_PER_LOGIT;

/// The ratings of a group's members, their mean being 0.
pub struct Joint {
    /// Of the members, square logits.
    pub covariance: Symmetric,
    /// Of the covariance, with something of the mean in it, which no difference sees.
    factor: Cholesky,
    /// Of Student's t; infinite for the normal distribution.
    freedom: f64,
    /// The middle one of the degrees of freedom of all differences.
    middle_freedom: f64,
    /// One over the standard error of each known difference; 0 elsewhere.
    precision: Symmetric,
}

impl Joint {
    /// `None` for a group of one, and where no error is known.
    pub fn of_group(ratings: &Ratings, group: usize) -> Option<Self> {
        let members = &ratings.connectivity.groups[group];
        let size = members.len();
        let known = |row: usize, column: usize| ratings.precision(members[row], members[column]);
        let pairs = (1..size).flat_map(|row| (0..row).map(move |column| (row, column)));
        let middle = middle(pairs.filter_map(|(row, column)| Some(known(row, column)?.freedom)));
        let freedom = if size < LEAST_ENTRANTS {
            middle
        } else {
            f64::INFINITY
        };
        let mut squares = Symmetric::zero(size);
        let mut precision = Symmetric::zero(size);
        for row in 1..size {
            for column in 0..row {
                let half_width = known(row, column).map(|known| known.half_width);
                let error = half_width.map(|half_width| half_width / quantile(freedom));
                squares.add(row, column, error.unwrap_or(UNKNOWN).powi(2));
                // Between anchors nothing is uncertain.
                let inverse = error.filter(|&error| error > 0.0).map(f64::recip);
                precision.add(row, column, inverse.unwrap_or(0.0));
            }
        }
        if (0..size).all(|row| precision.row(row).iter().all(|&it| it == 0.0)) {
            return None;
        }
        let (covariance, factor) = positive(&double_centred(&squares))?;
        Some(Self {
            covariance,
            factor,
            freedom,
            middle_freedom: middle,
            precision,
        })
    }

    /// Errors of all ratings at once, logits; only their differences mean something.
    pub fn errors(&self, normal: &mut Normal) -> Vec<f64> {
        self.errors_of(self.freedom, normal)
    }

    /// The same with other degrees of freedom.
    fn errors_of(&self, freedom: f64, normal: &mut Normal) -> Vec<f64> {
        let mut errors = self.factor.spread(&normal.vector(self.covariance.size()));
        if freedom.is_finite() {
            let scale = (freedom / normal.chi_squared(freedom)).sqrt();
            for error in &mut errors {
                *error *= scale;
            }
        }
        errors
    }

    /// How many times as wide intervals of all differences are, to hold at once, as those of single
    /// ones: by the 95 % point of the largest of them in its standard errors, over so many tables.
    /// They are drawn from Student's t in a group of any size: the fewer openings make an error,
    /// the more often one of many is off by far.
    pub fn widening(&self, tables: usize, normal: &mut Normal) -> f64 {
        let size = self.covariance.size();
        // One difference is what it was: the draws know it less well than the formula.
        if size == 2 {
            return 1.0;
        }
        let mut largest: Vec<f64> = (0..tables)
            .map(|_| {
                let errors = self.errors_of(self.middle_freedom, normal);
                let of_row = |row: usize| {
                    let here = errors[row];
                    let others = errors[..row].iter().zip(self.precision.row(row));
                    let each = others.map(|(other, precision)| (here - other).abs() * precision);
                    each.fold(0.0, f64::max)
                };
                (1..size).map(of_row).fold(0.0, f64::max)
            })
            .collect();
        largest.sort_unstable_by(f64::total_cmp);
        let point = largest[(tables * 95).div_ceil(100) - 1];
        (point / quantile(self.middle_freedom)).max(1.0)
    }
}

/// The middle one of some numbers; infinity without any.
fn middle(numbers: impl Iterator<Item = f64>) -> f64 {
    let mut numbers: Vec<f64> = numbers.collect();
    numbers.sort_unstable_by(f64::total_cmp);
    numbers
        .get(numbers.len() / 2)
        .copied()
        .unwrap_or(f64::INFINITY)
}

/// `−½ J D J`.
fn double_centred(squares: &Symmetric) -> Symmetric {
    let size = squares.size();
    let means: Vec<f64> = (0..size)
        .map(|row| squares.row(row).iter().sum::<f64>() / size as f64)
        .collect();
    let mean = means.iter().sum::<f64>() / size as f64;
    let mut centred = Symmetric::zero(size);
    for row in 0..size {
        for column in 0..=row {
            let value = squares.at(row, column) - means[row] - means[column] + mean;
            centred.add(row, column, -0.5 * value);
        }
    }
    centred
}

/// The matrix with as much added to its diagonal as makes it a covariance, and its factor.
fn positive(centred: &Symmetric) -> Option<(Symmetric, Cholesky)> {
    let size = centred.size();
    let scale = centred.largest_diagonal();
    let with_mean = centred.plus_all(scale);
    let ridges = (0..60).map(|step| scale * 1e-9 * 2.0_f64.powi(step));
    ridges.into_iter().find_map(|ridge| {
        let factor = with_mean.factor(ridge)?;
        let mut covariance = centred.clone();
        for row in 0..size {
            covariance.add(row, row, ridge);
        }
        Some((covariance, factor))
    })
}

/// Fewer entrants say nothing of the spread of strengths.
pub const LEAST_ENTRANTS: usize = 4;
