//! Why a submission cannot be read or copied.

use std::io;
use thiserror::Error;

/// Why a submission cannot be read or copied.
#[derive(Debug, Error)]
pub enum SubmissionError {
    /// It is not what a submission may be: its author's problem, in words.
    #[error("{0}")]
    Unfit(String),
    /// The host cannot do it.
    #[error(transparent)]
    Host(#[from] io::Error),
}
