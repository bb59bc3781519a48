//! Checks that every key of a configuration is declared. The answer to an unknown key names the
//! nearest one, or the table in which the key belongs.

use super::declaration::{Keys, Kind};
use super::limits::{ENTRANT_LIMITS, LIMITS};
use super::tables::FILE;
use crate::config::error::{Diagnostic, Diagnostics, Origin};
use crate::config::tree::{Node, TomlEntry, TomlTable, Value};
use crate::text::{did_you_mean, printable};

/// Limits that users may expect and that do not exist.
const UNENFORCED: [&str; 3] = ["disk", "cpu", "network"];

/// Adds an error for each key of a file that is not declared. What is not a table but should be one
/// ends the check.
pub fn check_file(file: &TomlTable, errors: &mut Diagnostics) -> Result<(), Diagnostic> {
    check_table(&FILE, file, unknown_at_top, errors)
}

fn check(keys: &'static Keys, node: &Node, errors: &mut Diagnostics) -> Result<(), Diagnostic> {
    let Value::Table(table) = &node.value else {
        let (name, allowed, shown) = (keys.table, keys.names().join(", "), node.shown());
        let message = format!("{name} is a table with the keys {allowed}; it cannot be {shown}");
        return Err(Diagnostic::new(&node.origin, message));
    };
    check_table(keys, table, |entry| unknown(keys, entry), errors)
}

fn check_table(
    keys: &'static Keys,
    table: &TomlTable,
    unknown: impl Fn(&TomlEntry) -> String,
    errors: &mut Diagnostics,
) -> Result<(), Diagnostic> {
    for entry in table
        .entries()
        .filter(|entry| keys.get(&entry.key).is_none())
    {
        errors.push(Diagnostic::new(&entry.key_origin, unknown(entry)));
    }
    let typed = keys.keys.iter();
    let typed = typed.filter_map(|key| Some((&key.kind, table.get(key.name)?)));
    for (kind, node) in typed {
        match (kind, &node.value) {
            (Kind::Table(keys), _) => check(keys, node, errors)?,
            (Kind::Form { keys, .. }, Value::Table(_)) => {
                // A form with an unknown key would be wrong as a whole, too.
                let mut inner = Diagnostics::default();
                check(keys, node, &mut inner)?;
                inner.end()?;
            }
            (Kind::Tables(keys), Value::Array(nodes)) => {
                nodes
                    .iter()
                    .try_for_each(|node| check(keys, node, errors))?;
            }
            (Kind::Forms { keys, .. }, Value::Array(nodes)) => {
                let mut inner = Diagnostics::default();
                let tables = nodes
                    .iter()
                    .filter(|node| matches!(node.value, Value::Table(_)));
                for node in tables {
                    check(keys, node, &mut inner)?;
                }
                inner.end()?;
            }
            (Kind::Tables(keys), _) => {
                let message = format!(
                    "{} is written with two brackets on each side, once for each",
                    keys.table
                );
                return Err(Diagnostic::new(&node.origin, message));
            }
            _ => {}
        }
    }
    Ok(())
}

fn unknown_at_top(entry: &TomlEntry) -> String {
    let key = printable(&entry.key);
    let is_table = matches!(entry.node.value, Value::Table(_) | Value::Array(_));
    let tables: Vec<&str> = tables().map(|keys| keys.table).collect();
    let tables = tables.join(", ");
    let hint = did_you_mean(&entry.key, &FILE.names(), ["[", "]"]);
    if !hint.is_empty() {
        return format!("unknown table [{key}]{hint} Allowed: {tables}");
    }
    if let Some(home) = home(&entry.key) {
        return format!("`{key}` stands outside any table; {}", belongs(entry, home));
    }
    let what = if is_table {
        format!("[{key}]")
    } else {
        format!("`{key}`")
    };
    format!("unknown {what}; allowed are the tables {tables}")
}

fn unknown(keys: &Keys, entry: &TomlEntry) -> String {
    let key = printable(&entry.key);
    let allowed = keys.names().join(", ");
    let table = keys.table;
    let is_of_limits = [LIMITS.table, ENTRANT_LIMITS.table].contains(&table);
    if is_of_limits && UNENFORCED.contains(&entry.key.as_str()) {
        return format!(
            "this version of awale does not enforce `{key}` in {table}: no bot would be held to \
             it; leave it out. Allowed: {allowed}"
        );
    }
    let hint = did_you_mean(&entry.key, &keys.names(), ["`", "`"]);
    if !hint.is_empty() {
        return format!("unknown key `{key}` in {table}{hint} Allowed: {allowed}");
    }
    if let Some(home) = home(&entry.key) {
        return format!(
            "unknown key `{key}` in {table}; {}. Allowed here: {allowed}",
            belongs(entry, home)
        );
    }
    format!("unknown key `{key}` in {table}; allowed: {allowed}")
}

/// The tables of a file, as a user writes them.
fn tables() -> impl Iterator<Item = &'static Keys> {
    inner_tables(&FILE)
}

fn inner_tables(keys: &Keys) -> impl Iterator<Item = &'static Keys> {
    keys.keys.iter().filter_map(|key| match key.kind {
        Kind::Table(keys) | Kind::Tables(keys) => Some(keys),
        _ => None,
    })
}

/// The table that has a key of this name; those of the file come before those in them.
fn home(key: &str) -> Option<&'static Keys> {
    let mut homes = tables().chain(tables().flat_map(inner_tables));
    homes.find(|home| home.get(key).is_some())
}

fn belongs(entry: &TomlEntry, home: &Keys) -> String {
    let name = home.table.trim_matches(['[', ']']);
    match entry.key_origin {
        Origin::Flag(_) if name != "entrant" => format!("write {name}.{}", entry.key),
        _ => format!("it belongs in {}", home.table),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tables::TOURNAMENT;
    use crate::text::nearest;

    #[test]
    fn only_near_names_are_suggested() {
        let nearest_key = |word| nearest(word, &TOURNAMENT.names());
        assert_eq!(nearest_key("pair"), Some("pairs"));
        assert_eq!(nearest_key("max_plies"), Some("max-plies"));
        assert_eq!(nearest_key("Seed"), Some("seed"));
        assert_eq!(nearest_key("startup"), Some("start-up"));
        assert_eq!(nearest_key("colour"), None);
        assert_eq!(nearest_key(""), None);
    }
}
