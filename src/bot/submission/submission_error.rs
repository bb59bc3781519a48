//! Why a submission cannot be read or copied.

use std::io;
use thiserror::Error;

/// Why a submission cannot be read or copied.
#[derive(Debug, Error)]
pub enum SubmissionError {
    /// The contents are not allowed: the author's problem, in words.
    #[error("{0}")]
    Unfit(String),
    /// The host's failure.
    #[error(transparent)]
    Host(#[from] io::Error),
}
