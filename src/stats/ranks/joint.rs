//! The errors of all differences of a group at once.
//!
//! How they go together is what the model says: two differences of one entrant share its error. The
//! size of each error, and its degrees of freedom, come from its own openings; here errors are
//! counted in half widths of intervals. All of a draw share one scale, that of Student's t with the
//! middle one of the degrees of freedom.

use super::AllDifferences;
use crate::stats::matrix::{Cholesky, Symmetric};
use crate::stats::ratings::Ratings;
use crate::stats::uncertainty::quantile;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};
use std::f64::consts::TAU;

/// The errors of a group's members.
pub struct Joint {
    /// The places of the members, in the order of the component.
    places: Vec<usize>,
    /// The factor of the model's covariance. A constant is added to all entries: no difference
    /// depends on it.
    factor: Cholesky,
    /// Degrees of freedom of Student's t.
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

/// A source of random numbers, `ChaCha` with 8 rounds.
pub struct Normal {
    source: ChaCha8Rng,
    /// The second number of a pair, if it was not given out yet.
    left: Option<f64>,
}

impl Normal {
    pub fn new(seed: u64) -> Self {
        Self {
            source: ChaCha8Rng::seed_from_u64(seed),
            left: None,
        }
    }

    /// Between 0 and 1, neither of them.
    pub fn uniform(&mut self) -> f64 {
        // 53 random bits, and half of the last one.
        ((self.source.next_u64() >> 11) as f64 + 0.5) * 2.0_f64.powi(-53)
    }

    /// A standard normal number (G. E. P. Box and M. E. Muller 1958).
    pub fn next(&mut self) -> f64 {
        if let Some(left) = self.left.take() {
            return left;
        }
        let (radius, angle) = ((-2.0 * self.uniform().ln()).sqrt(), TAU * self.uniform());
        self.left = Some(radius * angle.sin());
        radius * angle.cos()
    }

    /// A number distributed as χ² with this many degrees of freedom, at least 0.5 (G. Marsaglia and
    /// W. W. Tsang, *A simple method for generating gamma variables*, 2000, at half of them; one
    /// more and a power of a uniform number where that is below 1).
    pub fn chi_squared(&mut self, freedom: f64) -> f64 {
        let shape = freedom / 2.0;
        if shape < 1.0 {
            let power = self.uniform().powf(1.0 / shape);
            return self.chi_squared(freedom + 2.0) * power;
        }
        let d = shape - 1.0 / 3.0;
        let c = 1.0 / (9.0 * d).sqrt();
        loop {
            let normal = self.next();
            let cube = (1.0 + c * normal).powi(3);
            if cube > 0.0 {
                let most = 0.5 * normal * normal + d - d * cube + d * cube.ln();
                if self.uniform().ln() < most {
                    return 2.0 * d * cube;
                }
            }
        }
    }

    /// This many of them.
    pub fn vector(&mut self, size: usize) -> Vec<f64> {
        (0..size).map(|_| self.next()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_moments_of_their_distributions() {
        const DRAWS: u32 = 200_000;
        let mut normal = Normal::new(1);
        let mut moments = |draw: &mut dyn FnMut(&mut Normal) -> f64| {
            let (mut sum, mut squares) = (0.0, 0.0);
            for _ in 0..DRAWS {
                let value = draw(&mut normal);
                sum += value;
                squares += value * value;
            }
            let mean = sum / f64::from(DRAWS);
            (mean, squares / f64::from(DRAWS) - mean * mean)
        };
        let (mean, variance) = moments(&mut Normal::next);
        assert!(mean.abs() < 0.01 && (variance - 1.0).abs() < 0.02);
        for freedom in [1.0, 1.5, 3.0, 29.0] {
            let (mean, variance) = moments(&mut |normal| normal.chi_squared(freedom));
            assert!((mean / freedom - 1.0).abs() < 0.02, "{freedom}: {mean}");
            assert!((variance / freedom / 2.0 - 1.0).abs() < 0.05, "{freedom}");
        }
    }
}
