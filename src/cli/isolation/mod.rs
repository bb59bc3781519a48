//! Which isolation there is on this host, and the sandbox of a run that is made of it.

mod equip;

pub(super) use equip::Equipment;

use super::guardian::{Guard, Kind};
use crate::bot::Level;
use std::path::PathBuf;

/// The user that bots become when root plays a tournament: nobody else is it.
const BOTS_USER: u32 = 64_646;

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
    /// The level that was asked for, or else the strongest there is. Without a guard nothing is
    /// going to be started.
    pub(super) fn choose(wanted: Option<Level>, guard: Option<&Guard>) -> Self {
        let bubblewrap = find("bwrap");
        let strongest = if bubblewrap.is_some() {
            Level::Box
        } else {
            Level::None
        };
        Self {
            level: wanted.unwrap_or(strongest),
            bubblewrap,
            user: guard.and_then(user_of_bots),
        }
    }
}

/// Root makes bots somebody else, where it can still show them what only root may look into.
fn user_of_bots(guard: &Guard) -> Option<u32> {
    let root = rustix::process::geteuid().is_root();
    (root && *guard.kind() == Kind::Namespace).then_some(BOTS_USER)
}

/// A program of PATH.
fn find(program: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders)
        .map(|folder| folder.join(program))
        .find(|path| path.is_absolute() && path.is_file())
}
