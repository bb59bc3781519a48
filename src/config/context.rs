//! The inputs of a resolution besides the configuration.

use crate::bot::Level;
use crate::config::class::ClassFolders;
use crate::config::host_env::HostEnv;
use crate::config::machine::Machine;
use crate::config::questions::Questions;
use crate::config::resolved::Purpose;
use crate::config::secret::SecretSource;
use std::collections::BTreeSet;
use std::path::Path;

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
    pub secret: SecretSource,
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
