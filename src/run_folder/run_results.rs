//! A run and what follows from its games: what feedback and the page are made from, and the
//! standings after earlier revisions of its plan.

use super::folder::RunFolder;
use super::journal_games::GameStore;
use super::repair::repair_note;
use super::tables::{TableInputs, TablesError, count};
use crate::report::{HostNoise, StandingsRow, Tables};
use crate::tournament::{EarlierPlan, JournalState, RunDocument, RunOutcome, Schedule, judge};
use std::path::Path;

/// A run with its counted games.
#[derive(Clone, Copy)]
pub struct RunResults<'a> {
    /// The run.
    pub run: &'a RunDocument,
    /// Its games.
    pub games: &'a GameStore,
    /// What counts of them.
    pub outcome: &'a RunOutcome,
    /// Its tables.
    pub tables: &'a Tables<'a>,
    /// The run's folder, which has the evidence.
    pub folder: &'a Path,
}

/// What readers of the tables should know: what the tables say of themselves, how the host
/// disturbed games, and what was set aside of the journal.
pub fn notes_for_readers(
    tables: &Tables<'_>,
    noise: &HostNoise,
    journal: &JournalState,
) -> Vec<String> {
    let mut notes = tables.notes();
    notes.extend(noise.sentence());
    notes.extend(repair_note(&journal.set_aside));
    notes
}

/// The rows of `standings.csv` at the end of each of these plans. Each follows from the part of the
/// journal before the next plan, so that part is read again for each.
///
/// # Errors
/// The journal cannot be read, or has games of other entrants.
pub fn earlier_standings(
    folder: &RunFolder,
    earlier: &[EarlierPlan],
) -> Result<Vec<Vec<StandingsRow>>, TablesError> {
    let standings = earlier.iter().map(|plan| standings_of(folder, plan));
    standings.collect()
}

fn standings_of(
    folder: &RunFolder,
    EarlierPlan { run, bytes }: &EarlierPlan,
) -> Result<Vec<StandingsRow>, TablesError> {
    let plan = &run.plan;
    let (games, progress) = folder.read_up_to(*bytes, plan)?;
    let judgement = judge(plan, &Schedule::new(plan), progress);
    let inputs = TableInputs {
        run,
        names: &plan.names(),
        exclusions: &judgement.exclusions,
        history: &[],
        analyst: None,
    };
    let (tables, _) = count(games.store(), &inputs)?;
    Ok(tables.standings().rows().to_vec())
}
