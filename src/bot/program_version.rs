//! An earlier version of an entrant's program, which is an entrant of its own.

use std::path::PathBuf;

/// An earlier version of an entrant's program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramVersion {
    /// Its name: `ada@3f9c`.
    pub name: String,
    /// The name of the entrant.
    pub of: String,
    /// Its folder.
    pub folder: PathBuf,
}
