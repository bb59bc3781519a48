//! The parts of the referee's environment that a resolution uses.

use crate::config::house::HouseCommands;
use std::ffi::OsString;

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

    /// The value of a variable, if it is set.
    pub fn variable(&self, name: &str) -> Option<&OsString> {
        let variable = self.variables.iter().find(|(known, _)| known == name);
        variable.map(|(_, value)| value)
    }
}
