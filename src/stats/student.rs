//! Student's t distribution (W. S. Gosset 1908): what the normal one becomes where a standard error
//! is itself estimated from few observations.

use statrs::function::beta::beta_reg;
use statrs::function::erf::erfc;

use super::elo::NORMAL_95;

/// Φ: the probability that a normal variable stays below this many standard deviations.
pub fn normal_probability(deviations: f64) -> f64 {
    0.5 * erfc(-deviations / std::f64::consts::SQRT_2)
}

/// With more degrees of freedom than this the expansions below are exact to 10 digits.
const MANY: f64 = 200.0;

/// Half the width of a 95 % interval in standard errors, for so many degrees of freedom (above 0).
pub fn quantile_95(freedom: f64) -> f64 {
    if freedom > MANY {
        return expanded(freedom);
    }
    // With x = ν / (ν + t²) both tails together are the regularised incomplete beta function of x.
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if beta_reg(freedom / 2.0, 0.5, middle) < 0.05 {
            low = middle;
        } else {
            high = middle;
        }
    }
    let x = f64::midpoint(low, high);
    (freedom * (1.0 - x) / x).sqrt()
}

/// Abramowitz and Stegun 26.7.5.
fn expanded(freedom: f64) -> f64 {
    let z = NORMAL_95;
    let terms = [
        (z.powi(3) + z) / 4.0,
        (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0,
        (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / 384.0,
    ];
    let powers = (1..).map(|power| freedom.powi(power));
    z + terms
        .iter()
        .zip(powers)
        .map(|(term, power)| term / power)
        .sum::<f64>()
}

/// The probability that a variable with this many degrees of freedom stays below this many standard
/// errors.
pub fn probability(deviations: f64, freedom: f64) -> f64 {
    /// From here on both distributions are alike to 7 digits.
    const AS_GOOD_AS_NORMAL: f64 = 1e7;
    if freedom > AS_GOOD_AS_NORMAL || !deviations.is_finite() {
        return normal_probability(deviations);
    }
    let x = freedom / (freedom + deviations * deviations);
    let tail = 0.5 * beta_reg(freedom / 2.0, 0.5, x);
    if deviations > 0.0 { 1.0 - tail } else { tail }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From printed tables; the last by numerical integration in 30 digits.
    #[test]
    fn quantiles_of_the_tables() {
        for (freedom, quantile) in [
            (1.0, 12.706_204_736),
            (2.0, 4.302_652_730),
            (5.0, 2.570_581_836),
            (10.0, 2.228_138_852),
            (30.0, 2.042_272_456),
            (120.0, 1.979_930_405),
            (1e9, 1.959_963_985),
        ] {
            let found = quantile_95(freedom);
            assert!((found / quantile - 1.0).abs() < 2e-9, "{freedom}: {found}");
        }
        let gap = quantile_95(MANY) - expanded(MANY);
        assert!(gap.abs() < 1e-9, "{gap}");
    }

    #[test]
    fn probabilities_fit_the_quantiles() {
        for freedom in [1.0, 2.5, 7.0, 60.0, 500.0] {
            let quantile = quantile_95(freedom);
            assert!(
                (probability(quantile, freedom) - 0.975).abs() < 1e-9,
                "{freedom}"
            );
            assert!(
                (probability(-quantile, freedom) - 0.025).abs() < 1e-9,
                "{freedom}"
            );
        }
        // With one degree of freedom it is Cauchy's: an arc tangent.
        let exact = 0.5 + 1.5_f64.atan() / std::f64::consts::PI;
        assert!((probability(1.5, 1.0) - exact).abs() < 1e-12);
    }

    #[test]
    fn normal_probabilities_of_the_tables() {
        for (deviations, probability) in [
            (0.0, 0.5),
            (1.0, 0.841_344_746_068_542_9),
            (-1.959_963_984_540_054, 0.025),
            (3.0, 0.998_650_101_968_369_9),
            (-6.0, 9.865_876_450_376_98e-10),
        ] {
            let found = normal_probability(deviations);
            assert!(
                (found / probability - 1.0).abs() < 1e-9,
                "{deviations}: {found}"
            );
        }
    }
}
