//! The file of a journal: open for appending, and locked against other runs.

use super::folder_error::FolderError;
use super::whole_file::{JOURNAL, OWNER_ONLY};
use crate::files::Folder;
use crate::tournament::Storage;
use std::fmt;
use std::fs::{File, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::Arc;
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

/// The process that started a run.
#[derive(Clone)]
pub struct RunOwner(Arc<dyn Fn() -> bool + Send + Sync>);

impl RunOwner {
    /// Asked, the function says whether the process has ended.
    pub fn new(has_ended: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(has_ended))
    }
}

impl fmt::Debug for RunOwner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RunOwner").field(&(self.0)()).finish()
    }
}

/// The journal's file as storage for the tournament.
#[derive(Debug)]
pub struct JournalFile {
    pub(super) file: File,
    /// Nothing is appended once this has ended: then another run may already end the bots of this
    /// one, which would look like their crashes.
    pub(super) owner: Option<RunOwner>,
}

impl Storage for JournalFile {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.owner.as_ref().is_some_and(|owner| (owner.0)()) {
            let said = "the program that started this run has ended";
            return Err(io::Error::new(io::ErrorKind::BrokenPipe, said));
        }
        self.file.write_all(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.file.sync_data()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read as _, Seek as _};
    use std::sync::atomic::{AtomicBool, Ordering};

    #[test]
    fn a_run_whose_owner_has_ended_writes_nothing() {
        let mut file = tempfile::tempfile().expect("a file");
        let ended = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&ended);
        let mut journal = JournalFile {
            file: file.try_clone().expect("a descriptor"),
            owner: Some(RunOwner::new(move || seen.load(Ordering::Relaxed))),
        };
        journal.append(b"one\n").expect("it lives");
        ended.store(true, Ordering::Relaxed);
        let error = journal.append(b"two\n").expect_err("it has ended");
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
        let mut text = String::new();
        file.rewind().expect("a beginning");
        file.read_to_string(&mut text).expect("a text");
        assert_eq!(text, "one\n");
    }
}
