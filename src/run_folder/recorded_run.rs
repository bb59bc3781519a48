//! A run read from its journal: the last plan and the games that count for it; no other file is
//! read.

use super::folder::RunFolder;
use super::folder_error::FolderError;
use super::journal_games::JournalGames;
use crate::endgame_file::{EndgameDatabase, EndgameFileError, find_planned};
use crate::tournament::{
    JournalError, JournalReader, Plan, RecordedPlan, RunDocument, RunOutcome, Schedule, Secret,
    judge,
};
use std::path::Path;

/// A run, and how it would end if it played nothing more.
#[derive(Debug)]
pub struct RecordedRun {
    /// The run, with its last settings.
    pub run: RunDocument,
    /// The games that were played.
    pub games: JournalGames,
    /// The number of games with a result.
    pub games_done: usize,
    /// What counts of them.
    pub outcome: RunOutcome,
}

impl RecordedRun {
    /// Reads a journal up to its last whole line, because it may be growing.
    ///
    /// # Errors
    /// The journal cannot be read, is damaged, or has another format.
    pub fn read(folder: &RunFolder) -> Result<Self, FolderError> {
        let unusable = |error| folder.unusable(error);
        let Some(recorded) = last_plan(folder)? else {
            // A damaged first line is named here.
            folder.read_on(&mut JournalGames::default(), &mut |_, _| Ok(()))?;
            let reason = "it is torn, and nothing was played".to_owned();
            return Err(unusable(JournalError::Damaged { line: 1, reason }));
        };
        let run = *recorded.run;
        let (games, progress) = folder.read_for(&run.plan)?;
        Ok(Self {
            games,
            games_done: progress.games_done(),
            outcome: judge(&run.plan, &Schedule::new(&run.plan), progress),
            run,
        })
    }
}

/// The last definition of the run in the journal, if one is sound: games are not parsed.
///
/// # Errors
/// The journal cannot be read, or its format is newer.
pub fn last_plan(folder: &RunFolder) -> Result<Option<RecordedPlan>, FolderError> {
    let mut reader = JournalReader::surveying(folder.bytes()?);
    loop {
        match reader.skip_games() {
            Ok(true) => return Ok(reader.state.plan.clone()),
            Ok(false) | Err(JournalError::Damaged { .. }) => {}
            Err(error) => return Err(folder.unusable(error)),
        }
    }
}

/// The plan of the run in a folder, as far as it can be read. The run that opens the journal reports
/// its errors.
pub fn kept_plan(path: &Path) -> Option<Plan> {
    let folder = RunFolder::open_to_read(path).ok()?;
    Some(last_plan(&folder).ok()??.run.plan)
}

/// The database whose values end games of the plan, if it names one, after a look at its checksums.
///
/// # Errors
/// This machine has no such database.
pub fn planned_database(plan: &Plan) -> Result<Option<EndgameDatabase>, EndgameFileError> {
    let Some(terms) = &plan.endgame else {
        return Ok(None);
    };
    let found = find_planned(&plan.rules, terms.seeds, Some(&terms.sha256))?;
    Ok(Some(found))
}

/// The secret of the run in a folder, with which it is resumed. The run that opens the journal
/// reports its errors.
pub fn kept_secret(path: &Path) -> Option<Secret> {
    let folder = RunFolder::open_to_read(path).ok()?;
    let mut reader = JournalReader::new(folder.bytes().ok()?);
    let _ = reader.next_entry();
    reader.state.plan?.run.plan.secret
}
