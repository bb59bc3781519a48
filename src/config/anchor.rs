//! `anchor` of `[tournament]`: entrants with a given Elo, so that the tables of several tournaments
//! share a scale. It affects only the tables, not the games.

use super::error::{Diagnostic, Located};
use super::section::{Section, number_of};
use super::tree::Value;
use crate::config::names::no_entrant;
use crate::text::quoted;
use std::collections::BTreeMap;

/// A larger Elo means nothing: bots cannot be told apart there.
const MOST_ELO: f64 = 10_000.0;

/// Names and Elo as typed.
pub type TypedAnchors = Vec<(Located<String>, f64)>;

/// Reads the key; empty if it is not set.
pub fn read(section: &Section<'_>) -> Result<TypedAnchors, Diagnostic> {
    const ALLOWED: &str = "names of entrants with their Elo, as in anchor = { greedy = 1000 }";
    let Some(node) = section.get("anchor") else {
        return Ok(Vec::new());
    };
    let Value::Table(table) = &node.value else {
        return Err(section.refuse("anchor", node, ALLOWED));
    };
    let anchor = |entry: &super::tree::TomlEntry| {
        let elo = number_of(&entry.node).filter(|elo| elo.abs() <= MOST_ELO);
        let elo = elo.ok_or_else(|| {
            let message = format!(
                "the Elo of {} in `anchor` cannot be {}; it is a number from -{MOST_ELO} to \
                 {MOST_ELO}",
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
    };
    table.entries().map(anchor).collect()
}

/// The Elo of these entrants, by name.
pub fn resolve(
    anchors: &TypedAnchors,
    names: &[&str],
) -> Result<BTreeMap<String, f64>, Diagnostic> {
    let mut resolved = BTreeMap::new();
    for (name, elo) in anchors {
        if !names.contains(&name.value.as_str()) {
            let what = format!("anchor {}", quoted(&name.value));
            let message = no_entrant(&what, &name.value, names);
            return Err(Diagnostic::new(&name.origin, message));
        }
        resolved.insert(name.value.clone(), *elo);
    }
    Ok(resolved)
}
