//! The joint distribution of the ratings of a group.
//!
//! Each difference has an error of its own, by its own openings and degrees of freedom. The joint
//! distribution is the normal one whose differences have these errors: from their squares
//! `D_ij = (± / 1.96)²` the covariance is `−½ J D J`, J taking out the mean (W. S. Torgerson 1952).
//! Errors that were estimated one by one may fit no distribution; then every variance is made a
//! little larger until they do. A difference of which nothing is known gets an error beyond all
//! that bots differ by.

use super::random::Normal;
use crate::stats::elo::{ELO_PER_LOGIT, NORMAL_95};
use crate::stats::matrix::{Cholesky, Symmetric};
use crate::stats::rating::Ratings;

/// Standard error of an unknown difference, logits.
const UNKNOWN: f64 = 2000.0 / ELO_PER_LOGIT;

/// The ratings of a group's members, their mean being 0.
pub(super) struct Joint {
    /// Of the members, square logits.
    pub(super) covariance: Symmetric,
    /// Of the covariance, with something of the mean in it, which no difference sees.
    factor: Cholesky,
    /// One over the standard error of each known difference; 0 elsewhere.
    precision: Symmetric,
}

impl Joint {
    /// `None` for a group of one, and where no error is known.
    pub(super) fn of_group(ratings: &Ratings, group: usize) -> Option<Self> {
        let members = &ratings.connectivity.groups[group];
        let size = members.len();
        let mut squares = Symmetric::zero(size);
        let mut precision = Symmetric::zero(size);
        for row in 1..size {
            for column in 0..row {
                let known = ratings.precision(members[row], members[column]);
                let error = known.map(|known| known.half_width / NORMAL_95);
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
            precision,
        })
    }

    /// Errors of all ratings at once, logits; only their differences mean something.
    pub(super) fn errors(&self, normal: &mut Normal) -> Vec<f64> {
        self.factor.spread(&normal.vector(self.covariance.size()))
    }

    /// The 95 % point of the largest difference in its standard errors, over so many tables.
    pub(super) fn largest(&self, tables: usize, normal: &mut Normal) -> f64 {
        let size = self.covariance.size();
        let mut largest: Vec<f64> = (0..tables)
            .map(|_| {
                let errors = self.errors(normal);
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
        // One difference alone is what it was: the draws know it less well than the formula.
        if size == 2 {
            return NORMAL_95;
        }
        largest[(tables * 95).div_ceil(100) - 1].max(NORMAL_95)
    }
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
