//! What can be wrong with a database's file.

use crate::engine::endgame::Unsolvable;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Why a database cannot be built, found or used.
#[derive(Debug, Error)]
pub enum EndgameFileError {
    /// The rules have no values that depend on the pits alone.
    #[error(
        "endgames under these rules ({}) cannot be solved: {why}",
        if rules.is_empty() { "awale" } else { rules }
    )]
    Rules {
        /// The options that name the rules.
        rules: String,
        /// The reason.
        why: Unsolvable,
    },
    /// The user has no home.
    #[error("this user has no folder for caches: name a file, or set XDG_CACHE_HOME")]
    NoCache,
    /// Nobody has built the database.
    #[error("there is no endgame database {} yet: build it with `{command}`", path.display())]
    Missing {
        /// Where it would be.
        path: PathBuf,
        /// What builds it.
        command: String,
    },
    /// It cannot be read.
    #[error("cannot read the endgame database {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's error.
        #[source]
        error: io::Error,
    },
    /// It is no database, or one of another format.
    #[error("{} is no endgame database that this version reads: {what}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// Its bytes are not those that were written.
    #[error(
        "the endgame database {} is damaged: {what}; remove it, and build it again",
        path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// It belongs to other rules.
    #[error("the endgame database {} is for other rules: {found}, not {expected}", path.display())]
    OtherRules {
        /// The file.
        path: PathBuf,
        /// The rules of the file, in words.
        found: String,
        /// Those that were asked for.
        expected: String,
    },
    /// It has positions of fewer seeds than a plan needs.
    #[error(
        "the endgame database {} has positions of up to {found} seeds, and {planned} are needed: \
         build them with `{command}`",
        path.display()
    )]
    Fewer {
        /// The file.
        path: PathBuf,
        /// The most seeds that it has.
        found: u8,
        /// Those that are needed.
        planned: u8,
        /// What builds it.
        command: String,
    },
    /// It has other values than a plan names.
    #[error(
        "the endgame database {} has other values of up to {planned} seeds than the plan names: \
         remove it, and build it again with `{command}`",
        path.display()
    )]
    OtherValues {
        /// The file.
        path: PathBuf,
        /// The most seeds that the plan names.
        planned: u8,
        /// What builds it.
        command: String,
    },
    /// Another process is building it.
    #[error(
        "another process is building {} at this moment: wait for it, or stop it",
        path.display()
    )]
    InWork {
        /// The file.
        path: PathBuf,
    },
    /// A build of more seeds was stopped.
    #[error(
        "{} has the positions of up to {seeds} seeds of a build that was stopped: build at least so \
         many seeds, or remove it",
        path.display()
    )]
    Unfinished {
        /// The unfinished file.
        path: PathBuf,
        /// Its seeds.
        seeds: u8,
    },
    /// It cannot be written.
    #[error(
        "cannot write {}; the whole database needs {bytes} bytes. What is finished is kept, and the \
         same command goes on from there",
        path.display()
    )]
    Write {
        /// The unfinished file.
        path: PathBuf,
        /// Its size in the end.
        bytes: u64,
        /// The system's error.
        #[source]
        error: io::Error,
    },
    /// The build was interrupted.
    #[error("stopped; the same command goes on from what is finished")]
    Stopped,
}
