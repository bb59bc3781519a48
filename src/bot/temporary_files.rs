//! How much the temporary files of a bot hold. Where no file system of its own limits them, these
//! are those in its folder, and those that it has deleted and still has open or mapped. The file
//! systems of a box limit the bytes, but not the names: an empty file holds memory of the kernel.
//!
//! The folder is untrusted: no link is followed, and what is too deep counts as too much.

use crate::bot::sandbox::PLACES;
use crate::files::open_folder;
use crate::procfs::ProcessMemory;
use rustix::fs::{AtFlags, CWD, Dir, FileType, Stat, StatFs, statat, statfs};
use rustix::io;
use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::path::Path;

/// Each file, folder and further name of a file counts at least this much.
const ENTRY_BYTES: u64 = 4096;
/// A deleted file that is only mapped in part counts as at least this long: no process shows its
/// length.
const UNSEEN_BYTES: u64 = 1 << 20;
/// As deep as the folders of a submission may be.
const DEPTH: u32 = 64;

/// The bytes that temporary files hold. Stops above `limit`.
pub fn temporary_bytes(folder: &Path, limit: u64, members: &[ProcessMemory]) -> u64 {
    let mut deleted: BTreeMap<u64, u64> = BTreeMap::new();
    for member in members {
        for (inode, bytes) in member.deleted_files(folder, UNSEEN_BYTES) {
            let known = deleted.entry(inode).or_default();
            *known = bytes.max(*known);
        }
    }
    let mut sum = deleted.values().map(|&bytes| ENTRY_BYTES.max(bytes)).sum();
    if let Ok(folder) = open_folder(CWD, folder) {
        add_folder(&folder, &mut sum, limit, DEPTH);
    }
    sum
}

/// The bytes that the names in a box take, in the file system that has most of them. Process 1 of
/// the box shows its root folder, in which a bot can replace nothing. Until its box is made it
/// shows the folders of the host: only file systems of at most this many bytes are the box's.
pub fn bytes_of_names(first_process: i32, limit: u64) -> u64 {
    /// Sizes are rounded up to a page, of 64 KiB at most.
    const LARGEST_PAGE: u64 = 65_536;
    let root = format!("/proc/{first_process}/root");
    let states = PLACES.map(|place| statfs(format!("{root}{place}")));
    let is_small = |it: &StatFs| {
        let block = u64::try_from(it.f_bsize).unwrap_or(u64::MAX);
        it.f_blocks.saturating_mul(block) <= limit.saturating_add(LARGEST_PAGE)
    };
    let names = states
        .into_iter()
        .flatten()
        .filter(is_small)
        .map(|it| it.f_files.saturating_sub(it.f_ffree));
    names.max().unwrap_or_default() * ENTRY_BYTES
}

/// Adds what is in a folder, until the sum is above the limit. What ends meanwhile is left out.
fn add_folder(folder: &OwnedFd, sum: &mut u64, limit: u64, depth: u32) {
    if depth == 0 {
        *sum = u64::MAX;
        return;
    }
    for entry in Dir::read_from(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if [c".", c".."].contains(&name) {
            continue;
        }
        let status: io::Result<Stat> = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW);
        let Ok(status) = status else { continue };
        let blocks = u64::try_from(status.st_blocks).unwrap_or_default();
        *sum = sum.saturating_add(ENTRY_BYTES.max(512 * blocks));
        if *sum > limit {
            return;
        }
        let is_folder = FileType::from_raw_mode(status.st_mode) == FileType::Directory;
        if let Some(below) = is_folder.then(|| open_folder(folder, name).ok()).flatten() {
            add_folder(&below, sum, limit, depth - 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn files_are_added_up_and_links_are_not_followed() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("tmp");
        fs::create_dir_all(folder.join("a/b")).unwrap();
        let bytes = || temporary_bytes(&folder, u64::MAX, &[]);
        let empty = bytes();
        assert!(empty >= 2 * ENTRY_BYTES, "{empty}");
        fs::write(folder.join("a/b/file"), vec![1; 1 << 20]).unwrap();
        fs::write(place.path().join("outside"), vec![1; 8 << 20]).unwrap();
        symlink(place.path(), folder.join("link")).unwrap();
        let with_file = bytes() - empty;
        assert!((1 << 20..2 << 20).contains(&with_file), "{with_file}");
        assert!(
            temporary_bytes(&folder, 0, &[]) < empty,
            "it stops above the limit"
        );
        let mut deep = folder.join("deep");
        for _ in 0..DEPTH {
            fs::create_dir(&deep).unwrap();
            deep.push("deeper");
        }
        assert_eq!(bytes(), u64::MAX);
    }
}
