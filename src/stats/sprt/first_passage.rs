//! A random walk between two bounds: the probability to leave at the upper one, and the mean number
//! of steps until it leaves.
//!
//! Formulas of Brownian motion with drift (A. Wald's identities; D. R. Cox and H. D. Miller, *The
//! Theory of Stochastic Processes*, 1965, section 5.7), with each bound moved outward by 0.583
//! standard deviations of one step: a walk in steps does not stop on the bound but a little beyond
//! (D. Siegmund, *Sequential Analysis*, 1985, chapter 3: ρ = −ζ(½)/√(2π)).
//!
//! Where the walk is after this many steps is a sum over images: each bound is a mirror, so paths
//! that touch one are taken off by walks that begin at the mirrored place, and so on without end
//! (Cox and Miller, section 5.7). All exponents are joined before the exponential is taken, so that
//! none of them overflows.

use statrs::function::erf::erfc;
use std::f64::consts::{FRAC_1_SQRT_2, PI, SQRT_2};

/// Mean overshoot of a walk with normal steps, in standard deviations of one step: −ζ(½)/√(2π).
const OVERSHOOT: f64 = 0.582_597_157_939_010_6;

/// Images of a walk between two mirrors. So many count only where it went to and fro a thousand
/// times.
const MOST_IMAGES: u32 = 10_000;

/// A walk from 0 between two bounds.
#[derive(Clone, Copy, Debug)]
pub struct BoundedWalk {
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
pub struct WalkExit {
    /// Mean number of steps.
    pub steps: f64,
    /// Probability to leave at the upper bound.
    pub at_upper: f64,
}

impl BoundedWalk {
    /// How this walk ends. Without any movement it never does: an infinite number of steps.
    pub fn exit(&self) -> WalkExit {
        if self.variance <= 0.0 {
            return self.certain();
        }
        let (lower, upper) = self.bounds_reached();
        let drift_ratio = 2.0 * self.drift / self.variance;
        let at_upper = probability(drift_ratio, lower, upper);
        let mean_end = at_upper * upper + (1.0 - at_upper) * lower;
        // Towards no drift the quotient is 0/0; its limit is the product of the distances.
        let steps = if (drift_ratio * (upper - lower)).abs() < 1e-4 {
            -lower * upper / self.variance
        } else {
            mean_end / self.drift
        };
        WalkExit { steps, at_upper }
    }

    /// The probability to have left at the upper bound within this many steps.
    pub fn left_at_upper(&self, steps: f64) -> f64 {
        if steps <= 0.0 {
            return 0.0;
        }
        if self.variance <= 0.0 {
            return f64::from(u8::from(self.drift * steps >= self.upper));
        }
        let (lower, upper) = self.bounds_reached();
        let width = 2.0 * (upper - lower);
        // The k-th mirrored pair of beginnings is this far from the upper bound.
        let reached = |distance: f64| self.first_reached(distance, upper, steps);
        let mut sum = reached(upper);
        for image in 1..MOST_IMAGES {
            let apart = f64::from(image) * width;
            let (beyond, before) = (reached(upper + apart), reached(apart - upper));
            sum += beyond - before;
            if before < 1e-16 {
                break;
            }
        }
        sum.clamp(0.0, 1.0)
    }

    /// The probability to have left at the lower bound within this many steps.
    pub fn left_at_lower(&self, steps: f64) -> f64 {
        let mirrored = Self {
            drift: -self.drift,
            variance: self.variance,
            lower: -self.upper,
            upper: -self.lower,
        };
        mirrored.left_at_upper(steps)
    }

    /// The probability to be between the bounds after this many steps, and above `place`.
    pub fn inside_above(&self, place: f64, steps: f64) -> f64 {
        const PARTS: u32 = 400;
        if self.variance <= 0.0 || steps <= 0.0 {
            let end = self.drift * steps;
            let inside = end > self.lower && end < self.upper && end > place;
            return f64::from(u8::from(inside));
        }
        // No walk gets further than ten deviations from where it drifts to.
        let (centre, far) = (self.drift * steps, 10.0 * (self.variance * steps).sqrt());
        let (lower, upper) = self.bounds_reached();
        let (from, to) = (place.max(lower).max(centre - far), upper.min(centre + far));
        if from >= to {
            return 0.0;
        }
        // Simpson's rule: the density is smooth.
        let part = (to - from) / f64::from(PARTS);
        let at = |index: u32| self.density_inside(from + part * f64::from(index), steps);
        let inner: f64 = (1..PARTS)
            .map(|index| at(index) * f64::from(2 + 2 * (index % 2)))
            .sum();
        ((at(0) + inner + at(PARTS)) * part / 3.0).clamp(0.0, 1.0)
    }

    /// The bounds, moved by the mean overshoot.
    fn bounds_reached(&self) -> (f64, f64) {
        let beyond = OVERSHOOT * self.variance.sqrt();
        (self.lower - beyond, self.upper + beyond)
    }

    /// What a walk without a lower bound that begins `distance` below the upper one adds: the
    /// probability to reach it within this many steps, times e^(μ (upper − distance) / σ²), which
    /// turns the drift of that image into the walk's.
    fn first_reached(&self, distance: f64, upper: f64, steps: f64) -> f64 {
        let Self {
            drift, variance, ..
        } = *self;
        let spread = (variance * steps).sqrt();
        let speed = drift.abs();
        let turned = (drift * upper - speed * distance) / variance;
        let straight = 0.5 * erfc((distance - speed * steps) / spread * FRAC_1_SQRT_2);
        let ahead = ((speed * steps).powi(2) + distance * distance) / (2.0 * spread * spread);
        let detour = scaled_tail((speed * steps + distance) / spread);
        turned.exp() * straight + (drift * upper / variance - ahead).exp() * detour
    }

    /// The density of walks that have touched no bound, at a place between them.
    fn density_inside(&self, place: f64, steps: f64) -> f64 {
        let (lower, upper) = self.bounds_reached();
        let width = 2.0 * (upper - lower);
        let variance = self.variance * steps;
        let turned = self.drift * (place - self.drift * steps / 2.0) / self.variance;
        let normal = |from: f64| (turned - (place - from).powi(2) / (2.0 * variance)).exp();
        let mut sum = normal(0.0) - normal(2.0 * upper);
        for image in 1..MOST_IMAGES {
            let apart = f64::from(image) * width;
            sum += normal(apart) + normal(-apart);
            sum -= normal(2.0 * upper + apart) + normal(2.0 * upper - apart);
            if (apart - width).powi(2) > 80.0 * variance {
                break;
            }
        }
        sum.max(0.0) / (2.0 * PI * variance).sqrt()
    }

    /// The end of a walk whose steps are all the same.
    fn certain(&self) -> WalkExit {
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
        WalkExit { steps, at_upper }
    }
}

/// The probability to leave at the upper bound: (1 − e^(λ·lower)) / (1 − e^(λ·(lower − upper))),
/// with λ = `drift_ratio`, twice the drift over the variance.
fn probability(drift_ratio: f64, lower: f64, upper: f64) -> f64 {
    let width = upper - lower;
    if drift_ratio.abs() * width < 1e-12 {
        return -lower / width;
    }
    if drift_ratio > 0.0 {
        (drift_ratio * lower).exp_m1() / (-drift_ratio * width).exp_m1()
    } else {
        // The same, written so that no exponent is positive.
        (drift_ratio * upper).exp() * (-drift_ratio * lower).exp_m1()
            / (drift_ratio * width).exp_m1()
    }
}

/// e^(z²/2) times the probability that a standard normal number is above z; z ≥ 0.
fn scaled_tail(z: f64) -> f64 {
    if z < 30.0 {
        (z * z / 2.0).exp() * 0.5 * erfc(z / SQRT_2)
    } else {
        // The asymptotic series; the next term is 15/z⁶ of the first.
        let square = z * z;
        (1.0 - 1.0 / square + 3.0 / (square * square)) / (z * (2.0 * PI).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where a walk is after steps of one up or down, between bounds this many steps away, by their
    /// probabilities: the places inside, and what has left below and above.
    fn literal(up: f64, (below, above): (u8, u8), steps: u32) -> (Vec<f64>, f64, f64) {
        let (below, above) = (usize::from(below), usize::from(above));
        let mut inside = vec![0.0; below + above + 1];
        let (mut left_below, mut left_above) = (0.0, 0.0);
        inside[below] = 1.0;
        for _ in 0..steps {
            let mut next = vec![0.0; inside.len()];
            for (place, &share) in inside.iter().enumerate().filter(|(_, share)| **share > 0.0) {
                for (to, share) in [(place + 1, share * up), (place - 1, share * (1.0 - up))] {
                    if to == 0 {
                        left_below += share;
                    } else if to == below + above {
                        left_above += share;
                    } else {
                        next[to] += share;
                    }
                }
            }
            inside = next;
        }
        (inside, left_below, left_above)
    }

    #[test]
    fn places_agree_with_walks_taken_step_by_step() {
        // Steps of one leave exactly on the bound: the overshoot is taken back.
        for up in [0.49, 0.5, 0.505, 0.53] {
            let drift: f64 = 2.0 * up - 1.0;
            let variance = 1.0 - drift * drift;
            for (below, above) in [(50, 50), (30, 80)] {
                let beyond = OVERSHOOT * variance.sqrt();
                let walk = BoundedWalk {
                    drift,
                    variance,
                    lower: beyond - f64::from(below),
                    upper: f64::from(above) - beyond,
                };
                for steps in [200, 1_000, 4_000, 20_000] {
                    let (inside, left_below, left_above) = literal(up, (below, above), steps);
                    let name = format!("{up} {below} {above} {steps}");
                    let close = |one: f64, other: f64| {
                        assert!((one - other).abs() < 4e-3, "{name}: {one}, {other}");
                    };
                    close(walk.left_at_upper(f64::from(steps)), left_above);
                    close(walk.left_at_lower(f64::from(steps)), left_below);
                    // After an even number of steps no walk is an odd number from the beginning.
                    let upward: f64 = inside[usize::from(below) + 12..].iter().sum();
                    close(walk.inside_above(11.0, f64::from(steps)), upward);
                }
            }
        }
    }

    #[test]
    fn after_long_all_have_left() {
        for drift in [-40.0, -0.7, 0.0, 1e-3, 0.5, 90.0] {
            let walk = BoundedWalk {
                drift: drift * 1e-4,
                variance: 1e-4,
                lower: -3.0,
                upper: 2.0,
            };
            let (steps, exit) = (2e7, walk.exit());
            let upper = walk.left_at_upper(steps);
            assert!((upper - exit.at_upper).abs() < 1e-9, "{drift}: {upper}");
            assert!((upper + walk.left_at_lower(steps) - 1.0).abs() < 1e-9);
            assert!(walk.inside_above(-3.0, steps) < 1e-9, "{drift}");
        }
    }

    /// A walk in steps so small that it does not overshoot.
    fn exit(drift: f64, lower: f64, upper: f64) -> WalkExit {
        let variance = 1e-12;
        let drift = drift * variance;
        BoundedWalk {
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
        let walk = |drift: f64| BoundedWalk {
            drift,
            variance: 0.0,
            lower: -3.0,
            upper: 2.0,
        };
        assert_eq!(
            walk(0.5).exit(),
            WalkExit {
                steps: 4.0,
                at_upper: 1.0
            }
        );
        assert_eq!(
            walk(-0.5).exit(),
            WalkExit {
                steps: 6.0,
                at_upper: 0.0
            }
        );
        assert!(walk(0.0).exit().steps.is_infinite());
    }
}
