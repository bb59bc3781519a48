//! The origin of a value, and the error that names it.

use crate::config::secret;
use crate::text::{printable, quoted};
use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use thiserror::Error;

/// A place in a text: a line, and what is meant in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextPlace {
    /// The line, from 1.
    pub line: u32,
    /// The bytes of the text that are meant; they may go on in later lines.
    pub bytes: Range<u32>,
}

impl TextPlace {
    /// A place in a text of less than 4 GiB: a longer text is not a configuration.
    pub fn new(line: usize, bytes: &Range<usize>) -> Self {
        let short = |number| u32::try_from(number).unwrap_or(u32::MAX);
        Self {
            line: short(line),
            bytes: short(bytes.start)..short(bytes.end),
        }
    }
}

/// The origin of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A place in the configuration file.
    File(TextPlace),
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
    pub fn push(&mut self, mut error: Diagnostic) {
        let others = std::mem::take(&mut error.others);
        let is_same = |it: &Diagnostic| it.origin == error.origin && it.message == error.message;
        if !self.0.iter().any(is_same) {
            self.0.push(error);
        }
        for other in others {
            self.push(other);
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
            entrant: self.entrant.map(String::into_boxed_str),
            message: self.message,
            source_line: None,
        }
    }
}

/// A line of a configuration, and what is wrong in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLine {
    /// The line's number, from 1.
    pub number: usize,
    /// The line.
    pub text: String,
    /// The bytes of the line that are wrong.
    pub wrong: Range<usize>,
}

/// An unusable configuration: the file and line or the flag, what is wrong, and what is allowed.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub struct ConfigError {
    /// The configuration file, as it was named.
    pub file: PathBuf,
    /// The line or the flag.
    pub origin: Origin,
    /// The entrant that the error is about, if any.
    pub entrant: Option<Box<str>>,
    /// What is wrong, and what is allowed.
    pub message: String,
    /// The line with the mistake, if it may be shown.
    pub source_line: Option<Box<SourceLine>>,
    /// Further errors, which do not follow from this one.
    pub others: Vec<Self>,
}

impl ConfigError {
    /// The same with the lines of this text, which the file has.
    pub(super) fn with_source(mut self, text: &str) -> Self {
        if let Origin::File(place) = &self.origin {
            self.source_line = SourceLine::at(place, text).map(Box::new);
        }
        let others = self.others.into_iter();
        self.others = others.map(|it| it.with_source(text)).collect();
        self
    }

    /// This error alone, with its place.
    pub fn headline(&self) -> String {
        let file = printable(&self.file.to_string_lossy());
        match &self.origin {
            Origin::File(place) => format!("{file}:{}: {}", place.line, self.what()),
            Origin::Flag(flag) => format!("{}: {}", printable(flag), self.what()),
            Origin::Whole => format!("{file}: {}", self.what()),
        }
    }

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
        f.write_str(&self.headline())?;
        // Each is a line of its own, like the first.
        self.others
            .iter()
            .try_for_each(|it| write!(f, "\nerror: {it}"))
    }
}

impl SourceLine {
    /// The line of this place. A line that has a part of a secret, or characters that a terminal
    /// does not show as they are, is not shown.
    fn at(place: &TextPlace, text: &str) -> Option<Self> {
        let bytes = place.bytes.start as usize..place.bytes.end as usize;
        let start = text.get(..bytes.start)?.rfind('\n').map_or(0, |it| it + 1);
        let line = text[start..].lines().next()?;
        let end = bytes.end.min(start + line.len());
        let wrong = bytes.start.checked_sub(start)?..end.checked_sub(start)?;
        let wrong = at_least_a_letter(wrong, line);
        let is_plain = printable(&line.replace('\t', " ")) == line.replace('\t', " ");
        let is_shown = !wrong.is_empty() && is_plain && secret::hidden_in(line) == line;
        is_shown.then(|| Self {
            number: place.line as usize,
            text: line.to_owned(),
            wrong,
        })
    }
}

/// Something that is missing is missing at a letter: the next one, or the last of the line.
fn at_least_a_letter(wrong: Range<usize>, line: &str) -> Range<usize> {
    if !wrong.is_empty() {
        return wrong;
    }
    let letters = line.char_indices();
    let mut letters = letters.map(|(at, letter)| at..at + letter.len_utf8());
    let next = letters.find(|it| it.start >= wrong.start);
    let last = || {
        line.char_indices()
            .next_back()
            .map(|(at, _)| at..line.len())
    };
    next.or_else(last).unwrap_or(wrong)
}

pub fn wrong(entrant: &str, origin: &Origin, message: impl AsRef<str>) -> Diagnostic {
    Diagnostic::new(origin, message.as_ref()).of_entrant(entrant)
}

/// The origin of the whole file.
pub const WHOLE: &Origin = &Origin::Whole;
