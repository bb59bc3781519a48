//! A random walk between two bounds: the probability to leave at the upper one, and the mean number
//! of steps until it leaves.
//!
//! Formulas of Brownian motion with drift (A. Wald's identities; D. R. Cox and H. D. Miller, *The
//! Theory of Stochastic Processes*, 1965, section 5.7), with each bound moved outward by 0.583
//! standard deviations of one step: a walk in steps does not stop on the bound but a little beyond
//! (D. Siegmund, *Sequential Analysis*, 1985, chapter 3: ρ = −ζ(½)/√(2π)).

/// Mean overshoot of a walk with normal steps, in standard deviations of one step: −ζ(½)/√(2π).
const OVERSHOOT: f64 = 0.582_597_157_939_010_6;

/// A walk from 0 between two bounds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Walk {
    /// Mean of one step.
    pub drift: f64,
    /// Variance of one step.
    pub variance: f64,
    /// The lower bound, below 0.
    pub lower: f64,
    /// The upper bound, above 0.
    pub upper: f64,
}

/// How a walk ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Exit {
    /// Mean number of steps.
    pub steps: f64,
    /// Probability to leave at the upper bound.
    pub at_upper: f64,
}

impl Walk {
    /// How this walk ends. Without any movement it never does: an infinite number of steps.
    pub fn exit(&self) -> Exit {
        if self.variance <= 0.0 {
            return self.certain();
        }
        let beyond = OVERSHOOT * self.variance.sqrt();
        let (lower, upper) = (self.lower - beyond, self.upper + beyond);
        let lean = 2.0 * self.drift / self.variance;
        let at_upper = probability(lean, lower, upper);
        let mean_end = at_upper * upper + (1.0 - at_upper) * lower;
        // Towards no drift the quotient is 0/0; its limit is the product of the distances.
        let steps = if (lean * (upper - lower)).abs() < 1e-4 {
            -lower * upper / self.variance
        } else {
            mean_end / self.drift
        };
        Exit { steps, at_upper }
    }

    /// The end of a walk whose steps are all the same.
    fn certain(&self) -> Exit {
        let up = f64::from(u8::from(self.drift > 0.0));
        let bound = if self.drift > 0.0 {
            self.upper
        } else {
            self.lower
        };
        let steps = if self.drift == 0.0 {
            f64::INFINITY
        } else {
            bound / self.drift
        };
        let at_upper = if self.drift == 0.0 { 0.5 } else { up };
        Exit { steps, at_upper }
    }
}

/// The probability to leave at the upper bound: (1 − e^(λ·lower)) / (1 − e^(λ·(lower − upper))),
/// with λ = `lean`, twice the drift over the variance.
fn probability(lean: f64, lower: f64, upper: f64) -> f64 {
    let width = upper - lower;
    if lean.abs() * width < 1e-12 {
        return -lower / width;
    }
    if lean > 0.0 {
        (lean * lower).exp_m1() / (-lean * width).exp_m1()
    } else {
        // The same, written so that no exponent is positive.
        (lean * upper).exp() * (-lean * lower).exp_m1() / (lean * width).exp_m1()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A walk in steps so small that it does not overshoot.
    fn exit(drift: f64, lower: f64, upper: f64) -> Exit {
        let variance = 1e-12;
        let drift = drift * variance;
        Walk {
            drift,
            variance,
            lower,
            upper,
        }
        .exit()
    }

    #[test]
    fn walks_without_drift_leave_by_distance() {
        // The ruin of a gambler in a fair game: probability and length.
        for (lower, upper, at_upper) in [(-1.0, 1.0, 0.5), (-1.0, 3.0, 0.25), (-3.0, 1.0, 0.75)] {
            for drift in [0.0, 1e-9, -1e-9] {
                let exit = exit(drift, lower, upper);
                assert!((exit.at_upper - at_upper).abs() < 1e-5, "{lower} {upper}");
                let steps = -lower * upper / 1e-12;
                assert!((exit.steps / steps - 1.0).abs() < 1e-5, "{lower} {upper}");
            }
        }
    }

    #[test]
    fn a_likelihood_ratio_errs_as_its_bounds_say() {
        // With the drift of a likelihood ratio, half the variance, Wald's bounds are exact.
        let (alpha, beta) = (0.03_f64, 0.1_f64);
        let (lower, upper) = ((beta / (1.0 - alpha)).ln(), ((1.0 - beta) / alpha).ln());
        for (drift, at_upper) in [(0.5, 1.0 - beta), (-0.5, alpha)] {
            let exit = exit(drift, lower, upper);
            assert!((exit.at_upper - at_upper).abs() < 1e-5, "{drift}: {exit:?}");
            let end = at_upper * upper + (1.0 - at_upper) * lower;
            assert!(
                (exit.steps * drift * 1e-12 / end - 1.0).abs() < 1e-4,
                "{exit:?}"
            );
        }
    }

    #[test]
    fn strong_drifts_leave_at_once_and_where_they_go() {
        for drift in [1e3, 1e6, 1e9] {
            let (up, down) = (exit(drift, -3.0, 2.0), exit(-drift, -3.0, 2.0));
            assert!(
                (up.at_upper - 1.0).abs() < 1e-9 && down.at_upper < 1e-9,
                "{drift}"
            );
            assert!((up.steps * drift * 1e-12 - 2.0).abs() < 1e-5, "{drift}");
            assert!((down.steps * drift * 1e-12 - 3.0).abs() < 1e-5, "{drift}");
        }
    }

    #[test]
    fn steps_all_alike_are_counted() {
        let walk = |drift: f64| Walk {
            drift,
            variance: 0.0,
            lower: -3.0,
            upper: 2.0,
        };
        assert_eq!(
            walk(0.5).exit(),
            Exit {
                steps: 4.0,
                at_upper: 1.0
            }
        );
        assert_eq!(
            walk(-0.5).exit(),
            Exit {
                steps: 6.0,
                at_upper: 0.0
            }
        );
        assert!(walk(0.0).exit().steps.is_infinite());
    }
}
