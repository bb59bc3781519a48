//! The stage: a folder of the run where bots' files are laid out at neutral places, each apart from
//! the others. A bot is played as it was staged: what its author changes afterwards changes
//! nothing.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

/// More than this of one folder is not copied: it is shown to the bot where it stands.
const MOST_BYTES: u64 = 64 << 20;
/// More files than this are not copied either.
const MOST_FILES: u32 = 20_000;

/// What the users and hosts of a box are called.
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

/// Writes the small files of `/etc`; says where they lie.
pub(super) fn etc(stage: &Path) -> io::Result<Vec<(PathBuf, PathBuf)>> {
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

/// Makes a folder that everybody may look into.
pub(super) fn folder_for_all(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)?;
    fs::set_permissions(path, Permissions::from_mode(0o755))
}

/// Copies one file to a place below the stage, readable for everybody.
pub(super) fn copy_file(from: &Path, to: &Path) -> io::Result<()> {
    if let Some(folder) = to.parent() {
        folder_for_all(folder)?;
    }
    fs::copy(from, to)?;
    let runs = fs::metadata(from)?.permissions().mode() & 0o111 != 0;
    fs::set_permissions(to, Permissions::from_mode(if runs { 0o555 } else { 0o444 }))
}

/// Copies a whole folder; false if it is too large, and then nothing is left of it. Links stay
/// links, whatever they point to: a link is no way to somebody else's files. Pipes, sockets and
/// devices are left out.
pub(super) fn copy_folder(from: &Path, to: &Path) -> io::Result<bool> {
    let mut room = Room {
        bytes: MOST_BYTES,
        files: MOST_FILES,
    };
    let fits = copy_tree(from, to, &mut room)?;
    if !fits {
        fs::remove_dir_all(to)?;
    }
    Ok(fits)
}

struct Room {
    bytes: u64,
    files: u32,
}

impl Room {
    /// Takes place for a file; false if there is none.
    fn take(&mut self, bytes: u64) -> bool {
        match (self.bytes.checked_sub(bytes), self.files.checked_sub(1)) {
            (Some(bytes), Some(files)) => {
                *self = Self { bytes, files };
                true
            }
            _ => false,
        }
    }
}

fn copy_tree(from: &Path, to: &Path, room: &mut Room) -> io::Result<bool> {
    folder_for_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (kind, target) = (entry.file_type()?, to.join(entry.file_name()));
        let size = if kind.is_file() {
            entry.metadata()?.len()
        } else {
            0
        };
        if !room.take(size) {
            return Ok(false);
        }
        if kind.is_symlink() {
            symlink(fs::read_link(entry.path())?, target)?;
        } else if kind.is_file() {
            copy_file(&entry.path(), &target)?;
        } else if kind.is_dir() && !copy_tree(&entry.path(), &target, room)? {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_copied_without_following_links() {
        let place = tempfile::tempdir().unwrap();
        let (from, to) = (place.path().join("from"), place.path().join("to"));
        fs::create_dir_all(from.join("deep")).unwrap();
        fs::write(from.join("deep/bot.py"), "x = 1").unwrap();
        fs::set_permissions(from.join("deep/bot.py"), Permissions::from_mode(0o700)).unwrap();
        symlink("/etc/hostname", from.join("link")).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(from.join("socket")).unwrap();
        assert!(copy_folder(&from, &to).unwrap());
        assert_eq!(fs::read(to.join("deep/bot.py")).unwrap(), b"x = 1");
        let mode = fs::metadata(to.join("deep/bot.py")).unwrap().permissions();
        assert_eq!(mode.mode() & 0o777, 0o555);
        assert_eq!(
            fs::read_link(to.join("link")).unwrap(),
            Path::new("/etc/hostname")
        );
        assert!(!to.join("socket").exists());
    }

    #[test]
    fn a_folder_that_is_too_large_leaves_nothing() {
        let place = tempfile::tempdir().unwrap();
        let (from, to) = (place.path().join("from"), place.path().join("to"));
        fs::create_dir(&from).unwrap();
        let large = fs::File::create(from.join("model")).unwrap();
        large.set_len(MOST_BYTES + 1).unwrap();
        assert!(!copy_folder(&from, &to).unwrap());
        assert!(!to.exists());
    }
}
