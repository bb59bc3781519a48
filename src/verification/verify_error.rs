//! Why a folder cannot be verified.

use crate::report::RecordsError;
use crate::run_folder::{FolderError, JOURNAL};
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Why a folder cannot be verified.
#[derive(Debug, Error)]
pub enum VerifyError {
    /// The path is not a folder.
    #[error("{0} is not a folder; name the folder of a run, as in results/spring")]
    NoFolder(PathBuf),
    /// The folder has no journal.
    #[error("{0} is not the folder of a run: there is no {JOURNAL} in it")]
    NoJournal(PathBuf),
    /// What should be the journal is a link, a device, a pipe or a folder.
    #[error(
        "{0} is not the folder of a run: {JOURNAL} in it is not a file, and no link is followed"
    )]
    NoFile(PathBuf),
    /// The journal has no lines.
    #[error("{JOURNAL} in {0} is empty: nothing was played, and nothing can be checked")]
    Empty(PathBuf),
    /// A file cannot be read.
    #[error("cannot read {file}: {error}")]
    File {
        /// Its name in the message.
        file: String,
        /// The system's error.
        error: io::Error,
    },
    /// The run's folder cannot be read.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The journal's games are inconsistent.
    #[error(transparent)]
    Records(#[from] RecordsError),
}

impl VerifyError {
    /// Whether the wrong path was given: nothing is wrong with the machine.
    pub fn is_about_what_was_named(&self) -> bool {
        match self {
            Self::NoFolder(_) | Self::NoJournal(_) | Self::NoFile(_) | Self::Empty(_) => true,
            Self::File { .. } | Self::Folder(_) | Self::Records(_) => false,
        }
    }

    pub(super) fn file(file: &str, error: io::Error) -> Self {
        Self::File {
            file: file.to_owned(),
            error,
        }
    }
}
