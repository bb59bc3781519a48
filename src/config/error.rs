//! Where a value was given, and the error that says so.

use crate::text::printable;
use std::fmt;
use std::path::PathBuf;
use thiserror::Error;

/// Where a value was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A line of the configuration file, from 1.
    Line(usize),
    /// A flag, as it was typed: `--pairs 4`.
    Flag(String),
    /// Nowhere in particular: a default, or the file as a whole.
    Whole,
}

/// A value and where it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed<T> {
    /// The value.
    pub value: T,
    /// Where it was given.
    pub origin: Origin,
}

impl<T> Placed<T> {
    /// The same place, another value.
    pub(super) fn map<U>(self, change: impl FnOnce(T) -> U) -> Placed<U> {
        Placed {
            value: change(self.value),
            origin: self.origin,
        }
    }
}

/// What is wrong and where, before it is known in which file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Diagnostic {
    pub(super) origin: Origin,
    pub(super) message: String,
}

impl Diagnostic {
    pub(super) fn new(origin: &Origin, message: impl Into<String>) -> Self {
        Self {
            origin: origin.clone(),
            message: message.into(),
        }
    }

    pub(super) fn in_file(self, file: PathBuf) -> ConfigError {
        ConfigError {
            file,
            origin: self.origin,
            message: self.message,
        }
    }
}

/// A configuration that no tournament can be played from: the file and line or the flag, what is
/// wrong with it, and what is allowed.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub struct ConfigError {
    /// The configuration file, as it was named.
    pub file: PathBuf,
    /// Where in it, or which flag.
    pub origin: Origin,
    /// What is wrong, and what is allowed.
    pub message: String,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = printable(&self.file.to_string_lossy());
        match &self.origin {
            Origin::Line(line) => write!(f, "{file}:{line}: {}", self.message),
            Origin::Flag(flag) => write!(f, "{}: {}", printable(flag), self.message),
            Origin::Whole => write!(f, "{file}: {}", self.message),
        }
    }
}
