//! The origin of a value, and the error that names it.

use crate::text::{printable, quoted};
use std::fmt;
use std::path::PathBuf;
use thiserror::Error;

/// The origin of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A line of the configuration file, from 1.
    Line(usize),
    /// A flag, as it was typed: `--pairs 4`.
    Flag(String),
    /// No particular place: a default, or the file as a whole.
    Whole,
}

/// What the reader of an error has typed: the advice is phrased for that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Medium {
    /// A configuration file.
    File,
    /// A command line.
    CommandLine,
}

impl Medium {
    /// A command of these words in that form.
    pub fn command(self, words: &[&str]) -> String {
        match self {
            Self::File => format!("[{}]", self.words(words)),
            Self::CommandLine => format!("\"{}\"", words.join(" ")),
        }
    }

    /// The words of a command in that form.
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

    /// The folder from which paths of a command start.
    pub(super) const fn folder(self) -> &'static str {
        match self {
            Self::File => "the entrant's `dir`",
            Self::CommandLine => "the folder where you are",
        }
    }
}

/// A value and its origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located<T> {
    /// The value.
    pub value: T,
    /// Its origin.
    pub origin: Origin,
}

impl<T> Located<T> {
    /// A value that was not typed.
    pub const fn by_default(value: T) -> Self {
        let origin = Origin::Whole;
        Self { value, origin }
    }

    /// The same origin with another value.
    pub(super) fn map<U>(self, change: impl FnOnce(T) -> U) -> Located<U> {
        Located {
            value: change(self.value),
            origin: self.origin,
        }
    }
}

/// An error and its origin, without the name of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub origin: Origin,
    /// The entrant that the error is about, if any.
    pub entrant: Option<String>,
    pub message: String,
    /// Further errors, which do not follow from this one.
    pub others: Vec<Self>,
}

/// The errors of steps that do not depend on each other.
#[derive(Debug, Default)]
pub struct Diagnostics(Vec<Diagnostic>);

impl Diagnostics {
    /// The result of a step, if it has one.
    pub fn take<T>(&mut self, step: Result<T, Diagnostic>) -> Option<T> {
        step.map_err(|error| self.push(error)).ok()
    }

    /// Adds an error. One value that is wrong for several entrants is one error.
    pub fn push(&mut self, error: Diagnostic) {
        let is_same = |it: &Diagnostic| it.origin == error.origin && it.message == error.message;
        if !self.0.iter().any(is_same) {
            self.0.push(error);
        }
    }

    /// Takes all errors as one, in the order in which they were found.
    ///
    /// # Errors
    /// There is any.
    pub fn end(&mut self) -> Result<(), Diagnostic> {
        let mut errors = std::mem::take(&mut self.0).into_iter();
        match errors.next() {
            None => Ok(()),
            Some(mut first) => {
                first.others.extend(errors);
                Err(first)
            }
        }
    }
}

impl Diagnostic {
    pub fn new(origin: &Origin, message: impl Into<String>) -> Self {
        Self {
            origin: origin.clone(),
            entrant: None,
            message: message.into(),
            others: Vec::new(),
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
        let others = self.others.into_iter();
        ConfigError {
            others: others.map(|it| it.in_file(file.clone())).collect(),
            file,
            origin: self.origin,
            entrant: self.entrant,
            message: self.message,
        }
    }
}

/// An unusable configuration: the file and line or the flag, what is wrong, and what is allowed.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub struct ConfigError {
    /// The configuration file, as it was named.
    pub file: PathBuf,
    /// The line or the flag.
    pub origin: Origin,
    /// The entrant that the error is about, if any.
    pub entrant: Option<String>,
    /// What is wrong, and what is allowed.
    pub message: String,
    /// Further errors, which do not follow from this one.
    pub others: Vec<Self>,
}

impl ConfigError {
    /// What is wrong, and the entrant, without the place.
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
        }?;
        // Each is a line of its own, like the first.
        self.others
            .iter()
            .try_for_each(|it| write!(f, "\nerror: {it}"))
    }
}

pub fn wrong(entrant: &str, origin: &Origin, message: impl AsRef<str>) -> Diagnostic {
    Diagnostic::new(origin, message.as_ref()).of_entrant(entrant)
}

/// The origin of the whole file.
pub const WHOLE: &Origin = &Origin::Whole;
