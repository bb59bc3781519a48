//! How a class is graded: its yardsticks, and what earns points. An organiser's words; no game
//! depends on them.

use serde::{Deserialize, Serialize};

/// How the entrants of a class are graded.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Grading {
    /// The names of the entrants that the others are measured by. They are not graded.
    pub yardsticks: Vec<String>,
    /// What earns points, in the order of the configuration.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<PointsItem>,
}

impl Grading {
    /// Whether an entrant of this name is graded: yardsticks are not.
    pub fn grades(&self, name: &str) -> bool {
        !self.yardsticks.iter().any(|it| it == name)
    }
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
    /// The points for meeting the condition.
    pub const fn points(&self) -> f64 {
        match self {
            Self::Check { check } => *check,
            Self::Beats { points, .. } | Self::Faults { points, .. } => *points,
        }
    }
}
