//! `anchor` of `[tournament]`: entrants with a given Elo, so that the tables of several tournaments
//! share a scale. It affects only the tables, not the games.

use super::error::{Diagnostic, Located};
use super::keys::check::{KeyPlace, number_of};
use super::keys::value::{KeyValue, inline_table};
use super::tree::{Node, TomlEntry};
use crate::config::names::no_entrant;
use crate::text::{quoted, toml_string};
use std::collections::BTreeMap;

/// A larger Elo means nothing: bots cannot be told apart there.
pub const MOST_ELO: f64 = 10_000.0;
pub const ALLOWED: &str = "names of entrants with their Elo, as in anchor = { greedy = 1000 }";

/// Names and Elo as typed.
pub type TypedAnchors = Vec<(Located<String>, f64)>;

impl KeyValue for TypedAnchors {
    const UNSET: Option<fn() -> Self> = Some(Self::new);

    fn from_node(_: KeyPlace, node: &Node) -> Result<Self, Diagnostic> {
        node.entries().map(anchor).collect()
    }

    fn to_toml(&self) -> String {
        let anchor = |(name, elo): &(Located<String>, f64)| {
            format!("{} = {elo:?}", toml_string(&name.value))
        };
        inline_table(self.iter().map(anchor))
    }
}

fn anchor(entry: &TomlEntry) -> Result<(Located<String>, f64), Diagnostic> {
    let elo = number_of(&entry.node).filter(|elo| elo.abs() <= MOST_ELO);
    let elo = elo.ok_or_else(|| {
        let message = format!(
            "the Elo of {} in `anchor` cannot be {}; it is a number from -{MOST_ELO} to {MOST_ELO}",
            quoted(&entry.key),
            entry.node.shown()
        );
        Diagnostic::new(&entry.node.origin, message)
    })?;
    let name = Located {
        value: entry.key.clone(),
        origin: entry.key_origin.clone(),
    };
    Ok((name, elo))
}

/// The Elo of these entrants, by name.
pub fn resolve(
    anchors: Option<&Located<TypedAnchors>>,
    names: &[&str],
) -> Result<BTreeMap<String, f64>, Diagnostic> {
    let mut resolved = BTreeMap::new();
    for (name, elo) in anchors.iter().flat_map(|anchors| &anchors.value) {
        if !names.contains(&name.value.as_str()) {
            let what = format!("anchor {}", quoted(&name.value));
            let message = no_entrant(&what, &name.value, names);
            return Err(Diagnostic::new(&name.origin, message));
        }
        resolved.insert(name.value.clone(), *elo);
    }
    Ok(resolved)
}
