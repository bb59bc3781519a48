//! Standard output and its first error, which does not stop an examination. On a terminal, a step
//! that was passed is shown until the next one: what is left is what is to be done.

use crate::cli::exit::{Failure, output_failure};
use crate::cli::paint::takes_escapes;
use crate::cli::terminal_table::terminal_columns;
use std::io::{self, Write as _};

/// Lets a terminal forget its last line.
const FORGET_LINE: &str = "\r\u{1b}[K";

/// Standard output and its first error.
pub struct CheckOutput {
    is_json: bool,
    /// Whether the lines of passed steps go again.
    folds: bool,
    /// Whether the last line is one that goes.
    has_passing_line: bool,
    problem: Option<io::Error>,
}

impl CheckOutput {
    /// For people, or for programs.
    pub const fn new(is_json: bool) -> Self {
        Self {
            is_json,
            folds: false,
            has_passing_line: false,
            problem: None,
        }
    }

    /// The same, but on a terminal the lines of passed steps go again.
    #[must_use]
    pub fn folding(self) -> Self {
        Self {
            folds: !self.is_json && takes_escapes(&io::stdout()),
            ..self
        }
    }

    /// Whether the lines of passed steps go again.
    pub const fn folds(&self) -> bool {
        self.folds
    }

    /// Shows a line until the next one.
    pub fn say_in_passing(&mut self, line: &str) {
        // A line that is broken cannot be taken back.
        let columns = terminal_columns().unwrap_or(80).saturating_sub(1);
        let shown: String = line.trim_end().chars().take(columns).collect();
        self.say(&shown);
        self.has_passing_line = true;
    }

    /// Writes a part of the report for people.
    pub fn say(&mut self, text: &str) {
        if !self.is_json {
            self.write(text);
        }
    }

    /// Writes the report for programs.
    pub fn say_json(&mut self, text: &str) {
        if self.is_json {
            self.write(text);
        }
    }

    /// The first error. A reader that closed our standard output still gets the exit code.
    pub fn end(self) -> Result<(), Failure> {
        match self.problem.as_ref().map(output_failure) {
            None | Some(Failure::OutputClosed) => Ok(()),
            Some(failure) => Err(failure),
        }
    }

    fn write(&mut self, text: &str) {
        if self.problem.is_none() {
            let mut out = io::stdout().lock();
            let forget = if std::mem::take(&mut self.has_passing_line) {
                FORGET_LINE
            } else {
                ""
            };
            let written = out
                .write_all(forget.as_bytes())
                .and_then(|()| out.write_all(text.as_bytes()))
                .and_then(|()| out.flush());
            self.problem = written.err();
        }
    }
}
