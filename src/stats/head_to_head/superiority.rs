//! The probability to be the stronger of two, after their results.
//!
//! # The formula
//! Draws say nothing about who is stronger. Of the decisive games each is won by the first entrant
//! with a probability q, of which nothing is known before (the uniform prior); after w wins and l
//! losses q has the distribution Beta(w + 1, l + 1), and the first is the stronger if q > ½. One
//! win makes that 3/4, n wins 1 − 2^−(n+1), as many wins as losses ½.
//!
//! Games of a pair are not independent. So w and l are the counted wins and losses divided by how
//! many times the variance between pairs is that between independent games: a number below 1 where
//! swapped sides cancel an opening's bias, so that pairs tell more than their games. With one
//! decisive game's variance (¼) added to both it is 1 where there is no variance to compare, and
//! what was measured where there are many games; where all pairs but one at most are alike it is
//! not taken below 1. The result tends to Φ(difference / error), as the distribution of q tends to
//! the normal one.

use super::spread::ScoreSpread;
use crate::stats::sprt::GameCounts;
use crate::stats::superiority::normal_probability;
use statrs::function::beta::beta_reg;

/// Variance of one decisive game between equals.
const ONE_GAME: f64 = 0.25;

/// More decisive games than this are many: see [`many`].
const FEW: f64 = 200.0;

/// The probability that the first entrant is the stronger.
pub fn superiority(games: &GameCounts, spread: &ScoreSpread) -> f64 {
    let [losses, _, wins] = games.0.map(|count| count as f64);
    let games_squared = spread.games * spread.games;
    let design = (spread.between_openings * games_squared + ONE_GAME)
        / (spread.between_games * games_squared + ONE_GAME);
    let worth = if spread.is_flat() {
        spread.weight.min(1.0 / design)
    } else {
        1.0 / design
    };
    above_half((wins + losses) * worth + 2.0, (wins - losses) * worth)
}

/// The probability that a variable with the distribution Beta(a, b) is above ½, from a + b and
/// a − b: their difference may be less than the rounding of each.
fn above_half(sum: f64, difference: f64) -> f64 {
    if sum <= FEW {
        return beta_reg(0.5 * (sum - difference), 0.5 * (sum + difference), 0.5);
    }
    many(sum, difference)
}

/// The same for large a + b, where continued fractions take long: the normal distribution of the
/// signed root of the likelihood ratio, corrected by its slope (O. E. Barndorff-Nielsen 1986).
fn many(sum: f64, difference: f64) -> f64 {
    let excess = difference / sum;
    // The smaller of a and b is 1 at least, whatever rounding makes of it.
    let least = 2.0 / sum;
    let (x, y) = ((1.0 + excess).max(least), (1.0 - excess).max(least));
    // x ln x + y ln y, whose first terms cancel where both are nearly 1.
    let divergence = if excess.abs() < 0.01 {
        let square = excess * excess;
        square * (1.0 + square / 6.0 + square * square / 15.0)
    } else {
        x * x.ln() + y * y.ln()
    };
    let root = (sum * divergence).sqrt().copysign(excess);
    if root.abs() < 1e-4 {
        return normal_probability(root);
    }
    let slope = excess * (sum / (x * y)).sqrt();
    normal_probability(root + (slope / root).ln() / root)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_of_the_beta_distribution() {
        // By numerical integration in 30 digits.
        for (a, b, expected) in [
            (2.0, 1.0, 0.75),
            (4.0, 2.0, 0.8125),
            (137.0, 97.0, 0.995_680_796_711_331_2),
            (150.0, 60.0, 0.999_999_999_874_275_8),
            (1001.0, 951.0, 0.871_182_865_985_822_4),
            (100_001.0, 99_501.0, 0.868_521_944_158_63),
            (500_030_001.0, 500_000_001.0, 0.828_605_524_514_65),
        ] {
            let (above, below) = (above_half(a + b, a - b), above_half(a + b, b - a));
            assert!((above - expected).abs() < 2e-7, "{a} {b}: {above}");
            assert!((above + below - 1.0).abs() < 1e-12, "{a} {b}");
        }
    }

    #[test]
    fn few_and_many_meet() {
        for excess in [0.0, 1e-3, 1.0, 5.0, 20.0, 60.0] {
            let (a, b) = (0.5 * (FEW + excess), 0.5 * (FEW - excess));
            let gap = beta_reg(b, a, 0.5) - many(FEW, excess);
            assert!(gap.abs() < 2e-6, "{excess}: {gap}");
        }
    }
}
