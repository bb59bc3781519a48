//! Why a file is not a table of games.

use std::io;
use thiserror::Error;

/// Why a table cannot be rated.
#[derive(Debug, Error)]
pub enum TableError {
    #[error("cannot read {file}: {error}")]
    File { file: String, error: io::Error },
    #[error("{file}: {reason}")]
    Form { file: String, reason: String },
    #[error("{file}:{line}: {reason}")]
    Row {
        file: String,
        line: u64,
        reason: String,
    },
}
