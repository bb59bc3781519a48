//! The standings after earlier revisions of a run's plan. Each follows from the part of the journal
//! before the next plan, so that part is read again for each.

use super::folder::RunFolder;
use super::tables::{TableInputs, TablesError, count};
use crate::report::StandingsRow;
use crate::tournament::{EarlierPlan, Schedule, judge};

/// The rows of `standings.csv` at the end of each of these plans.
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
    };
    let (tables, _) = count(games.store(), &inputs)?;
    Ok(tables.standings().rows().to_vec())
}
