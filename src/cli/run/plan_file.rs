//! `plan.toml` of a run's folder: the person's copy of the plan.

use crate::cli::exit::Failure;
use crate::config::{self, DumpTo, MOST_PLAN_MIB, Resolved};
use crate::isolation::Isolation;
use crate::run_folder::{FoundJournal, PLAN, RunFolder};
use crate::tournament::Plan;

/// Writes the file, unless it is that of this run. The settings may have changed: the tables use
/// the present ones.
pub fn write(
    folder: &RunFolder,
    resolved: &Resolved,
    isolation: &Isolation,
    found: &FoundJournal,
) -> Result<(), Failure> {
    let has_settings = found.settings.as_ref() == Some(&resolved.document().settings);
    if has_settings && is_of(folder, &resolved.plan) {
        return Ok(());
    }
    let plan = config::dump(resolved, DumpTo::Folder) + &isolation.provenance();
    Ok(folder.write(PLAN, plan.as_bytes())?)
}

/// Whether the folder's file is that of this plan, as far as its hash says.
fn is_of(folder: &RunFolder, plan: &Plan) -> bool {
    let text = folder.files().read(PLAN, MOST_PLAN_MIB).unwrap_or_default();
    let line = format!("plan-sha256 = \"{}\"", plan.hash());
    let mut lines = text.split(|&byte| byte == b'\n');
    lines.any(|it| it == line.as_bytes())
}
