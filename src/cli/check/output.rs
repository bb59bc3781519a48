//! Standard output and its first error, which does not stop an examination. On a terminal, a step
//! that was passed is shown until the next one: what is left is what is to be done.

use crate::cli::exit::{Failure, output_failure};
use crate::cli::paint::takes_escapes;
use crate::cli::terminal_table::terminal_columns;
use std::fs::{File, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Lets a terminal forget its last line.
const FORGET_LINE: &str = "\r\u{1b}[K";

/// Standard output and its first error.
pub struct CheckOutput {
    is_json: bool,
    /// Whether the lines of passed steps go again.
    pub folds: bool,
    /// Whether the last line is one that goes.
    has_passing_line: bool,
    problem: Option<io::Error>,
}

impl CheckOutput {
    /// For people, or for programs. On a terminal the lines of passed steps may go again.
    pub fn new(is_json: bool, folds: bool) -> Self {
        Self {
            is_json,
            folds: folds && !is_json && takes_escapes(&io::stdout()),
            has_passing_line: false,
            problem: None,
        }
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

/// The file of a report. It is tested before the first step, so that users do not wait for a report
/// that cannot be written, and it is written whole or not at all.
#[derive(Debug)]
pub struct ReportFile {
    /// As it was typed.
    path: PathBuf,
    target: Target,
}

#[derive(Debug)]
enum Target {
    /// A new file that replaces an existing one.
    Whole(NamedTempFile, PathBuf),
    /// A pipe or a device, which cannot be replaced.
    Stream(File),
}

impl ReportFile {
    /// Checks that the file can be written.
    ///
    /// # Errors
    /// It cannot: a mistake of the user.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        let target = Self::target(path).map_err(|error| {
            Failure::usage(format!("cannot write the report {}: {error}", shown(path)))
        })?;
        let path = path.to_owned();
        Ok(Self { path, target })
    }

    fn target(path: &Path) -> io::Result<Target> {
        // A link stays a link: its target is written.
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        // `/dev/stdout` may lead to a file that other programs write too.
        let is_device = path.starts_with("/dev") || path.starts_with("/proc");
        if real.exists() && (is_device || !real.is_file()) {
            return Ok(Target::Stream(File::options().append(true).open(path)?));
        }
        if real.is_file() {
            // Checks the file's own permissions: those of its folder do not suffice.
            File::options().append(true).open(&real)?;
        }
        let folder = real.parent().filter(|it| !it.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        // With the permissions of any new file under the user's umask.
        let file = tempfile::Builder::new()
            .permissions(Permissions::from_mode(0o666))
            .tempfile_in(folder)
            .map_err(|error| without_path(&error, folder))?;
        Ok(Target::Whole(file, real))
    }

    /// Writes it.
    ///
    /// # Errors
    /// The machine fails.
    pub fn write(self, text: &str) -> Result<(), Failure> {
        let write = || -> io::Result<()> {
            match self.target {
                Target::Stream(mut file) => file.write_all(text.as_bytes()),
                Target::Whole(mut file, real) => {
                    file.write_all(text.as_bytes())?;
                    file.as_file().sync_all()?;
                    file.persist(real)?;
                    Ok(())
                }
            }
        };
        let path = shown(&self.path);
        write()
            .map_err(|error| Failure::machine(format!("cannot write the report {path}: {error}")))
    }
}

/// An error without the name of the temporary file, which means nothing to the user.
fn without_path(error: &io::Error, folder: &Path) -> io::Error {
    let name = shown(folder);
    let message = if folder.is_dir() {
        format!("no file can be made in {name} ({})", error.kind())
    } else {
        format!("there is no folder {name}")
    };
    io::Error::new(error.kind(), message)
}

fn shown(path: &Path) -> String {
    crate::text::printable(&path.to_string_lossy())
}
