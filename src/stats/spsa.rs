//! Tuning by simultaneous perturbation (SPSA; J. C. Spall 1992, and *Implementation of the
//! simultaneous perturbation algorithm*, 1998): in each iteration all parameters move at a time,
//! each up or down as by a coin, and two bots play each other: θ + c δ against θ − c δ. The result
//! says which of both directions is better.
//!
//! ```text
//!   c_k = step (N / k)^γ                                    how far apart the two bots are
//!   r_k = rate ((A + N) / (A + k))^α / (N / k)^2γ           how much is learned from a game
//!   θ  ← θ + r_k c_k δ (won − lost)
//! ```
//!
//! k counts iterations from 1 to N; α = 0.602, γ = 0.101 and A = N / 10 are those that Spall
//! recommends. As usual for chess engines, `step` and `rate` are the values of the last iteration:
//! a person can say how large a difference of a parameter is that shows in games.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};

const ALPHA: f64 = 0.602;
const GAMMA: f64 = 0.101;

/// A parameter that is tuned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// The value before the first iteration.
    pub start: f64,
    /// The smallest value that is played.
    pub min: f64,
    /// The largest one.
    pub max: f64,
    /// How far both bots are from θ in the last iteration.
    pub step: f64,
    /// Whether only whole numbers are played. θ itself is not rounded.
    pub is_whole: bool,
}

impl Parameter {
    /// The nearest value that may be played.
    pub fn played(&self, value: f64) -> f64 {
        let value = if self.is_whole { value.round() } else { value };
        value.clamp(self.min, self.max)
    }
}

/// A tuning: what it does follows from this and from the results of the games.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuning {
    /// The parameters.
    pub parameters: Vec<Parameter>,
    /// The number of iterations, N.
    pub iterations: u32,
    /// How much of its step a parameter moves for one game won in the last iteration.
    pub rate: f64,
    /// Decides the directions.
    pub seed: u64,
}

impl Tuning {
    /// The values before the first iteration.
    pub fn start(&self) -> Vec<f64> {
        self.parameters.iter().map(|it| it.start).collect()
    }

    /// What plays in an iteration (from 1): above and below `values`, as the directions are.
    pub fn opponents(&self, values: &[f64], iteration: u32) -> [Vec<f64>; 2] {
        let moves = self.moves(iteration);
        [1.0, -1.0].map(|sign| {
            let all = self.parameters.iter().zip(values).zip(&moves);
            all.map(|((parameter, value), by)| parameter.played(value + sign * by))
                .collect()
        })
    }

    /// The values after an iteration (from 1) in which the first opponent won so many games more
    /// than it lost.
    pub fn after(&self, values: &[f64], iteration: u32, ahead: f64) -> Vec<f64> {
        let total = f64::from(self.iterations);
        let (stable, now) = (0.1 * total, f64::from(iteration));
        let learned = self.rate * ((stable + total) / (stable + now)).powf(ALPHA)
            / (total / now).powf(2.0 * GAMMA);
        let moves = self.moves(iteration);
        let all = self.parameters.iter().zip(values).zip(&moves);
        all.map(|((parameter, value), by)| {
            (value + learned * by * ahead).clamp(parameter.min, parameter.max)
        })
        .collect()
    }

    /// c δ of each parameter.
    fn moves(&self, iteration: u32) -> Vec<f64> {
        let mut random = ChaCha8Rng::seed_from_u64(self.seed);
        random.set_stream(u64::from(iteration));
        let wider = (f64::from(self.iterations) / f64::from(iteration)).powf(GAMMA);
        let all = self.parameters.iter();
        all.map(|it| match random.next_u32() % 2 {
            0 => -it.step * wider,
            _ => it.step * wider,
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tuning(parameters: Vec<Parameter>, iterations: u32) -> Tuning {
        Tuning {
            parameters,
            iterations,
            rate: 0.02,
            seed: 5,
        }
    }

    const WHOLE: Parameter = Parameter {
        start: 10.0,
        min: 0.0,
        max: 50.0,
        step: 2.0,
        is_whole: true,
    };

    #[test]
    fn steps_worked_out_by_hand() {
        let tuning = tuning(vec![WHOLE], 100);
        // In the last iteration both are one step away, and a game is worth rate × step.
        let [above, below] = tuning.opponents(&[20.0], 100);
        assert!((above[0] - below[0]).abs() > 3.9 && (above[0] + below[0] - 40.0).abs() < 1e-9);
        let sign = (above[0] - 20.0).signum();
        let after = tuning.after(&[20.0], 100, 3.0);
        assert!((after[0] - (20.0 + sign * 3.0 * 0.02 * 2.0)).abs() < 1e-9);
        // In the first one c is 100^0.101 = 1.5922 times as wide, and r (110 / 11)^0.602 /
        // 100^0.202 = 3.9994 / 2.5351 = 1.5776 times as large.
        let [above, below] = tuning.opponents(&[20.0], 1);
        let sign = (above[0] - 20.0).signum();
        assert!((above[0] - below[0]).abs() > 5.9, "{above:?} {below:?}");
        let after = tuning.after(&[20.0], 1, -1.0);
        let expected = 20.0 - sign * 1.5776 * 0.02 * 2.0 * 1.5922;
        assert!((after[0] - expected).abs() < 1e-4, "{after:?} {expected}");
    }

    #[test]
    fn bounds_are_kept() {
        let tuning = tuning(vec![WHOLE; 3], 40);
        for iteration in 1..=40 {
            for values in [[0.0, 50.0, 0.4], [50.0, 0.0, 49.7]] {
                for ahead in [-1e6, 1e6] {
                    let after = tuning.after(&values, iteration, ahead);
                    assert!(after.iter().all(|it| (0.0..=50.0).contains(it)));
                }
                for opponent in tuning.opponents(&values, iteration) {
                    assert!(opponent.iter().all(|it| (0.0..=50.0).contains(it)));
                    assert!(opponent.iter().all(|it| (it - it.round()).abs() < 1e-12));
                }
            }
        }
    }

    /// Games decided by a known strength, greatest at 30 and −0.25: the path comes near it.
    #[test]
    fn it_finds_the_optimum_of_a_known_strength() {
        let real = Parameter {
            start: 1.0,
            min: -2.0,
            max: 2.0,
            step: 0.2,
            is_whole: false,
        };
        let tuning = tuning(vec![WHOLE, real], 600);
        let strength = |it: &[f64]| {
            let off = [(it[0] - 30.0) / 10.0, (it[1] + 0.25) / 0.5];
            -100.0 * off.iter().map(|it| it * it).sum::<f64>()
        };
        let mut random = ChaCha8Rng::seed_from_u64(12);
        let mut values = tuning.start();
        for iteration in 1..=tuning.iterations {
            let [above, below] = tuning.opponents(&values, iteration);
            let ahead = strength(&above) - strength(&below);
            let score = 1.0 / (1.0 + 10_f64.powf(-ahead / 400.0));
            let games = (0..16).map(|_| f64::from(random.next_u32()) / f64::from(u32::MAX));
            let balance: f64 = games.map(|it| if it < score { 1.0 } else { -1.0 }).sum();
            values = tuning.after(&values, iteration, balance);
        }
        assert!((values[0] - 30.0).abs() < 4.0, "{values:?}");
        assert!((values[1] + 0.25).abs() < 0.3, "{values:?}");
    }
}
