//! `awale report`: makes every table of a run again, from its journal alone.

use super::args::ReportArguments;
use super::exit::{Exit, Failure, output_failure, tell};
use super::faults::check_name;
use super::terminal_table::print_tables;
use crate::run_folder::{
    JOURNAL, PageInputs, REPORT, RecordedRun, RunFolder, RunResults, earlier_standings,
    notes_for_readers, page_of, tables, write_feedback, write_report,
};
use crate::text::printable;
use crate::tournament::{Judgement, Schedule, judge};
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
        progress,
        games: played_games,
    } = RecordedRun::read(&source)?;
    let played = progress.games_done();
    let names = run.plan.names();
    let mut wanted = arguments.entrant.iter();
    wanted.try_for_each(|entrant| check_name(entrant, &names))?;
    let Judgement {
        exclusions,
        games,
        complete,
        test,
        test_path,
    } = judge(&run.plan, &Schedule::new(&run.plan), progress);
    let inputs = tables::TableInputs {
        plan: &run.plan,
        names: &names,
        exclusions: &exclusions,
        model: &run.rating_model(),
        grading: run.settings.grading.as_ref(),
        history: &earlier_standings(&source, played_games.state().earlier_plans())?,
    };
    let (tables, noise) = tables::write_from(played_games.store(), target, &inputs)?;
    let results = RunResults {
        run: &run,
        games: played_games.store(),
        exclusions: &exclusions,
        complete,
        tables: &tables,
        folder: &arguments.folder,
        test: test.as_ref(),
        test_path: &test_path,
    };
    write_feedback(&results, target)?;
    let mut notes = notes_for_readers(&tables, &noise, played_games.state());
    let page = PageInputs {
        results: &results,
        source: &source,
        notes: &notes,
        planned: games,
        own: None,
    };
    write_pages(&page, &arguments.entrant, target)?;
    if !complete {
        // The page says it in a place of its own.
        notes.push(format!(
            "The run is not finished: this is after {played} of {games} games."
        ));
    }
    print_tables(&tables, &notes).map_err(|error| output_failure(&error))?;
    Ok(Exit::Done)
}

/// Writes the page of the run, and those of these entrants alone.
fn write_pages(page: &PageInputs<'_>, entrants: &[String], target: &Path) -> Result<(), Failure> {
    write_report(page, target)?;
    let path = target.join(REPORT);
    tell(&format!(
        "the page is {}",
        printable(&path.to_string_lossy())
    ));
    for entrant in entrants {
        let own = PageInputs {
            own: Some(entrant),
            ..*page
        };
        write_report(&own, target)?;
        let path = target.join(page_of(entrant));
        let path = printable(&path.to_string_lossy());
        tell(&format!("the page of {} is {path}", printable(entrant)));
    }
    Ok(())
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
