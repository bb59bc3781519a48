//! Standard output and its first error, which does not stop an examination.

use crate::cli::exit::{Failure, output_failure};
use std::io::{self, Write as _};

/// Standard output and its first error.
pub struct CheckOutput {
    is_json: bool,
    problem: Option<io::Error>,
}

impl CheckOutput {
    /// For people, or for programs.
    pub const fn new(is_json: bool) -> Self {
        Self {
            is_json,
            problem: None,
        }
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
            let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
            self.problem = written.err();
        }
    }
}
