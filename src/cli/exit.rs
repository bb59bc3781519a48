//! How the program ends: every exit code, and the failure that becomes one.

use crate::report::RecordsError;
use crate::run_folder::FolderError;
use crate::run_folder::tables::TablesError;
use crate::verification::VerifyError;
use std::error::Error;
use std::io::Write as _;
use std::process::ExitCode;

/// The exit codes. `docs/runs.md` lists the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Everything was done.
    Done,
    /// Something needs attention: a fault in a tournament (`--strict`), a step of `check` that
    /// failed, a new version that failed its test.
    Attention,
    /// Bad usage or a bad configuration: nothing was played.
    Usage,
    /// The machine failed: a full disk, a lock that is held.
    Machine,
    /// A sequential test ended without a decision.
    Inconclusive,
    /// A bot was at fault too often for its strength to be tested.
    Faulty,
    /// Interrupted by Ctrl-C or a signal.
    Interrupted,
}

impl Exit {
    /// The number that the shell sees.
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

/// Why a command could not be carried out.
#[derive(Debug)]
pub enum Failure {
    /// The user asked for something impossible.
    Usage(Box<dyn Error>),
    /// The machine did not do what it should.
    Machine(Box<dyn Error>),
    /// The reader of our standard output has closed it: nothing is left to say.
    OutputClosed,
}

impl Failure {
    /// A mistake of the user's.
    pub fn usage(error: impl Into<Box<dyn Error>>) -> Self {
        Self::Usage(error.into())
    }

    /// A failure of the machine.
    pub fn machine(error: impl Into<Box<dyn Error>>) -> Self {
        Self::Machine(error.into())
    }

    /// The exit code that it means.
    pub const fn exit(&self) -> Exit {
        match self {
            Self::Usage(_) => Exit::Usage,
            Self::Machine(_) => Exit::Machine,
            Self::OutputClosed => Exit::Done,
        }
    }

    /// Says on standard error what was attempted, what is wrong, and what to do.
    pub fn print(&self) {
        let (Self::Usage(error) | Self::Machine(error)) = self else {
            return;
        };
        tell(&format!("error: {error}"));
        let mut source = error.source();
        while let Some(cause) = source {
            tell(&format!("  because {cause}"));
            source = cause.source();
        }
    }
}

impl From<FolderError> for Failure {
    /// A mistake in the configuration, or a failure of the machine.
    fn from(error: FolderError) -> Self {
        match error {
            FolderError::Journal { error: ref it, .. } if it.is_about_the_plan() => {
                Self::usage(error)
            }
            _ => Self::machine(error),
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
pub fn output_failure(error: &std::io::Error) -> Failure {
    if error.kind() == std::io::ErrorKind::BrokenPipe {
        Failure::OutputClosed
    } else {
        Failure::Machine(format!("cannot write to standard output: {error}").into())
    }
}

/// Says something on standard error. A closed standard error stops nothing.
pub fn tell(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}
