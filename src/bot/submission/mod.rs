//! A submission: an untrusted folder of files. It is read from its root down, folder by folder,
//! through descriptors. Links stay text. Only regular files are opened, and each must be the file
//! that its folder listed. Depth, number of names, length of paths and bytes are bounded, so that
//! reading takes bounded time.
//!
//! ```text
//! root ─ openat, fstat ─▶ hash of the tree and of each file
//!                   └───▶ a copy, the same at the same hash
//! ```
//!
//! Cache folders are not part of it: those with a `CACHEDIR.TAG`, such as Cargo's `target`
//! (<https://bford.info/cachedir/>), `.git` and Python's `__pycache__`. Files in them that the
//! command names are.
//!
//! The hash covers paths, contents, execute permission, and the text of links. Empty folders,
//! owners and times are not part of it.
//!
//! `file` opens, hashes and copies one regular file, and has the messages for those that cannot be
//! read.

mod file;

pub use file::{SubmissionError, beginning, make_parent, read_file, small_file};

use crate::text::hexadecimal;
use file::{
    cannot, copy_file, make_folder, open_listed, runs, same, shown, special, too_large, unfit,
};
use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat, fstat, openat, readlinkat, statat,
};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::ffi::{CStr, CString, OsStr};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// Marks a folder whose contents can be generated again.
const CACHE_TAG: &str = "CACHEDIR.TAG";
/// Folders that count as caches by their names: a project's version history, and what Python makes
/// of modules that it has loaded.
const CACHES: [&str; 2] = [".git", "__pycache__"];
/// The deepest nesting of folders.
const MOST_DEPTH: usize = 64;
/// The most names of all kinds in the whole tree.
const MOST_NAMES: u32 = 100_000;
/// The most bytes of a path below the root.
const LONGEST_PATH: usize = 2048;

/// An untrusted folder of files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submission {
    /// Absolute path of the folder.
    pub root: PathBuf,
    /// The most bytes of all its files together, including holes.
    pub most_bytes: u64,
    /// Absolute paths below it that are not part of it.
    pub left_out: Vec<PathBuf>,
    /// Any folder below it that contains a file of this name is not part of it either.
    pub left_out_with: &'static str,
    /// Relative paths that are part of it even inside a cache folder.
    pub kept: Vec<PathBuf>,
    /// The hash that it must have, if it was read before.
    pub expected: Option<String>,
}

/// The contents of a submission, as SHA-256 in hexadecimal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// The hash of the whole tree.
    pub tree: String,
    /// The hash of each regular file, by its path below the root.
    pub files: BTreeMap<PathBuf, String>,
}

impl From<SubmissionError> for io::Error {
    fn from(error: SubmissionError) -> Self {
        match error {
            SubmissionError::Unfit(reason) => Self::new(io::ErrorKind::InvalidData, reason),
            SubmissionError::Host(error) => error,
        }
    }
}

impl Submission {
    /// Reads and hashes all files.
    ///
    /// # Errors
    /// It is too large, too deep, has special files, cannot be read, or changes during the read.
    pub fn contents(&self) -> Result<Contents, SubmissionError> {
        self.read(None)
    }

    /// Copies all files to a new folder that every user can read.
    ///
    /// # Errors
    /// Those of [`Self::contents`]; the contents are not the expected ones; the copy cannot be
    /// written.
    pub fn copy(&self, to: &Path) -> Result<Contents, SubmissionError> {
        make_folder(to)?;
        let contents = self.read(Some(to))?;
        match &self.expected {
            Some(expected) if *expected != contents.tree => Err(unfit(format!(
                "{} changed while the run began: let nothing write there, and run again",
                shown(&self.root)
            ))),
            _ => Ok(contents),
        }
    }

    fn read(&self, to: Option<&Path>) -> Result<Contents, SubmissionError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root = openat(CWD, &self.root, flags, Mode::empty())
            .map_err(|error| cannot("open the folder", &self.root, error))?;
        let status = fstat(&root).map_err(io::Error::from)?;
        let mut walk = SubmissionWalk {
            submission: self,
            to,
            device: status.st_dev,
            names: MOST_NAMES,
            bytes: self.most_bytes,
            tree: Sha256::new(),
            files: BTreeMap::new(),
        };
        walk.folder(&root, Path::new(""), 0, false)?;
        Ok(Contents {
            tree: hexadecimal(&walk.tree.finalize()),
            files: walk.files,
        })
    }
}

/// One walk through a submission.
struct SubmissionWalk<'a> {
    submission: &'a Submission,
    /// The target of the copy.
    to: Option<&'a Path>,
    device: u64,
    /// The number of names that are still allowed.
    names: u32,
    /// The number of bytes that are still allowed.
    bytes: u64,
    tree: Sha256,
    files: BTreeMap<PathBuf, String>,
}

impl SubmissionWalk<'_> {
    fn folder(
        &mut self,
        fd: &OwnedFd,
        below: &Path,
        depth: usize,
        in_cache: bool,
    ) -> Result<(), SubmissionError> {
        let in_cache = in_cache || depth > 0 && is_cache(fd, below);
        let mut names = self.list(fd, below)?;
        if in_cache {
            names.retain(|name| {
                let path = below.join(OsStr::from_bytes(name.as_bytes()));
                let kept = &self.submission.kept;
                kept.iter().any(|kept| kept.starts_with(&path))
            });
        }
        let mark = self.submission.left_out_with.as_bytes();
        if depth > 0 && !mark.is_empty() && names.iter().any(|name| name.as_bytes() == mark) {
            return Ok(());
        }
        for name in names {
            let path = below.join(OsStr::from_bytes(name.as_bytes()));
            if path.as_os_str().len() > LONGEST_PATH {
                return Err(unfit(format!(
                    "the path {} is longer than {LONGEST_PATH} bytes: use shorter names",
                    shown(&path)
                )));
            }
            let whole = self.submission.root.join(&path);
            if self.submission.left_out.contains(&whole) {
                continue;
            }
            let name = name.as_c_str();
            let status = statat(fd, name, AtFlags::SYMLINK_NOFOLLOW)
                .map_err(|error| cannot("read", &path, error))?;
            match FileType::from_raw_mode(status.st_mode) {
                FileType::Symlink => self.link(fd, name, &path)?,
                FileType::RegularFile => self.file(fd, name, &path, &status)?,
                FileType::Directory => {
                    if depth >= MOST_DEPTH {
                        return Err(unfit(format!(
                            "{} lies more than {MOST_DEPTH} folders deep: make it flatter",
                            shown(&path)
                        )));
                    }
                    let inner = self.open_folder(fd, name, &path, &status)?;
                    self.folder(&inner, &path, depth + 1, in_cache)?;
                }
                kind => return Err(special(&path, kind)),
            }
        }
        Ok(())
    }

    /// The names in a folder, sorted by their bytes.
    fn list(&mut self, fd: &OwnedFd, below: &Path) -> Result<Vec<CString>, SubmissionError> {
        let mut names = Vec::new();
        let entries = Dir::read_from(fd).map_err(|error| cannot("look into", below, error))?;
        for entry in entries {
            let entry = entry.map_err(|error| cannot("look into", below, error))?;
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            self.names = self.names.checked_sub(1).ok_or_else(|| {
                unfit(format!(
                    "it has more than {MOST_NAMES} files, folders and links: take out what the \
                     bot does not need"
                ))
            })?;
            names.push(name.to_owned());
        }
        names.sort();
        Ok(names)
    }

    fn open_folder(
        &self,
        fd: &OwnedFd,
        name: &CStr,
        path: &Path,
        listed: &Stat,
    ) -> Result<OwnedFd, SubmissionError> {
        if listed.st_dev != self.device {
            return Err(unfit(format!(
                "another file system is mounted at {}: copy what the bot needs of it, or name it \
                 under `readable`",
                shown(path)
            )));
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let folder = openat(fd, name, flags, Mode::empty())
            .map_err(|error| cannot("look into", path, error))?;
        let status = fstat(&folder).map_err(io::Error::from)?;
        same(&status, listed, path)?;
        Ok(folder)
    }

    fn file(
        &mut self,
        fd: &OwnedFd,
        name: &CStr,
        path: &Path,
        listed: &Stat,
    ) -> Result<(), SubmissionError> {
        let (file, status) = open_listed(fd, name, listed, path)?;
        let size = u64::try_from(status.st_size).unwrap_or(u64::MAX);
        let most = self.submission.most_bytes;
        let left = self.bytes.checked_sub(size);
        self.bytes = left.ok_or_else(|| too_large(path, most))?;
        let to = self.to.map(|to| to.join(path));
        let hash = copy_file(&file, &status, path, to.as_deref())?;
        let kind = if runs(&status) { b"x" } else { b"f" };
        self.note(kind, path, hash.as_bytes());
        self.files.insert(path.to_owned(), hash);
        Ok(())
    }

    fn link(&mut self, fd: &OwnedFd, name: &CStr, path: &Path) -> Result<(), SubmissionError> {
        let target =
            readlinkat(fd, name, Vec::new()).map_err(|error| cannot("read", path, error))?;
        if let Some(to) = self.to {
            let to = to.join(path);
            make_parent(&to)?;
            symlink(OsStr::from_bytes(target.as_bytes()), to)?;
        }
        self.note(b"l", path, target.as_bytes());
        Ok(())
    }

    /// Adds a file or a link to the hash of the tree.
    fn note(&mut self, kind: &[u8], path: &Path, content: &[u8]) {
        self.tree.update(kind);
        for text in [path.as_os_str().as_bytes(), content] {
            self.tree.update((text.len() as u64).to_le_bytes());
            self.tree.update(text);
        }
    }
}

/// Whether a folder is a cache or a version history.
fn is_cache(fd: &OwnedFd, below: &Path) -> bool {
    let tag = statat(fd, CACHE_TAG, AtFlags::SYMLINK_NOFOLLOW);
    let is_file = |status: Stat| FileType::from_raw_mode(status.st_mode) == FileType::RegularFile;
    let is_named = |name: &str| below.file_name() == Some(OsStr::new(name));
    CACHES.into_iter().any(is_named) || tag.is_ok_and(is_file)
}

#[cfg(test)]
mod tests;
