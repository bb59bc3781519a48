//! What a resolution needs besides the configuration.

use crate::bot::Level;
use crate::config::host_env::HostEnv;
use crate::config::machine::Machine;
use crate::config::resolved::Purpose;
use crate::config::secret::SecretSource;
use std::collections::BTreeSet;
use std::path::Path;

/// What a resolution needs besides the configuration.
pub struct Context<'a> {
    /// The configuration file, as it was named.
    pub file: &'a Path,
    pub output: Option<&'a Path>,
    pub oversubscribe: bool,
    pub purpose: Purpose,
    pub machine: &'a Machine,
    pub level: Level,
    pub host_env: &'a HostEnv,
    /// Where a secret comes from that is not typed.
    pub secret: SecretSource,
    /// Whether bots, folders and openings may be missing: the plan is looked at, and not played.
    pub is_record: bool,
    /// Entrants of a record that are played again all the same, by name.
    pub replayed: &'a BTreeSet<String>,
}

impl Context<'_> {
    /// Whether this entrant plays, and so must be here.
    pub fn plays(&self, entrant: &str) -> bool {
        !self.is_record || self.replayed.contains(entrant)
    }
}
