//! Why a run's folder, or a file in it, cannot be used.

use crate::tournament::JournalError;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Why a run's folder cannot be used.
#[derive(Debug, Error)]
pub enum FolderError {
    /// The disk failed.
    #[error("cannot {attempt} {path}: {error}{}", way_out(error))]
    File {
        /// What was attempted, as a verb.
        attempt: &'static str,
        /// The path of the attempt.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// Another run holds the lock of this folder.
    #[error(
        "another awale is playing in {0}; wait for it, stop it, or choose another folder with \
         --output"
    )]
    Locked(PathBuf),
    /// The journal is damaged, or belongs to another plan.
    #[error("{path}: {error}")]
    Journal {
        /// The path of the journal.
        path: PathBuf,
        /// The error.
        error: JournalError,
    },
}

impl FolderError {
    /// The disk failed at an attempt, a verb.
    pub const fn file(attempt: &'static str, path: PathBuf, error: io::Error) -> Self {
        Self::File {
            attempt,
            path,
            error,
        }
    }

    /// Whether what was attempted failed because nothing is there.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::File { error, .. } if error.kind() == io::ErrorKind::NotFound)
    }
}

/// The errors of Linux for a call that a file system does not have: `EINVAL`, `ENOLCK`, `ENOSYS`
/// and `EOPNOTSUPP`.
const LACKING: [i32; 4] = [22, 37, 38, 95];

/// What to do where a file system lacks locks or syncs, as some of networks and of FUSE do; empty
/// for other errors.
pub fn way_out(error: &io::Error) -> &'static str {
    let number = error.raw_os_error();
    if number.is_some_and(|number| LACKING.contains(&number)) {
        "; this file system does not lock or sync files, which a run needs: choose a folder on \
         another one with --output"
    } else {
        ""
    }
}

/// Why a file of the folder could not be written.
#[derive(Debug, Error)]
pub enum FillError {
    /// It could not be written.
    #[error(transparent)]
    Write(#[from] io::Error),
    /// The source of its contents could not be read.
    #[error(transparent)]
    Source(#[from] FolderError),
}
