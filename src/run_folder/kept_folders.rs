//! Folders of programs that are kept in a run's folder, each under a key that its contents decide:
//!
//! ```text
//! builds/KEY/    files  the built folder         tree       its hash
//!                                                output.txt what the build said
//! versions/KEY/  files  a folder as handed in    submitted  the day, if it is known
//! ```
//!
//! A folder gets its name when it is complete. What was interrupted leaves a hidden folder, which the
//! next attempt removes.

use super::whole_file::PART;
use crate::files::Folder;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// The folder of built programs in that of a run.
pub const BUILDS: &str = "builds";
/// The folder of what the authors of a class have handed in.
pub const VERSIONS: &str = "versions";
/// The hash of a built folder.
pub const TREE: &str = "tree";
/// What a build said.
pub const OUTPUT: &str = "output.txt";
/// The day on which a version was handed in.
pub const SUBMITTED: &str = "submitted";
/// The files themselves.
const FILES: &str = "files";

/// The folder with the files of this key, below that of the run.
pub fn files_of(kind: &str, key: &str) -> String {
    format!("{kind}/{key}/{FILES}")
}

/// The kept folders of one kind.
#[derive(Debug)]
pub struct KeptFolders {
    run: Folder,
    kind: &'static str,
}

impl KeptFolders {
    /// Those of the run in this folder, which is created if necessary.
    ///
    /// # Errors
    /// The disk's.
    pub fn of(run: &Path, kind: &'static str) -> io::Result<Self> {
        // A program is started from another folder.
        let run = Folder::create(&std::path::absolute(run)?)?;
        Ok(Self { run, kind })
    }

    fn name(&self, key: &str) -> String {
        format!("{}/{key}", self.kind)
    }

    fn part(&self, key: &str) -> String {
        format!("{}/.{key}{PART}", self.kind)
    }

    /// The files of this key, if they are kept.
    pub fn find(&self, key: &str) -> Option<PathBuf> {
        let place = files_of(self.kind, key);
        self.run.is_folder(&place).then(|| self.run.path(place))
    }

    /// A note that is kept with the files of this key.
    pub fn note(&self, key: &str, name: &str) -> Option<Vec<u8>> {
        self.run.read(format!("{}/{name}", self.name(key)), 1).ok()
    }

    /// The same as a text without the white space around it; empty if there is none.
    pub fn text(&self, key: &str, name: &str) -> String {
        let note = self.note(key, name).unwrap_or_default();
        String::from_utf8_lossy(&note).trim().to_owned()
    }

    /// Makes place for files; returns the folder to be created.
    ///
    /// # Errors
    /// The disk's.
    pub fn begin(&self, key: &str) -> io::Result<PathBuf> {
        self.discard(key)?;
        self.run.remove(self.name(key))?;
        Ok(self.run.make(self.part(key))?.path(FILES))
    }

    /// Keeps files that are complete, with notes.
    ///
    /// # Errors
    /// The disk's.
    pub fn keep(&self, key: &str, notes: &[(&str, &[u8])]) -> io::Result<PathBuf> {
        let part = self.part(key);
        for (name, note) in notes {
            // What a build made beside its folder is not overwritten.
            let mut file = self.run.create_file(format!("{part}/{name}"), 0o666)?;
            file.write_all(note)?;
        }
        let place = self.run.rename(&part, self.name(key))?;
        Ok(place.path(key).join(FILES))
    }

    /// Removes what is not complete.
    ///
    /// # Errors
    /// The disk's.
    pub fn discard(&self, key: &str) -> io::Result<()> {
        self.run.remove(self.part(key))
    }
}
