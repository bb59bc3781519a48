//! The inputs of a resolution besides the configuration: the machine, the parts of the referee's
//! environment that it uses, and the parser of house bots' commands. The command line gives that
//! parser; this room does not know it.

use crate::bot::Level;
use crate::config::adjudication::EndgameSource;
use crate::config::class::ClassFolders;
use crate::config::error::Medium;
use crate::config::machine::Machine;
use crate::config::resolved::Purpose;
use crate::config::secret::SecretSource;
use crate::config::toolchains::Questions;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The inputs of a resolution besides the configuration.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The configuration file, as it was named.
    pub file: &'a Path,
    pub output: Option<&'a Path>,
    pub oversubscribe: bool,
    pub purpose: Purpose,
    pub machine: &'a Machine,
    pub level: Level,
    pub host_env: &'a HostEnv,
    /// The questions to interpreters that were asked before.
    pub questions: &'a Questions,
    /// The source of a secret that is not typed.
    pub secret: &'a SecretSource,
    /// The source of what is not typed of the database whose values end games.
    pub endgame: &'a EndgameSource,
    /// Whether bots, folders and openings may be missing, because the plan is only examined.
    pub is_record: bool,
    /// Entrants of a record that are nevertheless replayed, by name.
    pub replayed: &'a BTreeSet<String>,
    /// The entrants whose commands follow from their files.
    pub class: &'a ClassFolders,
}

impl Context<'_> {
    /// Whether this entrant plays, so that its program must exist here.
    pub fn plays(&self, entrant: &str) -> bool {
        !self.is_record || self.replayed.contains(entrant)
    }
}

/// The names of the house bots.
pub const HOUSE_BOTS: [&str; 3] = ["random", "greedy", "minimax"];

/// The parser of house bots' commands.
#[derive(Clone, Copy, Debug)]
pub struct HouseCommands {
    /// Why the words do not start a house bot, and what is allowed.
    pub check: fn(&[&str], Medium) -> Result<(), String>,
    /// Whether the words start a house bot that always plays the same in the same game, whatever
    /// time it has.
    pub is_deterministic: fn(&[&str]) -> bool,
    /// Whether the words want a database of endgames: a file, or the one in the user's cache.
    pub endgame: fn(&[&str]) -> Option<EndgameChoice>,
}

/// The database of endgames that a house bot wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EndgameChoice {
    /// The one of the game's rules in the user's cache folder.
    Usual,
    /// This file.
    File(PathBuf),
}

#[cfg(test)]
impl HouseCommands {
    /// For tests without games: any name is valid, and all bots are deterministic.
    pub(super) const ANY: Self = Self {
        check: |_, _| Ok(()),
        is_deterministic: |_| true,
        endgame: |_| None,
    };
}

/// The word for the running executable.
pub const OURSELVES: &str = "awale";

/// The parts of the referee's environment that a resolution uses.
#[derive(Clone, Debug)]
pub struct HostEnv {
    /// The referee's variables that every bot gets, if they are set: PATH, HOME, TMPDIR.
    pub variables: Vec<(String, OsString)>,
    /// The parser of house bots' commands.
    pub house: HouseCommands,
}

impl HostEnv {
    /// The environment of this process.
    pub fn of_this_process(house: &HouseCommands) -> Self {
        let variables = ["PATH", "HOME", "TMPDIR"]
            .iter()
            .filter_map(|name| Some(((*name).to_owned(), std::env::var_os(name)?)))
            .collect();
        Self {
            variables,
            house: *house,
        }
    }

    /// The folders of PATH.
    pub fn path(&self) -> impl Iterator<Item = PathBuf> {
        let folders = self.variable("PATH").map(std::env::split_paths);
        folders.into_iter().flatten()
    }

    /// The value of a variable, if it is set.
    pub fn variable(&self, name: &str) -> Option<&OsString> {
        let variable = self.variables.iter().find(|(known, _)| known == name);
        variable.map(|(_, value)| value)
    }
}
