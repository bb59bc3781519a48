//! The built programs of a run: `builds/KEY/` has the built folder, what the build said, and the
//! hash of the folder. A build that was interrupted leaves a hidden folder, which the next one
//! removes.

use super::whole_file::PART;
use crate::files::Folder;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// The folder of built programs in that of a run.
pub const BUILDS: &str = "builds";
/// The built folder.
const FILES: &str = "files";
/// The hash of the built folder.
const TREE: &str = "tree";
/// What the build said.
const OUTPUT: &str = "output.txt";

/// The built programs of a run.
#[derive(Debug)]
pub struct Builds {
    run: Folder,
}

impl Builds {
    /// Those of the run in this folder, which is created if necessary.
    ///
    /// # Errors
    /// The disk's.
    pub fn of(run: &Path) -> io::Result<Self> {
        let run = Folder::create(run)?;
        Ok(Self { run })
    }

    /// The built folder of this key, and the hash that it had when it was built.
    pub fn finished(&self, key: &str) -> Option<(PathBuf, String)> {
        let tree = self.run.read(format!("{BUILDS}/{key}/{TREE}"), 1).ok()?;
        let tree = String::from_utf8(tree).ok()?;
        let place = format!("{BUILDS}/{key}/{FILES}");
        let is_there = self.run.is_folder(&place);
        is_there.then(|| (self.run.path(place), tree.trim().to_owned()))
    }

    /// What the build of this key said.
    pub fn output(&self, key: &str) -> Option<Vec<u8>> {
        self.run.read(format!("{BUILDS}/{key}/{OUTPUT}"), 1).ok()
    }

    /// Makes place for a build; returns the folder to be created.
    ///
    /// # Errors
    /// The disk's.
    pub fn begin(&self, key: &str) -> io::Result<PathBuf> {
        self.discard(key)?;
        self.run.remove(format!("{BUILDS}/{key}"))?;
        Ok(self.run.make(part(key))?.path(FILES))
    }

    /// Keeps a build that is complete.
    ///
    /// # Errors
    /// The disk's.
    pub fn keep(&self, key: &str, tree: &str, output: &[u8]) -> io::Result<PathBuf> {
        let part = part(key);
        // What a build made beside its folder is not overwritten.
        let create = |name: &str| self.run.create_file(format!("{part}/{name}"), 0o666);
        create(OUTPUT)?.write_all(output)?;
        create(TREE)?.write_all(tree.as_bytes())?;
        let place = self.run.rename(&part, format!("{BUILDS}/{key}"))?;
        Ok(place.path(key).join(FILES))
    }

    /// Removes what a failed build leaves.
    ///
    /// # Errors
    /// The disk's.
    pub fn discard(&self, key: &str) -> io::Result<()> {
        self.run.remove(part(key))
    }
}

fn part(key: &str) -> String {
    format!("{BUILDS}/.{key}{PART}")
}
