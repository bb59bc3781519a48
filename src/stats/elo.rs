//! Elo's scale: what a difference of ratings means, and the constants that lead to it.
//!
//! Computations run in logits (natural logarithm of the odds) and are turned into Elo at the end:
//! 400 Elo are odds of ten to one (A. Elo, *The Rating of Chessplayers*, in its logistic form).

/// Elo points in one logit: 400 / ln 10.
pub const ELO_PER_LOGIT: f64 = 400.0 / std::f64::consts::LN_10;

/// Half the width of a 95 % interval, in standard errors: the normal distribution's 97.5 % point.
pub const NORMAL_95: f64 = 1.959_963_984_540_054;

/// How far (in natural logarithm) a likelihood may fall before a likelihood-ratio test at 95 %
/// refuses: half the 95 % point of the χ² distribution of one degree of freedom.
pub const LIKELIHOOD_DROP_95: f64 = NORMAL_95 * NORMAL_95 / 2.0;

/// Expected score (0 to 1) of the better side at a difference of `elo` points; the first-move
/// advantage, if any, is part of the difference.
pub fn expected_score(elo: f64) -> f64 {
    sigmoid(elo / ELO_PER_LOGIT)
}

/// Expected score at a difference in logits.
pub(super) fn sigmoid(logit: f64) -> f64 {
    // Never the exponential of a large positive number: no overflow, no loss near 0.
    if logit >= 0.0 {
        1.0 / (1.0 + (-logit).exp())
    } else {
        let odds = logit.exp();
        odds / (1.0 + odds)
    }
}

/// Natural logarithm of [`sigmoid`], exact also where that is nearly 0 or 1.
pub(super) fn log_sigmoid(logit: f64) -> f64 {
    if logit >= 0.0 {
        -(-logit).exp().ln_1p()
    } else {
        logit - logit.exp().ln_1p()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_points_of_the_scale() {
        for (elo, score) in [(0.0, 0.5), (400.0, 10.0 / 11.0), (-400.0, 1.0 / 11.0)] {
            assert!((expected_score(elo) - score).abs() < 1e-15, "{elo}");
        }
        // Three to one: 400 log10 3.
        assert!((expected_score(190.848_501_887_864_98) - 0.75).abs() < 1e-15);
    }

    #[test]
    fn logarithms_survive_the_far_ends() {
        assert!((log_sigmoid(-800.0) + 800.0).abs() < 1e-12);
        assert!(log_sigmoid(800.0).abs() < 1e-300);
        assert!((log_sigmoid(0.0) + std::f64::consts::LN_2).abs() < 1e-16);
        assert!((log_sigmoid(40.0) + (-40.0_f64).exp()).abs() < 1e-30);
    }

    #[test]
    fn the_test_constant_is_that_of_the_tables() {
        // χ² with one degree of freedom: 3.841458820694124 at 95 %.
        assert!((2.0 * LIKELIHOOD_DROP_95 - 3.841_458_820_694_124).abs() < 1e-12);
    }
}
