//! Process 1 of a box covers the files of `/proc` that describe the host, and then gives up the
//! right to mount. No process of the bot exists yet.

use super::outer::give_up_capabilities;
use crate::bot::sandbox::cover_maker::{COVERS, PROC, SYS};
use nix::sched::{CloneFlags, unshare};
use rustix::mount::mount_bind;
use rustix::thread::{
    CapabilitySet, clear_ambient_capability_set, remove_capability_from_bounding_set,
};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;

/// The rights that bubblewrap leaves to process 1: to mount, and to give up rights for good.
pub const RIGHTS: [(&str, CapabilitySet); 2] = [
    ("CAP_SYS_ADMIN", CapabilitySet::SYS_ADMIN),
    ("CAP_SETPCAP", CapabilitySet::SETPCAP),
];

/// Mounts each entry of [`COVERS`] over the entry of the same name in `/proc`. A cover is read-only
/// because the folder is.
///
/// # Errors
/// The covers are not there, or the kernel refuses a mount: the box is not complete.
pub fn cover_proc() -> io::Result<()> {
    // The mounts of the box belong to the user namespace in which bubblewrap made them. In a copy,
    // which belongs to the namespace of this process, they are locked: none can be removed.
    unshare(CloneFlags::CLONE_NEWNS)?;
    let folder = Path::new(COVERS);
    let names: io::Result<Vec<OsString>> = fs::read_dir(folder)?
        .map(|entry| Ok(entry?.file_name()))
        .collect();
    let over = |name: &OsString| mount_bind(folder.join(name), Path::new(PROC).join(name));
    // The one that covers the folder of all others comes last.
    let (last, names): (Vec<_>, Vec<_>) = names?.into_iter().partition(|name| name == SYS);
    if last.is_empty() {
        return Err(io::ErrorKind::NotFound.into());
    }
    Ok(names.iter().chain(&last).try_for_each(over)?)
}

/// Gives up all rights: neither this process nor the bot can get one back.
pub fn give_up_rights() -> io::Result<()> {
    for (_, right) in RIGHTS {
        remove_capability_from_bounding_set(right)?;
    }
    clear_ambient_capability_set()?;
    give_up_capabilities()
}
