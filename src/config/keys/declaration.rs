//! What the declaration of a key says: its name and the kind of its value. The manual has its
//! documentation and its default, in the words for users.

use std::ops::RangeInclusive;
use std::time::Duration;
use toml::de::DeValue;

/// A table of the configuration and its keys, in the order of the manual.
#[derive(Debug)]
pub struct Keys {
    /// The table as written: `[clock]`.
    pub table: &'static str,
    /// Its keys.
    pub keys: &'static [ConfigKey],
}

/// A key.
#[derive(Debug)]
pub struct ConfigKey {
    /// Its name.
    pub name: &'static str,
    /// The values that it takes.
    pub kind: Kind,
    /// Whether it must have a value: typed, or else the default of the manual, which completes
    /// every table but the entrants.
    pub is_needed: bool,
}

/// The values that a key takes.
#[derive(Debug)]
pub enum Kind {
    /// A text; here an example as TOML.
    Text(&'static str),
    /// A list of texts; here an example as TOML.
    Texts(&'static str),
    /// A text that matches this regular expression. The reader of the value checks it.
    Pattern(&'static str),
    /// A whole number within bounds.
    Integer(RangeInclusive<u64>),
    /// A number, whole or not, within bounds.
    Number(RangeInclusive<f64>),
    /// A size in bytes within bounds, written as a text with its unit.
    Size {
        /// The bounds.
        bounds: RangeInclusive<u64>,
        /// An example.
        example: u64,
    },
    /// A time of at least this and at most 30 days, written as a text with its unit.
    Time(Duration),
    /// One of these names.
    Choice(fn() -> Vec<&'static str>),
    /// `true` or `false`.
    Boolean,
    /// A table with these keys.
    Table(&'static Keys),
    /// Several tables with these keys.
    Tables(&'static Keys),
    /// A table with some of these keys, or a word.
    Form {
        /// The keys.
        keys: &'static Keys,
        /// The word, if there is one.
        word: Option<&'static str>,
        /// The forms in words.
        allowed: &'static str,
    },
    /// A list of tables with some of these keys.
    Forms {
        /// The keys.
        keys: &'static Keys,
        /// The forms in words.
        allowed: &'static str,
    },
    /// A table of any names with values of one kind.
    Map {
        /// The kind of the values.
        values: &'static Kind,
        /// What it takes, in words.
        allowed: &'static str,
    },
    /// Anything: the key is not read.
    Unread,
}

/// The longest time of any key: 30 days.
pub const LONGEST_TIME: Duration = Duration::from_secs(30 * 24 * 3600);

impl Keys {
    /// The names of the keys.
    pub fn names(&self) -> Vec<&'static str> {
        self.keys.iter().map(|key| key.name).collect()
    }

    /// The key of this name.
    pub fn get(&self, name: &str) -> Option<&'static ConfigKey> {
        self.keys.iter().find(|key| key.name == name)
    }
}

impl ConfigKey {
    /// A key that may have no value.
    pub const fn new(name: &'static str, kind: Kind) -> Self {
        Self {
            name,
            kind,
            is_needed: false,
        }
    }
}

/// The commented file of all keys and their defaults.
pub const MANUAL: &str = include_str!("../../../configs/default.toml");

/// What the manual says of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManualEntry {
    /// The table in which the key stands, without brackets.
    pub table: String,
    /// The key as it stands there, perhaps with a table before a dot.
    pub key: String,
    /// Its default, or an example if it is not set, as TOML.
    pub value: String,
    /// Whether the value is the default. Entrants and starts have none: their values are examples.
    pub is_default: bool,
    /// What it is for.
    pub doc: String,
}

/// Every key of the manual, in its order.
pub fn manual() -> Vec<ManualEntry> {
    let mut entries: Vec<ManualEntry> = Vec::new();
    let mut table = String::new();
    for line in MANUAL.lines() {
        if let Some(header) = header(line) {
            header.clone_into(&mut table);
        } else if let Some(comment) = continued(line) {
            if let Some(entry) = entries.last_mut() {
                if !entry.doc.is_empty() {
                    entry.doc.push(' ');
                }
                entry.doc.push_str(comment);
            }
        } else if let Some(entry) = entry(&table, line) {
            entries.push(entry);
        }
    }
    entries
}

/// `[clock]` or `[[entrant]]`, with or without a comment.
fn header(line: &str) -> Option<&str> {
    let name = line.strip_prefix('[')?.trim_start_matches('[');
    name.split_once(']').map(|(name, _)| name)
}

/// A further line of the comment on a key.
fn continued(line: &str) -> Option<&str> {
    let comment = line.strip_prefix(' ')?.trim_start();
    comment.strip_prefix('#').map(str::trim)
}

/// `key = value  # comment`, or `# key = value  # comment` for a key that is not set.
fn entry(table: &str, line: &str) -> Option<ManualEntry> {
    let unset = line.strip_prefix("# ");
    let (key, rest) = unset.unwrap_or(line).split_once(" = ")?;
    let is_key = |c: char| c.is_ascii_alphanumeric() || "-.".contains(c);
    if !key.chars().all(is_key) {
        return None;
    }
    let ends = rest.match_indices('#').map(|(end, _)| end);
    let mut ends = ends.chain([rest.len()]);
    // A text can contain `#`.
    let end = ends.find(|&end| DeValue::parse(rest[..end].trim()).is_ok())?;
    Some(ManualEntry {
        table: table.to_owned(),
        key: key.to_owned(),
        value: rest[..end].trim().to_owned(),
        is_default: unset.is_none() && !["entrant", "start"].contains(&table),
        doc: rest[end..].trim_start_matches('#').trim().to_owned(),
    })
}
