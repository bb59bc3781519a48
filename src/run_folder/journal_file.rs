//! The file of a journal: open for appending, and locked against other runs.

use super::folder_error::FolderError;
use super::whole_file::{JOURNAL, OWNER_ONLY};
use crate::tournament::Storage;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// How long a held lock is tried again: a killed run may take a moment to end.
const LOCK_PATIENCE: Duration = Duration::from_secs(2);
const LOCK_PAUSE: Duration = Duration::from_millis(50);

/// Opens the journal of a folder, which is created if necessary, and takes its lock.
///
/// # Errors
/// The disk's, or another run holds the lock.
pub fn open_locked(folder: &Path) -> Result<File, FolderError> {
    let journal = folder.join(JOURNAL);
    let failed = |error| FolderError::File {
        attempt: "open the journal",
        path: journal.clone(),
        error,
    };
    loop {
        let file = open_to_append(&journal).map_err(failed)?;
        lock(&file, folder)?;
        // A repair that held the lock has put another file in its place.
        if is_at(&file, &journal).map_err(failed)? {
            return Ok(file);
        }
    }
}

fn open_to_append(journal: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    options.mode(OWNER_ONLY).open(journal)
}

/// Whether the path still leads to this file.
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let identity = |it: &fs::Metadata| (it.dev(), it.ino());
    match fs::metadata(path) {
        Ok(there) => Ok(identity(&there) == identity(&file.metadata()?)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

fn lock(file: &File, folder: &Path) -> Result<(), FolderError> {
    let started = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if started.elapsed() < LOCK_PATIENCE => {
                thread::sleep(LOCK_PAUSE);
            }
            Err(TryLockError::WouldBlock) => return Err(FolderError::Locked(folder.to_owned())),
            Err(TryLockError::Error(error)) => {
                let path = folder.to_owned();
                return Err(FolderError::File {
                    attempt: "lock",
                    path,
                    error,
                });
            }
        }
    }
}

/// The journal's file as storage for the tournament.
#[derive(Debug)]
pub struct JournalFile {
    pub(super) file: File,
}

impl Storage for JournalFile {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.file.sync_data()
    }
}
