//! The store of a run: copies of what strangers gave, made once, at places that no name leads to.
//! A bot is played as it was stored: what its author changes afterwards changes nothing. Trees
//! with the same contents share one copy; every bot is shown it read-only.

use crate::bot::submission::{Submission, read_file};
use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The copies of a run.
#[derive(Debug)]
pub(super) struct Store {
    folder: PathBuf,
    /// Where the trees are, by their hash.
    trees: Mutex<BTreeMap<String, PathBuf>>,
}

impl Store {
    /// A store in a folder that is made when it is needed.
    pub(super) fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            trees: Mutex::default(),
        }
    }

    /// Copies a submission, unless the same is there already; says where it is.
    pub(super) fn tree(&self, submission: &Submission) -> io::Result<PathBuf> {
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

    /// A new empty folder with a name that cannot be guessed, readable for every user.
    pub(super) fn place(&self) -> io::Result<PathBuf> {
        let mut maker = fs::DirBuilder::new();
        maker.recursive(true).mode(0o711).create(&self.folder)?;
        for folder in self.folder.ancestors().take(2) {
            let mode = check_owner(folder)?;
            fs::set_permissions(folder, Permissions::from_mode(mode | 0o711))?;
        }
        let place = tempfile::Builder::new()
            .prefix("")
            .rand_bytes(16)
            .permissions(Permissions::from_mode(0o755))
            .tempdir_in(&self.folder)?
            .keep();
        fs::set_permissions(&place, Permissions::from_mode(0o755))?;
        Ok(place)
    }
}

/// The name of a run's folder can be guessed: what somebody else has made there is not used. Its
/// mode, if it is ours.
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

/// Copies one regular file, readable for everybody.
pub(super) fn file(from: &Path, to: &Path, most_bytes: u64) -> io::Result<()> {
    read_file(from, most_bytes, Some(to))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_tree_is_stored_once() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let store = Store::new(folder.path().join("store"));
        let submission = |name: &str, text: &str| {
            let root = folder.path().join(name);
            fs::create_dir(&root).expect("a folder");
            fs::write(root.join("bot.py"), text).expect("a file");
            Submission {
                root,
                most_bytes: 100,
                left_out: Vec::new(),
                left_out_with: "",
                expected: None,
            }
        };
        let [one, same, other] = [("a", "x"), ("b", "x"), ("c", "y")].map(|it| {
            let submission = submission(it.0, it.1);
            store.tree(&submission).expect("a copy")
        });
        assert_eq!(one, same);
        assert_ne!(one, other);
        let places = fs::read_dir(folder.path().join("store")).expect("the store");
        assert_eq!(places.count(), 2);
    }
}
