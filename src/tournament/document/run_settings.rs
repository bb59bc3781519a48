//! The settings of a run that change no game. A resumed run may have other ones.

use crate::record::Grading;
use crate::tournament::document::KeyDifference;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The settings of a run that change no game. A resumed run may have other ones.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct RunSettings {
    /// The tournament's name.
    pub name: String,
    /// The number of games that are played at a time.
    pub slots: u32,
    /// The fixed Elo of entrants, by name.
    #[serde(default)]
    pub anchor: BTreeMap<String, f64>,
    /// The names of deterministic entrants, whose games can be replayed and compared.
    #[serde(default)]
    pub deterministic: BTreeSet<String>,
    /// The most pairs of a sequential test; for a tournament, the plan holds the number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_pairs: Option<u32>,
    /// How the entrants are graded, if they are a class.
    #[serde(
        default,
        with = "super::grading_form",
        skip_serializing_if = "Option::is_none"
    )]
    pub grading: Option<Grading>,
}

impl RunSettings {
    /// The keys that change no game and in which two runs differ.
    ///
    /// # Panics
    /// Never: this text can always be written.
    pub fn differences(&self, other: &Self) -> Vec<KeyDifference> {
        let [there, here] = [self, other]
            .map(|settings| serde_json::to_value(settings).expect("settings of texts and numbers"));
        crate::tournament::document::difference::differences(&there, &here)
    }
}
