//! Where a value was given, and the error that says so.

use crate::text::{printable, quoted};
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

/// What the reader of an error has typed: it is told what to do in words of that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Medium {
    /// A configuration file.
    File,
    /// A command line.
    CommandLine,
}

impl Medium {
    /// A command of these words, as it is typed there.
    pub fn command(self, words: &[&str]) -> String {
        match self {
            Self::File => format!("[{}]", self.words(words)),
            Self::CommandLine => format!("\"{}\"", words.join(" ")),
        }
    }

    /// Words of a command, as they are typed there.
    pub fn words(self, words: &[&str]) -> String {
        match self {
            Self::File => words
                .iter()
                .map(|it| quoted(it))
                .collect::<Vec<_>>()
                .join(", "),
            Self::CommandLine => format!("\"{}\"", words.join(" ")),
        }
    }

    /// The folder that paths of a command start from.
    pub(super) const fn folder(self) -> &'static str {
        match self {
            Self::File => "the entrant's `dir`",
            Self::CommandLine => "the folder where you are",
        }
    }
}

/// A value and where it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located<T> {
    /// The value.
    pub value: T,
    /// Where it was given.
    pub origin: Origin,
}

impl<T> Located<T> {
    /// The same place, another value.
    pub(super) fn map<U>(self, change: impl FnOnce(T) -> U) -> Located<U> {
        Located {
            value: change(self.value),
            origin: self.origin,
        }
    }
}

/// What is wrong and where, before it is known in which file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub origin: Origin,
    /// The entrant that it is about, if it is about one.
    pub entrant: Option<String>,
    pub message: String,
}

impl Diagnostic {
    pub fn new(origin: &Origin, message: impl Into<String>) -> Self {
        Self {
            origin: origin.clone(),
            entrant: None,
            message: message.into(),
        }
    }

    /// The same about an entrant.
    pub fn of_entrant(self, name: &str) -> Self {
        Self {
            entrant: Some(name.to_owned()),
            ..self
        }
    }

    pub fn in_file(self, file: PathBuf) -> ConfigError {
        ConfigError {
            file,
            origin: self.origin,
            entrant: self.entrant,
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
    /// The entrant that it is about, if it is about one.
    pub entrant: Option<String>,
    /// What is wrong, and what is allowed.
    pub message: String,
}

impl ConfigError {
    /// What is wrong and with whom, without the place.
    pub fn what(&self) -> String {
        match &self.entrant {
            Some(entrant) => format!("entrant {}: {}", quoted(entrant), self.message),
            None => self.message.clone(),
        }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = printable(&self.file.to_string_lossy());
        match &self.origin {
            Origin::Line(line) => write!(f, "{file}:{line}: {}", self.what()),
            Origin::Flag(flag) => write!(f, "{}: {}", printable(flag), self.what()),
            Origin::Whole => write!(f, "{file}: {}", self.what()),
        }
    }
}

pub fn wrong(entrant: &str, origin: &Origin, message: impl AsRef<str>) -> Diagnostic {
    Diagnostic::new(origin, message.as_ref()).of_entrant(entrant)
}

/// Where the whole file is meant.
pub const WHOLE: &Origin = &Origin::Whole;
