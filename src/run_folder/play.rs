//! Plays a run in its folder, for programs that use the library: no entrant is examined, no event
//! is told, and only an error stops it.

use super::folder::{FoundJournal, RunFolder};
use super::folder_error::FolderError;
use super::recorded_run::planned_database;
use super::result_files::ResultFiles;
use super::tables::TablesError;
use super::whole_file::PLAN;
use crate::endgame_file::{EndgameDatabase, EndgameFileError};
use crate::referee::EndgameJudge;
use crate::tournament::{
    Openings, Plan, PlayerFactory, RunDocument, RunError, RunOutcome, RunSetup, Schedule,
    run_to_end,
};
use std::path::Path;
use thiserror::Error;

/// Why a run could not be played to its end.
#[derive(Debug, Error)]
pub enum RunInFolderError {
    /// The folder or a file in it failed.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The plan has no opening that can be played.
    #[error("every game of the plan ends within its opening; plan shorter openings")]
    Openings,
    /// This machine has not the values that the plan names.
    #[error(transparent)]
    Endgame(#[from] EndgameFileError),
    /// The run was stopped.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The games give no tables.
    #[error(transparent)]
    Tables(#[from] TablesError),
}

/// Plays what the folder lacks of a run, with the players of this factory, and writes its tables.
///
/// # Errors
/// The folder is that of another plan or cannot be written, the plan has no openings or names values
/// that this machine has not, or the run had to stop. The games before are in the journal.
pub fn play(
    path: &Path,
    document: &RunDocument,
    factory: &impl PlayerFactory,
) -> Result<RunOutcome, RunInFolderError> {
    play_in(path, document, factory, RunFolder::find)
}

/// The same if the folder may be that of another plan of the run: games that this plan asks for too
/// are not played again.
///
/// # Errors
/// Those of [`play`]; the run in the folder cannot change to this plan.
pub fn update(
    path: &Path,
    document: &RunDocument,
    factory: &impl PlayerFactory,
) -> Result<RunOutcome, RunInFolderError> {
    play_in(path, document, factory, RunFolder::find_any)
}

fn play_in(
    path: &Path,
    document: &RunDocument,
    factory: &impl PlayerFactory,
    find: fn(&RunFolder, &Plan) -> Result<FoundJournal, FolderError>,
) -> Result<RunOutcome, RunInFolderError> {
    let plan = &document.plan;
    let database = planned_database(plan)?;
    let values = database.as_ref().map(EndgameDatabase::values);
    let folder = RunFolder::open(path)?;
    let mut found = find(&folder, plan)?;
    let mut document = document.clone();
    document.plan.rounds = found.rounds();
    let plan = &document.plan;
    let schedule = Schedule::new(plan);
    let openings = Openings::of(plan).ok_or(RunInFolderError::Openings)?;
    let setup = RunSetup {
        endgame: values.map(|it| it as &dyn EndgameJudge),
        ..RunSetup::new(plan, &schedule, &openings)
    };
    let mut journal = folder.journal(&document, &found)?;
    let progress = std::mem::take(&mut found.progress);
    let outcome = run_to_end(&setup, factory, &mut journal, progress)?;
    document.plan.rounds.clone_from(&outcome.rounds);
    let plan = &document.plan;
    let provenance = format!("[provenance]\nplan-sha256 = \"{}\"\n", plan.hash());
    folder.write(PLAN, provenance.as_bytes())?;
    folder.read_on(&mut found.games, &mut |_, _| Ok(()))?;
    let results = ResultFiles {
        run: &document,
        names: &plan.names(),
        source: &folder,
        folder: path,
        games: &found.games,
        outcome: &outcome,
    };
    let (tables, noise) = results.write_tables(path)?;
    let notes = results.notes(&tables, &noise);
    results.write_pages(&results.results(&tables), &notes, path, (&[], None))?;
    Ok(outcome)
}
