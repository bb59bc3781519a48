//! Compares two entrants of one table: their difference, and how surely one is stronger.
//!
//! There is one object, [`Difference`], and all that is said of two entrants follows from it: the
//! interval, the likelihood of superiority, whether they are parted, and ranks.

use crate::stats::ratings::Ratings;

use super::bounds::BoundDirection;
use super::elo::{ELO_PER_LOGIT, NORMAL_95};
use super::pair_likelihood::PairLikelihood;
use super::student::normal_probability;
use super::uncertainty::{Precision, quantile};
use crate::stats::game::RatedEntrant;

/// How far one entrant is rated above another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// Elo.
    pub elo: f64,
    /// Half the width of the 95 % interval, Elo; 0 between two anchors. `None` for a bound, which
    /// includes the errors of both, and where there are too few openings.
    pub error95: Option<f64>,
    /// Degrees of freedom of the interval; infinite for a bound, and for what the likelihood says.
    pub freedom: f64,
    /// Whether `elo` is only a bound.
    pub bound: Option<BoundDirection>,
    /// The likelihood of superiority: the probability that the first one is stronger, by the same
    /// distribution as the interval. So an interval at 95 % without 0 is one above 97.5 % (or below
    /// 2.5 %), and never otherwise. `None` where the error is unknown.
    pub los: Option<f64>,
    /// How many times as wide the interval may become before it contains 0, with the sign of the
    /// difference; infinite between anchors. `None` where the error is unknown.
    pub margins: Option<f64>,
}

impl Difference {
    /// Inside a group.
    fn estimated(elo: f64, known: Option<Known>) -> Self {
        let logits = elo / ELO_PER_LOGIT;
        Self {
            elo,
            error95: known.map(|it| it.half_width() * ELO_PER_LOGIT),
            freedom: known.map_or(f64::INFINITY, |it| it.freedom()),
            bound: None,
            los: known.map(|it| it.los(logits)),
            margins: known.map(|it| it.margins(logits)),
        }
    }

    /// At least so many Elo, where the bound reaches 0 at this level in standard deviations.
    fn at_least(elo: f64, level: f64) -> Self {
        Self {
            elo,
            error95: None,
            freedom: f64::INFINITY,
            bound: Some(BoundDirection::AtLeast),
            los: Some(normal_probability(level)),
            margins: Some(level / NORMAL_95),
        }
    }

    /// The same as the other one sees it.
    pub(super) fn reversed(self) -> Self {
        Self {
            elo: -self.elo,
            bound: self.bound.map(BoundDirection::reversed),
            los: self.los.map(|los| 1.0 - los),
            margins: self.margins.map(|margins| -margins),
            ..self
        }
    }

    /// How many standard errors it is above 0.
    pub fn deviations(&self) -> Option<f64> {
        Some(self.margins? * quantile(self.freedom))
    }

    /// Whether its interval at 95 % excludes 0.
    pub fn is_parted(&self) -> bool {
        self.margins.is_some_and(|margins| margins.abs() > 1.0)
    }
}

impl Ratings {
    /// How far `upper` is rated above `lower`, with the error of the difference. `None` if no game
    /// compares them: they are in different components, or in groups without an order.
    pub fn difference(&self, upper: RatedEntrant, lower: RatedEntrant) -> Option<Difference> {
        let (mine, other) = (
            self.ratings[upper.position()],
            self.ratings[lower.position()],
        );
        let elo = mine.elo - other.elo;
        if mine.group == other.group {
            return Some(Difference::estimated(elo, self.known(upper, lower)));
        }
        if self.connectivity.is_above(mine.group, other.group) {
            return Some(self.above(upper, lower));
        }
        let is_below = self.connectivity.is_above(other.group, mine.group);
        is_below.then(|| self.above(lower, upper).reversed())
    }

    /// The difference of two entrants; the group of the first is above that of the second.
    fn above(&self, upper: RatedEntrant, lower: RatedEntrant) -> Difference {
        let [above, below] = [upper, lower].map(|it| self.ratings[it.position()]);
        // The bound places the groups; each of the two entrants can deviate from its own group.
        let [one, other] = [upper, lower].map(|it| self.half_width_inside(it));
        let inside = one.hypot(other);
        let lead = self.logits[upper.position()] - self.logits[lower.position()];
        // At 95 % the bound is that of a level so many times as far out.
        let level = self.levels.as_ref().map_or(0.0, |levels| {
            let inside = inside / self.widening;
            let level = levels.reached(above.group, below.group, (lead, inside));
            level / self.widening
        });
        Difference::at_least(above.elo - below.elo - inside * ELO_PER_LOGIT, level)
    }

    /// Half the width of the 95 % interval of an entrant's rating inside its group, logits.
    fn half_width_inside(&self, entrant: RatedEntrant) -> f64 {
        let rating = self.ratings[entrant.position()];
        let is_alone = self.connectivity.groups[rating.group].len() == 1;
        let known = self.uncertainty.as_ref().filter(|_| !is_alone);
        known.map_or(0.0, |known| {
            let position = entrant.position();
            known
                .of(position, None)
                .map_or_else(|| known.by_model(position), |it| it.half_width)
        })
    }

    /// How surely a difference inside a group is known: by the scatter of its openings, or, where
    /// few of them make the scatter, by the likelihood if that parts the two further.
    pub(super) fn known(&self, upper: RatedEntrant, lower: RatedEntrant) -> Option<Known> {
        let (one, other) = (upper.position(), lower.position());
        let precision = self.uncertainty.as_ref()?.of(one, Some(other))?;
        let by_scatter = Known::Scatter(precision);
        let Some(openings) = precision.few_openings else {
            return Some(by_scatter);
        };
        let apart = self.logits[one] - self.logits[other];
        let (one, other) = if apart < 0.0 {
            (other, one)
        } else {
            (one, other)
        };
        let pair = PairLikelihood::new(self, one, other, openings);
        let level = pair.level();
        if level <= by_scatter.margins(apart).abs() * NORMAL_95 {
            return Some(by_scatter);
        }
        let half_width = pair.half_width();
        Some(Known::Likelihood { half_width, level })
    }
}

/// How surely a difference inside a group is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Known {
    /// From the scatter of openings.
    Scatter(Precision),
    /// From the likelihood: half the width of the interval at 95 %, logits, and how many standard
    /// deviations 0 is off.
    Likelihood { half_width: f64, level: f64 },
}

impl Known {
    /// Half the width of the 95 % interval, logits.
    pub const fn half_width(&self) -> f64 {
        match self {
            Self::Scatter(precision) => precision.half_width,
            Self::Likelihood { half_width, .. } => *half_width,
        }
    }

    /// Degrees of freedom.
    pub const fn freedom(&self) -> f64 {
        match self {
            Self::Scatter(precision) => precision.freedom,
            Self::Likelihood { .. } => f64::INFINITY,
        }
    }

    fn los(&self, logits: f64) -> f64 {
        match self {
            Self::Scatter(precision) => precision.probability_above_zero(logits),
            Self::Likelihood { level, .. } => normal_probability(level.copysign(logits)),
        }
    }

    fn margins(&self, logits: f64) -> f64 {
        match self {
            // A given number has no error: the sign alone decides.
            Self::Scatter(_) if logits == 0.0 => 0.0,
            Self::Scatter(precision) => logits / precision.half_width,
            Self::Likelihood { level, .. } => level.copysign(logits) / NORMAL_95,
        }
    }
}
