//! Why a run's folder, or a file of it, cannot be used.

use crate::tournament::JournalError;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Why a run's folder cannot be used.
#[derive(Debug, Error)]
pub enum FolderError {
    /// The disk's.
    #[error("cannot {attempt} {path}: {error}")]
    File {
        /// What was attempted, as a verb.
        attempt: &'static str,
        /// With which file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// Another run holds the lock of this folder.
    #[error(
        "another awale is playing in {0}; wait for it, stop it, or choose another folder with \
         --output"
    )]
    Locked(PathBuf),
    /// The journal is damaged, or that of another plan.
    #[error("{path}: {error}")]
    Journal {
        /// Its file.
        path: PathBuf,
        /// What is wrong with it.
        error: JournalError,
    },
}

/// Why a file of the folder could not be filled.
#[derive(Debug, Error)]
pub enum FillError {
    /// It could not be written.
    #[error(transparent)]
    Write(#[from] io::Error),
    /// What was to be written could not be read.
    #[error(transparent)]
    Source(#[from] FolderError),
}
