//! What is started, and with which limits. Everything is resolved before the first game: absolute
//! paths and a complete environment.

use super::limits::Limits;
use super::submission::Submission;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// This program as the kernel has it open: an upgrade may replace or remove its file during a run,
/// and in a chroot no path leads to it. The program `awale` starts itself by this path only.
pub const OWN_PROGRAM: &str = "/proc/self/exe";

/// The command of this program that lets a program of another protocol play.
pub const ADAPTER: &str = "adapter";

/// A program with its arguments, folder and environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Absolute path of the program, or [`OWN_PROGRAM`].
    pub program: PathBuf,
    /// Its arguments, without the program's own name.
    pub arguments: Vec<OsString>,
    /// Absolute path of its working directory.
    pub directory: PathBuf,
    /// Variables that are set at every level of isolation.
    pub environment: Vec<(OsString, OsString)>,
    /// Variables with paths of the host, for a bot that runs directly on the host; the ones above
    /// take precedence. The bot gets no other variable of the referee's environment.
    pub host_environment: Vec<(OsString, OsString)>,
    /// What it may read of the host, where it cannot read everything.
    pub file_access: FileAccess,
}

impl Launch {
    /// Whether this program itself plays.
    pub fn is_own(&self) -> bool {
        self.program == Path::new(OWN_PROGRAM) && self.adapted().is_none()
    }

    /// The program behind an adapter of ours, if it is started by one.
    pub fn adapted(&self) -> Option<&OsString> {
        let is_adapter = self.program == Path::new(OWN_PROGRAM)
            && self.arguments.first().is_some_and(|it| it == ADAPTER);
        self.arguments.get(3).filter(|_| is_adapter)
    }

    /// The same program behind the adapter of this protocol. Below its folder it has a relative
    /// path, which is right in every copy of the folder.
    #[must_use]
    pub fn behind_adapter(self, protocol: &str) -> Self {
        let program = match self.program.strip_prefix(&self.directory) {
            Ok(rest) => Path::new(".").join(rest),
            Err(_) => self.program,
        };
        let words = [ADAPTER, protocol, "--"].map(OsString::from).into_iter();
        let words = words.chain([program.into()]).chain(self.arguments);
        Self {
            program: OWN_PROGRAM.into(),
            arguments: words.collect(),
            ..self
        }
    }

    /// The program as users know it.
    pub fn known_program(&self) -> &Path {
        match self.adapted() {
            Some(program) => Path::new(program),
            None if self.is_own() => Path::new("awale"),
            None => &self.program,
        }
    }
}

/// What a bot in a sandbox may read besides the system's programs and libraries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileAccess {
    /// The part of its working directory.
    pub own: Own,
    /// Files elsewhere that its command names.
    pub files: Vec<GivenFile>,
    /// Absolute paths of folders that it reads at their place on the host: toolchains, shared
    /// models.
    pub readable: Vec<PathBuf>,
    /// Absolute paths of folders with programs, searched before those of the system.
    pub programs: Vec<PathBuf>,
}

/// A file outside of a bot's folder that its command names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenFile {
    /// Absolute path, relative parts resolved from the working directory.
    pub named: PathBuf,
    /// Absolute path without links.
    pub source: PathBuf,
}

/// The part of its working directory that belongs to a bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Own {
    /// All of it: the directory is the bot's alone.
    Folder(Submission),
    /// These paths, relative to it: other bots share the directory.
    Files(Vec<PathBuf>),
}

impl Default for Own {
    fn default() -> Self {
        Self::Files(Vec::new())
    }
}

/// When a bot's process is restarted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restart {
    /// Only after a fault: one process plays many games.
    Never,
    /// Before each game.
    EachGame,
}

/// An entrant's program and its settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BotSettings {
    /// The program.
    pub launch: Launch,
    /// When its process is restarted.
    pub restart: Restart,
    /// Its limits.
    pub limits: Limits,
    /// The time for starting, until the first `ready`.
    pub start_up: Duration,
    /// The time for each preparation of a game, until the answer to `new-game`.
    pub new_game: Duration,
    /// The first warning of its build, hostile text: it often names the cause of a crash.
    pub build_warning: Option<String>,
}
