//! What changes no game of a run: it may go on with other settings.

use crate::tournament::document::KeyDifference;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// How the errors of the tables are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorMethod {
    /// By the sandwich estimator, clustered by opening.
    #[default]
    Sandwich,
    /// By fitting to openings drawn again at random.
    Bootstrap,
}

/// What changes no game: a run may go on with other ones.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct RunSettings {
    /// The tournament's name.
    pub name: String,
    /// Games that are played at a time.
    pub slots: u32,
    /// Entrants whose Elo is given, by name.
    #[serde(default)]
    pub anchor: BTreeMap<String, f64>,
    /// How the errors of the tables are found.
    #[serde(default)]
    pub errors: ErrorMethod,
    /// Names of entrants that play the same in the same game, so that it can be played again and
    /// compared.
    #[serde(default)]
    pub deterministic: BTreeSet<String>,
    /// How many pairs a sequential test may have; of a tournament the plan says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_pairs: Option<u32>,
}

impl RunSettings {
    /// The keys in which two runs differ that change no game.
    ///
    /// # Panics
    /// Never: texts and numbers can always be written.
    pub fn differences(&self, other: &Self) -> Vec<KeyDifference> {
        let [there, here] = [self, other]
            .map(|settings| serde_json::to_value(settings).expect("settings of texts and numbers"));
        crate::tournament::document::difference::differences(&there, &here)
    }
}
