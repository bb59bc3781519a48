//! How a class is graded: what earns points. An organiser's words; no game
//! depends on them.

use super::exclusion::Refusal;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The table of grades in a run's folder.
pub const GRADES_TABLE: &str = "grades.csv";

/// How the entrants of a class are graded.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Grading {
    /// What earns points, in the order of the configuration.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<PointsItem>,
    /// By which names others see the people.
    pub names: ShownNames,
    /// The people of the roster who have an entrant, by its name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub people: BTreeMap<String, Person>,
    /// The people of the roster of whom nothing is there, by the names that others see.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub absent: BTreeMap<String, Person>,
    /// The entrants that play with an earlier program than the last one, by their names.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub older: BTreeMap<String, OlderVersion>,
}

impl Grading {
    /// Whether the people are hidden from each other.
    pub fn hides_names(&self) -> bool {
        self.names == ShownNames::Pseudonyms
    }
}

/// By which names the people of a class are shown to each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ShownNames {
    /// By the names of their folders.
    #[default]
    Full,
    /// By the aliases of the roster: entrants have these as their names, so that no game, message or
    /// page has another one.
    Pseudonyms,
}

/// What the roster says of a person.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Person {
    /// The real name.
    pub name: String,
    /// The folder in the submissions.
    pub folder: String,
    /// Whether the person takes part.
    pub status: RosterStatus,
    /// Whether the program came after the deadline.
    pub late: bool,
    /// The day on which it was handed in, as in `2026-11-20`; empty if that is not known.
    pub submitted: String,
}

/// An earlier program of an author, which plays in place of the last one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct OlderVersion {
    /// The day on which it was handed in; empty if that is not known.
    pub submitted: String,
    /// The same of the last program.
    pub last: String,
    /// Why the last program is not admitted; `None` if it scored less.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal: Option<Refusal>,
    /// The revision of the plan in which the last program was examined; 0 if it was not.
    pub revision: u32,
}

impl OlderVersion {
    /// Which version plays, and why, without a word of the bot: `version of 2026-11-20; that of
    /// 2026-11-27 is not admitted: crash against random`.
    pub fn text(&self) -> String {
        let version = match self.submitted.as_str() {
            "" => "an earlier version".to_owned(),
            day => format!("version of {day}"),
        };
        let last = match self.last.as_str() {
            "" => "the last one".to_owned(),
            day if *day == self.submitted => "the last one".to_owned(),
            day => format!("that of {day}"),
        };
        match &self.refusal {
            Some(refusal) if refusal.is_of_build() => {
                format!("{version}; {last} is not admitted: it does not build")
            }
            Some(refusal) => format!("{version}; {last} is not admitted: {}", refusal.reason()),
            None => format!("{version}; {last} scores less against the yardsticks"),
        }
    }
}

/// Whether a person takes part in a class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RosterStatus {
    /// Plays, and is graded.
    #[default]
    Active,
    /// Has left the class. What was handed in goes on playing for the grades of the others.
    Withdrawn,
    /// Gets no grade for this assignment.
    Excused,
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
    /// `{ late = -10 }`: it was handed in after the deadline.
    Late {
        /// The points, 0 or less.
        late: f64,
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
            Self::Check { .. } | Self::Faults { .. } | Self::Late { .. } => None,
        }
    }

    /// The points for meeting the condition.
    pub const fn points(&self) -> f64 {
        match self {
            Self::Late { late } => *late,
            Self::Check { check } => *check,
            Self::Beats { points, .. }
            | Self::Slope { points, .. }
            | Self::Faults { points, .. } => *points,
        }
    }
}
