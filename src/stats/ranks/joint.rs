//! The errors of all differences of a group at once.
//!
//! How they go together is what the model says: two differences of one entrant share its error. The
//! size of each error, and its degrees of freedom, come from its own openings; here errors are
//! counted in half widths of intervals. All of a draw share one scale, that of Student's t with the
//! middle one of the degrees of freedom.

use super::all_differences::AllDifferences;
use super::normal::Normal;
use crate::stats::matrix::{Cholesky, Symmetric};
use crate::stats::ratings::Ratings;
use crate::stats::uncertainty::quantile;

/// The errors of a group's members.
pub struct Joint {
    /// Of the members, in the order of the component.
    places: Vec<usize>,
    /// Of the model's covariance, with something of the mean in it, which no difference sees.
    factor: Cholesky,
    /// Of Student's t.
    freedom: f64,
    /// One over half the width of an interval, in standard errors.
    scale: f64,
    /// One over the standard error that the model gives each known difference; 0 elsewhere.
    inverse: Symmetric,
}

impl Joint {
    /// Of the members at these places, whose entrants are `members`; `None` for a group of one, and
    /// where no error is known.
    pub fn new(
        ratings: &Ratings,
        places: &[usize],
        members: &[usize],
        differences: &AllDifferences,
    ) -> Option<Self> {
        let size = places.len();
        let known = |row: usize, column: usize| differences.rows[places[row]][places[column]];
        let pairs = (1..size).flat_map(|row| (0..row).map(move |column| (row, column)));
        let freedom = middle(pairs.filter_map(|(row, column)| Some(known(row, column)?.freedom)))?;
        let covariance = ratings.uncertainty.as_ref()?.by_model_of(members);
        let mut inverse = Symmetric::zero(size);
        for row in 1..size {
            for column in 0..row {
                let at = |one, other| covariance.at(one, other);
                let variance = at(row, row) + at(column, column) - 2.0 * at(row, column);
                // Between anchors nothing is uncertain.
                if variance > 0.0 && known(row, column).is_some() {
                    inverse.add(row, column, variance.sqrt().recip());
                }
            }
        }
        let scale = covariance.largest_diagonal();
        Some(Self {
            places: places.to_vec(),
            factor: covariance.plus_all(scale).factor(1e-12 * scale)?,
            freedom,
            scale: quantile(freedom).recip(),
            inverse,
        })
    }

    /// Draws all errors at once, and raises the largest one of each member, in half widths.
    pub fn draw(&self, normal: &mut Normal, largest: &mut [f64]) {
        let errors = self.factor.spread(&normal.vector(self.places.len()));
        let mut scale = self.scale;
        if self.freedom.is_finite() {
            scale *= (self.freedom / normal.chi_squared(self.freedom)).sqrt();
        }
        for row in 1..errors.len() {
            let others = errors[..row].iter().zip(self.inverse.row(row)).enumerate();
            let mut most = largest[self.places[row]];
            for (column, (other, inverse)) in others {
                let error = (errors[row] - other).abs() * inverse * scale;
                most = most.max(error);
                let other = &mut largest[self.places[column]];
                *other = other.max(error);
            }
            largest[self.places[row]] = most;
        }
    }
}

/// The middle one of some numbers.
fn middle(numbers: impl Iterator<Item = f64>) -> Option<f64> {
    let mut numbers: Vec<f64> = numbers.collect();
    numbers.sort_unstable_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied()
}
