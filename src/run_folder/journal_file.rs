//! The file of a journal: open for appending, and locked against other runs.

use super::folder_error::FolderError;
use super::whole_file::{JOURNAL, OWNER_ONLY};
use crate::files::Folder;
use crate::tournament::Storage;
use std::fs::{File, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt as _;
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
pub fn open_locked(folder: &Folder) -> Result<File, FolderError> {
    let failed = |error| FolderError::file("open the journal", folder.path(JOURNAL), error);
    let open = || folder.append(JOURNAL, OWNER_ONLY).map_err(failed);
    let identity = |file: &File| file.metadata().map(|it| (it.dev(), it.ino()));
    loop {
        let file = open()?;
        lock(&file, &folder.path(""))?;
        // A repair that held the lock has put another file in its place.
        let there = identity(&open()?).map_err(failed)?;
        if there == identity(&file).map_err(failed)? {
            return Ok(file);
        }
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
                return Err(FolderError::file("lock", folder.to_owned(), error));
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
