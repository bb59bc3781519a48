//! Dense symmetric matrices, as small as the number of entrants: Cholesky factors, solving,
//! inverse.

use std::ops::Range;

/// Rows or columns that are worked out in one pass over a matrix that no cache holds.
const ROWS_AT_A_TIME: usize = 8;

/// A symmetric matrix by rows, with both of its halves.
#[derive(Clone, Debug, PartialEq)]
pub struct Symmetric {
    size: usize,
    entries: Vec<f64>,
}

/// The lower triangle L of a factorisation M = L Lᵀ.
#[derive(Debug)]
pub struct Cholesky {
    size: usize,
    lower: Vec<f64>,
}

impl Symmetric {
    /// The zero matrix.
    pub fn zero(size: usize) -> Self {
        Self {
            size,
            entries: vec![0.0; size * size],
        }
    }

    /// Number of rows.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The same with a number added to every entry.
    pub fn plus_all(&self, value: f64) -> Self {
        Self {
            size: self.size,
            entries: self.entries.iter().map(|entry| entry + value).collect(),
        }
    }

    /// Adds a number to all entries of a square on the diagonal.
    pub fn add_to_all(&mut self, range: &Range<usize>, value: f64) {
        for row in range.clone() {
            let start = row * self.size;
            for entry in &mut self.entries[start + range.start..start + range.end] {
                *entry += value;
            }
        }
    }

    /// Adds a multiple of `v vᵀ`, v being a vector with these non-zero entries.
    pub fn add_square(
        &mut self,
        vector: &(impl Iterator<Item = (usize, f64)> + Clone),
        weight: f64,
    ) {
        for (place, (row, value)) in vector.clone().enumerate() {
            for (column, other) in vector.clone().take(place + 1) {
                self.add(row, column, weight * value * other);
            }
        }
    }

    /// The rows and columns with these indices.
    pub fn part(&self, indices: &[usize]) -> Self {
        let rows = indices.iter();
        let entries = rows.flat_map(|&row| indices.iter().map(move |&column| self.at(row, column)));
        Self {
            size: indices.len(),
            entries: entries.collect(),
        }
    }

    /// One row.
    pub fn row(&self, row: usize) -> &[f64] {
        &self.entries[row * self.size..(row + 1) * self.size]
    }

    /// `B M B`, B being this matrix.
    pub fn around(&self, middle: &Self) -> Self {
        let size = self.size;
        let mut entries = vec![0.0; size * size];
        let mut rows = vec![vec![0.0; size]; ROWS_AT_A_TIME];
        // Some rows of B M at a time, so that a pass over M serves all of them.
        for first in (0..size).step_by(ROWS_AT_A_TIME) {
            let last = size.min(first + ROWS_AT_A_TIME);
            for product in &mut rows {
                product.fill(0.0);
            }
            for k in 0..size {
                let line = middle.row(k);
                for (row, product) in (first..last).zip(&mut rows) {
                    let factor = self.at(row, k);
                    for (sum, entry) in product.iter_mut().zip(line) {
                        *sum += factor * entry;
                    }
                }
            }
            for column in 0..last {
                let line = self.row(column);
                for (row, product) in (first..last).zip(&rows) {
                    if column <= row {
                        let value = dot(product, line);
                        entries[row * size + column] = value;
                        entries[column * size + row] = value;
                    }
                }
            }
        }
        Self { size, entries }
    }

    /// One entry.
    pub fn at(&self, row: usize, column: usize) -> f64 {
        self.entries[row * self.size + column]
    }

    /// Adds to an entry and, off the diagonal, to its mirror image.
    pub fn add(&mut self, row: usize, column: usize, value: f64) {
        self.entries[row * self.size + column] += value;
        if row != column {
            self.entries[column * self.size + row] += value;
        }
    }

    /// The factor of a positive definite matrix with `ridge` added to its diagonal; `None` if a
    /// pivot drowns in rounding.
    pub fn factor(&self, ridge: f64) -> Option<Cholesky> {
        const LOST_TO_ROUNDING: f64 = 1e-15;
        let size = self.size;
        let mut lower = vec![0.0; size * size];
        // Some rows at a time, so that a pass over the rows above serves all of them.
        for first in (0..size).step_by(ROWS_AT_A_TIME) {
            let last = size.min(first + ROWS_AT_A_TIME);
            for column in 0..last {
                for row in first.max(column)..last {
                    let (above, current) = lower.split_at(row * size);
                    let left = if row == column {
                        &current[..column]
                    } else {
                        &above[column * size..column * size + column]
                    };
                    let overlap = dot(&current[..column], left);
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
        }
        Some(Cholesky { size, lower })
    }

    /// The largest entry of the diagonal.
    pub fn largest_diagonal(&self) -> f64 {
        (0..self.size).map(|i| self.at(i, i)).fold(0.0, f64::max)
    }
}

impl Cholesky {
    /// The diagonal entry of this row after elimination of the rows before it.
    pub fn pivot(&self, row: usize) -> f64 {
        self.lower[row * self.size + row].powi(2)
    }

    /// The x with M x = `right`.
    pub fn solve(&self, right: &[f64]) -> Vec<f64> {
        let size = self.size;
        let mut solution = right.to_vec();
        for row in 0..size {
            let factors = &self.lower[row * size..row * size + row];
            let known = dot(factors, &solution[..row]);
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

    /// L times a vector: numbers that are independent get the covariance M.
    pub fn spread(&self, vector: &[f64]) -> Vec<f64> {
        let row = |row: usize| {
            let line = &self.lower[row * self.size..=row * self.size + row];
            dot(line, &vector[..=row])
        };
        (0..self.size).map(row).collect()
    }

    /// The inverse of M.
    pub fn inverse(&self) -> Symmetric {
        let size = self.size;
        let mut entries = vec![0.0; size * size];
        let mut columns = vec![vec![0.0; size]; ROWS_AT_A_TIME];
        // Some columns at a time, so that a pass over the factor serves all of them. Of each only
        // what stands on or below the diagonal is worked out: above it the inverse is its own
        // mirror image.
        for begin in (0..size).step_by(ROWS_AT_A_TIME) {
            let end = size.min(begin + ROWS_AT_A_TIME);
            for (first, column) in (begin..end).zip(&mut columns) {
                column.fill(0.0);
                column[first] = 1.0 / self.lower[first * size + first];
            }
            for row in begin + 1..size {
                let line = &self.lower[row * size..=row * size + row];
                for (first, column) in (begin..end.min(row)).zip(&mut columns) {
                    let known = dot(&line[first..row], &column[first..row]);
                    column[row] = -known / line[row];
                }
            }
            for row in (begin..size).rev() {
                let line = &self.lower[row * size..=row * size + row];
                for (first, column) in (begin..end.min(row + 1)).zip(&mut columns) {
                    let value = column[row] / line[row];
                    column[row] = value;
                    for (target, factor) in column[first..row].iter_mut().zip(&line[first..row]) {
                        *target -= factor * value;
                    }
                }
            }
            for (first, column) in (begin..end).zip(&columns) {
                for row in first..size {
                    entries[row * size + first] = column[row];
                    entries[first * size + row] = column[row];
                }
            }
        }
        Symmetric { size, entries }
    }
}

/// The sum of products, in a fixed order that lets a processor work on several at once.
fn dot(left: &[f64], right: &[f64]) -> f64 {
    const LANES: usize = 8;
    let mut sums = [0.0; LANES];
    let (left, right) = (left.chunks_exact(LANES), right.chunks_exact(LANES));
    let rest: f64 = left
        .remainder()
        .iter()
        .zip(right.remainder())
        .map(|(l, r)| l * r)
        .sum();
    for (l, r) in left.zip(right) {
        for lane in 0..LANES {
            sums[lane] += l[lane] * r[lane];
        }
    }
    sums.iter().sum::<f64>() + rest
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
        // As many rows as one pass takes, and one less, and more.
        let sizes = [
            1,
            ROWS_AT_A_TIME - 1,
            ROWS_AT_A_TIME,
            2 * ROWS_AT_A_TIME + 3,
        ];
        let rugged = sizes.map(|size| {
            let mut matrix = Symmetric::zero(size);
            for i in 0..size {
                for j in 0..i {
                    matrix.add(i, j, ((i * 7 + j * 3) % 5) as f64 - 2.0);
                }
                // More than the rest of the row, hence positive definite.
                matrix.add(i, i, 2.0 * size as f64 + i as f64);
            }
            matrix
        });
        for matrix in [sample()].into_iter().chain(rugged) {
            let size = matrix.size();
            let inverse = matrix.factor(0.0).expect("positive definite").inverse();
            for row in 0..size {
                for column in 0..size {
                    let product: f64 = (0..size)
                        .map(|k| matrix.at(row, k) * inverse.at(k, column))
                        .sum();
                    let expected = f64::from(u8::from(row == column));
                    assert!((product - expected).abs() < 1e-14, "{size}: {row} {column}");
                }
            }
        }
    }

    #[test]
    fn a_matrix_between_two_others() {
        // As many rows as two passes need, with entries that are easy to multiply by hand.
        let size = ROWS_AT_A_TIME + 3;
        let (mut outer, mut middle) = (Symmetric::zero(size), Symmetric::zero(size));
        for i in 0..size {
            for j in 0..=i {
                outer.add(i, j, 1.0 + (i * j) as f64);
                middle.add(i, j, 1.0 / (1.0 + (i + j) as f64));
            }
        }
        let product = outer.around(&middle);
        for i in 0..size {
            for j in 0..size {
                let mut expected = 0.0;
                for k in 0..size {
                    for l in 0..size {
                        expected += outer.at(i, k) * middle.at(k, l) * outer.at(l, j);
                    }
                }
                assert!((product.at(i, j) / expected - 1.0).abs() < 1e-12, "{i} {j}");
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
