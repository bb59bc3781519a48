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
//! interval. n equally informative openings give n − 1 degrees of freedom.
//!
//! # Few that count
//! The model takes results for normal. Where nearly all pairs are level, three of fifty make all of
//! the scatter, and it is known as badly as from three. What the openings really did says so: with
//! `s_c = aᵀu_c`, whose squares add up to the sandwich, their kurtosis gives
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

use super::clusters::ClusterKind;
use super::elo::{ELO_PER_LOGIT, LIKELIHOOD_DROP_95, NORMAL_95};
use super::errors::{ClusterScore, Design, SandwichInputs};
use super::likelihood::{Fit, Problem};
use super::matrix::Symmetric;
use super::student;

/// With fewer degrees of freedom an estimate says nothing. Rounding may take a little from 1.
const LEAST_FREEDOM: f64 = 0.99;
/// With fewer degrees of freedom than the model has, and fewer than these, the likelihood may know
/// more than the scatter.
const FEW: f64 = 8.0;
/// Products of ratings, ratings and entries beyond which the spread of a difference is put together
/// from the spreads of its two ratings.
const MOST_EXACT: f64 = 1e9;

/// The indices of the two numbers of a difference; a number that is not free has none.
type Contrast = [Option<usize>; 2];

/// The parts of the errors of a fit's numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Uncertainty {
    inputs: SandwichInputs,
    /// The covariance of the sandwich, before any factor.
    scatter: Symmetric,
    /// The part of the model's covariance that the fit hides.
    hidden: Symmetric,
    /// By entrant: the index of its rating, if it is free.
    indices: Vec<Option<usize>>,
    /// The index of the advantage, if it is estimated.
    advantage: Option<usize>,
    /// By index: the spread of each number, where there are too many differences to compute each.
    each: Option<Vec<Spread>>,
    /// Games to an opening.
    games_each: f64,
    /// Information of a game, on average.
    per_game: f64,
    /// The factor by which all intervals are widened.
    widening: f64,
}

/// How openings make up the variance of one number, in square logits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Spread {
    /// The model's variance.
    sum: f64,
    /// The sum of squares of the parts that openings add to it.
    squares: f64,
    /// `Σ s⁴ / (Σ s²)²` of how far each opening moved the number: one over the number of openings
    /// that make the scatter.
    concentration: f64,
}

impl Spread {
    /// The number of equally informative openings with the same precision.
    fn openings(&self) -> f64 {
        self.sum * self.sum / self.squares
    }
}

/// How far a number may be off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Precision {
    /// Half the width of the 95 % interval, logits.
    pub half_width: f64,
    /// Degrees of freedom; infinite for a given number.
    pub freedom: f64,
    /// The openings on which it rests, if few of them make its scatter: fewer than eight degrees of
    /// freedom, and fewer than the model has.
    pub few_openings: Option<f64>,
}

impl Precision {
    /// The precision of a given number.
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
        // A given number is known: without an error the sign alone decides.
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
    /// From a fit and the clusters inside its groups; intervals are widened by a factor. `None` if
    /// rounding errors ruin the information matrix.
    pub fn new(
        problem: &Problem<'_>,
        fit: &Fit,
        kinds: &[ClusterKind],
        widening: f64,
    ) -> Option<Self> {
        let inputs = SandwichInputs::new(problem, fit, kinds)?;
        let (mut games, mut information) = (0.0, 0.0);
        for cell in problem.cells() {
            games += cell.points();
            let variance = fit.variance(cell.south.position(), cell.north.position());
            information += cell.points() * variance;
        }
        let clusters: u64 = kinds.iter().map(|kind| kind.distinct).sum();
        let layout = problem.layout();
        let mut known = Self {
            scatter: inputs.sandwich(),
            hidden: inputs.hidden(),
            inputs,
            indices: layout.indices.clone(),
            advantage: fit.free.then_some(layout.size),
            each: None,
            games_each: games / clusters as f64,
            per_game: information / games,
            widening,
        };
        let designs = known.inputs.designs.iter().map(Design::size);
        let entries = designs.chain(known.inputs.scores.iter().map(ClusterScore::size));
        let entries: usize = entries.sum();
        if (layout.size * layout.size) as f64 * entries as f64 > MOST_EXACT {
            let numbers = 0..known.scatter.size();
            let spreads = numbers.map(|index| known.computed_spread([Some(index), None]));
            known.each = Some(spreads.collect());
        }
        Some(known)
    }

    /// The precision of `upper − lower`; without `lower`, that of `upper` against the mean of its
    /// group. `None` if it
    /// rests on too few openings.
    pub fn of(&self, upper: usize, lower: Option<usize>) -> Option<Precision> {
        self.precision(self.contrast(upper, lower))
    }

    /// The precision of the advantage, if it was estimated.
    pub fn of_advantage(&self) -> Option<Precision> {
        self.precision([Some(self.advantage?), None])
    }

    /// Half the width of the interval that the model alone gives, logits: for a rating that rests
    /// on one opening, where something must be taken.
    pub fn by_model(&self, entrant: usize) -> f64 {
        let variance = variance(&self.inputs.inverse, self.contrast(entrant, None));
        self.widening * NORMAL_95 * variance.max(0.0).sqrt()
    }

    /// The model's covariance of entrants of one group, square logits.
    pub fn by_model_of(&self, members: &[usize]) -> Symmetric {
        let mut covariance = Symmetric::zero(members.len());
        for (row, &one) in members.iter().enumerate() {
            for (column, &other) in members[..=row].iter().enumerate() {
                if let (Some(one), Some(other)) = (self.indices[one], self.indices[other]) {
                    covariance.add(row, column, self.inputs.inverse.at(one, other));
                }
            }
        }
        covariance
    }

    /// The model's variance of the difference of two entrants of one group, square logits.
    pub fn difference_by_model(&self, upper: usize, lower: usize) -> f64 {
        variance(&self.inputs.inverse, self.contrast(upper, Some(lower)))
    }

    fn contrast(&self, upper: usize, lower: Option<usize>) -> Contrast {
        [
            self.indices[upper],
            lower.and_then(|lower| self.indices[lower]),
        ]
    }

    fn spread(&self, contrast: Contrast) -> Spread {
        match (&self.each, contrast) {
            (Some(each), [Some(index), None] | [None, Some(index)]) => each[index],
            (Some(each), [Some(one), Some(other)]) => {
                self.combined_spread(contrast, [(one, each[one]), (other, each[other])])
            }
            _ => self.computed_spread(contrast),
        }
    }

    fn computed_spread(&self, [upper, lower]: Contrast) -> Spread {
        let inverse = &self.inputs.inverse;
        let mut vector = vec![0.0; inverse.size()];
        for (index, sign) in [(upper, 1.0), (lower, -1.0)] {
            for (value, entry) in vector
                .iter_mut()
                .zip(index.map_or(&[][..], |it| inverse.row(it)))
            {
                *value += sign * entry;
            }
        }
        let mut spread = Spread::default();
        for design in &self.inputs.designs {
            let one = design.variance(&vector);
            spread.sum += design.count * one;
            spread.squares += design.count * one * one;
        }
        let (mut squares, mut fourths) = (0.0, 0.0);
        for score in &self.inputs.scores {
            let square = score.moves(&vector).powi(2);
            squares += score.count * square;
            fourths += score.count * square * square;
        }
        spread.concentration = concentration(squares, fourths);
        spread
    }

    /// The spread of a difference, as if the parts of its two numbers were independent.
    fn combined_spread(
        &self,
        contrast: Contrast,
        [(first, one), (second, other)]: [(usize, Spread); 2],
    ) -> Spread {
        let sum = variance(&self.inputs.inverse, contrast);
        let [v, w] = [first, second].map(|it| self.scatter.at(it, it));
        let fourths = one.concentration * v * v + other.concentration * w * w;
        Spread {
            sum,
            squares: (one.squares + other.squares) * (sum / (one.sum + other.sum)).powi(2),
            concentration: concentration(v + w, fourths),
        }
    }

    fn precision(&self, contrast: Contrast) -> Option<Precision> {
        let spread = self.spread(contrast);
        // Rounding may leave a little of a number that is held.
        if spread.sum <= 1e-30 {
            return Some(Precision::EXACT);
        }
        let seen = spread.sum - variance(&self.hidden, contrast);
        let by_model = spread.sum * seen / spread.squares;
        let excess = spread.concentration - 1.0 / spread.openings();
        let freedom = if excess > 0.0 {
            by_model.min(2.0 / excess)
        } else {
            by_model
        };
        if !freedom.is_finite() || freedom < LEAST_FREEDOM || seen <= 0.0 {
            return None;
        }
        let scatter = variance(&self.scatter, contrast).max(0.0) * spread.sum / seen;
        let half_width = quantile(freedom) * scatter.sqrt();
        let is_few = freedom < FEW && freedom < by_model;
        Some(Precision {
            half_width: self.widening * half_width.max(self.least(&spread)),
            freedom,
            few_openings: is_few.then(|| spread.openings()),
        })
    }

    /// Half the width of the narrowest interval to be believed.
    fn least(&self, spread: &Spread) -> f64 {
        let openings = spread.openings();
        let decided = -(-LIKELIHOOD_DROP_95 / openings).exp_m1();
        // Two entrants whose pairs are all level, and the model's view of them.
        let level = 2.0 * decided.atanh();
        let games = 1.0 / (spread.sum * self.per_game * openings);
        let games = openings * games.min(self.games_each).max(1.0);
        level * (spread.sum * games / 4.0).sqrt()
    }
}

fn variance(covariance: &Symmetric, [upper, lower]: Contrast) -> f64 {
    let at = |one: Option<usize>, other: Option<usize>| match (one, other) {
        (Some(one), Some(other)) => covariance.at(one, other),
        _ => 0.0,
    };
    at(upper, upper) + at(lower, lower) - 2.0 * at(upper, lower)
}

/// `Σ s⁴ / (Σ s²)²`; 0 if nothing moved.
pub(super) fn concentration(squares: f64, fourths: f64) -> f64 {
    // Rounding leaves a little of level pairs.
    if squares > 1e-30 {
        fourths / (squares * squares)
    } else {
        0.0
    }
}
