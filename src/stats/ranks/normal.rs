//! Random numbers for tables that are drawn: the same on every machine.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};
use std::f64::consts::TAU;

/// A source of random numbers, `ChaCha` with 8 rounds.
pub struct Normal {
    source: ChaCha8Rng,
    /// Of a pair, the one that is left.
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
