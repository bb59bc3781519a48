//! What the page of a class shows of its students besides their rows in the standings.

use serde::Serialize;
use std::collections::BTreeMap;

/// The students of a class, and how they stood at the end of each week that was kept.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ClassFacts {
    /// The entrants that everybody is measured by.
    pub yardsticks: Vec<String>,
    /// The labels of the weeks, the first one first.
    pub weeks: Vec<String>,
    /// The students in the order of the grades.
    pub students: Vec<StudentFacts>,
    /// What only the organiser may read.
    pub secrets: Option<ClassSecrets>,
}

/// Who the students of a class are whose names are hidden, and what was noticed about their programs.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ClassSecrets {
    /// The real names, by the names in the tournament.
    pub people: BTreeMap<String, String>,
    /// Rows of `notes.csv`: the entrant, the kind of the note, the other entrant, what was seen.
    pub notes: Vec<[String; 4]>,
}

/// A student as the page shows it.
#[derive(Clone, Debug, Default, Serialize)]
pub struct StudentFacts {
    /// The name in the tournament.
    pub name: String,
    /// The points.
    pub points: Option<f64>,
    /// All that can be earned.
    pub most_points: Option<f64>,
    /// Which program plays, and why, if it is not the last one. None of the bot's words.
    pub version: Option<String>,
    /// How it stood at the end of each week.
    pub weeks: Vec<EarlierGrade>,
}

/// A rank and points, as far as they were known.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct EarlierGrade {
    /// The rank.
    pub rank: Option<usize>,
    /// The points.
    pub points: Option<f64>,
}
