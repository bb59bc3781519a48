//! `env` of an entrant: its variables, sorted by their names.

use super::check::{KeyPlace, text_of};
use super::value::{KeyValue, inline_table};
use crate::config::error::Diagnostic;
use crate::config::tree::{Node, TomlEntry};
use crate::text::{printable, quoted, toml_string};

pub const ALLOWED: &str = "a table of texts, as in env = { LEVEL = \"3\" }";

/// Names and values.
pub type Variables = Vec<(String, String)>;

impl KeyValue for Variables {
    const UNSET: Option<fn() -> Self> = Some(Self::new);

    fn from_node(place: KeyPlace, node: &Node) -> Result<Self, Diagnostic> {
        let variables = node.entries().map(|entry| variable(place, entry));
        let mut variables = variables.collect::<Result<Self, _>>()?;
        variables.sort();
        Ok(variables)
    }

    fn to_toml(&self) -> String {
        let variable = |(name, value): &(String, String)| {
            format!("{} = {}", toml_string(name), toml_string(value))
        };
        inline_table(self.iter().map(variable))
    }
}

fn variable(place: KeyPlace, entry: &TomlEntry) -> Result<(String, String), Diagnostic> {
    if entry.key.is_empty() || entry.key.contains(['=', '\0']) {
        let name = quoted(&entry.key);
        let message = format!("{name} cannot name a variable in `env`: a name is a text without =");
        return Err(Diagnostic::new(&entry.key_origin, message));
    }
    let value = text_of(&entry.node).ok_or_else(|| {
        let name = format!("env.{}", printable(&entry.key));
        place.refuse_as(&name, &entry.node, "a text in quotes")
    })?;
    Ok((entry.key.clone(), value))
}
