//! Which errors to believe: those that the scatter shows, or those of the model.
//!
//! * Without more clusters than parameters the scatter cannot be seen: the errors are those of the
//!   model, `H⁺`, in which every game is won or lost by a throw of a coin ([`Method::Model`]).
//! * The same holds for a part of a large table: the rating of an entrant with a single pair is
//!   fitted to that pair, which then scatters by nothing, and so it is with a pair that alone links
//!   two halves of the entrants. Of a number of which less than [`LEAST_SEEN`] of the model's
//!   variance can be seen the model's is the least to be believed.
//! * Scatter can be 0 by chance or because every game is drawn, which does not make a rating known
//!   beyond doubt. No variance is taken to be less than about `1/N` of the model's, N the number of
//!   different games that say as much of it: as if one game were as uncertain as the model thinks
//!   it. The exact share is such that two entrants who drew all their games get the
//!   likelihood-ratio interval of their score: what a test at 95 % does not refuse is a share of
//!   decided games, all won by one of them, of `1 − exp(−1.92 / N)`. Twenty draws are ±31.9 Elo,
//!   and so they are between two of a table of many.
//!
//! [`Method::Model`]: super::errors::Method::Model

use super::elo::{LIKELIHOOD_DROP_95, NORMAL_95};
use super::errors::{Covariance, Place};

/// With three pairs two thirds are seen, which holds the truth in 80 of 100 cases only.
const LEAST_SEEN: f64 = 0.7;

/// The covariances of a fit, and what tells which of them to believe.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Uncertainty {
    /// `None` if there are too few clusters.
    pub(super) scatter: Option<SeenScatter>,
    /// By the model alone.
    pub(super) model: Covariance,
    /// Number of different games.
    pub(super) games: f64,
    /// Information of a game, on average.
    pub(super) per_game: f64,
    /// Of every entrant.
    pub(super) places: Vec<Place>,
}

/// What the scatter of clusters shows.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SeenScatter {
    /// By the sandwich or the bootstrap.
    pub(super) covariance: Covariance,
    /// What the sandwich, without its factor, misses if the model holds.
    pub(super) unseen: Covariance,
    /// The factor: clusters / (clusters − parameters).
    pub(super) factor: f64,
}

impl Uncertainty {
    /// The variance of `upper − lower` in square logits; without `lower`, of `upper` against the
    /// mean of its group. Whoever is held has none.
    pub(super) fn variance(&self, upper: usize, lower: Option<usize>) -> f64 {
        self.believed(self.of(upper, lower))
    }

    /// The variance of the advantage in square logits.
    pub(super) fn variance_of_advantage(&self) -> f64 {
        self.believed(|covariance| covariance.advantage)
    }

    /// Whether too few pairs say how far two entrants are apart to see them scatter, though all
    /// pairs together are enough.
    pub(super) fn is_thin(&self, upper: usize, lower: usize) -> bool {
        let scatter = self.scatter.as_ref();
        scatter.is_some_and(|scatter| self.is_hidden(scatter, &self.of(upper, Some(lower))))
    }

    fn of(&self, upper: usize, lower: Option<usize>) -> impl Fn(&Covariance) -> f64 {
        move |covariance| match lower {
            Some(lower) => covariance.of_difference(&self.places, upper, lower),
            None => covariance.of_rating(&self.places, upper),
        }
    }

    fn is_hidden(&self, scatter: &SeenScatter, of: &impl Fn(&Covariance) -> f64) -> bool {
        let model = of(&self.model);
        (model - of(&scatter.unseen)) * scatter.factor < LEAST_SEEN * model
    }

    fn believed(&self, of: impl Fn(&Covariance) -> f64) -> f64 {
        let model = of(&self.model).max(0.0);
        let Some(scatter) = &self.scatter else {
            return model;
        };
        let least = if self.is_hidden(scatter, &of) {
            model
        } else {
            self.least(model)
        };
        of(&scatter.covariance).max(least)
    }

    /// The least variance to be believed of what the model knows with this variance.
    fn least(&self, model: f64) -> f64 {
        // So many games between the two would say as much.
        let games = (1.0 / (model * self.per_game)).min(self.games);
        // What is held has no variance, and rounding may leave none of a game's information.
        if games.is_finite() {
            least_share(games.max(1.0)) * model
        } else {
            0.0
        }
    }
}

/// The least share of the model's variance to be believed, from so many different games.
fn least_share(games: f64) -> f64 {
    let decided = -(-LIKELIHOOD_DROP_95 / games).exp_m1();
    // Half the width of the interval in logits, and the model's variance of a score of ½.
    let half_width = 2.0 * decided.atanh();
    let model = 4.0 / games;
    (half_width / NORMAL_95).powi(2) / model
}
