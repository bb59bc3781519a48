//! `awale repair`: mends the damaged lines of a run's journal or sets them aside, so that the run
//! can go on.

use super::args::RepairArguments;
use super::exit::{Exit, Failure, say};
use crate::run_folder::{DAMAGED_LINES, RepairError, Repaired, RunFolder, repair};
use crate::text::{counted, printable};
use crate::verification;
use std::fmt::Write as _;

/// Repairs the journal of a folder.
///
/// # Errors
/// There is no such run, another awale is playing in it, a line cannot be replaced, or the disk
/// fails.
pub fn repair_folder(arguments: &RepairArguments) -> Result<Exit, Failure> {
    // This creates nothing where there is no run.
    verification::open(&arguments.folder)?;
    let folder = RunFolder::open(&arguments.folder)?;
    let Repaired { mended, set_aside } = repair(&folder).map_err(|error| match error {
        RepairError::Folder(error) => error.into(),
        error @ RepairError::Irreplaceable { .. } => Failure::machine(error),
    })?;
    let mut text = String::new();
    if let [first, ..] = &mended[..] {
        let lines = counted(mended.len(), "line is", "lines are");
        let reason = printable(&first.reason);
        let _ = writeln!(
            text,
            "{lines} mended, nothing is lost; line {}: {reason}",
            first.line
        );
    }
    if !set_aside.is_empty() {
        let lines = counted(set_aside.len(), "line is", "lines are");
        let _ = writeln!(text, "{lines} set aside, in {DAMAGED_LINES}:");
        for it in &set_aside {
            let _ = writeln!(text, "  line {}: {}", it.line, printable(&it.reason));
        }
    }
    text.push_str(if text.is_empty() {
        "no line of the journal is damaged: nothing was changed\n"
    } else {
        "the command of the run goes on now\n"
    });
    say(&text)
}
