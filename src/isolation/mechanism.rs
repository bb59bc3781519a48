//! The means of isolation: what a self-test tries, and what a run then uses.

use crate::bot::{CoverMaker, Level};
use crate::files;
use std::path::{Path, PathBuf};

/// A level with its means on this host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mechanism {
    /// The level of isolation.
    pub level: Level,
    /// Absolute path of `bwrap`, if it exists.
    pub bubblewrap: Option<PathBuf>,
    /// Which program covers the files of `/proc` in a box.
    pub cover_maker: CoverMaker,
    /// The user id of bots.
    pub user: Option<u32>,
}

/// The first `bwrap` in `PATH`.
pub fn bubblewrap() -> Option<PathBuf> {
    in_path("bwrap")
}

/// The first program of this name in `PATH`.
pub fn in_path(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    files::programs(std::env::split_paths(&folders), Path::new(name)).next()
}
