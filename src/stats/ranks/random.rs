//! Random numbers for tables that are drawn: the same on every machine.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};
use std::f64::consts::TAU;

/// A source of random numbers, `ChaCha` with 8 rounds.
pub(super) struct Normal {
    source: ChaCha8Rng,
    /// Of a pair, the one that is left.
    left: Option<f64>,
}

impl Normal {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            source: ChaCha8Rng::seed_from_u64(seed),
            left: None,
        }
    }

    /// Between 0 and 1, neither of them.
    pub(super) fn uniform(&mut self) -> f64 {
        // 53 random bits, and half of the last one.
        ((self.source.next_u64() >> 11) as f64 + 0.5) * 2.0_f64.powi(-53)
    }

    /// A standard normal number (G. E. P. Box and M. E. Muller 1958).
    pub(super) fn next(&mut self) -> f64 {
        if let Some(left) = self.left.take() {
            return left;
        }
        let (radius, angle) = ((-2.0 * self.uniform().ln()).sqrt(), TAU * self.uniform());
        self.left = Some(radius * angle.sin());
        radius * angle.cos()
    }

    /// So many of them.
    pub(super) fn vector(&mut self, size: usize) -> Vec<f64> {
        (0..size).map(|_| self.next()).collect()
    }
}
