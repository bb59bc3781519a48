//! What a shard leaves: its journal `7.jsonl`, and beside it `7.files/` with evidence, logs and a copy
//! of `plan.toml`.

use crate::files::{self, Folder};
use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

/// The ending of journals of shards.
pub const JOURNALS: &str = "jsonl";
/// The ending of the folder beside a journal.
const FILES: &str = "files";
/// The most bytes of a journal: a shard of some minutes has some MiB.
const MOST_BYTES: u64 = 1 << 30;

/// The folder beside the journal of a shard.
pub fn files_beside(journal: &Path) -> PathBuf {
    journal.with_extension(FILES)
}

/// A shard that was played. Everything in it is a stranger's.
#[derive(Debug)]
pub struct ShardFile {
    /// The journal.
    pub journal: BufReader<File>,
    /// What is beside it, if there is anything.
    pub files: Option<Folder>,
}

impl ShardFile {
    /// Opens a journal, and what is beside it.
    ///
    /// # Errors
    /// It is not there, is no file, or is larger than a shard can be.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = files::open(path)?;
        let length = file.metadata()?.len();
        if length > MOST_BYTES {
            let message = format!("it has {length} bytes, and a shard has at most {MOST_BYTES}");
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
        }
        Ok(Self {
            journal: BufReader::new(file),
            files: Folder::open(&files_beside(path)).ok(),
        })
    }
}
