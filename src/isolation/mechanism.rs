//! How bots are kept from the host: what a self-test tries, and what a run then uses.

use crate::bot::Level;
use crate::files;
use std::path::{Path, PathBuf};

/// A level with what it is made of on this host.
#[derive(Clone, Debug)]
pub struct Mechanism {
    /// How far bots are kept from the host.
    pub level: Level,
    /// Absolute path of `bwrap`, if it is there.
    pub bubblewrap: Option<PathBuf>,
    /// The user that bots become.
    pub user: Option<u32>,
}

/// The first `bwrap` in `PATH`.
pub fn bubblewrap() -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    files::programs(std::env::split_paths(&folders), Path::new("bwrap")).next()
}
