//! What is started, and under which limits. All of it is resolved before the first game: absolute
//! paths, a complete environment.

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
    /// Its whole environment: nothing of the referee's own reaches it.
    pub environment: Vec<(OsString, OsString)>,
}

/// When a bot's process is started anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restart {
    /// Only after a fault: one process plays many games.
    Never,
    /// Before each game.
    EachGame,
}

/// What a bot may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one line of output, its newline not counted.
    pub line_bytes: usize,
    /// Bytes of output in one game.
    pub output_bytes: usize,
    /// Bytes of standard error kept from the beginning of a game.
    pub stderr_head_bytes: usize,
    /// Bytes of standard error kept from the end of a game.
    pub stderr_tail_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            line_bytes: 64 << 10,
            output_bytes: 4 << 20,
            stderr_head_bytes: 16 << 10,
            stderr_tail_bytes: 48 << 10,
        }
    }
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
    /// The time for starting and for each preparation of a game.
    pub start_up: Duration,
}
