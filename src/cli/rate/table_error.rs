//! Why a file is not a table of games, and what tells one game from another.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{self};
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

/// A fingerprint of a game: from where, and what was played.
pub fn content(opening: &str, moves: &[u8]) -> u64 {
    // Always the same keys, and never kept beyond the run: which function it is does not matter.
    let mut hasher = DefaultHasher::new();
    (opening, moves).hash(&mut hasher);
    // The greatest number stands for nothing.
    hasher.finish() >> 1
}
