//! The folder of a run before its first game: opening it, what it warns of, and `plan.toml`.

use super::watch::Watcher;
use crate::cli::args::PlayArguments;
use crate::cli::exit::{Failure, tell};
use crate::config::{self, DumpTo, MOST_PLAN_MIB, Resolved};
use crate::isolation::Isolation;
use crate::isolation::supervisor::Guard;
use crate::run_folder::{
    FoundJournal, JOURNAL, PLAN, RunFolder, RunOwner, fault_folder, set_run_aside,
};
use crate::text::printable;
use std::collections::BTreeSet;

/// Opens the run's folder, which is left as it was if it cannot be that of this run.
pub fn open(
    arguments: &PlayArguments,
    guard: &Guard,
    resolved: &Resolved,
) -> Result<RunFolder, Failure> {
    let output = &resolved.output;
    if arguments.fresh
        && let Some(aside) = set_run_aside(output)?
    {
        let [output, aside] = [output, &aside].map(|path| printable(&path.to_string_lossy()));
        tell(&format!("the earlier run in {output} is now in {aside}"));
    }
    let folder = RunFolder::open(output)?;
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

/// Problems that do not stop the run: of the host, of the configuration, and of what an earlier run
/// has left.
pub fn warnings(
    resolved: &Resolved,
    isolation: &Isolation,
    guard: &Guard,
    found: &FoundJournal,
) -> Vec<String> {
    let mut warnings = isolation.warnings().clone();
    warnings.extend(resolved.warnings.iter().cloned());
    warnings.extend(guard.warning());
    let entrants = resolved.entrants.iter();
    let lowered = entrants.map(|it| it.bot.limits.lowered_here());
    let lowered: BTreeSet<String> = lowered.filter(|words| !words.is_empty()).collect();
    if !lowered.is_empty() {
        warnings.push(format!(
            "bots get less than [limits] says, because this user has no more (`ulimit -H -a`): {}",
            lowered.into_iter().collect::<Vec<_>>().join("; ")
        ));
    }
    let newer = &found.games.state().newer_keys;
    if !newer.is_empty() {
        let keys: Vec<&str> = newer.iter().map(String::as_str).collect();
        warnings.push(format!(
            "a newer version of awale has written {} in {JOURNAL}: this one leaves them out",
            printable(&keys.join(", "))
        ));
    }
    if found.torn_bytes > 0 {
        warnings.push(format!(
            "the last line of {JOURNAL} was cut short by a crash; its {} bytes were dropped, and a \
             game in it is played again",
            found.torn_bytes
        ));
    }
    warnings
}

/// Removes what a killed run has left, and writes `plan.toml`, the person's copy of the plan,
/// unless it is that of this run. The settings may have changed: the tables use the present ones.
pub fn begin(
    folder: &RunFolder,
    resolved: &Resolved,
    isolation: &Isolation,
    found: &FoundJournal,
    watcher: &Watcher<'_>,
) -> Result<(), Failure> {
    let plan = &resolved.plan;
    if let Err(error) = fault_folder::sweep(&resolved.output, plan, &found.progress) {
        watcher.warn(&format!("evidence of an earlier run is left: {error}"));
    }
    let has_settings = found.settings.as_ref() == Some(&resolved.document().settings);
    let text = folder.files().read(PLAN, MOST_PLAN_MIB).unwrap_or_default();
    let hash = format!("plan-sha256 = \"{}\"", plan.hash());
    let mut lines = text.split(|&byte| byte == b'\n');
    if has_settings && lines.any(|line| line == hash.as_bytes()) {
        return Ok(());
    }
    let text = config::dump(resolved, DumpTo::Folder) + &isolation.provenance();
    Ok(folder.write(PLAN, text.as_bytes())?)
}
