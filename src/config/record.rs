//! The plan of a run that was played, perhaps on another machine: to be looked at, or to play some
//! of its games again.

use super::error::{ConfigError, Diagnostic, Origin};
use super::house::HouseCommands;
use super::machine::Machine;
use super::resolve::resolve;
use super::resolved::{Purpose, Resolved};
use super::secret::SecretSource;
use super::{MOST_PLAN_MIB, Overrides, check_sandbox_program, read};
use crate::bot::Level;
use crate::config::context::Context;
use crate::config::host_env::HostEnv;
use crate::files;
use std::collections::BTreeSet;
use std::path::Path;

/// Reads the `plan.toml` of a run that was played, perhaps on another machine: bots, folders and a
/// file of openings may be missing. Of entrants the hashes of those files are known that are here;
/// a list of openings that cannot be read here is empty. No program is started. `purpose`: what it
/// was played for.
///
/// # Errors
/// Those of [`load`](super::load) that do not come from what is missing.
pub fn recorded(
    path: &Path,
    purpose: Purpose,
    house: &HouseCommands,
) -> Result<Resolved, ConfigError> {
    let as_recorded = |level: Option<Level>| level.unwrap_or(Level::None);
    recorded_to_play(path, purpose, &BTreeSet::new(), house, as_recorded)
}

/// The same, and the entrants of these names can be played: they must be here, and their
/// toolchains are asked what they are. `choose_level` is told the level of the run.
///
/// # Errors
/// Those of [`recorded`], and those of [`load`](super::load) for these entrants.
pub fn recorded_to_play(
    path: &Path,
    purpose: Purpose,
    replayed: &BTreeSet<String>,
    house: &HouseCommands,
    choose_level: impl FnOnce(Option<Level>) -> Level,
) -> Result<Resolved, ConfigError> {
    let refuse =
        |message: String| Diagnostic::new(&Origin::Whole, message).in_file(path.to_owned());
    let bytes = files::read(path, MOST_PLAN_MIB)
        .map_err(|error| refuse(format!("cannot read the plan of the run: {error}")))?;
    let host_env = HostEnv::of_this_process(house).map_err(|error| {
        refuse(format!(
            "cannot find the running program awale itself: {error}"
        ))
    })?;
    let resolved = read(&bytes, &Overrides::default()).and_then(|typed| {
        if !replayed.is_empty() {
            check_sandbox_program(&typed, path, &host_env)?;
        }
        let context = Context {
            file: path,
            output: path.parent(),
            // The number of processors does not matter here.
            oversubscribe: true,
            purpose,
            machine: &Machine::this(),
            level: choose_level(typed.isolation.level.value),
            host_env: &host_env,
            secret: SecretSource::Nowhere,
            is_record: true,
            replayed,
        };
        resolve(typed, &context)
    });
    resolved.map_err(|problem| problem.in_file(path.to_owned()))
}
