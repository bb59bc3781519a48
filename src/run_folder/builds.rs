//! The built programs of a run: `builds/KEY/` has the built folder, what the build said, and the
//! hash of the folder. A build that was interrupted leaves a hidden folder, which the next one
//! removes.

use super::whole_file::PART;
use std::fs;
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
    folder: PathBuf,
}

impl Builds {
    /// Those of the run in this folder.
    pub fn of(run: &Path) -> Self {
        Self {
            folder: run.join(BUILDS),
        }
    }

    /// The built folder of this key, and the hash that it had when it was built.
    pub fn finished(&self, key: &str) -> Option<(PathBuf, String)> {
        let place = self.folder.join(key);
        let tree = fs::read_to_string(place.join(TREE)).ok()?;
        Some((place.join(FILES), tree.trim().to_owned()))
    }

    /// Makes place for a build; returns the folder to be created.
    ///
    /// # Errors
    /// The disk's.
    pub fn begin(&self, key: &str) -> io::Result<PathBuf> {
        let part = self.part(key);
        for stale in [&part, &self.folder.join(key)] {
            match fs::remove_dir_all(stale) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        fs::create_dir_all(&part)?;
        Ok(part.join(FILES))
    }

    /// Keeps a build that is complete.
    ///
    /// # Errors
    /// The disk's.
    pub fn keep(&self, key: &str, tree: &str, output: &[u8]) -> io::Result<PathBuf> {
        let (part, place) = (self.part(key), self.folder.join(key));
        create(&part.join(OUTPUT), output)?;
        create(&part.join(TREE), tree.as_bytes())?;
        fs::rename(part, &place)?;
        Ok(place.join(FILES))
    }

    /// Removes what a failed build leaves.
    ///
    /// # Errors
    /// The disk's.
    pub fn discard(&self, key: &str) -> io::Result<()> {
        fs::remove_dir_all(self.part(key))
    }

    fn part(&self, key: &str) -> PathBuf {
        self.folder.join(format!(".{key}{PART}"))
    }
}

/// Writes a new file: what a build made beside its folder would not be overwritten.
fn create(path: &Path, bytes: &[u8]) -> io::Result<()> {
    fs::File::create_new(path)?.write_all(bytes)
}
