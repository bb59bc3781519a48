//! Reads one table key by key: each value has the right type and is within its bounds, or the error
//! names the key, the value and what is allowed.

use super::error::{Diagnostic, Located, Origin};
use super::keys;
use super::keys::Keys;
use super::tree::{Node, TomlTable, Value};
use crate::text::{did_you_mean, parse_size, parse_time, quoted, size_text, time_text};
use std::ops::RangeInclusive;
use std::time::Duration;

/// The longest time of any key: 30 days.
const LONGEST: Duration = Duration::from_secs(30 * 24 * 3600);

/// A table whose keys are all known.
pub struct Section<'a> {
    keys: &'static Keys,
    table: &'a TomlTable,
    pub origin: &'a Origin,
}

impl<'a> Section<'a> {
    /// Opens a table.
    pub fn open(keys: &'static Keys, node: &'a Node) -> Result<Self, Diagnostic> {
        let Value::Table(table) = &node.value else {
            let allowed = keys.keys.join(", ");
            return Err(Diagnostic::new(
                &node.origin,
                format!(
                    "{} is a table with the keys {allowed}; it cannot be {}",
                    keys.table,
                    node.shown()
                ),
            ));
        };
        keys::check(keys, table)?;
        Ok(Self {
            keys,
            table,
            origin: &node.origin,
        })
    }

    pub fn get(&self, key: &str) -> Option<&'a Node> {
        debug_assert!(
            self.keys.keys.contains(&key),
            "{key} is in the table of keys"
        );
        self.table.get(key)
    }

    /// The error for a value that its key does not allow.
    pub fn refuse(&self, key: &str, node: &Node, allowed: &str) -> Diagnostic {
        let message = format!(
            "`{key}` in {} cannot be {}; it takes {allowed}",
            self.keys.table,
            node.shown()
        );
        Diagnostic::new(&node.origin, message)
    }

    /// A whole number.
    pub fn integer(
        &self,
        key: &str,
        range: RangeInclusive<u64>,
    ) -> Result<Option<Located<u64>>, Diagnostic> {
        self.read(key, |node| {
            let number = match node.value {
                Value::Integer(number) => u64::try_from(number).ok(),
                _ => None,
            };
            number
                .filter(|number| range.contains(number))
                .ok_or_else(|| {
                    let quotes = without_quotes(node, |text| text.parse::<u64>().is_ok());
                    let (least, most) = (range.start(), range.end());
                    format!("a whole number from {least} to {most}{quotes}")
                })
        })
    }

    /// A whole number of 32 bits.
    pub fn count(
        &self,
        key: &str,
        range: RangeInclusive<u32>,
    ) -> Result<Option<Located<u32>>, Diagnostic> {
        let range = u64::from(*range.start())..=u64::from(*range.end());
        let placed = self.integer(key, range)?;
        let narrow = |number| u32::try_from(number).expect("the range is one of 32 bits");
        Ok(placed.map(|placed| placed.map(narrow)))
    }

    /// A number, whole or not.
    pub fn number(
        &self,
        key: &str,
        range: RangeInclusive<f64>,
    ) -> Result<Option<Located<f64>>, Diagnostic> {
        self.read(key, |node| {
            number_of(node)
                .filter(|number| range.contains(number))
                .ok_or_else(|| {
                    let quotes = without_quotes(node, |text| text.parse::<f64>().is_ok());
                    let (least, most) = (range.start(), range.end());
                    format!("a number from {least} to {most}{quotes}")
                })
        })
    }

    /// `true` or `false`.
    pub fn boolean(&self, key: &str) -> Result<Option<Located<bool>>, Diagnostic> {
        self.read(key, |node| {
            if let Value::Boolean(truth) = node.value {
                return Ok(truth);
            }
            let quotes = without_quotes(node, |text| text.parse::<bool>().is_ok());
            Err(format!("true or false{quotes}"))
        })
    }

    /// A text in quotes. It must not contain the character 0, which no program can be given.
    pub fn text(&self, key: &str, example: &str) -> Result<Option<Located<String>>, Diagnostic> {
        self.read(key, |node| {
            text_of(node).ok_or_else(|| {
                let zero = without_zero(node);
                format!("a text in quotes{zero}, as in {key} = {example}")
            })
        })
    }

    /// A list of texts.
    pub fn texts(
        &self,
        key: &str,
        example: &str,
    ) -> Result<Option<Located<Vec<Located<String>>>>, Diagnostic> {
        let items = self.read(key, |node| {
            let allowed = || format!("a list of texts, as in {key} = {example}");
            let Value::Array(items) = &node.value else {
                return Err(allowed());
            };
            Ok(items.clone())
        })?;
        let Some(items) = items else {
            return Ok(None);
        };
        let text = |item: &Node| match text_of(item) {
            Some(value) => Ok(Located {
                value,
                origin: item.origin.clone(),
            }),
            None => Err(Diagnostic::new(
                &item.origin,
                format!(
                    "an item of `{key}` in {} cannot be {}; each is a text in quotes{}, as in \
                     {key} = {example}",
                    self.keys.table,
                    item.shown(),
                    without_zero(item)
                ),
            )),
        };
        let value = items.value.iter().map(text).collect::<Result<_, _>>()?;
        let origin = items.origin;
        Ok(Some(Located { value, origin }))
    }

    /// A word from a list.
    pub fn choice<T: Copy>(
        &self,
        key: &str,
        choices: &[(&'static str, T)],
    ) -> Result<Option<Located<T>>, Diagnostic> {
        self.read(key, |node| {
            let text = text_of(node).unwrap_or_default();
            if let Some((_, value)) = choices.iter().find(|(name, _)| *name == text) {
                return Ok(*value);
            }
            let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
            let hint = did_you_mean(&text, &names, ["\"", "\""]);
            Err(format!("{}{hint}", alternatives(&names)))
        })
    }

    /// A time of at least `least`.
    pub fn time(
        &self,
        key: &str,
        least: Duration,
    ) -> Result<Option<Located<Duration>>, Diagnostic> {
        self.read(key, |node| {
            let time = text_of(node).and_then(|text| parse_time(&text));
            time.filter(|time| (least..=LONGEST).contains(time))
                .ok_or_else(|| {
format!(
                    "a time from {} to 720h with its unit in quotes (us, ms, s, m, h; no part of \
                     1us), as in {key} = \"100ms\"",
                    time_text(least)
                )
            })
        })
    }

    /// A size of that many bytes.
    pub fn size(
        &self,
        key: &str,
        allowed: RangeInclusive<u64>,
        example: &str,
    ) -> Result<Option<Located<u64>>, Diagnostic> {
        self.read(key, |node| {
            let size = text_of(node).and_then(|text| parse_size(&text));
            size.filter(|size| allowed.contains(size)).ok_or_else(|| {
                let [least, most] = [allowed.start(), allowed.end()].map(|&it| size_text(it));
                format!(
                    "a size from {least} to {most} with its unit in quotes (B, KiB, MiB, \
                         GiB), as in {key} = \"{example}\""
                )
            })
        })
    }

    /// Reads a key if it exists; the error of `take` is what is allowed.
    fn read<T>(
        &self,
        key: &str,
        take: impl FnOnce(&Node) -> Result<T, String>,
    ) -> Result<Option<Located<T>>, Diagnostic> {
        let Some(node) = self.get(key) else {
            return Ok(None);
        };
        let value = take(node).map_err(|allowed| self.refuse(key, node, &allowed))?;
        let origin = node.origin.clone();
        Ok(Some(Located { value, origin }))
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

/// The text of a node, if it is one.
pub fn text_of(node: &Node) -> Option<String> {
    match &node.value {
        Value::Text(text) if !text.contains('\0') => Some(text.clone()),
        _ => None,
    }
}

fn without_zero(node: &Node) -> &'static str {
    match node.value {
        Value::Text(_) => " without the character U+0000",
        _ => "",
    }
}

/// `"a"`, `"b"` or `"c"`.
pub fn alternatives(words: &[&str]) -> String {
    let listed: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    match listed.split_last() {
        Some((last, [])) => format!("only {last}"),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => "nothing".to_owned(),
    }
}

/// Says that a text would be valid without its quotes.
pub fn without_quotes(node: &Node, fits: impl Fn(&str) -> bool) -> &'static str {
    match &node.value {
        Value::Text(text) if fits(text) => ", without quotes",
        _ => "",
    }
}

/// A value that always exists because `default.toml` has it.
pub fn given<T>(placed: Option<Located<T>>) -> Located<T> {
    placed.expect("default.toml has every key that must have a value")
}
