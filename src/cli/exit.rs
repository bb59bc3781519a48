//! How the program ends: every exit code, and the failure that becomes one.

use super::paint::Paint;
use crate::config::{ConfigError, SourceLine};
use crate::files;
use crate::report::RecordsError;
use crate::run_folder::tables::TablesError;
use crate::run_folder::{FolderError, LedgerError};
use crate::text::printable_lines;
use crate::verification::VerifyError;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use std::error::Error;
use std::io::{self, IsTerminal as _, StdinLock, Write as _};
use std::process::ExitCode;
use tokio::runtime::{Builder, Runtime};

/// The exit codes, which `docs/runs.md` lists too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Success.
    Done,
    /// A result that needs attention: open pairs, a fault in a tournament (`--strict`), a failed
    /// step of `check`, a new version that failed its test.
    Attention,
    /// A usage or configuration error: nothing was played.
    Usage,
    /// The machine failed: for example, the disk is full or a lock is held.
    Machine,
    /// A sequential test ended without a decision.
    Inconclusive,
    /// A bot was at fault too often for its strength to be tested.
    Faulty,
    /// Interrupted by Ctrl-C or a signal.
    Interrupted,
}

impl Exit {
    /// The number for the shell.
    pub const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Attention => 1,
            Self::Usage => 2,
            Self::Machine => 3,
            Self::Inconclusive => 4,
            Self::Faulty => 5,
            Self::Interrupted => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// Why a command failed.
#[derive(Debug)]
pub enum Failure {
    /// The user requested something impossible.
    Usage(Box<dyn Error>),
    /// The machine failed.
    Machine(Box<dyn Error>),
    /// The reader closed our standard output: nothing more can be written.
    OutputClosed,
    /// Interrupted before anything was played; in words, what became of it.
    Interrupted(&'static str),
}

impl Failure {
    /// A mistake of the user.
    pub fn usage(error: impl Into<Box<dyn Error>>) -> Self {
        Self::Usage(error.into())
    }

    /// A failure of the machine.
    pub fn machine(error: impl Into<Box<dyn Error>>) -> Self {
        Self::Machine(error.into())
    }

    /// The exit code of this failure.
    pub const fn exit(&self) -> Exit {
        match self {
            Self::Usage(_) => Exit::Usage,
            Self::Machine(_) => Exit::Machine,
            Self::OutputClosed => Exit::Done,
            Self::Interrupted(_) => Exit::Interrupted,
        }
    }

    /// Prints what was attempted, what is wrong, and what to do, on standard error.
    pub fn print(&self) {
        let error = match self {
            Self::Usage(error) | Self::Machine(error) => error,
            Self::Interrupted(what) => return tell(&format!("\ninterrupted: {what}")),
            Self::OutputClosed => return,
        };
        match error.downcast_ref::<ConfigError>() {
            Some(error) => tell_painted(&report(error)),
            None => tell(&format!("error: {error}")),
        }
        let mut source = error.source();
        while let Some(cause) = source {
            tell(&format!("  because {cause}"));
            source = cause.source();
        }
    }
}

impl From<FolderError> for Failure {
    /// A mistake in the configuration is a usage error; everything else is a failure of the
    /// machine.
    fn from(error: FolderError) -> Self {
        match error {
            FolderError::Journal { error: ref it, .. } if it.is_about_the_plan() => {
                Self::usage(error)
            }
            _ => Self::machine(error),
        }
    }
}

impl From<LedgerError> for Failure {
    /// A ledger that is not there was named wrongly.
    fn from(error: LedgerError) -> Self {
        match error {
            LedgerError::Folder(error) if !error.is_missing() => error.into(),
            error => Self::usage(error),
        }
    }
}

impl From<VerifyError> for Failure {
    fn from(error: VerifyError) -> Self {
        match error {
            VerifyError::Folder(error) => error.into(),
            error if error.is_about_what_was_named() => Self::usage(error),
            error => Self::machine(error),
        }
    }
}

impl From<RecordsError> for Failure {
    fn from(error: RecordsError) -> Self {
        Self::machine(error)
    }
}

impl From<TablesError> for Failure {
    fn from(error: TablesError) -> Self {
        match error {
            TablesError::Folder(error) => error.into(),
            TablesError::Records(error) => error.into(),
        }
    }
}

/// A failure to write to standard output.
pub fn output_failure(error: &io::Error) -> Failure {
    if error.kind() == io::ErrorKind::BrokenPipe {
        Failure::OutputClosed
    } else {
        Failure::Machine(format!("cannot write to standard output: {error}").into())
    }
}

/// What serves the processes of a command on its own thread.
pub fn runtime() -> Result<Runtime, Failure> {
    let runtime = Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| Failure::machine(format!("cannot watch a process: {error}")))
}

/// Prints a text on standard error. Nothing in it acts on the terminal: it may name what a stranger
/// wrote.
pub fn tell(text: &str) {
    tell_painted(&printable_lines(text));
}

/// The same for a text with colours of ours. What a stranger wrote in it was escaped before. A
/// closed standard error stops nothing.
pub fn tell_painted(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// Writes a text to standard output. On a terminal nothing in it acts.
pub fn say(text: &str) -> Result<Exit, Failure> {
    say_data(text.as_bytes())
}

/// The same for bytes.
pub fn say_data(bytes: &[u8]) -> Result<Exit, Failure> {
    let mut out = io::stdout().lock();
    let written = if out.is_terminal() {
        let shown = printable_lines(&String::from_utf8_lossy(bytes));
        out.write_all(shown.as_bytes())
    } else {
        out.write_all(bytes)
    };
    let written = written.and_then(|()| out.flush());
    written.map_err(|error| output_failure(&error))?;
    Ok(Exit::Done)
}

/// The longest line that a command answers, in bytes.
const LONGEST_REQUEST: usize = 1 << 20;

/// Reads the next line of standard input; false at its end. A line that is too long is not whole,
/// and so it is no JSON.
pub fn read_request(input: &mut StdinLock<'_>, line: &mut Vec<u8>) -> Result<bool, Failure> {
    let read = files::read_line(input, LONGEST_REQUEST, line);
    read.map_err(|error| Failure::machine(format!("cannot read standard input: {error}")))
}

/// All errors, each with its line if there is one, as they are printed on standard error.
fn report(error: &ConfigError) -> String {
    let renderer = if Paint::for_standard_error().is_used() {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    rendered(error, &renderer)
}

fn rendered(error: &ConfigError, renderer: &Renderer) -> String {
    let all = std::iter::once(error).chain(&error.others);
    let reports = all.map(|error| {
        let headline = printable_lines(&error.headline());
        let title = Level::ERROR.primary_title(&*headline);
        let group = match &error.source_line {
            Some(line) => title.element(snippet(line)),
            None => Group::with_title(title),
        };
        renderer.render(&[group])
    });
    reports.collect::<Vec<_>>().join("\n")
}

fn snippet(line: &SourceLine) -> Snippet<'_, annotate_snippets::Annotation<'_>> {
    let annotation = AnnotationKind::Primary.span(line.wrong.clone());
    Snippet::source(line.text.as_str())
        .line_start(line.number)
        .annotation(annotation)
}
