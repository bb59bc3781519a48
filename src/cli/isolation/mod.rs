//! Which isolation there is on this host, and the sandbox of a run that is made of it.

mod equip;

pub(super) use equip::Equipment;

use crate::bot::Level;
use std::path::PathBuf;

/// The isolation of a run.
#[derive(Clone, Debug)]
pub(super) struct Isolation {
    /// How far bots are kept from the host.
    pub(super) level: Level,
    /// Absolute path of `bwrap`, if it is there.
    pub(super) bubblewrap: Option<PathBuf>,
    /// The user that bots become.
    pub(super) user: Option<u32>,
}

impl Isolation {
    /// The level that was asked for, or else the strongest there is.
    pub(super) fn choose(wanted: Option<Level>) -> Self {
        let bubblewrap = find("bwrap");
        let strongest = if bubblewrap.is_some() {
            Level::Box
        } else {
            Level::None
        };
        Self {
            level: wanted.unwrap_or(strongest),
            bubblewrap,
            user: None,
        }
    }
}

/// A program of PATH.
fn find(program: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders)
        .map(|folder| folder.join(program))
        .find(|path| path.is_absolute() && path.is_file())
}
