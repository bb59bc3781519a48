//! A sequential test between two strengths: is the new bot at least this much stronger, or at most
//! that much? Wald's test (A. Wald, *Sequential Analysis*, 1947) on the exact generalised
//! likelihood ratio of counted results; nothing here plays, waits or prints.
//!
//! ```text
//! counts      results as counts, each from an opening of its own
//! likelihood  the exact log-likelihood ratio of two hypotheses
//!   ├─ tilt        the distribution nearest to frequencies in which some values have mean 0
//!   └─ normalised  the one nearest to frequencies with a given normalised strength
//! first_passage     a random walk between two bounds: where it leaves, and when
//! evidence    what results show, to be compared with other tests: an e-value
//! estimate    how strong the new bot is, once results have stopped the test
//! forecast    how long the test will take: before it, and during it
//! assumed_results     the pair results that are assumed before there are any
//! ```

mod assumed_results;
mod counts;
mod estimate;
mod evidence;
mod first_passage;
mod forecast;
pub(in crate::stats) mod likelihood;
mod normalised;
pub(in crate::stats) mod tilt;

pub use assumed_results::{TypicalError, TypicalResults};
pub use counts::{GameCounts, PairCounts, SprtCounts, SprtResult};
pub use estimate::{Strength, Unbiased};
pub use forecast::{Forecast, Shares};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Elo of a hypothesis, either scale: beyond this nothing that is played can be told from a sweep.
pub const ELO_LIMIT: f64 = 10_000.0;

/// The scale of the hypotheses' Elo.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Model {
    /// The expected score: 1 / (1 + 10^(−elo / 400)).
    #[default]
    Logistic,
    /// The score above ½ in standard deviations of one game, times 800 / ln 10: how many games show
    /// a difference, whatever the share of draws. A pair's standard deviation counts √2 times, so
    /// that games played in pairs are on the same scale as games that stand alone.
    #[serde(rename = "normalized")]
    Normalised,
}

/// The hypotheses of a test and its probabilities of error.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub struct Settings {
    /// Strength of the new bot under H0, Elo.
    pub elo0: f64,
    /// Strength of the new bot under H1, Elo; above `elo0`.
    pub elo1: f64,
    /// Probability to accept H1 though H0 is true; in (0, ½).
    pub alpha: f64,
    /// Probability to accept H0 though H1 is true; in (0, ½).
    pub beta: f64,
    /// The scale of both strengths.
    pub model: Model,
}

/// Settings that make no test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SettingsError {
    /// This strength is not a number, or beyond [`ELO_LIMIT`].
    Elo {
        /// `elo0` or `elo1`.
        name: &'static str,
        /// The refused value.
        value: f64,
    },
    /// The hypotheses are the same or exchanged.
    Order {
        /// Strength under H0, Elo.
        elo0: f64,
        /// Strength under H1, Elo.
        elo1: f64,
    },
    /// This probability of an error is not in (0, ½).
    Probability {
        /// `alpha` or `beta`.
        name: &'static str,
        /// The refused value.
        value: f64,
    },
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Elo { name, value } => {
                write!(
                    f,
                    "{name} must be between −{ELO_LIMIT} and {ELO_LIMIT}, not {value}"
                )
            }
            Self::Order { elo0, elo1 } => {
                write!(f, "elo0 ({elo0}) must be less than elo1 ({elo1})")
            }
            Self::Probability { name, value } => {
                write!(f, "{name} must be above 0 and below 0.5, not {value}")
            }
        }
    }
}

impl std::error::Error for SettingsError {}

/// The decision after the results so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Neither bound is reached: play on.
    Continue,
    /// The lower bound is reached: the new bot is not as strong as H1 says.
    H0,
    /// The upper bound is reached: the new bot is stronger than H0 says.
    H1,
}

/// Where a test stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SprtEvaluation {
    /// Natural logarithm of the likelihood ratio of H1 over H0; always finite.
    pub llr: f64,
    /// The test ends with H0 at or below this.
    pub lower: f64,
    /// The test ends with H1 at or above this.
    pub upper: f64,
    /// The decision.
    pub state: State,
}

impl SprtEvaluation {
    /// Per cent of the way from 0 to the lower bound, 0 to 100.
    pub fn percent_to_h0(&self) -> f64 {
        // A sum with 0 has no sign of zero.
        (100.0 * self.llr / self.lower).clamp(0.0, 100.0) + 0.0
    }

    /// Per cent of the way from 0 to the upper bound, 0 to 100.
    pub fn percent_to_h1(&self) -> f64 {
        (100.0 * self.llr / self.upper).clamp(0.0, 100.0)
    }
}

impl SprtEvaluation {
    /// The same with evidence that counts less, by this share from 0 to 1. The likelihood ratio is
    /// then nowhere farther out than before, so that the errors of the test stay bounded.
    #[must_use]
    pub fn weighed(self, share: f64) -> Self {
        let llr = self.llr * share;
        let state = match self.state {
            State::H1 if llr >= self.upper => State::H1,
            State::H0 if llr <= self.lower => State::H0,
            _ => State::Continue,
        };
        Self { llr, state, ..self }
    }
}

/// A sequential test of two strengths.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(try_from = "Settings", into = "Settings")]
pub struct Sprt {
    settings: Settings,
    lower: f64,
    upper: f64,
}

impl TryFrom<Settings> for Sprt {
    type Error = SettingsError;

    fn try_from(settings: Settings) -> Result<Self, SettingsError> {
        Self::new(settings)
    }
}

impl From<Sprt> for Settings {
    fn from(sprt: Sprt) -> Self {
        sprt.settings
    }
}

impl Sprt {
    /// A test with these settings.
    ///
    /// # Errors
    /// If `elo0` is not below `elo1`, if a strength is not a number or beyond [`ELO_LIMIT`], or if
    /// an error probability is not in (0, ½).
    pub fn new(settings: Settings) -> Result<Self, SettingsError> {
        let Settings {
            elo0,
            elo1,
            alpha,
            beta,
            ..
        } = settings;
        for (name, value) in [("elo0", elo0), ("elo1", elo1)] {
            // Not a number is in no range.
            if !(-ELO_LIMIT..=ELO_LIMIT).contains(&value) {
                return Err(SettingsError::Elo { name, value });
            }
        }
        if elo0 >= elo1 {
            return Err(SettingsError::Order { elo0, elo1 });
        }
        for (name, value) in [("alpha", alpha), ("beta", beta)] {
            let within = value > 0.0 && value < 0.5;
            if !within {
                return Err(SettingsError::Probability { name, value });
            }
        }
        Ok(Self {
            settings,
            lower: beta.ln() - (-alpha).ln_1p(),
            upper: (-beta).ln_1p() - alpha.ln(),
        })
    }

    /// The settings of the test.
    pub fn settings(&self) -> Settings {
        self.settings
    }

    /// The test ends with H0 at or below this log-likelihood ratio: ln(β / (1 − α)).
    pub fn lower(&self) -> f64 {
        self.lower
    }

    /// The test ends with H1 at or above this log-likelihood ratio: ln((1 − β) / α).
    pub fn upper(&self) -> f64 {
        self.upper
    }

    /// The decision at a log-likelihood ratio.
    pub fn state(&self, llr: f64) -> State {
        if llr >= self.upper {
            State::H1
        } else if llr <= self.lower {
            State::H0
        } else {
            State::Continue
        }
    }

    /// The log-likelihood ratio of the results so far, and the decision. Zero cells count as 1/1000
    /// of an observation; with no observation at all the ratio is 0.
    pub fn evaluate(&self, counts: &SprtCounts) -> SprtEvaluation {
        let llr = likelihood::log_likelihood_ratio(counts, &self.settings);
        SprtEvaluation {
            llr,
            lower: self.lower,
            upper: self.upper,
            state: self.state(llr),
        }
    }
}
