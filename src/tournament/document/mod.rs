//! A run as a document: the plan, which decides its games, and the settings, which only its tables
//! use. The first line of a journal holds the document, so that the journal suffices.
//!
//! ```text
//! difference  the keys in which two plans differ
//! agreement   what becomes of the results of a run when its plan changes
//! rule_fields  single fields of the rules
//! ```
//!
//! A key that a document lacks has the value that it had before there was such a key: the default,
//! and for a field of the rules that of the preset. A key that this version does not know is
//! refused by its name: a newer version wrote it, and it may decide games.

mod agreement;
mod difference;
mod rule_fields;

pub use agreement::{Agreement, PlanChange};
pub use difference::KeyDifference;
pub use rule_fields::{changed_fields, override_rules, plain_text, rule_fields};

use super::openings::parse_openings;
use super::plan::{Entrant, Format, OpeningSource, Plan};
use crate::record::{Grading, RosterStatus};
use crate::referee::ClockError;
use crate::rules::Preset;
use crate::stats::game;
use crate::stats::ratings::RatingModel;
use crate::tournament::openings::Opening;
use crate::tournament::pair_names::label;
use crate::tournament::sha256::sha256_hex;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The settings of a run that change no game. A resumed run may have other ones.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct RunSettings {
    /// The tournament's name.
    pub name: String,
    /// The number of games that are played at a time.
    pub slots: u32,
    /// The fixed Elo of entrants, by name.
    pub anchor: BTreeMap<String, f64>,
    /// The names of deterministic entrants, whose games can be replayed and compared.
    pub deterministic: BTreeSet<String>,
    /// Which interpreters and compilers may play on other machines.
    #[serde(skip_serializing_if = "Toolchains::are_same")]
    pub toolchains: Toolchains,
    /// The most pairs of a sequential test; for a tournament, the plan holds the number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_pairs: Option<u32>,
    /// How the entrants are graded, if they are a class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grading: Option<Grading>,
}

/// Which interpreters and compilers the shards of a run may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Toolchains {
    /// Those of the plan.
    #[default]
    Same,
    /// Others too. The records say which ones.
    Any,
}

impl Toolchains {
    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde passes fields by reference"
    )]
    fn are_same(&self) -> bool {
        *self == Self::Same
    }
}

impl RunSettings {
    /// Whether the run is that of a class whose names are hidden.
    pub fn hides_names(&self) -> bool {
        self.grading.as_ref().is_some_and(Grading::hides_names)
    }

    /// The entrants that no page names which everybody may read: students who have left a class whose
    /// names are hidden.
    pub fn hidden_entrants(&self) -> BTreeSet<String> {
        let grading = self.grading.as_ref().filter(|it| it.hides_names());
        let people = grading.into_iter().flat_map(|it| &it.people);
        let left = people.filter(|(_, it)| it.status == RosterStatus::Withdrawn);
        left.map(|(name, _)| name.clone()).collect()
    }

    /// The keys that change no game and in which two runs differ.
    ///
    /// # Panics
    /// Never: this text can always be written.
    pub fn differences(&self, other: &Self) -> Vec<KeyDifference> {
        let [there, here] = [self, other]
            .map(|settings| serde_json::to_value(settings).expect("settings of texts and numbers"));
        difference::differences(&there, &here)
    }
}

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
    /// The plan as JSON, with its secret. The length of a test can grow, so it is one of the run's
    /// settings.
    pub(super) fn document(&self) -> Value {
        let mut document = serde_json::to_value(self).expect("a plan of texts and numbers");
        if let (Some(_), Some(keys)) = (&self.test, document.as_object_mut()) {
            keys.remove("pairs");
        }
        document
    }

    /// The run of a plan's document and these settings.
    ///
    /// # Errors
    /// A description of why the document is not a plan.
    pub(super) fn of_document(document: &Value, settings: &RunSettings) -> Result<Self, String> {
        let mut document = document.clone();
        fill_rules(&mut document)?;
        let read = serde_json::from_value::<Self>(document.clone());
        let mut plan =
            read.map_err(|error| format!("this version of awale cannot read it: {error}"))?;
        let differences = difference::plan_differences(&document, &plan.document());
        if let Some(unknown) = differences.iter().find(|it| it.here.is_none()) {
            return Err(format!(
                "it has the key `{}`, which this version of awale does not know: a newer version \
                 wrote it; use that one",
                unknown.key
            ));
        }
        plan.complete(settings)?;
        Ok(plan)
    }

    /// Derives what the document does not say, and checks what its types cannot.
    fn complete(&mut self, settings: &RunSettings) -> Result<(), String> {
        if self.test.is_some() {
            let pairs = settings.max_pairs;
            self.pairs = pairs.ok_or("it does not say how many pairs it has")?;
        }
        let mut labels = BTreeMap::new();
        for entrant in &self.entrants {
            if let Some(other) = labels.insert(label(&entrant.name), &entrant.name) {
                return Err(format!(
                    "its entrants {other:?} and {:?} have the same games",
                    entrant.name
                ));
            }
        }
        if let OpeningSource::Listed(list) = &mut self.openings {
            let texts: Vec<String> = list.iter().map(Opening::text).collect();
            let openings = parse_openings(&self.rules, &texts.join("\n"));
            *list = openings.map_err(|error| format!("its openings: {error}"))?;
        }
        // As in a configuration without one.
        if self.clock.check() == Err(ClockError::NoLimit) {
            self.clock.move_limit = Self::default().clock.move_limit;
        }
        let clock = self.clock.check();
        clock.map_err(|error| format!("its clock: {error}"))?;
        self.check_clocks()?;
        self.check_entrants()
    }

    fn check_clocks(&self) -> Result<(), String> {
        for Entrant { name, clock, .. } in &self.entrants {
            let Some(clock) = clock else { continue };
            let checked = clock.check();
            checked.map_err(|error| format!("the clock of its entrant {name:?}: {error}"))?;
            if clock.measure != self.clock.measure {
                return Err(format!(
                    "the clock of its entrant {name:?} measures another time than the others"
                ));
            }
        }
        Ok(())
    }

    fn check_entrants(&self) -> Result<(), String> {
        let names: BTreeSet<&str> = self.entrants.iter().map(|it| it.name.as_str()).collect();
        if names.len() < 2 || names.len() < self.entrants.len() {
            return Err("its entrants are fewer than two, or two have one name".to_owned());
        }
        let champions = match &self.format {
            Format::Gauntlet(champions) => champions.as_slice(),
            _ => &[],
        };
        if let Some(name) = champions.iter().find(|name| !names.contains(name.as_str())) {
            return Err(format!("its champion {name:?} is not an entrant"));
        }
        match &self.test {
            Some(test) if test.new.index() >= names.len() => {
                Err("its test is of an entrant that it does not have".to_owned())
            }
            _ => Ok(()),
        }
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
        difference::plan_differences(&self.document(), &other.document())
    }

    /// The same outside of the entrants.
    fn differences_of_all(&self, other: &Self) -> Vec<KeyDifference> {
        let [mut here, mut there] = [self, other].map(Self::document);
        for document in [&mut here, &mut there] {
            if let Some(keys) = document.as_object_mut() {
                keys.remove(difference::ENTRANTS);
            }
        }
        difference::plan_differences(&here, &there)
    }
}

/// Completes the rules of a plan's document by those of its preset.
fn fill_rules(document: &mut Value) -> Result<(), String> {
    let Some(keys) = document.as_object_mut() else {
        return Err("it is not an object".to_owned());
    };
    let preset = keys.get("preset").and_then(Value::as_str);
    let base = preset.map_or(Some(Preset::Awale), Preset::from_name);
    let base = base
        .ok_or("it has rules that this version of awale does not know")?
        .rules();
    let none = Map::new();
    let set = keys.get("rules").and_then(Value::as_object);
    let rules = override_rules(base, set.unwrap_or(&none))
        .map_err(|error| format!("its rules are those of a newer version of awale: {error}"))?;
    let rules = serde_json::to_value(rules).expect("rules of names, numbers and booleans");
    keys.insert("rules".to_owned(), rules);
    Ok(())
}

/// SHA-256 of a document's canonical JSON, in hexadecimal: keys sorted by their bytes, no spaces,
/// numbers with the fewest digits.
pub fn hash_of(document: &Value) -> String {
    sha256_hex(document.to_string().as_bytes())
}

#[cfg(test)]
mod tests;
