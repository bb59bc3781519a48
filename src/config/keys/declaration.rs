//! What the declaration of a key says: its name and the kind of its value.

use std::ops::RangeInclusive;
use std::time::Duration;

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
