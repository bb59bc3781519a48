//! `awale faults`: what went wrong in a run, fault by fault, for the authors of the bots.

use super::args::FaultsArguments;
use super::exit::{Exit, Failure, output_failure};
use crate::record::{FaultKind, hint_or_rule};
use crate::report::{FaultRow, LostGame, write_faults_csv};
use crate::run_folder::evidence::BUILD_OUTPUT;
use crate::run_folder::{RecordedRun, fault_rows};
use crate::text::{counted, did_you_mean, printable, quoted, shell_word};
use crate::tournament::{Schedule, judge};
use crate::verification;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::Path;

/// Prints the faults of a run that count, all or one entrant's. The run may still be playing.
///
/// # Errors
/// There is no such run or entrant, or the journal is damaged or too old.
pub fn faults(arguments: &FaultsArguments) -> Result<Exit, Failure> {
    let folder = verification::open(&arguments.folder)?;
    let RecordedRun {
        run,
        progress,
        games,
    } = RecordedRun::read(&folder)?;
    let names = run.plan.names();
    if let Some(entrant) = &arguments.entrant {
        check_name(entrant, &names)?;
    }
    let judged = judge(&run.plan, &Schedule::new(&run.plan), progress);
    let mut rows = fault_rows(games.store(), &judged.exclusions);
    rows.retain(|row| {
        arguments
            .entrant
            .as_ref()
            .is_none_or(|it| row.entrant == *it)
    });
    let mut text = Vec::new();
    if arguments.csv {
        write_faults_csv(&rows, &mut text).map_err(|error| output_failure(&error))?;
    } else {
        text = for_people(&rows, &arguments.folder).into_bytes();
    }
    let mut out = io::stdout().lock();
    out.write_all(&text)
        .and_then(|()| out.flush())
        .map_err(|error| output_failure(&error))?;
    Ok(Exit::Done)
}

/// Refuses the name of an entrant that the run does not have.
pub fn check_name(entrant: &str, names: &[String]) -> Result<(), Failure> {
    if names.iter().any(|name| name == entrant) {
        return Ok(());
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Err(Failure::usage(format!(
        "the run has no entrant {}{}; its standings.csv names all of them",
        quoted(entrant),
        did_you_mean(entrant, &names, ["\"", "\""])
    )))
}

fn for_people(rows: &[FaultRow], run: &Path) -> String {
    let mut text = String::new();
    for row in rows {
        write_row(&mut text, row, run);
    }
    let refused = rows.iter().filter(|row| row.game.is_none()).count();
    let faults = counted(rows.len() - refused, "fault", "faults");
    let refused = counted(refused, "entrant", "entrants");
    let _ = match (rows.is_empty(), rows.iter().any(|row| row.game.is_none())) {
        (true, _) => writeln!(text, "no fault counts"),
        (false, false) => writeln!(text, "{faults}"),
        (false, true) => writeln!(text, "{refused} not admitted, {faults}"),
    };
    text
}

fn write_row(text: &mut String, row: &FaultRow, run: &Path) {
    let entrant = printable(&row.entrant);
    let detail = printable(&row.detail);
    let _ = match &row.game {
        None => writeln!(text, "{entrant} was not admitted"),
        Some(LostGame {
            id,
            side,
            opponent,
            plies,
        }) => writeln!(
            text,
            "{id}: {entrant} ({side}) lost to {} at ply {plies}",
            printable(opponent)
        ),
    };
    let kind = FaultKind::from_name(row.fault);
    match kind {
        Some(kind) => explain(text, "what", &format!("{kind}: {detail}")),
        None => explain(text, "what", &detail),
    }
    if let Some(hint) = kind.and_then(|kind| hint_or_rule(kind, &row.detail)) {
        explain(text, "hint", hint);
    }
    if let Some(name) = &row.folder {
        let folder = run.join(name);
        let shown = folder.to_string_lossy();
        if folder.is_dir() {
            explain(text, "folder", &printable(&shown));
            let output = folder.join(BUILD_OUTPUT);
            if output.is_file() {
                // No process was started that could be replayed.
                explain(text, "output", &printable(&output.to_string_lossy()));
            } else {
                let again = format!("awale replay-to-bot {} -- ./mybot", shell_word(&shown));
                explain(text, "again", &printable(&again));
            }
        } else {
            explain(
                text,
                "folder",
                &format!("{} is not here", printable(&shown)),
            );
        }
    }
    text.push('\n');
}

fn explain(text: &mut String, word: &str, what: &str) {
    let _ = writeln!(text, "  {word:<6} {what}");
}
