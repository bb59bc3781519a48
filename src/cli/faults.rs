//! `awale faults`: what went wrong in a run, fault by fault, for the authors of the bots.

use super::args::FaultsArguments;
use super::entrant_named::entrant_named;
use super::exit::{Exit, Failure, output_failure, say, say_data};
use crate::files::Folder;
use crate::record::{FaultKind, hint};
use crate::report::{FaultRow, LostGame, write_faults_csv};
use crate::run_folder::evidence::FaultPage;
use crate::run_folder::evidence::{ADMISSION, BUILD_OUTPUT, FAULTS, PAGE};
use crate::run_folder::{JOURNAL, RecordedRun, fault_rows};
use crate::text::{counted, printable, shell_word};
use crate::verification;
use std::fmt::Write as _;
use std::path::Path;

/// The size of a page of evidence, in MiB at most.
const PAGE_MIB: u64 = 1;

/// Prints the faults of a run that count, all or one entrant's. The run may still be playing.
///
/// # Errors
/// There is no such run or entrant, or the journal is damaged or too old.
pub fn faults(arguments: &FaultsArguments) -> Result<Exit, Failure> {
    let (mut rows, names) = match barred_rows(&arguments.folder) {
        Some(rows) => {
            let names = rows.iter().map(|row| row.entrant.clone()).collect();
            (rows, names)
        }
        None => recorded_rows(arguments)?,
    };
    if let Some(typed) = &arguments.entrant {
        let entrant = entrant_named(typed, &names)?;
        rows.retain(|row| row.entrant == entrant);
    }
    if arguments.csv {
        let mut text = Vec::new();
        write_faults_csv(&rows, &mut text).map_err(|error| output_failure(&error))?;
        say_data(&text)
    } else {
        say(&for_people(&rows, &arguments.folder))
    }
}

/// The faults that count by the journal, and the names of all entrants.
fn recorded_rows(arguments: &FaultsArguments) -> Result<(Vec<FaultRow>, Vec<String>), Failure> {
    let folder = verification::open(&arguments.folder)?;
    let recorded = RecordedRun::read(&folder)?;
    let rows = fault_rows(recorded.games.store(), &recorded.outcome.exclusions);
    Ok((rows, recorded.run.plan.names()))
}

/// Who was not admitted to a run in which nothing could be played, by the pages of the evidence;
/// `None` for any other folder. Such a run leaves an empty journal, so that it can begin anew.
fn barred_rows(run: &Path) -> Option<Vec<FaultRow>> {
    let run = Folder::open(run).ok()?;
    if run.file(JOURNAL).ok()?.metadata().ok()?.len() > 0 {
        return None;
    }
    let folders = run.names(FAULTS).ok()?.into_iter();
    let rows: Vec<FaultRow> = folders
        // Others are not of a run of awale.
        .filter(|name| name.starts_with(ADMISSION) && printable(name) == *name)
        .filter_map(|name| barred_row(&run, format!("{FAULTS}/{name}")))
        .collect();
    (!rows.is_empty()).then_some(rows)
}

fn barred_row(run: &Folder, folder: String) -> Option<FaultRow> {
    let page = run.read(format!("{folder}/{PAGE}"), PAGE_MIB).ok()?;
    let page: FaultPage = toml::from_str(std::str::from_utf8(&page).ok()?).ok()?;
    if printable(&page.fault.entrant) != page.fault.entrant {
        return None;
    }
    Some(FaultRow {
        entrant: page.fault.entrant,
        game: None,
        fault: FaultKind::from_name(&page.fault.kind)?.name(),
        detail: page.fault.detail,
        folder: Some(folder),
    })
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
    if let Some(hint) = kind.and_then(|kind| hint(kind, &row.detail)) {
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
