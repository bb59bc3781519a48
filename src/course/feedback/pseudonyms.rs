//! Names for the feedback of one entrant: its own and those of the yardsticks stay, all others are
//! numbered in an order that only the run's secret tells.

use crate::record::{Examiner, GameId};
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
    pub fn for_entrant(own: &str, plan: &Plan) -> Self {
        let yardsticks = plan.yardsticks();
        let mut others: Vec<String> = plan.names();
        let prefix = free_prefix(&others);
        others.retain(|name| name != own && !yardsticks.contains(name));
        if let Some(secret) = &plan.secret {
            others.sort_by_cached_key(|name| secret.feedback_key(own, name));
        }
        let numbered = (1..).zip(others);
        let numbered = numbered.map(|(number, name)| (name, format!("{prefix}{number}")));
        let examiners = Examiner::ALL.map(|it| it.name().to_owned());
        let shown = yardsticks.into_iter().chain(examiners);
        let shown = shown
            .chain([own.to_owned()])
            .map(|name| (name.clone(), name));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::Secret;

    fn plan(names: &[&str]) -> Plan {
        Plan::round_robin(names.iter().copied(), 1, Secret::from_bytes([7; 32]))
    }

    fn pseudonyms(own: &str, names: &[&str]) -> Pseudonyms {
        let mut plan = plan(names);
        for entrant in &mut plan.entrants {
            entrant.yardstick = entrant.name == "greedy";
        }
        Pseudonyms::for_entrant(own, &plan)
    }

    const CLASS: [&str; 5] = ["greedy", "ada", "béa 2", "cy", "ada@3f9c"];

    #[test]
    fn own_names_and_yardsticks_stay() {
        let names = pseudonyms("ada", &CLASS);
        for name in ["ada", "greedy", "random", "itself"] {
            assert_eq!(names.name(name), name);
        }
        let mut shown = ["béa 2", "cy", "ada@3f9c"].map(|name| names.name(name));
        shown.sort_unstable();
        assert_eq!(shown, ["opponent-1", "opponent-2", "opponent-3"]);
        // An entrant that has left, whose games are in the transcript of a process.
        assert_eq!(names.name("eve"), "opponent-0");
    }

    #[test]
    fn ids_show_the_same_names() {
        let names = pseudonyms("ada", &CLASS);
        for other in ["béa 2", "cy", "ada@3f9c", "eve"] {
            let id = format!("ada~{}.3.2", label(other));
            let shown = names.id_text(&id);
            assert_eq!(shown, format!("ada~{}.3.2", names.name(other)));
        }
        assert_eq!(names.id_text("no id"), "no id");
    }

    #[test]
    fn two_authors_cannot_compare_their_numbers() {
        let class: Vec<String> = (0..30).map(|number| format!("s{number}")).collect();
        let class: Vec<&str> = class.iter().map(String::as_str).collect();
        let [one, other] = ["s0", "s1"].map(|own| pseudonyms(own, &class));
        let same = class[2..].iter();
        let same = same.filter(|name| one.name(name) == other.name(name));
        assert!(same.count() < 10);
    }

    #[test]
    fn no_entrant_is_called_like_a_pseudonym() {
        let names = pseudonyms("ada", &["ada", "opponent-1", "ben"]);
        assert!(names.name("ben").starts_with("an-opponent-"));
    }
}
