//! What a run reports of its admission gate: the evidence of failures, and why nothing is played.

use crate::bot::BuildReport;
use crate::config::{Logs, Resolved};
use crate::record::{Exclusions, Fault, GameEnding};
use crate::rules::{Side, moves_text};
use crate::run_folder::evidence::{ADMISSION, FAULTS};
use crate::run_folder::{FolderError, JOURNAL, RunFolder};
use crate::text::printable;
use crate::tournament::{EntrantIndex, FailedGame, label};
use std::fmt::Write as _;
use std::{fs, io};

/// The folder of an entrant's evidence below that of the run.
fn evidence_folder(entrant: &str) -> String {
    format!("{FAULTS}/{ADMISSION}{}", label(entrant))
}

/// Stores the evidence of a failed examination.
pub fn keep_evidence(
    game: &FailedGame,
    resolved: &Resolved,
    folder: &RunFolder,
) -> Result<(), FolderError> {
    let GameEnding::Fault(_, fault) = &game.record.ending else {
        return Ok(());
    };
    let path = evidence_folder(&resolved.plan.entrants[game.entrant.index()].name);
    folder.write(
        &format!("{path}/fault.txt"),
        page(game, fault, resolved).as_bytes(),
    )?;
    if resolved.typed.tournament.logs == Logs::None {
        return Ok(());
    }
    let side = game.side;
    for (name, side) in [
        ("stderr.txt", side),
        ("opponent-stderr.txt", side.opponent()),
    ] {
        folder.write(&format!("{path}/{name}"), &game.logs[side.index()])?;
    }
    Ok(())
}

/// Stores what a failed build said.
pub fn keep_build_output(
    entrant: EntrantIndex,
    report: &BuildReport,
    resolved: &Resolved,
    folder: &RunFolder,
) -> Result<(), FolderError> {
    let path = evidence_folder(&resolved.plan.entrants[entrant.index()].name);
    folder.write(&format!("{path}/build.txt"), &report.output)
}

/// Removes the evidence of an earlier examination after an entrant has passed.
pub fn drop_evidence(entrant: &str, resolved: &Resolved) -> io::Result<()> {
    match fs::remove_dir_all(resolved.output.join(evidence_folder(entrant))) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn page(game: &FailedGame, fault: &Fault, resolved: &Resolved) -> String {
    let record = &game.record;
    let name = |side: Side| printable(&record.entrants[side.index()]);
    let mut page = format!(
        "{} ({}) failed its admission game against {}\nfault: {}: {}\n",
        name(game.side),
        game.side,
        name(game.side.opponent()),
        fault.kind,
        printable(&fault.detail)
    );
    if let Some(time) = fault.time_us {
        let _ = writeln!(page, "time: {time} µs after the request");
    }
    let launch = &resolved.entrants[game.entrant.index()].bot.launch;
    let words = launch.arguments.iter().map(|word| word.to_string_lossy());
    let command: Vec<String> = std::iter::once(launch.program.to_string_lossy())
        .chain(words)
        .map(|word| format!("{word:?}"))
        .collect();
    let _ = writeln!(page, "command: {}", command.join(" "));
    let folder = launch.directory.to_string_lossy();
    let _ = writeln!(page, "folder: {folder:?}");
    let _ = writeln!(page, "start: {}", record.start);
    let _ = writeln!(page, "moves: {}", moves_text(&record.moves()));
    page
}

/// Refuses a journal with games if nothing may be played.
pub fn check_unplayed(games: usize, resolved: &Resolved) -> Result<(), String> {
    if games == 0 {
        return Ok(());
    }
    Err(format!(
        "{JOURNAL} in {} says that too few were admitted to play, and has {games} games: \
         something has changed it; restore it from a copy, or start anew in another folder with \
         --output",
        resolved.output.display()
    ))
}

/// Why nothing is played, and what to do.
pub fn barred(exclusions: &Exclusions, resolved: &Resolved) -> String {
    let refused = &exclusions.refused;
    let reason = if resolved.gate.required {
        "[admission] is required, and not everybody passed it"
    } else {
        "too few entrants were admitted for a game between two of them"
    };
    let mut text = format!("nothing is played: {reason}");
    for (name, refusal) in refused {
        let evidence = resolved.output.join(evidence_folder(name));
        let _ = write!(
            text,
            "\n  {}: {}: {}",
            printable(name),
            refusal.reason(),
            printable(refusal.detail())
        );
        // An entrant that was refused because of its files has no evidence.
        if evidence.is_dir() {
            let _ = write!(text, "; see {}", evidence.display());
        }
    }
    text.push_str("\nfix what is wrong, or take them out, and run the same command again");
    text
}
