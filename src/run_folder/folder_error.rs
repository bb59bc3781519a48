//! Why a run's folder, or a file in it, cannot be used.

use crate::tournament::JournalError;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Why a run's folder cannot be used.
#[derive(Debug, Error)]
pub enum FolderError {
    /// The disk failed.
    #[error("cannot {attempt} {path}: {error}")]
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
    pub(super) const fn file(attempt: &'static str, path: PathBuf, error: io::Error) -> Self {
        Self::File {
            attempt,
            path,
            error,
        }
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
