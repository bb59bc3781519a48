//! Removes a folder that untrusted code filled, at any depth.
//!
//! Descending a thousand levels would take a thousand descriptors, or a path longer than the limit.
//! So the contents of a folder are moved to the first level before the folder is removed, which
//! takes three descriptors. Links are never followed.

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, OFlags, chmodat, fchmod, openat, renameat, statat, unlinkat,
};
use rustix::io::Errno;
use rustix::path::Arg;
use std::ffi::{CString, OsStr};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

/// Removes a folder and everything in it.
///
/// # Errors
/// An entry cannot be opened, moved or removed; the rest of the folder stays.
pub fn remove_folder(folder: &Path) -> io::Result<()> {
    remove_tree(CWD, folder)
}

/// Removes what is there: a file, a link, or a folder and everything in it.
pub fn remove_at(place: impl AsFd, name: &OsStr) -> io::Result<()> {
    match unlinkat(&place, name, AtFlags::empty()) {
        Err(Errno::ISDIR) => remove_tree(place, name),
        removed => Ok(removed?),
    }
}

fn remove_tree(place: impl AsFd, name: impl Arg + Copy) -> io::Result<()> {
    let top = open_folder(&place, name)?;
    let mut brought = 0_u64;
    loop {
        let folders = remove_files(&top)?;
        if folders.is_empty() {
            return Ok(unlinkat(&place, name, AtFlags::REMOVEDIR)?);
        }
        for name in folders {
            let below = open_folder(&top, &*name)?;
            for deeper in remove_files(&below)? {
                // Moving a folder to another parent writes to the folder as well.
                drop(open_folder(&below, &*deeper)?);
                bring_up(&below, &deeper, &top, &mut brought)?;
            }
            unlinkat(&top, &*name, AtFlags::REMOVEDIR)?;
        }
    }
}

/// Opens a folder whose owner may have removed the right to do so.
///
/// # Errors
/// It cannot be opened, or is no folder: a link is not followed.
pub fn open_folder(place: impl AsFd, name: impl Arg + Copy) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = match openat(&place, name, flags, Mode::empty()) {
        Err(Errno::ACCESS) => {
            chmodat(&place, name, Mode::RWXU, AtFlags::empty())?;
            openat(&place, name, flags, Mode::empty())
        }
        opened => opened,
    }?;
    fchmod(&opened, Mode::RWXU)?;
    Ok(opened)
}

/// Removes everything except folders, and returns the names of the folders.
fn remove_files(folder: &OwnedFd) -> io::Result<Vec<CString>> {
    let mut folders = Vec::new();
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if [c".", c".."].contains(&name) {
            continue;
        }
        let mut kind = entry.file_type();
        if kind == FileType::Unknown {
            let found = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
            kind = FileType::from_raw_mode(found.st_mode);
        }
        if kind == FileType::Directory {
            folders.push(name.to_owned());
        } else {
            unlinkat(folder, name, AtFlags::empty())?;
        }
    }
    Ok(folders)
}

/// Moves a folder to the first level, with a number that is unused there as its name.
fn bring_up(below: &OwnedFd, name: &CString, top: &OwnedFd, brought: &mut u64) -> io::Result<()> {
    loop {
        *brought += 1;
        match renameat(below, &**name, top, brought.to_string()) {
            Err(Errno::NOTEMPTY | Errno::EXIST) => {}
            moved => return Ok(moved?),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::mkdirat;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    /// Makes a tree that is deeper than the longest path and than the number of descriptors.
    fn dig(place: &Path, levels: u32) {
        let mut folder = open_folder(CWD, place).unwrap();
        for _ in 0..levels {
            mkdirat(&folder, "1", Mode::RWXU).unwrap();
            folder = open_folder(&folder, "1").unwrap();
        }
    }

    #[test]
    fn whatever_a_stranger_leaves_is_removed() {
        let outside = tempfile::tempdir().unwrap();
        let kept = outside.path().join("kept");
        fs::write(&kept, "").unwrap();
        let place = outside.path().join("place");
        for folder in ["1/2/3", "2/1", "3", "locked/inside"] {
            fs::create_dir_all(place.join(folder)).unwrap();
        }
        fs::write(place.join("1/2/3/file"), "").unwrap();
        symlink(outside.path(), place.join("1/out")).unwrap();
        symlink("nowhere", place.join("2/1/nowhere")).unwrap();
        dig(&place.join("1"), 3000);
        for folder in ["locked/inside", "locked"] {
            let closed = fs::Permissions::from_mode(0o0);
            fs::set_permissions(place.join(folder), closed).unwrap();
        }
        remove_folder(&place).unwrap();
        assert!(!place.exists() && kept.exists());
    }

    #[test]
    fn a_link_in_its_place_is_not_followed() {
        let outside = tempfile::tempdir().unwrap();
        let link = outside.path().join("link");
        fs::create_dir(outside.path().join("target")).unwrap();
        symlink("target", &link).unwrap();
        assert!(remove_folder(&link).is_err());
        assert!(outside.path().join("target").exists());
    }
}
