//! What is started, and under which limits. All of it is resolved before the first game: absolute
//! paths, a complete environment.

use super::limits::Limits;
use super::submission::Submission;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// A program with everything that it is started with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Absolute path of the program.
    pub program: PathBuf,
    /// Its arguments, the program's own name not among them.
    pub arguments: Vec<OsString>,
    /// Absolute path of its working directory.
    pub directory: PathBuf,
    /// Variables that it gets wherever it runs.
    pub environment: Vec<(OsString, OsString)>,
    /// Variables that say where things are on the host: for a bot that runs there, and that the
    /// above do not set. Nothing else of the referee's own environment reaches it.
    pub host_environment: Vec<(OsString, OsString)>,
    /// What it may read of the host, where it cannot read everything.
    pub file_access: FileAccess,
}

/// What a bot in a sandbox may read besides the system's own programs and libraries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileAccess {
    /// What of its working directory.
    pub own: Own,
    /// Files elsewhere that its command names.
    pub files: Vec<GivenFile>,
    /// Absolute paths of folders that it reads where they stand: toolchains, shared models.
    pub readable: Vec<PathBuf>,
    /// Absolute paths of folders with programs, searched before the system's.
    pub programs: Vec<PathBuf>,
}

/// A file outside of a bot's folder that its command names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenFile {
    /// Absolute path, as the command names it from the working directory.
    pub named: PathBuf,
    /// Absolute path without links.
    pub source: PathBuf,
}

/// What of its working directory belongs to a bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Own {
    /// All of it: the directory was given to it alone.
    Folder(Submission),
    /// These paths in it, relative to it: the directory is shared with others.
    Files(Vec<PathBuf>),
}

impl Default for Own {
    fn default() -> Self {
        Self::Files(Vec::new())
    }
}

/// When a bot's process is started anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restart {
    /// Only after a fault: one process plays many games.
    Never,
    /// Before each game.
    EachGame,
}

/// An entrant's program and how it is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BotSettings {
    /// The program.
    pub launch: Launch,
    /// When it is started anew.
    pub restart: Restart,
    /// What it may use.
    pub limits: Limits,
    /// The time for starting, until the first `ready`.
    pub start_up: Duration,
    /// The time for each preparation of a game: the answer to `new-game`.
    pub new_game: Duration,
}
