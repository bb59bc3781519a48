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
//! # No scatter
//! All pairs level, or all draws, do not make a number known beyond doubt. No interval is narrower
//! than the likelihood-ratio interval of as many observations that are all level, which allows a
//! share `1 − exp(−1.92 / n)` of them to be decided, all for the same: thirty level pairs are
//! ±21.6 Elo, and twenty drawn games that stand alone ±31.9.

use super::elo::{ELO_PER_LOGIT, LIKELIHOOD_DROP_95, NORMAL_95};
use super::errors::{Bread, Covariance, Design, Place};
use super::student;

/// Fewer degrees of freedom are none: an estimate from them says nothing. Rounding may take a
/// little from what is 1.
const LEAST_FREEDOM: f64 = 0.99;
/// Products of entrants, entrants and cells beyond which the freedom of a difference is put
/// together from those of the two ratings.
const MOST_EXACT: f64 = 1e9;

/// What errors are made of, for the numbers of a fit.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Uncertainty {
    known: Known,
    /// Games to an opening.
    games_each: f64,
    /// Information of a game, on average.
    per_game: f64,
}

/// For which numbers.
#[derive(Clone, Debug, PartialEq)]
enum Known {
    /// All ratings and differences.
    All(Box<Matrices>),
    /// Each rating, and the advantage.
    Each(Each),
}

/// What is known of a number, in square logits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Measured {
    /// By the sandwich or the bootstrap, before any factor.
    pub(super) scatter: f64,
    /// What the fit hides of the model's variance.
    pub(super) unseen: f64,
    /// The model's variance.
    pub(super) share: Share,
}

/// Of each rating, relative to one thing alone.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Each {
    /// By entrant: against whom; `None` is the mean of its group.
    pub(super) against: Vec<Option<usize>>,
    /// By entrant.
    pub(super) ratings: Vec<Measured>,
    pub(super) advantage: Measured,
}

/// What all ratings and differences are made of.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Matrices {
    /// By the sandwich or the bootstrap, before any factor.
    scatter: Covariance,
    /// What the fit hides of the model's covariance.
    unseen: Covariance,
    /// The inverse of the information matrix.
    inverse: Covariance,
    /// The covariance of each free rating with the advantage.
    with_advantage: Vec<f64>,
    /// What was played from openings, those alike taken together.
    designs: Vec<Design>,
    /// Of every entrant.
    places: Vec<Place>,
    /// Where each block begins in a vector of all free ratings.
    starts: Vec<usize>,
    /// Of every rating, where there are too many differences to look at each.
    shares: Option<Vec<Share>>,
}

/// What openings add to the variance of a number if the model holds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Share {
    /// All of it, square logits.
    pub(super) sum: f64,
    /// The sum of squares of what each opening adds.
    pub(super) squares: f64,
}

/// How far a number may be off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Precision {
    /// Half the width of the 95 % interval, logits.
    pub(super) half_width: f64,
    /// Degrees of freedom; infinite for what is given.
    pub(super) freedom: f64,
}

impl Precision {
    /// Of what is given.
    const EXACT: Self = Self {
        half_width: 0.0,
        freedom: f64::INFINITY,
    };

    /// Half the width of the 95 % interval, Elo.
    pub(super) fn elo(&self) -> f64 {
        self.half_width * ELO_PER_LOGIT
    }

    /// The probability that a number is above 0 whose estimate is this, in logits.
    pub(super) fn probability_above_zero(&self, estimate: f64) -> f64 {
        if estimate == 0.0 {
            return 0.5;
        }
        // What is given is known: without an error the sign alone decides.
        let error = (self.half_width / quantile(self.freedom)).max(f64::MIN_POSITIVE);
        student::probability(estimate / error, self.freedom)
    }
}

/// The 97.5 % point of Student's t, also with infinite freedom.
pub(super) fn quantile(freedom: f64) -> f64 {
    if freedom.is_finite() {
        student::quantile_95(freedom)
    } else {
        NORMAL_95
    }
}

impl Uncertainty {
    /// Of all ratings and differences. `games`: games to an opening, and information of a game.
    pub(super) fn of_all(matrices: Matrices, games: (f64, f64)) -> Self {
        Self::new(Known::All(Box::new(matrices)), games)
    }

    /// Of each rating alone.
    pub(super) fn of_each(each: Each, games: (f64, f64)) -> Self {
        Self::new(Known::Each(each), games)
    }

    fn new(known: Known, (games_each, per_game): (f64, f64)) -> Self {
        Self {
            known,
            games_each,
            per_game,
        }
    }

    /// Of `upper − lower`; without `lower`, of `upper` against the mean of its group. `None` if it
    /// rests on too few openings, or if that was not measured.
    pub(super) fn of(&self, upper: usize, lower: Option<usize>) -> Option<Precision> {
        match &self.known {
            Known::All(matrices) => self.precision(&matrices.of(upper, lower)),
            Known::Each(each) if each.against[upper] == lower => {
                self.precision(&each.ratings[upper])
            }
            Known::Each(_) => None,
        }
    }

    /// Degrees of freedom of a rating.
    #[cfg(test)]
    pub(super) fn freedom(&self, entrant: usize) -> f64 {
        let measured = match &self.known {
            Known::All(matrices) => matrices.of(entrant, None),
            Known::Each(each) => each.ratings[entrant],
        };
        let share = measured.share;
        share.sum * (share.sum - measured.unseen) / share.squares
    }

    /// Of the advantage.
    pub(super) fn of_advantage(&self) -> Option<Precision> {
        match &self.known {
            Known::All(matrices) => self.precision(&matrices.of_advantage()),
            Known::Each(each) => self.precision(&each.advantage),
        }
    }

    /// Half the width of the interval that the model alone gives, logits: for what rests on one
    /// opening, where something must be taken.
    pub(super) fn by_model(&self, entrant: usize) -> f64 {
        let variance = match &self.known {
            Known::All(matrices) => matrices.inverse.of_rating(&matrices.places, entrant),
            Known::Each(each) => each.ratings[entrant].share.sum,
        };
        NORMAL_95 * variance.max(0.0).sqrt()
    }

    /// The model's variance of the difference of two entrants of one group, square logits; `None`
    /// where differences are not measured.
    pub(super) fn difference_by_model(&self, upper: usize, lower: usize) -> Option<f64> {
        let Known::All(matrices) = &self.known else {
            return None;
        };
        let inverse = &matrices.inverse;
        Some(inverse.of_difference(&matrices.places, upper, lower))
    }

    fn precision(&self, measured: &Measured) -> Option<Precision> {
        let Measured {
            scatter,
            unseen,
            share,
        } = *measured;
        // Rounding may leave a little of what is held.
        if share.sum <= 1e-30 {
            return Some(Precision::EXACT);
        }
        let seen = share.sum - unseen;
        let freedom = share.sum * seen / share.squares;
        if !freedom.is_finite() || freedom < LEAST_FREEDOM || seen <= 0.0 {
            return None;
        }
        let variance = scatter.max(0.0) * share.sum / seen;
        let half_width = quantile(freedom) * variance.sqrt();
        Some(Precision {
            half_width: half_width.max(self.least(share)),
            freedom,
        })
    }

    /// Half the width of the narrowest interval to be believed.
    fn least(&self, share: Share) -> f64 {
        let openings = share.sum * share.sum / share.squares;
        let decided = -(-LIKELIHOOD_DROP_95 / openings).exp_m1();
        // Two entrants who are all level, and what the model thinks of them.
        let level = 2.0 * decided.atanh();
        let games = 1.0 / (share.sum * self.per_game * openings);
        let games = openings * games.min(self.games_each).max(1.0);
        level * (share.sum * games / 4.0).sqrt()
    }
}

impl Matrices {
    /// From a fit's information, the designs of its openings, and their scatter.
    pub(super) fn new(bread: &Bread<'_>, designs: Vec<Design>, scatter: Covariance) -> Self {
        let layout = bread.layout();
        let mut known = Self {
            unseen: bread.unseen(&designs),
            inverse: bread.inverse(),
            with_advantage: bread.factors.with_advantage(),
            scatter,
            places: layout.places.clone(),
            starts: layout.blocks.iter().map(|block| block.start).collect(),
            designs,
            shares: None,
        };
        let cells: usize = known.designs.iter().map(|design| design.cells.len()).sum();
        if (layout.size * layout.size) as f64 * cells as f64 > MOST_EXACT {
            let entrants = 0..known.places.len();
            let of = |entrant| known.share(&known.row(entrant, None), known.border(entrant, None));
            known.shares = Some(entrants.map(of).collect());
        }
        known
    }

    fn of(&self, upper: usize, lower: Option<usize>) -> Measured {
        let of = |covariance: &Covariance| match lower {
            Some(lower) => covariance.of_difference(&self.places, upper, lower),
            None => covariance.of_rating(&self.places, upper),
        };
        let share = match (&self.shares, lower) {
            (Some(shares), None) => shares[upper],
            (Some(shares), Some(lower)) => self.put_together(upper, lower, shares),
            (None, _) => self.share(&self.row(upper, lower), self.border(upper, lower)),
        };
        Measured {
            scatter: of(&self.scatter),
            unseen: of(&self.unseen),
            share,
        }
    }

    fn of_advantage(&self) -> Measured {
        let mut row = vec![0.0; self.places.len()];
        for (value, place) in row.iter_mut().zip(&self.places) {
            if let Some(index) = self.index(*place) {
                *value = self.with_advantage[index];
            }
        }
        Measured {
            scatter: self.scatter.advantage,
            unseen: self.unseen.advantage,
            share: self.share(&row, self.inverse.advantage),
        }
    }

    fn put_together(&self, upper: usize, lower: usize, shares: &[Share]) -> Share {
        let (one, other) = (shares[upper], shares[lower]);
        let sum = self.inverse.of_difference(&self.places, upper, lower);
        let both = one.sum + other.sum;
        // Between two that are held.
        if both <= 0.0 {
            return Share {
                sum: 0.0,
                squares: 0.0,
            };
        }
        Share {
            sum,
            squares: (one.squares + other.squares) * (sum / both).powi(2),
        }
    }

    /// `a` for a number, of each entrant.
    fn row(&self, upper: usize, lower: Option<usize>) -> Vec<f64> {
        let difference = |other: usize| {
            let below = lower.map_or(0.0, |lower| self.covariance(lower, other));
            self.covariance(upper, other) - below
        };
        (0..self.places.len()).map(difference).collect()
    }

    /// `a` for a number, of the advantage.
    fn border(&self, upper: usize, lower: Option<usize>) -> f64 {
        let of = |entrant: usize| {
            let index = self.index(self.places[entrant]);
            index.map_or(0.0, |index| self.with_advantage[index])
        };
        of(upper) - lower.map_or(0.0, of)
    }

    fn index(&self, place: Place) -> Option<usize> {
        place.map(|(block, row)| self.starts[block] + row)
    }

    fn covariance(&self, one: usize, other: usize) -> f64 {
        let (Some((block, row)), Some((other_block, column))) =
            (self.places[one], self.places[other])
        else {
            return 0.0;
        };
        if block == other_block {
            return self.inverse.blocks[block].at(row, column);
        }
        if self.inverse.advantage == 0.0 {
            return 0.0;
        }
        let border = |block: usize, row: usize| self.with_advantage[self.starts[block] + row];
        border(block, row) * border(other_block, column) / self.inverse.advantage
    }

    fn share(&self, row: &[f64], border: f64) -> Share {
        let mut share = Share {
            sum: 0.0,
            squares: 0.0,
        };
        for design in &self.designs {
            let cells = design.cells.iter();
            let one: f64 = cells
                .map(|cell| {
                    let moved = row[cell.south] - row[cell.north] + border;
                    cell.information * moved * moved
                })
                .sum();
            share.sum += design.count * one;
            share.squares += design.count * one * one;
        }
        share
    }
}
