//! How far a number may be off: the scatter of openings, what of it can be seen, and how surely.
//!
//! # One number
//! A rating or difference is `ℓᵀ(r, A)`. With `a = H⁺ℓ` the opening c moves it by `aᵀu_c`, and
//! the sandwich is the sum of the squares of that. If the model holds, `q_c = aᵀH_c a` is what c
//! adds to the variance, `q = Σ q_c`, and `t = Σ aᵀH_c H⁺ H_c a` what the fit takes away from what
//! can be seen: each opening pulls the ratings towards itself. Therefore
//!
//! ```text
//!   variance   the sandwich · q / (q − t)      right on average if the model holds
//!   freedom    q (q − t) / Σ q_c²              degrees of freedom of that estimate
//!   ±          the 97.5 % point of Student's t with so many, times its root
//! ```
//!
//! after R. M. Bell and D. F. `McCaffrey` (*Bias reduction in standard errors*, 2002), who match
//! the first two moments of the estimate with those of χ² (F. E. Satterthwaite 1946) under the
//! model. The residuals of a fit have covariances N with `N² ≤ N`, so the exact second moment is
//! not more than the one taken here. One opening alone shows no scatter: `t = q`, and there is no
//! interval. n openings that say as much give n − 1 degrees of freedom.
//!
//! # Few that count
//! The model takes results for normal. Where nearly all pairs are level, three of fifty make all of
//! the scatter, and it is known as badly as from three. What the openings really did says so: with
//! `s_c = aᵀu_c`, the squares of which are the sandwich, their kurtosis gives
//!
//! ```text
//!   freedom    2 / (Σ s_c⁴ / (Σ s_c²)² − Σ q_c² / q²)      if that is less
//! ```
//!
//! since a sum of n squares has the variance `n (E s⁴ − (E s²)²)`, and twice the square of a mean
//! over its variance is what Satterthwaite's freedom is. Of normal scores it is the same as above.
//!
//! # No scatter
//! All pairs level, or all draws, do not make a number known beyond doubt. No interval is narrower
//! than the likelihood-ratio interval of as many observations that are all level, which allows a
//! share `1 − exp(−1.92 / n)` of them to be decided, all for the same: thirty level pairs are
//! ±21.6 Elo, and twenty drawn games that stand alone ±31.9.

mod matrices;
mod measured;

pub use matrices::Matrices;
pub use measured::{Measured, Share, concentration};

use super::elo::{ELO_PER_LOGIT, LIKELIHOOD_DROP_95, NORMAL_95};
use super::matrix::Symmetric;
use super::student;

/// Fewer degrees of freedom are none: an estimate from them says nothing. Rounding may take a
/// little from what is 1.
const LEAST_FREEDOM: f64 = 0.99;
/// With fewer degrees of freedom than the model has, and fewer than these, the likelihood may know
/// more than the scatter.
const FEW: f64 = 8.0;

/// What errors are made of, for the numbers of a fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Uncertainty {
    known: KnownPairs,
    /// Games to an opening.
    games_each: f64,
    /// Information of a game, on average.
    per_game: f64,
    /// How many times as wide all intervals are.
    widening: f64,
}

/// For which numbers.
#[derive(Clone, Debug, PartialEq)]
enum KnownPairs {
    /// All ratings and differences.
    All(Box<Matrices>),
    /// Each rating, and the advantage.
    Each(Each),
}

/// Per rating: half-width relative to the zero point only.
#[derive(Clone, Debug, PartialEq)]
pub struct Each {
    /// By entrant: against whom; `None` is the mean of its group.
    pub against: Vec<Option<usize>>,
    /// By entrant.
    pub ratings: Vec<Measured>,
    pub advantage: Measured,
}

/// How far a number may be off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Precision {
    /// Half the width of the 95 % interval, logits.
    pub half_width: f64,
    /// Degrees of freedom; infinite for what is given.
    pub freedom: f64,
    /// The openings on which it rests, if few of them make its scatter: fewer than eight degrees of
    /// freedom, and fewer than the model has.
    pub few_openings: Option<f64>,
}

impl Precision {
    /// Of what is given.
    const EXACT: Self = Self {
        half_width: 0.0,
        freedom: f64::INFINITY,
        few_openings: None,
    };

    /// Half the width of the 95 % interval, Elo.
    pub fn elo(&self) -> f64 {
        self.half_width * ELO_PER_LOGIT
    }

    /// The probability that a number is above 0 whose estimate is this, in logits.
    pub fn probability_above_zero(&self, estimate: f64) -> f64 {
        if estimate == 0.0 {
            return 0.5;
        }
        // What is given is known: without an error the sign alone decides.
        let error = (self.half_width / quantile(self.freedom)).max(f64::MIN_POSITIVE);
        student::probability(estimate / error, self.freedom)
    }
}

/// The 97.5 % point of Student's t, also with infinite freedom.
pub fn quantile(freedom: f64) -> f64 {
    if freedom.is_finite() {
        student::quantile_95(freedom)
    } else {
        NORMAL_95
    }
}

impl Uncertainty {
    /// Of all ratings and differences. `games`: games to an opening, and information of a game.
    pub fn of_all(matrices: Matrices, games: (f64, f64)) -> Self {
        Self::new(KnownPairs::All(Box::new(matrices)), games)
    }

    /// Per rating: relative to the zero point only.
    pub fn of_each(each: Each, games: (f64, f64)) -> Self {
        Self::new(KnownPairs::Each(each), games)
    }

    fn new(known: KnownPairs, (games_each, per_game): (f64, f64)) -> Self {
        Self {
            known,
            games_each,
            per_game,
            widening: 1.0,
        }
    }

    /// The same with all intervals so many times as wide.
    #[must_use]
    pub fn widened(self, widening: f64) -> Self {
        Self { widening, ..self }
    }

    /// Of `upper − lower`; without `lower`, of `upper` against the mean of its group. `None` if it
    /// rests on too few openings, or if that was not measured.
    pub fn of(&self, upper: usize, lower: Option<usize>) -> Option<Precision> {
        match &self.known {
            KnownPairs::All(matrices) => self.precision(&matrices.of(upper, lower)),
            KnownPairs::Each(each) if each.against[upper] == lower => {
                self.precision(&each.ratings[upper])
            }
            KnownPairs::Each(_) => None,
        }
    }

    /// Degrees of freedom of a rating.
    #[cfg(test)]
    pub fn freedom(&self, entrant: usize) -> f64 {
        let measured = match &self.known {
            KnownPairs::All(matrices) => matrices.of(entrant, None),
            KnownPairs::Each(each) => each.ratings[entrant],
        };
        measured.freedom()
    }

    /// Of the advantage.
    pub fn of_advantage(&self) -> Option<Precision> {
        match &self.known {
            KnownPairs::All(matrices) => self.precision(&matrices.of_advantage()),
            KnownPairs::Each(each) => self.precision(&each.advantage),
        }
    }

    /// Half the width of the interval that the model alone gives, logits: for what rests on one
    /// opening, where something must be taken.
    pub fn by_model(&self, entrant: usize) -> f64 {
        let variance = match &self.known {
            KnownPairs::All(matrices) => matrices.by_model(entrant, None),
            KnownPairs::Each(each) => each.ratings[entrant].share.sum,
        };
        self.widening * NORMAL_95 * variance.max(0.0).sqrt()
    }

    /// The model's covariance of entrants of one group, square logits; `None` where differences are
    /// not measured.
    pub fn by_model_of(&self, members: &[usize]) -> Option<Symmetric> {
        let KnownPairs::All(matrices) = &self.known else {
            return None;
        };
        let mut covariance = Symmetric::zero(members.len());
        for (row, &one) in members.iter().enumerate() {
            for (column, &other) in members[..=row].iter().enumerate() {
                covariance.add(row, column, matrices.covariance(one, other));
            }
        }
        Some(covariance)
    }

    /// The model's variance of the difference of two entrants of one group, square logits; `None`
    /// where differences are not measured.
    pub fn difference_by_model(&self, upper: usize, lower: usize) -> Option<f64> {
        let KnownPairs::All(matrices) = &self.known else {
            return None;
        };
        Some(matrices.by_model(upper, Some(lower)))
    }

    fn precision(&self, measured: &Measured) -> Option<Precision> {
        let Measured {
            scatter,
            unseen,
            share,
            ..
        } = *measured;
        // Rounding may leave a little of what is held.
        if share.sum <= 1e-30 {
            return Some(Precision::EXACT);
        }
        let seen = share.sum - unseen;
        let freedom = measured.freedom();
        let is_few = freedom < FEW && freedom < measured.freedom_by_model();
        if !freedom.is_finite() || freedom < LEAST_FREEDOM || seen <= 0.0 {
            return None;
        }
        let variance = scatter.max(0.0) * share.sum / seen;
        let half_width = quantile(freedom) * variance.sqrt();
        Some(Precision {
            half_width: self.widening * half_width.max(self.least(share)),
            freedom,
            few_openings: is_few.then(|| share.openings()),
        })
    }

    /// Half the width of the narrowest interval to be believed.
    fn least(&self, share: Share) -> f64 {
        let openings = share.openings();
        let decided = -(-LIKELIHOOD_DROP_95 / openings).exp_m1();
        // Two entrants who are all level, and what the model thinks of them.
        let level = 2.0 * decided.atanh();
        let games = 1.0 / (share.sum * self.per_game * openings);
        let games = openings * games.min(self.games_each).max(1.0);
        level * (share.sum * games / 4.0).sqrt()
    }
}
