//! The store of a run holds copies of submitted files, made once, at paths that cannot be guessed.
//! A bot is played as it was stored: later changes by its author have no effect. Trees with the
//! same contents share one copy, which every bot sees read-only.

use crate::bot::submission::{Submission, SubmissionError};
use crate::log::LogError as _;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

/// The first part of the name of every store.
const PREFIX: &str = "store-";

/// The copies of a run.
#[derive(Debug)]
pub struct Store {
    /// A file with the path of the store's folder, so that another run can remove it.
    pointer: PathBuf,
    /// The folder, once it exists.
    folder: OnceLock<PathBuf>,
    /// The path of each tree, by its hash.
    trees: Mutex<BTreeMap<String, PathBuf>>,
}

impl Store {
    /// A store whose folder is created on demand beside the folder of `pointer`. The random name
    /// gives a bot no information: every box shows where its files come from
    /// (`/proc/self/mountinfo`).
    pub fn new(pointer: PathBuf) -> Self {
        Self {
            pointer,
            folder: OnceLock::new(),
            trees: Mutex::default(),
        }
    }

    /// Copies a submission, unless the store has the same contents; returns the path.
    pub fn tree(&self, submission: &Submission) -> Result<PathBuf, SubmissionError> {
        let mut trees = self.trees.lock().unwrap_or_else(PoisonError::into_inner);
        let known = submission.expected.as_ref().and_then(|it| trees.get(it));
        if let Some(place) = known {
            return Ok(place.clone());
        }
        let place = self.place()?;
        let contents = submission.copy(&place)?;
        if let Some(first) = trees.get(&contents.tree) {
            fs::remove_dir_all(&place)?;
            return Ok(first.clone());
        }
        trees.insert(contents.tree, place.clone());
        Ok(place)
    }

    /// Creates an empty folder with a name that cannot be guessed, readable for every user.
    pub fn place(&self) -> io::Result<PathBuf> {
        let folder = self.folder()?;
        make_unguessable("", &folder, 0o755)
    }

    fn folder(&self) -> io::Result<PathBuf> {
        if let Some(folder) = self.folder.get() {
            return Ok(folder.clone());
        }
        let (run, around) = around(&self.pointer)?;
        let mut maker = fs::DirBuilder::new();
        maker.recursive(true).mode(0o711).create(run)?;
        let mode = check_owner(run)?;
        fs::set_permissions(run, Permissions::from_mode(mode | 0o711))?;
        let folder = make_unguessable(PREFIX, around, 0o711)?;
        fs::write(&self.pointer, folder.as_os_str().as_bytes())?;
        Ok(self.folder.get_or_init(|| folder).clone())
    }
}

/// The folder of a run's pointer, and its parent, which holds the store.
fn around(pointer: &Path) -> io::Result<(&Path, &Path)> {
    let run = pointer.parent();
    let around = run.and_then(Path::parent);
    run.zip(around)
        .ok_or_else(|| io::ErrorKind::InvalidInput.into())
}

/// Creates a folder with a name that cannot be guessed.
fn make_unguessable(prefix: &str, around: &Path, mode: u32) -> io::Result<PathBuf> {
    let folder = tempfile::Builder::new()
        .prefix(prefix)
        .rand_bytes(16)
        .tempdir_in(around)?
        .keep();
    fs::set_permissions(&folder, Permissions::from_mode(mode))?;
    Ok(folder)
}

/// Removes the store that a run's pointer names, and the pointer. A folder of another user, or one
/// that is not a store beside the run's folder, stays.
pub fn remove_store(pointer: &Path) {
    let is_own = |path: &Path| {
        let found = fs::symlink_metadata(path);
        found.is_ok_and(|found| found.uid() == rustix::process::geteuid().as_raw())
    };
    let Ok((run, around)) = around(pointer) else {
        return;
    };
    if !is_own(run) || !is_own(pointer) {
        return;
    }
    let Ok(bytes) = fs::read(pointer) else { return };
    let store = PathBuf::from(OsString::from_vec(bytes));
    let name = store.file_name().unwrap_or_default().as_bytes();
    let is_store = store.parent() == Some(around) && name.starts_with(PREFIX.as_bytes());
    if is_store && is_own(&store) {
        fs::remove_dir_all(&store).log_error("remove the copies of bots");
    }
    fs::remove_file(pointer).log_error("remove the name of a store");
}

/// Returns the mode of a run's folder, if it belongs to this user. Its name can be guessed, so a
/// folder that another user has made there must not be used.
fn check_owner(folder: &Path) -> io::Result<u32> {
    let found = fs::symlink_metadata(folder)?;
    let is_own = found.uid() == rustix::process::geteuid().as_raw();
    if found.is_dir() && is_own && found.mode() & 0o022 == 0 {
        return Ok(found.mode());
    }
    Err(io::Error::other(format!(
        "{} is not this user's alone: remove it, and run again",
        folder.display()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_tree_is_stored_once() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let pointer = folder.path().join("run/store");
        let store = Store::new(pointer.clone());
        let submission = |name: &str, text: &str| {
            let root = folder.path().join(name);
            fs::create_dir(&root).expect("a folder");
            fs::write(root.join("bot.py"), text).expect("a file");
            Submission {
                root,
                most_bytes: 100,
                left_out: Vec::new(),
                left_out_with: "",
                kept: Vec::new(),
                expected: None,
            }
        };
        let [one, same, other] = [("a", "x"), ("b", "x"), ("c", "y")].map(|it| {
            let submission = submission(it.0, it.1);
            store.tree(&submission).expect("a copy")
        });
        assert_eq!(one, same);
        assert_ne!(one, other);
        let place = one.parent().expect("the store");
        assert_eq!(fs::read_dir(place).expect("the store").count(), 2);
        assert!(place.exists() && place.parent() == Some(folder.path()));
        remove_store(&pointer);
        assert!(!place.exists() && !pointer.exists());
    }

    #[test]
    fn only_a_store_is_removed() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (run, other) = (folder.path().join("run"), folder.path().join("other"));
        for place in [&run, &other] {
            fs::create_dir(place).expect("a folder");
        }
        let pointer = run.join("store");
        for named in [&other, &run, &folder.path().join("run/../store-x")] {
            fs::write(&pointer, named.as_os_str().as_bytes()).expect("a file");
            remove_store(&pointer);
            assert!(other.exists() && run.exists(), "{}", named.display());
        }
    }
}
