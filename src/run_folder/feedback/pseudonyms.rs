//! Names for the feedback of one entrant: its own and those of the yardsticks stay, all others are
//! numbered in an order that only the run's secret tells.

use crate::record::{Examiner, GameId, Grading, is_version_of};
use crate::tournament::{Plan, label};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The names that an entrant's author reads.
#[derive(Clone, Debug)]
pub struct Pseudonyms {
    /// What is shown for a name, and for the label of a name.
    names: BTreeMap<String, String>,
    labels: BTreeMap<String, String>,
    /// What is shown for all others: entrants that have left the plan.
    unknown: String,
}

impl Pseudonyms {
    /// The names in the feedback of this entrant.
    pub fn for_entrant(own: &str, plan: &Plan, grading: &Grading) -> Self {
        let mut others: Vec<String> = plan.names();
        let prefix = free_prefix(&others);
        let is_own = |name: &str| name == own || is_version_of(name, own);
        let own_names: Vec<String> = others.extract_if(.., |it| is_own(it)).collect();
        others.retain(|name| !grading.yardsticks.contains(name));
        if let Some(secret) = &plan.secret {
            others.sort_by_cached_key(|name| secret.feedback_key(own, name));
        }
        let numbered = (1..).zip(others);
        let numbered = numbered.map(|(number, name)| (name, format!("{prefix}{number}")));
        let examiners = Examiner::ALL.map(|it| it.name().to_owned());
        let shown = grading.yardsticks.iter().cloned().chain(examiners);
        let shown = shown.chain(own_names).map(|name| (name.clone(), name));
        let names: BTreeMap<String, String> = shown.chain(numbered).collect();
        let labels = names
            .iter()
            .map(|(name, shown)| (label(name), label(shown)));
        Self {
            labels: labels.collect(),
            names,
            unknown: format!("{prefix}0"),
        }
    }

    /// The name of an entrant as shown.
    pub fn name(&self, name: &str) -> &str {
        self.names.get(name).unwrap_or(&self.unknown)
    }

    /// The id of a game as shown.
    pub fn id(&self, id: &GameId) -> GameId {
        let Some((first, second)) = id.pair.pairing().split_once('~') else {
            return id.clone();
        };
        let shown = |label: &str| self.labels.get(label).unwrap_or(&self.unknown);
        let pairing = format!("{}~{}", shown(first), shown(second));
        GameId {
            pair: id.pair.clone().relabelled(Arc::from(pairing)),
            ..id.clone()
        }
    }

    /// A text that is an id of a game, as shown; any other text stays.
    pub fn id_text(&self, text: &str) -> String {
        match text.parse() {
            Ok(id) => self.id(&id).to_string(),
            Err(()) => text.to_owned(),
        }
    }
}

/// The beginning of names that no entrant has.
fn free_prefix(names: &[String]) -> String {
    let mut prefix = "opponent-".to_owned();
    while names.iter().any(|name| name.starts_with(&prefix)) {
        prefix.insert_str(0, "an-");
    }
    prefix
}
