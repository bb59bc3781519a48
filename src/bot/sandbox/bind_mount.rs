//! Root can read every folder; a bot that runs as another user cannot. A folder that the bot needs
//! and that its user cannot reach is bind-mounted, read-only, at a place that everybody can reach.

use rustix::mount::{MountFlags, mount_bind_recursive, mount_remount};
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Others may pass through the folder.
const PASS: u32 = 0o001;
/// Others may list the folder and pass through it.
const LOOK: u32 = 0o005;

/// Whether every user can reach a folder and list it.
pub fn is_open(folder: &Path) -> bool {
    let allows = |path: &Path, wanted: u32| {
        fs::metadata(path).is_ok_and(|metadata| metadata.mode() & wanted == wanted)
    };
    let mut above = folder.ancestors().skip(1);
    allows(folder, LOOK) && above.all(|path| allows(path, PASS))
}

/// Whether every user can pass through a folder, once in the folder around it. One that cannot be
/// looked at is taken as open.
pub fn is_passable(folder: &Path) -> bool {
    fs::metadata(folder).map_or(true, |metadata| metadata.mode() & PASS == PASS)
}

/// Mounts a folder, read-only, at a new place below `mounts`.
///
/// # Errors
/// The kernel refuses the mount.
pub fn mount(folder: &Path, mounts: &Path, number: u64) -> io::Result<PathBuf> {
    let place = mounts.join(number.to_string());
    fs::create_dir_all(&place)?;
    mount_bind_recursive(folder, &place)?;
    mount_remount(&place, MountFlags::BIND | MountFlags::RDONLY, "")?;
    Ok(place)
}
