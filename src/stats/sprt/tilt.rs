//! The distribution nearest to given frequencies under which some values have mean 0.
//!
//! Of all distributions p with Σ pᵢ aᵢ = 0 the one that maximises the likelihood Σ fᵢ ln pᵢ of the
//! frequencies f is `pᵢ = fᵢ / (1 + θ aᵢ)` (A. B. Owen, *Empirical Likelihood*, 2001, chapter 2),
//! where θ makes the mean 0. If the frequencies' mean is negative, θ is too, and the denominator
//! that comes nearest to 0 is that of the largest value, k. With `e = 1 + θ aₖ` in (0, 1] and
//! `ρᵢ = aᵢ / aₖ ≤ 1` the denominators are `(1 − ρᵢ) + e ρᵢ`, and
//!
//! ```text
//! ψ(e) = Σ fᵢ ρᵢ e / ((1 − ρᵢ) + e ρᵢ) = 0
//! ```
//!
//! has one root between ψ(0) = fₖ ≥ 0 and ψ(1) < 0. Multiplied by the denominator of the smallest
//! value, ψ has left both poles next to the root behind and is nearly a straight line: Newton's
//! method, kept inside a bracket, needs a handful of steps wherever the root lies. (This is the
//! secular equation of eigenvalue problems; W. Gander, G. Golub and U. von Matt 1989.)
//!
//! Cells with frequency 0 are allowed: if the mean cannot be reached without them, cell k takes
//! what the others leave (e = 0).

/// Newton's method needs 3 to 8 steps, bisection at worst as many as a double has bits.
const STEPS: usize = 1100;

/// Relative size of the step that is the last one.
const PRECISION: f64 = 1e-8;

/// The frequencies over the nearest distribution, cell by cell.
#[derive(Clone, Copy, Debug)]
pub(in crate::stats) struct Tilt<const N: usize> {
    /// aᵢ / aₖ.
    ratios: [f64; N],
    /// The denominator of cell k.
    end: f64,
}

impl<const N: usize> Tilt<N> {
    /// Finds the nearest distribution; `None` if no distribution gives the values mean 0 because
    /// all have the same sign.
    pub fn new(frequencies: &[f64; N], values: &[f64; N]) -> Option<Self> {
        let mean: f64 = (0..N).map(|i| frequencies[i] * values[i]).sum();
        let pole = if mean > 0.0 {
            values.iter().copied().fold(f64::INFINITY, f64::min)
        } else {
            values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
        };
        if mean == 0.0 {
            let (ratios, end) = ([0.0; N], 1.0);
            return Some(Self { ratios, end });
        }
        if pole == 0.0 || (pole > 0.0) == (mean > 0.0) {
            return None;
        }
        let ratios = values.map(|value| value / pole);
        let end = root(frequencies, &ratios);
        Some(Self { ratios, end })
    }

    /// The denominator of a cell: its frequency over its probability.
    fn denominator(&self, cell: usize) -> f64 {
        denominator(self.ratios[cell], self.end)
    }

    /// The nearest distribution, where every frequency is positive.
    pub fn probabilities(&self, frequencies: &[f64; N]) -> [f64; N] {
        std::array::from_fn(|cell| frequencies[cell] / self.denominator(cell))
    }

    /// Logarithms of frequency over probability, cell by cell; 0 in cells without frequency.
    pub fn logarithms(&self, frequencies: &[f64; N]) -> [f64; N] {
        let fallen = 1.0 - self.end;
        std::array::from_fn(|cell| {
            let ratio = self.ratios[cell];
            if frequencies[cell] == 0.0 {
                0.0
            } else if ratio * fallen < 0.5 {
                // Near 1 the difference from 1 is known better than the denominator.
                (-ratio * fallen).ln_1p()
            } else {
                self.denominator(cell).ln()
            }
        })
    }

    /// How much likelihood the constraint costs per observation: Σ fᵢ ln(fᵢ / pᵢ) ≥ 0.
    pub fn cost(&self, frequencies: &[f64; N]) -> f64 {
        let logarithms = self.logarithms(frequencies);
        let cost: f64 = (0..N).map(|i| frequencies[i] * logarithms[i]).sum();
        cost.max(0.0)
    }
}

/// (1 − ρ) + e ρ, for ρ ≤ 1. A value much larger than that of cell k would swallow the 1, and a
/// value equal to it would swallow e: each side of 0 has its own order of operations.
fn denominator(ratio: f64, end: f64) -> f64 {
    if ratio < 0.0 {
        1.0 - ratio * (1.0 - end)
    } else {
        (1.0 - ratio) + end * ratio
    }
}

/// The root of ψ, or 0 if cell k is needed though its frequency is 0.
fn root<const N: usize>(frequencies: &[f64; N], ratios: &[f64; N]) -> f64 {
    let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
    let without = |(frequency, ratio): (&f64, &f64)| match frequency {
        0.0 => 0.0,
        _ => frequency * ratio / (1.0 - ratio),
    };
    // Infinite and positive if cell k has a frequency.
    let at_zero: f64 = frequencies.iter().zip(ratios).map(without).sum();
    if at_zero <= 0.0 {
        return 0.0;
    }
    let (mut low, mut high) = (0.0, 1.0);
    let mut end: f64 = 0.5;
    for _ in 0..STEPS {
        let (mut value, mut slope) = (0.0, 0.0);
        for (frequency, ratio) in frequencies.iter().zip(ratios) {
            let inverse = 1.0 / denominator(*ratio, end);
            let share = frequency * ratio * inverse;
            value += share * end;
            slope += share * (1.0 - ratio) * inverse;
        }
        if value > 0.0 {
            low = end;
        } else {
            high = end;
        }
        // Newton's step for ψ times the last denominator, whose own logarithmic slope is this.
        let other = least / denominator(least, end);
        let newton = end - value / (slope + value * other);
        // A root that rounding of the first steps takes for 0 is not 0: nothing is impossible.
        let next = if newton > 0.0 && newton >= low && newton <= high {
            newton
        } else {
            0.5 * (low + high)
        };
        // After a step of Newton's the error left is the square of it; of all denominators those of
        // cell k and of the smallest value move most. A tilt next to nothing is 1 − e.
        let step = (next - end).abs();
        end = next;
        let small = step <= PRECISION * end.min(1.0 - end) && step * other.abs() <= PRECISION;
        if small || step <= f64::EPSILON * end {
            break;
        }
    }
    end
}
