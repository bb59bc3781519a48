//! A run as its journal has it: the plan and what was played, with nothing else read.

use super::folder::{JOURNAL, RunFolder};
use super::folder_error::FolderError;
use crate::tournament::{JournalError, JournalReader, Progress, RunDocument, Secret};
use std::fs;
use std::path::Path;

/// A run and how far it is.
#[derive(Debug)]
pub struct RecordedRun {
    /// The run, with the settings that it went on with last.
    pub run: RunDocument,
    /// What was played of it.
    pub progress: Progress,
}

impl RecordedRun {
    /// Reads a journal up to its last whole line: it may be growing.
    ///
    /// # Errors
    /// The journal cannot be read or is damaged, or is older than plans in journals are.
    pub fn read(folder: &RunFolder) -> Result<Self, FolderError> {
        let unusable = |error| FolderError::Journal {
            path: folder.file(JOURNAL),
            error,
        };
        let mut reader = JournalReader::new(folder.bytes()?);
        let mut progress = Progress::default();
        while let Some(entry) = reader.next_entry().map_err(unusable)? {
            progress.note_entry(&entry);
        }
        let Some(recorded) = reader.recorded_plan() else {
            let reason = "it is torn, and nothing was played".to_owned();
            return Err(unusable(JournalError::Damaged { line: 1, reason }));
        };
        let found = recorded.format;
        let run = recorded.run().cloned();
        let run = run.ok_or_else(|| unusable(JournalError::WithoutPlan { found }))?;
        Ok(Self { run, progress })
    }
}

/// The secret that the run in a folder goes on with. What is wrong with the journal is said by the
/// run that opens it.
pub fn kept_secret(path: &Path) -> Option<Secret> {
    // To open a pipe could take for ever.
    let is_file = fs::metadata(path.join(JOURNAL)).is_ok_and(|found| found.is_file());
    let folder = is_file.then(|| RunFolder::look(path).ok()).flatten()?;
    let mut reader = JournalReader::new(folder.bytes().ok()?);
    let _ = reader.next_entry();
    reader.recorded_plan()?.secret().cloned()
}
