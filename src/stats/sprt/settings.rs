//! What a sequential test tests, and what makes no test.

use std::fmt;

/// Elo of a hypothesis, either scale: beyond this nothing that is played can be told from a sweep.
pub const ELO_LIMIT: f64 = 10_000.0;

/// What the Elo of the hypotheses measures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Model {
    /// The expected score: 1 / (1 + 10^(−elo / 400)).
    #[default]
    Logistic,
    /// The score above ½ in standard deviations of one game, times 800 / ln 10: how many games show
    /// a difference, whatever the share of draws. A pair's standard deviation counts √2 times, so
    /// that games played in pairs are on the same scale as games that stand alone.
    Normalised,
}

/// What is tested.
#[derive(Clone, Copy, Debug, PartialEq)]
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
        /// What it was.
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
        /// What it was.
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
