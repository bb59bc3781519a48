//! Why a file is not a table of games, and the hash of a game's content.

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

/// A hash of a game: its beginning and its moves.
pub fn content(opening: &str, moves: &[u8]) -> u64 {
    // The keys are fixed and the hash is never stored, so any hash function serves.
    let mut hasher = DefaultHasher::new();
    (opening, moves).hash(&mut hasher);
    // The highest number means no content.
    hasher.finish() >> 1
}
