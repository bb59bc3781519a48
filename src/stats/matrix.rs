//! Dense symmetric matrices, as small as the number of entrants: Cholesky factors, solving,
//! inverse.

/// A square matrix by rows, of which the user keeps both halves equal.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Symmetric {
    size: usize,
    entries: Vec<f64>,
}

/// The lower triangle L of a factorisation M = L Lᵀ.
pub(super) struct Cholesky {
    size: usize,
    lower: Vec<f64>,
}

impl Symmetric {
    /// The zero matrix.
    pub(super) fn zero(size: usize) -> Self {
        Self {
            size,
            entries: vec![0.0; size * size],
        }
    }

    /// One entry.
    pub(super) fn at(&self, row: usize, column: usize) -> f64 {
        self.entries[row * self.size + column]
    }

    /// Adds to an entry and, off the diagonal, to its mirror image.
    pub(super) fn add(&mut self, row: usize, column: usize, value: f64) {
        self.entries[row * self.size + column] += value;
        if row != column {
            self.entries[column * self.size + row] += value;
        }
    }

    /// The factor of a positive definite matrix with `ridge` added to its diagonal; `None` if a
    /// pivot drowns in rounding.
    pub(super) fn factor(&self, ridge: f64) -> Option<Cholesky> {
        const LOST_TO_ROUNDING: f64 = 1e-15;
        let size = self.size;
        let mut lower = vec![0.0; size * size];
        for row in 0..size {
            for column in 0..=row {
                let (above, current) = lower.split_at(row * size);
                let left = if row == column {
                    &current[..column]
                } else {
                    &above[column * size..column * size + column]
                };
                let overlap: f64 = current[..column]
                    .iter()
                    .zip(left)
                    .map(|(mine, other)| mine * other)
                    .sum();
                let entry = self.at(row, column);
                if row == column {
                    let pivot = entry + ridge - overlap;
                    if pivot.is_nan() || pivot <= LOST_TO_ROUNDING * (entry + ridge) {
                        return None;
                    }
                    lower[row * size + column] = pivot.sqrt();
                } else {
                    let pivot = lower[column * size + column];
                    lower[row * size + column] = (entry - overlap) / pivot;
                }
            }
        }
        Some(Cholesky { size, lower })
    }

    /// The largest entry of the diagonal.
    pub(super) fn largest_diagonal(&self) -> f64 {
        (0..self.size).map(|i| self.at(i, i)).fold(0.0, f64::max)
    }
}

impl Cholesky {
    /// The x with M x = `right`.
    pub(super) fn solve(&self, right: &[f64]) -> Vec<f64> {
        let size = self.size;
        let mut solution = right.to_vec();
        for row in 0..size {
            let factors = &self.lower[row * size..row * size + row];
            let known: f64 = factors.iter().zip(&solution).map(|(l, x)| l * x).sum();
            solution[row] = (solution[row] - known) / self.lower[row * size + row];
        }
        // Backwards by columns of Lᵀ, which are the rows of L: memory is read in order.
        for row in (0..size).rev() {
            let value = solution[row] / self.lower[row * size + row];
            solution[row] = value;
            let factors = &self.lower[row * size..row * size + row];
            for (target, factor) in solution.iter_mut().zip(factors) {
                *target -= factor * value;
            }
        }
        solution
    }

    /// The inverse of M.
    pub(super) fn inverse(&self) -> Symmetric {
        let size = self.size;
        let mut entries = Vec::with_capacity(size * size);
        let mut unit = vec![0.0; size];
        for row in 0..size {
            unit[row] = 1.0;
            entries.extend(self.solve(&unit));
            unit[row] = 0.0;
        }
        Symmetric { size, entries }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Symmetric {
        let mut matrix = Symmetric::zero(3);
        for (row, column, value) in [
            (0, 0, 4.0),
            (0, 1, 2.0),
            (0, 2, -2.0),
            (1, 1, 5.0),
            (1, 2, 1.0),
            (2, 2, 6.0),
        ] {
            matrix.add(row, column, value);
        }
        matrix
    }

    #[test]
    fn solves_a_system_worked_by_hand() {
        let factor = sample().factor(0.0).expect("positive definite");
        // 4·1 + 2·2 − 2·3 = 2, 2·1 + 5·2 + 1·3 = 15, −2·1 + 1·2 + 6·3 = 18.
        for (found, expected) in factor.solve(&[2.0, 15.0, 18.0]).iter().zip([1.0, 2.0, 3.0]) {
            assert!((found - expected).abs() < 1e-14);
        }
    }

    #[test]
    fn the_inverse_times_the_matrix_is_one() {
        let (matrix, inverse) = (
            sample(),
            sample().factor(0.0).expect("positive definite").inverse(),
        );
        for row in 0..3 {
            for column in 0..3 {
                let product: f64 = (0..3)
                    .map(|k| matrix.at(row, k) * inverse.at(k, column))
                    .sum();
                let expected = f64::from(u8::from(row == column));
                assert!((product - expected).abs() < 1e-14);
            }
        }
    }

    #[test]
    fn a_singular_matrix_is_refused_and_a_ridge_helps() {
        let mut singular = Symmetric::zero(2);
        singular.add(0, 0, 1.0);
        singular.add(0, 1, -1.0);
        singular.add(1, 1, 1.0);
        assert!(singular.factor(0.0).is_none());
        assert!(singular.factor(1e-6).is_some());
    }
}
