//! `awale report`: makes every table of a run again, from its journal alone.

use super::args::ReportArguments;
use super::entrant_named::entrant_named;
use super::exit::{Exit, Failure, output_failure, tell};
use super::terminal_table::print_tables;
use crate::course::write_results;
use crate::run_folder::{JOURNAL, REPORT, RecordedRun, ResultFiles, RunFolder, page_of};
use crate::text::printable;
use crate::verification;
use std::fs;
use std::path::Path;

/// Writes the tables into the run's folder, or into another one while the run plays.
///
/// # Errors
/// There is no such run, its journal is damaged or too old, another awale is playing in the target
/// folder, or a table cannot be written.
pub fn report(arguments: &ReportArguments) -> Result<Exit, Failure> {
    let source = verification::open(&arguments.folder)?;
    let elsewhere = arguments.output.as_deref();
    let elsewhere = elsewhere.filter(|output| !is_same(output, &arguments.folder));
    // Held until all tables are written: a run that began meanwhile would write them too.
    let _lock = match elsewhere {
        Some(output) => {
            check_output(output)?;
            None
        }
        None => Some(RunFolder::open(&arguments.folder)?),
    };
    let target = elsewhere.unwrap_or(&arguments.folder);
    let RecordedRun {
        run,
        games,
        games_done: played,
        outcome,
    } = RecordedRun::read(&source)?;
    let names = run.plan.names();
    let typed = arguments.entrant.iter();
    let wanted: Result<Vec<String>, Failure> = typed.map(|it| entrant_named(it, &names)).collect();
    let wanted = wanted?;
    let results = ResultFiles {
        run: &run,
        names: &names,
        source: &source,
        folder: &arguments.folder,
        games: &games,
        outcome: &outcome,
    };
    let (tables, mut notes) = write_results(&results, target, &wanted)?;
    let shown = |name: &str| printable(&target.join(name).to_string_lossy());
    tell(&format!("the page is {}", shown(REPORT)));
    for entrant in &wanted {
        let (entrant, path) = (printable(entrant), shown(&page_of(entrant)));
        tell(&format!("the page of {entrant} is {path}"));
    }
    if !outcome.complete {
        // The page says it in a place of its own.
        notes.push(format!(
            "The run is not finished: this is after {played} of {} games.",
            outcome.games
        ));
    }
    print_tables(&tables, &notes).map_err(|error| output_failure(&error))?;
    Ok(Exit::Done)
}

fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| fs::canonicalize(path).ok();
    real(one).is_some_and(|it| real(other) == Some(it))
}

/// Tables beside the journal of another run would contradict it.
fn check_output(output: &Path) -> Result<(), Failure> {
    if output.join(JOURNAL).exists() {
        return Err(Failure::usage(format!(
            "{} is the folder of another run, which has tables of its own; name a new folder with \
             --output",
            output.display()
        )));
    }
    Ok(())
}
