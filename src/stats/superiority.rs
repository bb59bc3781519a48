//! The probability that one entrant is stronger than another (likelihood of superiority).

use statrs::function::erf::erfc;

use super::elo::log_sigmoid;

/// Φ: the probability that a normal variable stays below this many standard deviations.
pub fn normal_probability(deviations: f64) -> f64 {
    0.5 * erfc(-deviations / std::f64::consts::SQRT_2)
}

/// The probability that an entrant is stronger than another one whose group won no game against its
/// own.
///
/// The difference of the two, `d` logits, is unknown. Its prior makes the expected score `σ(d)`
/// uniform from 0 to 1. A game that was won with a lead of `lead` logits over `d` (ratings inside
/// the groups, and the advantage) has the likelihood `σ(lead + d)`. `wins` contains these leads
/// with their numbers of games. One win of one entrant against another gives 3/4, n wins give `1 −
/// 2^−(n+1)`.
///
/// Returns the probability that the winner is stronger, and that the loser is.
pub(super) fn of_winner(wins: &[(f64, f64)]) -> (f64, f64) {
    /// Beyond this many logits the weight of the prior is below the precision of a number.
    const TAIL: f64 = 45.0;
    // Usually all leads are 0: with n wins the integrals below are those of pⁿ.
    if wins.iter().all(|&(lead, _)| lead == 0.0) {
        let games: f64 = wins.iter().map(|&(_, games)| games).sum();
        let loser = (-games - 1.0).exp2();
        return (1.0 - loser, loser);
    }
    let log_density = |d: f64| {
        let likelihood: f64 = wins
            .iter()
            .map(|&(lead, games)| games * log_sigmoid(lead + d))
            .sum();
        likelihood + log_sigmoid(d) + log_sigmoid(-d)
    };
    // The lead beyond which the games are nearly certain: from there on only the prior falls.
    let loss: f64 = wins
        .iter()
        .map(|&(lead, games)| games * (-lead).exp())
        .sum();
    let most = loss.max(1.0).ln() + TAIL;
    let scale = {
        // The density is log-concave: ternary search finds its maximum.
        let (mut low, mut high) = (-TAIL, most);
        for _ in 0..80 {
            let third = (high - low) / 3.0;
            if log_density(low + third) < log_density(high - third) {
                low += third;
            } else {
                high -= third;
            }
        }
        log_density(f64::midpoint(low, high))
    };
    let density = |d: f64| (log_density(d) - scale).exp();
    let (worse, better) = (integral(-TAIL, 0.0, density), integral(0.0, most, density));
    (better / (better + worse), worse / (better + worse))
}

/// Gauss–Legendre quadrature with eight points on intervals of at most half a logit: where these
/// functions are not tiny they vary on the scale of a logit, and their singularities are π away.
fn integral(from: f64, to: f64, of: impl Fn(f64) -> f64) -> f64 {
    /// Abramowitz and Stegun, table 25.4, n = 8: points and weights, both signs.
    const POINTS: [(f64, f64); 4] = [
        (0.183_434_642_495_649_8, 0.362_683_783_378_362),
        (0.525_532_409_916_329, 0.313_706_645_877_887_3),
        (0.796_666_477_413_626_7, 0.222_381_034_453_374_5),
        (0.960_289_856_497_536_3, 0.101_228_536_290_376_26),
    ];
    let pieces = (2.0 * (to - from)).ceil().max(1.0);
    let half = (to - from) / pieces / 2.0;
    let mut sum = 0.0;
    let mut middle = from + half;
    while middle < to {
        for (point, weight) in POINTS {
            sum += weight * half * (of(middle - point * half) + of(middle + point * half));
        }
        middle += 2.0 * half;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clean_sweep_in_closed_form() {
        // With expected scores alike before, n wins have the density (n + 1) pⁿ. A lead that is as
        // good as none goes by the integrals.
        for lead in [0.0, 1e-15] {
            for games in [1, 2, 10, 40, 1000] {
                let (winner, loser) = of_winner(&[(lead, f64::from(games))]);
                let expected = 2.0_f64.powi(-games - 1);
                assert!((loser - expected).abs() < 1e-12, "{games}: {loser}");
                assert!(
                    (winner - (1.0 - expected)).abs() < 1e-12,
                    "{games}: {winner}"
                );
            }
        }
    }

    #[test]
    fn a_lead_of_three_to_one() {
        // σ(ln 3 + d) is 3p / (1 + 2p): by hand 3/2 ∫ (1 − 1/(1 + 2p)) dp, from 0 to 1/2 and 1.
        let whole = 1.5 * (1.0 - 3.0_f64.ln() / 2.0);
        let worse = 1.5 * (0.5 - 2.0_f64.ln() / 2.0);
        let (winner, loser) = of_winner(&[(3.0_f64.ln(), 1.0)]);
        assert!((loser - worse / whole).abs() < 1e-12, "{loser}");
        assert!((winner + loser - 1.0).abs() < 1e-15);
    }

    #[test]
    fn far_leads_stay_finite() {
        for lead in [-600.0, -40.0, 40.0, 600.0] {
            let (winner, loser) = of_winner(&[(lead, 3.0), (lead / 2.0, 1.0)]);
            assert!(
                (0.0..=1.0).contains(&winner) && (0.0..=1.0).contains(&loser),
                "{lead}"
            );
        }
        // Games that were as good as won before they began say nothing.
        assert!((of_winner(&[(600.0, 3.0)]).0 - 0.5).abs() < 1e-12);
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
