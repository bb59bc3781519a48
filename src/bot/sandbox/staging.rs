//! The stage: a folder of the run that holds the files that are the same in every box, the small
//! files of `/etc`, and this program for house bots.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
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

/// Writes the small files of `/etc`; returns where they are and where a box shows them.
pub fn etc(stage: &Path) -> io::Result<Vec<(PathBuf, PathBuf)>> {
    let folder = stage.join("etc");
    folder_for_all(&folder)?;
    let place = |(name, text): (&str, &str)| {
        let path = folder.join(name);
        fs::write(&path, text)?;
        fs::set_permissions(&path, Permissions::from_mode(0o444))?;
        Ok((path, Path::new("/etc").join(name)))
    };
    ETC.into_iter().map(place).collect()
}

/// Creates a folder that every user can read.
pub fn folder_for_all(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)?;
    fs::set_permissions(path, Permissions::from_mode(0o755))
}

/// Copies a file of the organiser to the stage, readable for every user.
pub fn copy_file(from: &Path, to: &Path) -> io::Result<()> {
    if let Some(folder) = to.parent() {
        folder_for_all(folder)?;
    }
    fs::copy(from, to)?;
    let runs = fs::metadata(from)?.permissions().mode() & 0o111 != 0;
    fs::set_permissions(to, Permissions::from_mode(if runs { 0o555 } else { 0o444 }))
}
