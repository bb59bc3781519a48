//! The results of pairs that are assumed before there are any: only to say how long a test may
//! take.
//!
//! Each game follows the logistic model with draws (P. V. Rao and L. L. Kupper 1967): with the new
//! bot d Elo ahead it wins with probability 1 / (1 + 10^((δ − d) / 400)) and loses with 1 / (1 +
//! 10^((δ + d) / 400)); δ gives the share of draws between equals. An opening helps one side by b
//! Elo, so that the new bot is at d + b in one game of a pair and at d − b in the other: the games
//! of a pair are independent given their opening, and negatively correlated over all openings.

use super::counts::PairCounts;
use super::forecast::moments;
use super::likelihood::ELO_PER_DEVIATION;
use crate::stats::elo::{ELO_PER_LOGIT, sigmoid};
use crate::stats::sprt::Model;
use std::fmt;

/// The shape of results that is assumed before there are any.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TypicalResults {
    draw_share: f64,
    opening_bias: f64,
}

/// A shape that no results have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TypicalError {
    /// `draw_share` or `opening_bias`.
    pub name: &'static str,
    /// The refused value.
    pub value: f64,
    /// The most that it may be; the least is 0.
    pub most: f64,
}

impl fmt::Display for TypicalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, value, most } = self;
        write!(f, "{name} must be between 0 and {most}, not {value}")
    }
}

impl std::error::Error for TypicalError {}

impl Default for TypicalResults {
    /// One game in ten drawn between equals from a level opening, openings that help one side by
    /// 100 Elo: an assumption about bots at awalé, to be replaced by observed counts when there are
    /// some.
    fn default() -> Self {
        Self {
            draw_share: 0.1,
            opening_bias: 100.0,
        }
    }
}

impl TypicalResults {
    /// Results with this share of draws between equals from a level opening (0 to 0.99), and
    /// openings that help one side by so much (Elo, 0 to 1000).
    ///
    /// # Errors
    /// If one of them is not in its range.
    pub fn new(draw_share: f64, opening_bias: f64) -> Result<Self, TypicalError> {
        let ranges = [
            ("draw_share", draw_share, 0.99),
            ("opening_bias", opening_bias, 1000.0),
        ];
        for (name, value, most) in ranges {
            if !(0.0..=most).contains(&value) {
                return Err(TypicalError { name, value, most });
            }
        }
        Ok(Self {
            draw_share,
            opening_bias,
        })
    }

    /// Probabilities of loss, draw and win at `ahead` Elo on the board.
    fn game(&self, ahead: f64) -> [f64; 3] {
        // Between equals draws are (10^(δ/400) − 1) / (10^(δ/400) + 1), the tangent of half δ.
        let delta = 2.0 * self.draw_share.atanh();
        let ahead = ahead / ELO_PER_LOGIT;
        let (loss, win) = (sigmoid(-delta - ahead), sigmoid(ahead - delta));
        [loss, 1.0 - loss - win, win]
    }

    fn pair_ahead(&self, ahead: f64) -> [f64; 5] {
        let (helped, hindered) = (
            self.game(ahead + self.opening_bias),
            self.game(ahead - self.opening_bias),
        );
        let mut cells = [0.0; 5];
        for (first, one) in helped.iter().enumerate() {
            for (second, other) in hindered.iter().enumerate() {
                cells[first + second] += one * other;
            }
        }
        cells
    }

    /// Shares of pairs (as in [`PairCounts`]) for a new bot of this strength on the model's scale,
    /// Elo.
    pub fn pairs(&self, model: Model, elo: f64) -> [f64; 5] {
        let ahead = solve(|ahead| {
            let cells = self.pair_ahead(ahead);
            strength(&cells, model) - elo
        });
        self.pair_ahead(ahead)
    }
}

/// Strength that shares of pairs show on a model's scale, Elo; infinite for a sweep.
fn strength(shares: &[f64; 5], model: Model) -> f64 {
    let (mean, variance) = moments(shares, &PairCounts::ABOVE_HALF);
    match model {
        Model::Logistic => ELO_PER_LOGIT * ((0.5 + mean) / (0.5 - mean)).ln(),
        // A pair's standard deviation counts √2 times.
        Model::Normalised => mean / (2.0 * variance).sqrt() * ELO_PER_DEVIATION,
    }
}

/// Where a growing function of Elo is 0. Beyond 8,000 Elo results are a sweep in floating point.
fn solve(function: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (-8000.0, 8000.0);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if function(middle) > 0.0 {
            high = middle;
        } else {
            low = middle;
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_have_the_strength_that_was_asked() {
        let typical = TypicalResults::new(0.25, 80.0).expect("a shape");
        for model in [Model::Logistic, Model::Normalised] {
            for elo in [-700.0, -30.0, 0.0, 5.0, 300.0] {
                let pairs = typical.pairs(model, elo);
                let shown = strength(&pairs, model);
                assert!((shown - elo).abs() < 1e-6, "{model:?} {elo}: {shown}");
                let sum: f64 = pairs.iter().sum();
                assert!((sum - 1.0).abs() < 1e-12, "{model:?} {elo}");
            }
        }
    }

    #[test]
    fn equals_draw_as_often_as_said() {
        for share in [0.0, 0.1, 0.6, 0.99] {
            let typical = TypicalResults::new(share, 0.0).expect("a shape");
            let [loss, draw, win] = typical.game(0.0);
            assert!(
                (draw - share).abs() < 1e-12 && (loss - win).abs() < 1e-12,
                "{share}"
            );
        }
    }

    #[test]
    fn openings_make_games_of_a_pair_differ() {
        // Three to one for the side that the opening helps, no draws: won and lost in 10 of 16.
        let typical = TypicalResults::new(0.0, 190.848_501_887_864_98).expect("a shape");
        let pairs = typical.pairs(Model::Logistic, 0.0);
        for (share, expected) in pairs.iter().zip([3.0, 0.0, 10.0, 0.0, 3.0]) {
            assert!((share - expected / 16.0).abs() < 1e-9, "{pairs:?}");
        }
    }

    #[test]
    fn shapes_of_no_results_are_refused() {
        for (draws, bias) in [
            (-0.1, 0.0),
            (1.0, 0.0),
            (f64::NAN, 0.0),
            (0.1, -1.0),
            (0.1, 1e4),
        ] {
            assert!(TypicalResults::new(draws, bias).is_err(), "{draws} {bias}");
        }
    }
}
