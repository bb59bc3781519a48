//! A TOML text as a tree in which every value knows its origin. Flags change the tree and defaults
//! complete it, so that all three pass the same checks.

use super::error::{Diagnostic, Origin, TextPlace};
use crate::config::secret;
use crate::text::{printable, quoted};
use std::ops::Range;
use toml::de::{DeTable, DeValue};

/// A table: keys in the order of the file.
#[derive(Clone, Debug, Default)]
pub struct TomlTable {
    entries: Vec<TomlEntry>,
}

/// A key and its value.
#[derive(Clone, Debug)]
pub struct TomlEntry {
    pub key: String,
    pub key_origin: Origin,
    pub node: Node,
}

/// A value and its origin.
#[derive(Clone, Debug)]
pub struct Node {
    pub value: Value,
    pub origin: Origin,
}

#[derive(Clone, Debug)]
pub enum Value {
    Text(String),
    Integer(i128),
    Boolean(bool),
    /// Fractions, dates and huge numbers, as typed. A few keys take fractions.
    Other(String),
    Array(Vec<Node>),
    Table(TomlTable),
}

impl TomlTable {
    /// Reads a TOML text.
    pub(super) fn parse(text: &str) -> Result<Self, Diagnostic> {
        let newlines = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let newlines: Vec<usize> = newlines.map(|(offset, _)| offset).collect();
        let line = |offset| 1 + newlines.partition_point(|&newline| newline < offset);
        let place = |bytes: Range<usize>| Origin::File(TextPlace::new(line(bytes.start), &bytes));
        match DeTable::parse(text) {
            Ok(table) => Ok(Self::from_toml(table.get_ref(), &place)),
            Err(error) => {
                let origin = error.span().map_or(Origin::Whole, &place);
                Err(Diagnostic::new(&origin, not_toml(text, &error)))
            }
        }
    }

    fn from_toml(table: &DeTable<'_>, place: &dyn Fn(Range<usize>) -> Origin) -> Self {
        let entries = table
            .iter()
            .map(|(key, value)| TomlEntry {
                key: key.get_ref().to_string(),
                key_origin: place(key.span()),
                node: Node::from_toml(value.get_ref(), value.span(), place),
            })
            .collect();
        Self { entries }
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = &TomlEntry> {
        self.entries.iter()
    }

    pub(super) fn get(&self, key: &str) -> Option<&Node> {
        let entry = self.entries.iter().find(|entry| entry.key == key)?;
        Some(&entry.node)
    }

    /// Puts a value at a path of keys, and creates or replaces tables on the way.
    pub(super) fn set(&mut self, path: &[&str], node: Node) {
        let Some((first, rest)) = path.split_first() else {
            return;
        };
        let entry = self.entry(first, &node.origin);
        if rest.is_empty() {
            // Errors about the value or the key must name the flag.
            entry.key_origin = node.origin.clone();
            entry.node = node;
            return;
        }
        if !matches!(entry.node.value, Value::Table(_)) {
            entry.node = Node {
                value: Value::Table(Self::default()),
                origin: node.origin.clone(),
            };
        }
        if let Value::Table(table) = &mut entry.node.value {
            table.set(rest, node);
        }
    }

    fn entry(&mut self, key: &str, origin: &Origin) -> &mut TomlEntry {
        let index = self.entries.iter().position(|entry| entry.key == key);
        let index = index.unwrap_or_else(|| {
            self.entries.push(TomlEntry {
                key: key.to_owned(),
                key_origin: origin.clone(),
                node: Node {
                    value: Value::Table(Self::default()),
                    origin: origin.clone(),
                },
            });
            self.entries.len() - 1
        });
        &mut self.entries[index]
    }

    /// Adds every table, and every key directly in a table, that is missing here and for which
    /// `skip` returns false. Lists of tables are not completed.
    pub(super) fn fill(&mut self, defaults: &Self, skip: impl Fn(&Self, &str, &str) -> bool) {
        let before = self.clone();
        for default in &defaults.entries {
            let Value::Table(keys) = &default.node.value else {
                continue;
            };
            let own = self.entry(&default.key, &Origin::Whole);
            let Value::Table(own) = &mut own.node.value else {
                continue;
            };
            for entry in &keys.entries {
                if own.get(&entry.key).is_none() && !skip(&before, &default.key, &entry.key) {
                    own.entries.push(TomlEntry {
                        key: entry.key.clone(),
                        key_origin: Origin::Whole,
                        node: Node {
                            value: entry.node.value.clone(),
                            origin: Origin::Whole,
                        },
                    });
                }
            }
        }
    }
}

impl Node {
    fn from_toml(
        value: &DeValue<'_>,
        span: Range<usize>,
        place: &dyn Fn(Range<usize>) -> Origin,
    ) -> Self {
        let origin = place(span);
        let value = match value {
            DeValue::String(text) => Value::Text(text.to_string()),
            DeValue::Boolean(truth) => Value::Boolean(*truth),
            DeValue::Integer(number) => i128::from_str_radix(number.as_str(), number.radix())
                .map_or_else(|_| Value::Other(number.to_string()), Value::Integer),
            DeValue::Float(number) => Value::Other(number.to_string()),
            DeValue::Datetime(date) => Value::Other(date.to_string()),
            DeValue::Array(nodes) => Value::Array(
                nodes
                    .iter()
                    .map(|node| Self::from_toml(node.get_ref(), node.span(), place))
                    .collect(),
            ),
            DeValue::Table(table) => Value::Table(TomlTable::from_toml(table, place)),
        };
        Self { value, origin }
    }

    /// The value of a flag: TOML, or a bare word that counts as a text.
    pub fn from_flag(text: &str, flag: &str) -> Result<Self, Diagnostic> {
        let origin = Origin::Flag(flag.to_owned());
        match DeValue::parse(text) {
            Ok(value) => Ok(Self::from_toml(value.get_ref(), 0..0, &|_| origin.clone())),
            Err(error) if text.starts_with(['"', '\'', '[', '{']) => {
                let message = error.message().replace('\n', "; ");
                Err(Diagnostic::new(
                    &origin,
                    format!("the value is not TOML: {message}"),
                ))
            }
            Err(_) => Ok(Self {
                value: Value::Text(text.to_owned()),
                origin,
            }),
        }
    }

    /// The keys and values of a table; none of anything else.
    pub fn entries(&self) -> impl Iterator<Item = &TomlEntry> {
        let table = match &self.value {
            Value::Table(table) => Some(table),
            _ => None,
        };
        table.into_iter().flat_map(TomlTable::entries)
    }

    /// The value for a message.
    pub fn shown(&self) -> String {
        match &self.value {
            Value::Text(text) => quoted(text),
            Value::Integer(number) => number.to_string(),
            Value::Boolean(truth) => truth.to_string(),
            Value::Other(text) => text.clone(),
            Value::Array(_) => "a list".to_owned(),
            Value::Table(_) => "a table".to_owned(),
        }
    }
}

/// Describes a text that is not TOML, and the place.
fn not_toml(text: &str, error: &toml::de::Error) -> String {
    const SHOWN: usize = 60;
    let span = error.span().unwrap_or_default();
    if error.message() == "duplicate key" {
        let key = printable(text.get(span).unwrap_or_default());
        return format!("`{key}` stands here a second time; leave one of the two");
    }
    let line = text
        .lines()
        .nth(line_of(text, span.start) - 1)
        .unwrap_or_default();
    // Even half of a secret must not be shown.
    let start: String = secret::hidden_in(line.trim()).chars().take(SHOWN).collect();
    let message = error.message().replace('\n', "; ");
    format!("this is not TOML: {message} at {}", quoted(&start))
}

/// The line, from 1, of a byte.
fn line_of(text: &str, offset: usize) -> usize {
    let before = &text.as_bytes()[..offset.min(text.len())];
    1 + before.iter().filter(|&&byte| byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn integer(table: &TomlTable, path: &[&str]) -> (i128, Origin) {
        let (last, tables) = path.split_last().unwrap();
        let mut table = table;
        for key in tables {
            let Value::Table(inner) = &table.get(key).unwrap().value else {
                panic!("{key} is not a table");
            };
            table = inner;
        }
        let node = table.get(last).unwrap();
        let Value::Integer(number) = node.value else {
            panic!("{last} is not a number");
        };
        (number, node.origin.clone())
    }

    fn at(line: usize, bytes: Range<usize>) -> Origin {
        Origin::File(TextPlace::new(line, &bytes))
    }

    #[test]
    fn values_know_their_line_their_flag_or_neither() {
        let mut table = TomlTable::parse("[a]\nx = 1\n\n[a.b]\ny = 2\n").unwrap();
        let node = Node::from_flag("7", "--set a.b.z=7").unwrap();
        table.set(&["a", "b", "z"], node);
        let defaults = TomlTable::parse("[a]\nx = 8\nw = 9\nv = 0\n").unwrap();
        table.fill(&defaults, |_, _, key| key == "v");
        assert_eq!(integer(&table, &["a", "x"]), (1, at(2, 8..9)));
        assert_eq!(integer(&table, &["a", "b", "y"]), (2, at(5, 21..22)));
        let flag = Origin::Flag("--set a.b.z=7".to_owned());
        assert_eq!(integer(&table, &["a", "b", "z"]), (7, flag));
        assert_eq!(integer(&table, &["a", "w"]), (9, Origin::Whole));
        let Value::Table(a) = &table.get("a").unwrap().value else {
            panic!("a is not a table");
        };
        assert!(a.get("v").is_none());
    }

    #[test]
    fn flags_are_toml_or_bare_words() {
        let shown = |text| Node::from_flag(text, "--set").unwrap().shown();
        assert_eq!(shown("20ms"), "\"20ms\"");
        assert_eq!(shown("20"), "20");
        assert_eq!(shown("\"20\""), "\"20\"");
        assert_eq!(shown("true"), "true");
        assert_eq!(shown("{ plies = 2 }"), "a table");
        assert_eq!(shown("4\nx = 1"), "\"4\\u{a}x = 1\"");
        assert!(Node::from_flag("{ plies = ", "--set").is_err());
    }
}
