//! What a resolution needs besides the configuration.

use crate::bot::Level;
use crate::config::host_env::HostEnv;
use crate::config::machine::Machine;
use crate::config::resolved::Purpose;
use crate::config::secret::SecretSource;
use std::collections::BTreeSet;
use std::path::Path;

/// What a resolution needs besides the configuration.
pub(super) struct Context<'a> {
    /// The configuration file, as it was named.
    pub(super) file: &'a Path,
    pub(super) output: Option<&'a Path>,
    pub(super) oversubscribe: bool,
    pub(super) purpose: Purpose,
    pub(super) machine: &'a Machine,
    pub(super) level: Level,
    pub(super) surroundings: &'a HostEnv,
    /// Where a secret comes from that is not typed.
    pub(super) secret: SecretSource,
    /// Whether bots, folders and openings may be missing: the plan is looked at, and not played.
    pub(super) is_record: bool,
    /// Entrants of a record that are played again all the same, by name.
    pub(super) replayed: &'a BTreeSet<String>,
}

impl Context<'_> {
    /// Whether this entrant plays, and so must be here.
    pub(super) fn plays(&self, entrant: &str) -> bool {
        !self.is_record || self.replayed.contains(entrant)
    }
}
