//! A run as a document: the plan, which decides its games, and the settings, which only its tables
//! use. The first line of a journal holds the document, so that the journal suffices.
//!
//! ```text
//! form        the plan as JSON, with the paths of the configuration's keys
//! difference  the keys in which two plans differ
//! grading_form  how a class is graded, as JSON
//! agreement   which results of an earlier plan count for a later one
//! change      what becomes of a run's games when its plan changes
//! ```

mod agreement;
mod change;
mod difference;
mod form;
mod grading_form;
pub mod run_settings;

pub use agreement::Agreement;
pub use change::PlanChange;
pub use difference::KeyDifference;

use super::plan::Plan;
use crate::stats::game;
use crate::stats::ratings::RatingModel;
use crate::tournament::document::run_settings::RunSettings;
use crate::tournament::sha256::sha256_hex;
use form::PlanForm;
use serde_json::Value;

/// The definition of a run, before any game.
#[derive(Clone, Debug, PartialEq)]
pub struct RunDocument {
    /// Everything that decides the games.
    pub plan: Plan,
    /// Everything else.
    pub settings: RunSettings,
}

impl RunDocument {
    /// A run of a plan. The plan's pairs are the most that its test may have, if it has one.
    pub fn new(plan: Plan, settings: RunSettings) -> Self {
        let max_pairs = plan.test.is_some().then_some(plan.pairs);
        let settings = RunSettings {
            max_pairs,
            ..settings
        };
        Self { plan, settings }
    }

    /// Replaces the settings.
    pub fn set(&mut self, settings: RunSettings) {
        if let (Some(_), Some(pairs)) = (&self.plan.test, settings.max_pairs) {
            self.plan.pairs = pairs;
        }
        self.settings = settings;
    }

    /// The rating model of the tables.
    pub fn rating_model(&self) -> RatingModel {
        let names = self.plan.entrants.iter().map(|entrant| &entrant.name);
        let anchors = names.zip(0..).filter_map(|(name, index)| {
            let elo = self.settings.anchor.get(name)?;
            Some((game::RatedEntrant(index), *elo))
        });
        RatingModel {
            anchors: anchors.collect(),
            ..RatingModel::default()
        }
    }
}

impl Plan {
    /// The plan as JSON, with its secret.
    pub(super) fn document(&self) -> Value {
        let form = PlanForm::of(self);
        serde_json::to_value(form).expect("a plan of texts and numbers")
    }

    /// The run of a plan's document and these settings.
    ///
    /// # Errors
    /// A description of why the document is not a plan.
    pub(super) fn of_document(document: &Value, settings: &RunSettings) -> Result<Self, String> {
        let form = serde_json::from_value::<PlanForm>(document.clone());
        let form = form.map_err(|error| error.to_string())?;
        form.plan(settings)
    }

    /// SHA-256 of the plan's canonical JSON, in hexadecimal.
    pub fn hash(&self) -> String {
        hash_of(&self.document())
    }

    /// The number of keys that decide the games.
    pub fn key_count(&self) -> usize {
        difference::leaves(&self.document())
    }

    /// The keys in which two plans differ, as the configuration names them.
    pub fn differences(&self, other: &Self) -> Vec<KeyDifference> {
        difference::differences(&self.document(), &other.document())
    }

    /// The same outside of the entrants.
    fn differences_of_all(&self, other: &Self) -> Vec<KeyDifference> {
        let [mut here, mut there] = [self, other].map(Self::document);
        for document in [&mut here, &mut there] {
            if let Some(keys) = document.as_object_mut() {
                keys.remove(difference::ENTRANTS);
            }
        }
        difference::differences(&here, &there)
    }
}

/// SHA-256 of a document's canonical JSON, in hexadecimal: keys sorted by their bytes, no spaces,
/// numbers with the fewest digits.
pub fn hash_of(document: &Value) -> String {
    sha256_hex(document.to_string().as_bytes())
}

#[cfg(test)]
mod tests;
