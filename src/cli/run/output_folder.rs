//! The folder of a run, as it is before the run.

use crate::cli::args::PlayArguments;
use crate::cli::exit::{Failure, tell};
use crate::config::Resolved;
use crate::isolation::supervisor::Guard;
use crate::run_folder::{RunFolder, RunOwner, set_run_aside};
use crate::text::printable;
use std::path::Path;

/// Opens the run's folder, which is left as it was if it cannot be that of this run.
pub fn open(
    arguments: &PlayArguments,
    guard: &Guard,
    resolved: &Resolved,
) -> Result<RunFolder, Failure> {
    let output = &resolved.output;
    if arguments.fresh {
        set_aside(output)?;
    }
    let folder = RunFolder::open(output).map_err(Failure::from)?;
    if guard.forgets(output) {
        return Err(Failure::usage(format!(
            "{} would be lost with the run: it leads to /dev/shm, which each run has to itself; \
             name /dev/shm in the command, or choose another folder with --output",
            output.display()
        )));
    }
    let has_ended = guard.end_of_owner();
    let has_ended =
        has_ended.map_err(|error| Failure::machine(format!("no descriptor is left: {error}")))?;
    Ok(folder.owned_by(RunOwner::new(has_ended)))
}

/// Makes place for a run that begins anew.
fn set_aside(output: &Path) -> Result<(), Failure> {
    if let Some(aside) = set_run_aside(output)? {
        let [output, aside] = [output, &aside].map(|path| printable(&path.to_string_lossy()));
        tell(&format!("the earlier run in {output} is now in {aside}"));
    }
    Ok(())
}
