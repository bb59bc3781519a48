//! The sandbox of a plan's bots, and the confirmation that a user trusts them if nothing isolates
//! them.

use crate::bot::Level;
use crate::cli::exit::Failure;
use crate::config::Resolved;
use crate::isolation::supervisor::Guard;
use crate::isolation::{Equipment, Isolation, Mechanism};
use crate::referee::Measure;
use crate::text::printable;
use std::path::{Component, Path, PathBuf};

/// Whether any bot is not a house bot.
pub fn has_strangers(resolved: &Resolved) -> bool {
    let mut entrants = resolved.entrants.iter();
    entrants.any(|entrant| !entrant.bot.launch.is_own())
}

/// Refuses untrusted programs as root without isolation, unless the user confirms it.
pub fn check_trust(
    trusts: bool,
    isolation: &Isolation,
    has_strangers: bool,
) -> Result<(), Failure> {
    let is_root = rustix::process::geteuid().is_root();
    if trusts || !(is_root && isolation.level() == Level::None && has_strangers) {
        return Ok(());
    }
    let reasons = isolation.banner().join("\n  ");
    Err(Failure::usage(format!(
        "without isolation, bots could do to this machine whatever root can. Run as another user, \
         or with --i-trust-these-bots if you wrote them all\n  {reasons}"
    )))
}

/// The sandbox: no bot may see the files beside the configuration, nor those of the run.
pub fn equip(
    resolved: &Resolved,
    mechanism: &Mechanism,
    guard: &Guard,
    freeze: bool,
) -> Result<Equipment, Failure> {
    check_readable(resolved, mechanism.level)?;
    let hidden = [&resolved.folder, &resolved.output];
    let hidden = hidden.into_iter().filter_map(|folder| real_path(folder));
    let equipment = Equipment::new(mechanism, guard, freeze, hidden.collect())
        .map_err(|error| no_place(&error))?;
    let by_cpu = resolved.plan.clock.measure == Measure::Cpu;
    if by_cpu && !equipment.abilities().cpu_time {
        return Err(Failure::usage(
            "`measure` = \"cpu\" in [clock] needs control groups, which alone count all CPU \
             time of a bot and whatever it starts, and none can be made here; take \
             measure = \"wall\"",
        ));
    }
    Ok(equipment)
}

/// Refuses to show bots the run's folder, or a part of it. A box shows what it is in without it,
/// and Landlock cannot. A run in the folder of its configuration is shown where a part is named.
pub fn check_readable(resolved: &Resolved, level: Level) -> Result<(), Failure> {
    let entrants = resolved.entrants.iter();
    let mut readable = entrants.flat_map(|it| &it.bot.launch.file_access.readable);
    let Some(output) = real_path(&resolved.output) else {
        return Ok(());
    };
    let holds_all = real_path(&resolved.folder).is_some_and(|folder| folder.starts_with(&output));
    let is_part = |folder: &Path| folder.starts_with(&output) && !holds_all;
    let shows = |folder: &&PathBuf| match level {
        Level::None => false,
        Level::Landlock => **folder == output || is_part(folder) || output.starts_with(folder),
        Level::Box => **folder == output || is_part(folder),
    };
    let Some(folder) = readable.find(shows) else {
        return Ok(());
    };
    let level = level.name();
    let [output, folder] = [&output, folder].map(|path| printable(&path.to_string_lossy()));
    Err(Failure::usage(format!(
        "{output} is the run's folder, and with the isolation \"{level}\" bots that may read \
         {folder} would read the games; leave that out of `readable` in [isolation], or choose \
         another folder with --output"
    )))
}

/// The path of a folder without links. `None` if it cannot be told before the folder is there: its
/// path has a `..` behind what is not there yet.
fn real_path(folder: &Path) -> Option<PathBuf> {
    let folder = std::path::absolute(folder).ok()?;
    let (found, there) = folder
        .ancestors()
        .find_map(|there| Some((there.canonicalize().ok()?, there)))?;
    let rest = folder.strip_prefix(there).ok()?;
    let is_plain = rest
        .components()
        .all(|it| matches!(it, Component::Normal(_)));
    is_plain.then(|| found.components().chain(rest.components()).collect())
}

/// The host has no room for the bots' files.
pub fn no_place(error: &std::io::Error) -> Failure {
    Failure::machine(format!(
        "cannot lay out the bots' files for the sandbox: {error}"
    ))
}
