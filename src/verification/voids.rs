//! How likely it is that the host makes a game of a pair void four times by chance, so that the
//! pair is excluded, at the rate of voids in the other games of the run.
//!
//! If *v* of *n* other attempts were void, and nothing else is known of the rate *q* (Jeffreys'
//! prior, a beta distribution with both parameters 1/2), then *k* more attempts are all void with
//! the probability
//!
//! ```text
//! E(qᵏ) = (v+½)/(n+1) · (v+1½)/(n+2) · … · (v+k−½)/(n+k)
//! ```
//!
//! so that a run without other voids has a rate too, and a short run an uncertain one. A pair is
//! excluded when one of its two games is void four times: on average P = 1 − (1 − q⁴)² = 2q⁴ − q⁸.
//! The probability that this happens to any of *m* pairs is at most m·P.

use crate::tournament::ATTEMPTS;

/// Attempts at games, and the number of void ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Attempts {
    pub all: u64,
    pub void: u64,
}

impl Attempts {
    /// The difference of two counts.
    pub const fn without(self, other: Self) -> Self {
        Self {
            all: self.all.saturating_sub(other.all),
            void: self.void.saturating_sub(other.void),
        }
    }

    /// The probability that this many further attempts are all void.
    fn all_void(self, more: u32) -> f64 {
        let factor = |i: u32| {
            let i = f64::from(i);
            (self.void as f64 + 0.5 + i) / (self.all as f64 + 1.0 + i)
        };
        (0..more).map(factor).product()
    }

    /// The probability that a pair is excluded.
    fn pair_left_out(self) -> f64 {
        2.0 * self.all_void(ATTEMPTS) - self.all_void(2 * ATTEMPTS)
    }
}

/// The message about a pair that was excluded, in a run in which this many pairs were begun;
/// `others` are the attempts at all other games.
pub fn chance_of_leaving_out(others: Attempts, pairs: usize) -> String {
    let Attempts { all, void } = others;
    if all == 0 {
        return "there is no other game that would tell how often the host makes one void"
            .to_owned();
    }
    let one = others.pair_left_out();
    let any = (one * pairs as f64).min(1.0);
    format!(
        "it made {void} of {all} attempts at other games void: at that rate a pair is left out \
         with a probability of {}, and any of {pairs} pairs with {} at most",
        shown(one),
        shown(any)
    )
}

fn shown(probability: f64) -> String {
    if probability < 0.001 {
        format!("{probability:.1e}")
    } else {
        format!("{probability:.3}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mean of `f` over the rates, weighted by the attempts: with q = sin²θ, Jeffreys' prior is
    /// uniform in θ.
    fn mean(attempts: Attempts, f: impl Fn(f64) -> f64) -> f64 {
        const STEPS: u32 = 200_000;
        let (void, all) = (attempts.void as f64, attempts.all as f64);
        let (mut sum, mut weights) = (0.0, 0.0);
        for step in 0..STEPS {
            let angle = (f64::from(step) + 0.5) / f64::from(STEPS) * std::f64::consts::FRAC_PI_2;
            let q = angle.sin().powi(2);
            let weight = (void * q.ln() + (all - void) * (1.0 - q).ln()).exp();
            sum += weight * f(q);
            weights += weight;
        }
        sum / weights
    }

    #[test]
    fn the_probability_is_the_mean_over_all_rates() {
        for (all, void) in [
            (0, 0),
            (1, 1),
            (10, 0),
            (40, 3),
            (40, 40),
            (400, 30),
            (300, 299),
        ] {
            let attempts = Attempts { all, void };
            let literal = mean(attempts, |q| 1.0 - (1.0 - q.powi(4)).powi(2));
            let found = attempts.pair_left_out();
            assert!(
                (found / literal - 1.0).abs() < 1e-6,
                "{all} {void}: {found} {literal}"
            );
        }
    }

    #[test]
    fn what_cannot_be_chance_is_told_from_what_can() {
        let said = |all, void, pairs| chance_of_leaving_out(Attempts { all, void }, pairs);
        assert!(said(0, 0, 1).contains("no other game"));
        // Twice (0.5 · 1.5 · 2.5 · 3.5)/(401 · 402 · 403 · 404), and 100 times that.
        let text = said(400, 0, 100);
        assert!(
            text.contains("of 5.0e-10, and any of 100 pairs with 5.0e-8"),
            "{text}"
        );
        // Half of all: 1 − (15/16)² for large numbers; among many pairs it is certain to happen.
        let text = said(1_000_000, 500_000, 100);
        assert!(
            text.contains("of 0.121, and any of 100 pairs with 1.000"),
            "{text}"
        );
    }
}
