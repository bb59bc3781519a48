//! The stage: a folder of the run with files of bots. Beside it is what is the same in every box: a
//! small `/etc`, this program for house bots, and what covers `/proc` ([`super::machine`]).

use crate::bot::sandbox::system;
use crate::files::unless_missing;
use std::fs::{self, FileType, Permissions};
use std::io;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

/// The users and hosts of a box.
const ETC: [(&str, &str); 4] = [
    (
        "passwd",
        "root:x:0:0:root:/:/bin/false\nbot:x:1000:1000:bot:/tmp:/bin/sh\n",
    ),
    ("group", "root:x:0:\nbot:x:1000:\n"),
    ("hosts", "127.0.0.1 localhost\n::1 localhost\n"),
    (
        "nsswitch.conf",
        "passwd: files\ngroup: files\nhosts: files\n",
    ),
];

/// The names of our own files in `/etc`.
pub fn own_names() -> impl Iterator<Item = &'static str> {
    ETC.iter().map(|(name, _)| *name)
}

/// Makes a small `/etc` unless it is there: copies of these paths of the host's, and our own files.
/// A box gets it as one folder, because bubblewrap takes long for each.
pub fn etc(folder: &Path, host: &[PathBuf]) -> io::Result<()> {
    if folder.exists() {
        return Ok(());
    }
    let part = folder.with_extension("part");
    // An attempt that failed may have left read-only files.
    unless_missing(fs::remove_dir_all(&part))?;
    for path in host {
        let place = part.join(path.strip_prefix(system::ETC).unwrap_or(path));
        folder_for_all(place.parent().unwrap_or(&part))?;
        let found = fs::symlink_metadata(path);
        unless_missing(found.and_then(|it| copy_for_all(path, it.file_type(), &place)))?;
    }
    folder_for_all(&part)?;
    for (name, text) in ETC {
        let path = part.join(name);
        fs::write(&path, text)?;
        fs::set_permissions(&path, Permissions::from_mode(0o444))?;
    }
    fs::rename(part, folder)
}

/// Copies what every user of the host can read. There may be hundreds of links: nothing more is
/// asked about them than their folder says, and those to pages of manuals are left out.
fn copy_for_all(from: &Path, kind: FileType, to: &Path) -> io::Result<()> {
    if kind.is_symlink() {
        return symlink(fs::read_link(from)?, to);
    }
    let mode = fs::symlink_metadata(from)?.permissions().mode();
    if kind.is_file() && mode & 0o004 != 0 {
        fs::copy(from, to)?;
        return fs::set_permissions(to, Permissions::from_mode(0o444));
    }
    if kind.is_dir() && mode & 0o005 == 0o005 {
        folder_for_all(to)?;
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            let name = entry.file_name();
            let (from, kind) = (from.join(&name), entry.file_type()?);
            if !is_manual(&from, kind) {
                unless_missing(copy_for_all(&from, kind, &to.join(&name)))?;
            }
        }
    }
    Ok(())
}

/// Whether this is a link to a page of a manual: most of the chosen alternatives of a Debian.
fn is_manual(path: &Path, kind: FileType) -> bool {
    kind.is_symlink() && path.extension().is_some_and(|ending| ending == "gz")
}

/// Creates a folder that every user can read.
pub fn folder_for_all(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)?;
    fs::set_permissions(path, Permissions::from_mode(0o755))
}

/// Copies a file of the organiser to the stage, readable for every user. The copy is there whole or
/// not at all.
pub fn copy_file(from: &Path, to: &Path) -> io::Result<()> {
    let part = to.with_extension("part");
    unless_missing(fs::remove_file(&part))?;
    fs::copy(from, &part)?;
    let runs = fs::metadata(from)?.permissions().mode() & 0o111 != 0;
    let mode = if runs { 0o555 } else { 0o444 };
    fs::set_permissions(&part, Permissions::from_mode(mode))?;
    fs::rename(part, to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_etc_has_what_every_user_can_read() {
        let place = tempfile::tempdir().unwrap();
        let host = place.path().join("java");
        folder_for_all(&host.join("closed")).unwrap();
        for (name, mode) in [("open", 0o604), ("private", 0o640), ("closed/file", 0o644)] {
            fs::write(host.join(name), name).unwrap();
            fs::set_permissions(host.join(name), Permissions::from_mode(mode)).unwrap();
        }
        symlink("nowhere", host.join("link")).unwrap();
        symlink("java-17.1.gz", host.join("java.1.gz")).unwrap();
        fs::set_permissions(host.join("closed"), Permissions::from_mode(0o750)).unwrap();
        let (copy, etc) = (place.path().join("copy"), place.path().join("etc"));
        let folder = fs::metadata(&host).unwrap().file_type();
        copy_for_all(&host, folder, &copy).unwrap();
        let names = fs::read_dir(&copy).unwrap();
        let mut names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["link", "open"]);
        let mode = fs::metadata(copy.join("open"))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o444);
        assert_eq!(
            fs::read_link(copy.join("link")).unwrap(),
            Path::new("nowhere")
        );
        let cache = PathBuf::from("/etc/ld.so.cache");
        let missing = PathBuf::from("/etc/missing-here");
        super::etc(
            &etc,
            &[cache.clone(), "/etc/ssl/openssl.cnf".into(), missing],
        )
        .unwrap();
        assert!(!etc.join("missing-here").exists());
        assert!(own_names().all(|name| etc.join(name).is_file()));
        assert_eq!(etc.join("ld.so.cache").exists(), cache.exists());
        // The run finds what its self-test has made.
        assert!(super::etc(&etc, &[]).is_ok());
    }
}
