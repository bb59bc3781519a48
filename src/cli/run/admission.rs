//! What a run reports of its admission gate: why nothing is played.

use crate::bot::BuildReport;
use crate::config::Resolved;
use crate::record::{Exclusions, Refusal, hint};
use crate::run_folder::evidence::BUILD_OUTPUT;
use crate::run_folder::{FolderError, JOURNAL, RunFolder, admission_folder, folder_of_refusal};
use crate::text::printable;
use crate::tournament::EntrantIndex;
use std::fmt::Write as _;

/// Stores what a failed build said.
pub fn keep_build_output(
    entrant: EntrantIndex,
    report: &BuildReport,
    resolved: &Resolved,
    folder: &RunFolder,
) -> Result<(), FolderError> {
    let path = admission_folder(&resolved.plan.entrants[entrant.index()].name);
    folder.write(&format!("{path}/{BUILD_OUTPUT}"), &report.output)
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

/// What the author of a bot that was not admitted can do, if its fault is a usual one.
pub fn advice(refusal: &Refusal) -> Option<&'static str> {
    let fault = refusal.fault()?;
    hint(fault.kind, &fault.detail)
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
        let _ = write!(
            text,
            "\n  {}: {}: {}",
            printable(name),
            refusal.reason(),
            printable(refusal.detail())
        );
        if let Some(hint) = advice(refusal) {
            let _ = write!(text, "; hint: {hint}");
        }
        let evidence = folder_of_refusal(name, refusal).map(|it| resolved.output.join(it));
        if let Some(evidence) = evidence.filter(|it| it.is_dir()) {
            let _ = write!(text, "; see {}", evidence.display());
        }
    }
    text.push_str("\nfix what is wrong, or take them out, and run the same command again");
    text
}
