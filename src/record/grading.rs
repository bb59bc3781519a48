//! How a class is graded: what earns points. An organiser's words; no game
//! depends on them.

use serde::{Deserialize, Serialize};

/// How the entrants of a class are graded.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Grading {
    /// What earns points, in the order of the configuration.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<PointsItem>,
}

/// A condition, and the points for meeting it.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum PointsItem {
    /// `{ check = 20 }`: it was admitted.
    Check {
        /// The points.
        check: f64,
    },
    /// `{ beats = "greedy", share = 0.6, points = 30 }`: its score against an entrant is at least
    /// this share of their games.
    Beats {
        /// The name of the entrant.
        beats: String,
        /// The least score, from 0 to 1.
        share: f64,
        /// The points.
        points: f64,
    },
    /// `{ beats = "greedy", from = 0.4, to = 0.7, points = 30 }`: nothing up to the one score against
    /// an entrant, all from the other score on, and a proportional part between them.
    Slope {
        /// The name of the entrant.
        beats: String,
        /// The most score that earns nothing, from 0 to 1.
        from: f64,
        /// The least score that earns all points; more than the other one.
        to: f64,
        /// The points.
        points: f64,
    },
    /// `{ faults = 0, points = 10 }`: it has played, and at most this many of its games were lost
    /// by a fault.
    Faults {
        /// The most faults.
        faults: u32,
        /// The points.
        points: f64,
    },
}

impl PointsItem {
    /// The entrant that an item about a score names.
    pub fn beats(&self) -> Option<&str> {
        match self {
            Self::Beats { beats, .. } | Self::Slope { beats, .. } => Some(beats),
            Self::Check { .. } | Self::Faults { .. } => None,
        }
    }

    /// The points for meeting the condition.
    pub const fn points(&self) -> f64 {
        match self {
            Self::Check { check } => *check,
            Self::Beats { points, .. }
            | Self::Slope { points, .. }
            | Self::Faults { points, .. } => *points,
        }
    }
}
