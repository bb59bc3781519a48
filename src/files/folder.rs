//! A folder in which a stranger may have put anything, and what is below it.
//!
//! ```text
//! results/spring ── the user's word: found through links
//!   └─ feedback/ada/games.csv ── opened step by step, each relative to the one before
//! ```
//!
//! Below the folder no link is followed and no path leads out of it, whether something is read,
//! written, renamed or removed. Only regular files are opened.

use super::removal::remove_at;
use super::{open_at, read_open, unless_missing};
use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, OFlags, RenameFlags, fsync, mkdirat, openat, renameat,
    renameat_with, statat,
};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

/// A folder that is open. Names are paths relative to it, as in `faults/ada~ben.1.1/fault.toml`.
#[derive(Debug)]
pub struct Folder {
    descriptor: OwnedFd,
    path: PathBuf,
}

impl Folder {
    /// The folder at a path that the user has named.
    ///
    /// # Errors
    /// It is not there, is not a folder, or cannot be read.
    pub fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let descriptor = openat(CWD, path, flags, Mode::empty())?;
        Ok(Self {
            descriptor,
            path: path.to_owned(),
        })
    }

    /// The same; it is created if necessary.
    ///
    /// # Errors
    /// The disk's; those of [`Folder::open`].
    pub fn create(path: &Path) -> io::Result<Self> {
        fs::create_dir_all(path)?;
        Self::open(path)
    }

    /// The same folder again.
    ///
    /// # Errors
    /// Too many files are open.
    pub fn try_clone(&self) -> io::Result<Self> {
        Ok(Self {
            descriptor: self.descriptor.try_clone()?,
            path: self.path.clone(),
        })
    }

    /// The folder itself as a file, to lock it.
    ///
    /// # Errors
    /// Too many files are open.
    pub fn handle(&self) -> io::Result<File> {
        Ok(self.descriptor.try_clone()?.into())
    }

    /// The path of something in it, for messages.
    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.path.join(name)
    }

    /// A folder below this one.
    ///
    /// # Errors
    /// It is not there, or is not a folder.
    pub fn below(&self, name: impl AsRef<Path>) -> io::Result<Self> {
        self.descend(name.as_ref(), false)
    }

    /// The same; it and those on the way are created if necessary.
    ///
    /// # Errors
    /// The disk's; something else is there.
    pub fn make(&self, name: impl AsRef<Path>) -> io::Result<Self> {
        self.descend(name.as_ref(), true)
    }

    fn descend(&self, name: &Path, makes: bool) -> io::Result<Self> {
        let mut folder = self.try_clone()?;
        for step in name.components() {
            let Component::Normal(step) = step else {
                return Err(leads_out());
            };
            if makes {
                match mkdirat(&folder.descriptor, step, Mode::from_raw_mode(0o777)) {
                    Err(error) if error != Errno::EXIST => return Err(error.into()),
                    _ => {}
                }
            }
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let opened = openat(&folder.descriptor, step, flags, Mode::empty());
            folder.descriptor = opened.map_err(|error| match error {
                Errno::NOTDIR | Errno::LOOP => io::Error::new(
                    io::ErrorKind::NotADirectory,
                    format!(
                        "{} is not a folder, and no link is followed",
                        step.to_string_lossy()
                    ),
                ),
                error => error.into(),
            })?;
            folder.path.push(step);
        }
        Ok(folder)
    }

    /// The folder of an entry, and its name there.
    fn place<'n>(&self, name: &'n Path, makes: bool) -> io::Result<(Self, &'n OsStr)> {
        match (name.components().next_back(), name.parent()) {
            (Some(Component::Normal(last)), Some(around)) => {
                Ok((self.descend(around, makes)?, last))
            }
            _ => Err(leads_out()),
        }
    }

    /// Opens a regular file for reading.
    ///
    /// # Errors
    /// It is not there, is not a regular file, or cannot be opened.
    pub fn file(&self, name: impl AsRef<Path>) -> io::Result<File> {
        self.open_file(name.as_ref(), OFlags::RDONLY, 0)
    }

    /// Creates a new file with this mode for writing, and the folders on the way.
    ///
    /// # Errors
    /// Something of this name is there; the disk's.
    pub fn create_file(&self, name: impl AsRef<Path>, mode: u32) -> io::Result<File> {
        let name = name.as_ref();
        self.make(name.parent().unwrap_or(Path::new("")))?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
        self.open_file(name, flags, mode)
    }

    /// Opens a regular file for reading, and for writing at its end; a new one gets the mode.
    ///
    /// # Errors
    /// It is not a regular file, or cannot be opened.
    pub fn append(&self, name: impl AsRef<Path>, mode: u32) -> io::Result<File> {
        let flags = OFlags::RDWR | OFlags::APPEND | OFlags::CREATE;
        self.open_file(name.as_ref(), flags, mode)
    }

    fn open_file(&self, name: &Path, flags: OFlags, mode: u32) -> io::Result<File> {
        let (folder, last) = self.place(name, false)?;
        let flags = flags | OFlags::NOFOLLOW;
        open_at(&folder.descriptor, Path::new(last), flags, mode)
    }

    /// Reads a regular file of at most this many MiB.
    ///
    /// # Errors
    /// Those of [`Folder::file`]; it is larger.
    pub fn read(&self, name: impl AsRef<Path>, most_mib: u64) -> io::Result<Vec<u8>> {
        read_open(self.file(name)?, most_mib)
    }

    /// What is there under this name: a link is a link.
    pub fn kind(&self, name: impl AsRef<Path>) -> Option<FileType> {
        let (folder, last) = self.place(name.as_ref(), false).ok()?;
        let found = statat(&folder.descriptor, last, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        Some(FileType::from_raw_mode(found.st_mode))
    }

    /// Whether a regular file is there.
    pub fn is_file(&self, name: impl AsRef<Path>) -> bool {
        self.kind(name) == Some(FileType::RegularFile)
    }

    /// Whether a folder is there.
    pub fn is_folder(&self, name: impl AsRef<Path>) -> bool {
        self.kind(name) == Some(FileType::Directory)
    }

    /// The names in a folder below this one, in their order; none if it does not exist.
    ///
    /// # Errors
    /// It is not a folder, or cannot be read.
    pub fn names(&self, name: impl AsRef<Path>) -> io::Result<Vec<String>> {
        let folder = match self.below(name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            folder => folder?,
        };
        let mut names = Vec::new();
        for entry in Dir::read_from(&folder.descriptor)? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name != "." && name != ".." {
                names.push(name.to_string_lossy().into_owned());
            }
        }
        names.sort_unstable();
        Ok(names)
    }

    /// Removes a file, or a folder with everything in it, if it exists.
    ///
    /// # Errors
    /// The disk's.
    pub fn remove(&self, name: impl AsRef<Path>) -> io::Result<()> {
        let removed = self.place(name.as_ref(), false);
        unless_missing(removed.and_then(|(folder, last)| remove_at(&folder.descriptor, last)))
    }

    /// Gives a file or folder another name below this folder, and returns the folder of that name.
    /// The folders on the way are created if necessary.
    ///
    /// # Errors
    /// The disk's; a folder with something in it has the name.
    pub fn rename(&self, from: impl AsRef<Path>, to: impl AsRef<Path>) -> io::Result<Self> {
        let (old, from) = self.place(from.as_ref(), false)?;
        let (new, to) = self.place(to.as_ref(), true)?;
        renameat(&old.descriptor, from, &new.descriptor, to)?;
        Ok(new)
    }

    /// Lets two files or folders below this folder have each other's names: a reader finds either
    /// the old or the new.
    ///
    /// # Errors
    /// The disk's; the file system cannot do it.
    pub fn exchange(&self, one: impl AsRef<Path>, other: impl AsRef<Path>) -> io::Result<()> {
        let (one_folder, one) = self.place(one.as_ref(), false)?;
        let (other_folder, other) = self.place(other.as_ref(), false)?;
        let (from, to) = (&one_folder.descriptor, &other_folder.descriptor);
        Ok(renameat_with(from, one, to, other, RenameFlags::EXCHANGE)?)
    }

    /// Waits until the entries of this folder would survive a crash.
    ///
    /// # Errors
    /// The disk's.
    pub fn sync(&self) -> io::Result<()> {
        Ok(fsync(&self.descriptor)?)
    }
}

fn leads_out() -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidInput,
        "the path leads out of its folder",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;
    use std::os::unix::fs::symlink;

    /// Every act through a link at any place leaves what the link leads to as it is.
    #[test]
    fn no_link_is_followed_in_whatever_is_done() {
        let place = tempfile::tempdir().unwrap();
        let other = place.path().join("other");
        fs::create_dir_all(other.join("in")).unwrap();
        fs::write(other.join("in/file"), "kept").unwrap();
        let folder = Folder::create(&place.path().join("run")).unwrap();
        symlink(&other, folder.path("link")).unwrap();
        fs::create_dir(folder.path("real")).unwrap();
        symlink(other.join("in"), folder.path("real/link")).unwrap();
        symlink(other.join("in/file"), folder.path("file")).unwrap();
        fs::write(folder.path("own"), "own").unwrap();
        for name in [
            "link/in/file",
            "real/link/file",
            "file",
            "../other/in/file",
            "/etc/passwd",
        ] {
            assert!(folder.read(name, 1).is_err(), "{name}");
            assert!(!folder.is_file(name), "{name}");
            assert!(folder.create_file(name, 0o600).is_err(), "{name}");
            assert!(folder.append(name, 0o600).is_err(), "{name}");
        }
        for name in ["link/in", "real/link", "link", ".."] {
            assert!(
                folder.below(name).is_err() && folder.make(name).is_err(),
                "{name}"
            );
            assert!(folder.names(name).is_err(), "{name}");
            assert!(
                folder.rename("own", Path::new(name).join("own")).is_err(),
                "{name}"
            );
        }
        assert!(folder.remove("link/in").is_err() && folder.remove("../other").is_err());
        for link in ["link", "real", "file"] {
            folder.remove(link).unwrap();
        }
        assert_eq!(folder.names("").unwrap(), ["own"]);
        assert_eq!(fs::read_to_string(other.join("in/file")).unwrap(), "kept");
        assert_eq!(fs::read_dir(other.join("in")).unwrap().count(), 1);
    }

    #[test]
    fn the_folder_itself_may_be_named_through_a_link() {
        let place = tempfile::tempdir().unwrap();
        fs::create_dir(place.path().join("real")).unwrap();
        symlink("real", place.path().join("run")).unwrap();
        let folder = Folder::create(&place.path().join("run")).unwrap();
        let mut file = folder.create_file("a/b/c", 0o600).unwrap();
        file.write_all(b"x").unwrap();
        folder.rename("a/b/c", "d/e").unwrap();
        assert_eq!(folder.read("d/e", 1).unwrap(), b"x");
        assert!(folder.is_folder("a/b") && !folder.is_folder("a/b/c"));
        assert_eq!(folder.names("none").unwrap(), [""; 0]);
        folder.remove("none/at/all").unwrap();
    }
}
