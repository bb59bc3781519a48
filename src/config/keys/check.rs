//! Checks a value against the declaration of its key: its type and its bounds, or the error names
//! the key, the value and what is allowed.
//!
//! The answer to an unknown key names the nearest one, or the table in which the key belongs.

use crate::config::error::{Diagnostic, Diagnostics, Origin};
use crate::config::keys::declaration::{ConfigKey, Keys, Kind, LONGEST_TIME};
use crate::config::keys::limits::{ENTRANT_LIMITS, LIMITS};
use crate::config::keys::tables::FILE;
use crate::config::tree::{Node, TomlEntry, TomlTable, Value};
use crate::text::{did_you_mean, parse_size, parse_time, printable, quoted, size_text, time_text};
use std::ops::RangeInclusive;

/// A key in its table, for messages.
#[derive(Clone, Copy)]
pub struct KeyPlace {
    pub table: &'static str,
    pub key: &'static ConfigKey,
}

impl KeyPlace {
    /// Refuses a value that the declaration of the key does not allow.
    pub fn check(self, node: &Node) -> Result<(), Diagnostic> {
        match &self.key.kind {
            Kind::Texts(example) => self.check_texts(node, example),
            kind => match wrong(kind, self.key.name, node) {
                Some(allowed) => Err(self.refuse(node, &allowed)),
                None => Ok(()),
            },
        }
    }

    /// The error for a value that the key does not allow.
    pub fn refuse(self, node: &Node, allowed: &str) -> Diagnostic {
        self.refuse_as(self.key.name, node, allowed)
    }

    /// The same for a key inside this one, which is `name` for the reader.
    pub fn refuse_as(self, name: &str, node: &Node, allowed: &str) -> Diagnostic {
        let (table, shown) = (self.table, node.shown());
        let message = format!("`{name}` in {table} cannot be {shown}; it takes {allowed}");
        Diagnostic::new(&node.origin, message)
    }

    fn check_texts(self, node: &Node, example: &str) -> Result<(), Diagnostic> {
        let (table, name) = (self.table, self.key.name);
        let Value::Array(items) = &node.value else {
            return Err(self.refuse(node, &format!("a list of texts, as in {name} = {example}")));
        };
        let Some(item) = items.iter().find(|item| text_of(item).is_none()) else {
            return Ok(());
        };
        let (shown, zero) = (item.shown(), without_zero(item));
        let message = format!(
            "an item of `{name}` in {table} cannot be {shown}; each is a text in quotes{zero}, as \
             in {name} = {example}"
        );
        Err(Diagnostic::new(&item.origin, message))
    }
}

/// What is allowed, in words, if the value is not of this kind.
fn wrong(kind: &Kind, name: &str, node: &Node) -> Option<String> {
    match kind {
        Kind::Text(example) => text_of(node).is_none().then(|| {
            let zero = without_zero(node);
            format!("a text in quotes{zero}, as in {name} = {example}")
        }),
        Kind::Integer(bounds) => wrong_integer(node, bounds),
        Kind::Number(bounds) => wrong_number(node, bounds),
        Kind::Size { bounds, example } => {
            let size = text_of(node).and_then(|text| parse_size(&text));
            (!size.is_some_and(|size| bounds.contains(&size))).then(|| {
                let [least, most, example] =
                    [bounds.start(), bounds.end(), example].map(|&size| size_text(size));
                format!(
                    "a size from {least} to {most} with its unit in quotes (B, KiB, MiB, GiB), as \
                     in {name} = \"{example}\""
                )
            })
        }
        Kind::Time(least) => {
            let time = text_of(node).and_then(|text| parse_time(&text));
            (!time.is_some_and(|time| (*least..=LONGEST_TIME).contains(&time))).then(|| {
                let least = time_text(*least);
                format!(
                    "a time from {least} to 720h with its unit in quotes (us, ms, s, m, h; no \
                     part of 1us), as in {name} = \"100ms\""
                )
            })
        }
        Kind::Choice(names) => wrong_choice(node, &names()),
        Kind::Boolean => wrong_boolean(node),
        Kind::Form { word, allowed, .. } => {
            let is_word = word.is_some_and(|word| text_of(node).as_deref() == Some(word));
            (!is_word && !is_table(node)).then(|| (*allowed).to_owned())
        }
        Kind::Forms { allowed, .. } => (!is_list_of_tables(node)).then(|| (*allowed).to_owned()),
        Kind::Map { allowed, .. } => (!is_table(node)).then(|| (*allowed).to_owned()),
        // The readers of the values check them, or the check of names did.
        Kind::Texts(_) | Kind::Pattern(_) | Kind::Table(_) | Kind::Tables(_) | Kind::Unread => None,
    }
}

fn wrong_integer(node: &Node, bounds: &RangeInclusive<u64>) -> Option<String> {
    let is_right = integer_of(node).is_some_and(|number| bounds.contains(&number));
    (!is_right).then(|| {
        let quotes = without_quotes(node, |text| text.parse::<u64>().is_ok());
        let (least, most) = (bounds.start(), bounds.end());
        format!("a whole number from {least} to {most}{quotes}")
    })
}

fn wrong_number(node: &Node, bounds: &RangeInclusive<f64>) -> Option<String> {
    let is_right = number_of(node).is_some_and(|number| bounds.contains(&number));
    (!is_right).then(|| {
        let quotes = without_quotes(node, |text| text.parse().is_ok_and(f64::is_finite));
        let (least, most) = (bounds.start(), bounds.end());
        format!("a number from {least} to {most}{quotes}")
    })
}

fn wrong_boolean(node: &Node) -> Option<String> {
    boolean_of(node).is_none().then(|| {
        let quotes = without_quotes(node, |text| text.parse::<bool>().is_ok());
        format!("true or false{quotes}")
    })
}

fn wrong_choice(node: &Node, names: &[&str]) -> Option<String> {
    let text = text_of(node).unwrap_or_default();
    (!names.contains(&text.as_str())).then(|| {
        let hint = did_you_mean(&text, names, ["\"", "\""]);
        format!("{}{hint}", alternatives(names))
    })
}

/// The whole number of a node, if it is one of 64 bits.
pub fn integer_of(node: &Node) -> Option<u64> {
    match node.value {
        Value::Integer(number) => u64::try_from(number).ok(),
        _ => None,
    }
}

/// The truth of a node, if it is one.
pub const fn boolean_of(node: &Node) -> Option<bool> {
    match node.value {
        Value::Boolean(truth) => Some(truth),
        _ => None,
    }
}

/// The number of a node, whole or not, if it is one.
pub fn number_of(node: &Node) -> Option<f64> {
    let number: Option<f64> = match &node.value {
        Value::Integer(number) => number.to_string().parse().ok(),
        Value::Other(text) => text.replace('_', "").parse().ok(),
        _ => None,
    };
    number.filter(|number| number.is_finite())
}

/// The text of a node, if it is one. It must not contain the character 0, which no program can be
/// given.
pub fn text_of(node: &Node) -> Option<String> {
    match &node.value {
        Value::Text(text) if !text.contains('\0') => Some(text.clone()),
        _ => None,
    }
}

const fn is_table(node: &Node) -> bool {
    matches!(node.value, Value::Table(_))
}

fn is_list_of_tables(node: &Node) -> bool {
    matches!(&node.value, Value::Array(items) if items.iter().all(is_table))
}

const fn without_zero(node: &Node) -> &'static str {
    match node.value {
        Value::Text(_) => " without the character U+0000",
        _ => "",
    }
}

/// `"a"`, `"b"` or `"c"`.
fn alternatives(words: &[&str]) -> String {
    let listed: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    match listed.split_last() {
        Some((last, [])) => format!("only {last}"),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => "nothing".to_owned(),
    }
}

/// Says that a text would be valid without its quotes.
fn without_quotes(node: &Node, fits: impl Fn(&str) -> bool) -> &'static str {
    match &node.value {
        Value::Text(text) if fits(text) => ", without quotes",
        _ => "",
    }
}

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
    use crate::config::keys::tables::TOURNAMENT;
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
