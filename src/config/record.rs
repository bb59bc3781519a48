//! The plan of a finished run, possibly from another machine: to examine it, or to replay some of
//! its games.

use super::error::{ConfigError, Diagnostic, Origin};
use super::machine::Machine;
use super::resolve::{folder, resolve};
use super::resolved::{Purpose, Resolved};
use super::secret::SecretSource;
use super::{MOST_PLAN_MIB, Overrides, check_sandbox_program, read};
use crate::bot::Level;
use crate::config::adjudication::EndgameSource;
use crate::config::class::{ClassFolders, CountedVersions};
use crate::config::context::Context;
use crate::config::context::HostEnv;
use crate::config::context::HouseCommands;
use crate::config::toolchains::Questions;
use crate::files::Folder;
use std::collections::BTreeSet;
use std::path::Path;

/// Reads the `plan.toml` of a finished run, possibly from another machine: bots, folders and a file
/// of openings may be missing. Only files that exist here are hashed; a list of openings that
/// cannot be read here is empty. No program is started. `purpose` is that of the run, and `versions`
/// are the earlier programs that played in it.
///
/// # Errors
/// Those of [`load`](super::load), except for missing files.
pub fn recorded(
    path: &Path,
    purpose: Purpose,
    versions: CountedVersions,
    house: &HouseCommands,
) -> Result<Resolved, ConfigError> {
    let as_recorded = |level: Option<Level>| level.unwrap_or(Level::None);
    recorded_to_play(
        path,
        purpose,
        versions,
        &BTreeSet::new(),
        house,
        as_recorded,
    )
}

/// The same; the entrants of these names can be played: they must exist here, and their toolchains
/// are queried. `choose_level` gets the level of the run.
///
/// # Errors
/// Those of [`recorded`], and those of [`load`](super::load) for these entrants.
pub fn recorded_to_play(
    path: &Path,
    purpose: Purpose,
    versions: CountedVersions,
    replayed: &BTreeSet<String>,
    house: &HouseCommands,
    choose_level: impl FnOnce(Option<Level>) -> Level,
) -> Result<Resolved, ConfigError> {
    let refuse =
        |message: String| Diagnostic::new(&Origin::Whole, message).in_file(path.to_owned());
    // The user has named its folder, and not what is in it.
    let around = path.parent().filter(|it| *it != Path::new(""));
    let run = Folder::open(around.unwrap_or(Path::new(".")));
    let bytes = run.and_then(|run| run.read(path.file_name().unwrap_or_default(), MOST_PLAN_MIB));
    let bytes =
        bytes.map_err(|error| refuse(format!("cannot read the plan of the run: {error}")))?;
    let host_env = HostEnv::of_this_process(house);
    let resolved = read(&bytes, &Overrides::default()).and_then(|typed| {
        if !replayed.is_empty() {
            check_sandbox_program(&typed, &folder(&typed, path), &host_env)?;
        }
        let context = Context {
            file: path,
            output: path.parent(),
            // The number of processors has no effect here.
            oversubscribe: true,
            purpose,
            machine: &Machine::this(),
            level: choose_level(typed.isolation.level.value),
            host_env: &host_env,
            questions: &Questions::default(),
            secret: &SecretSource::Nowhere,
            endgame: &EndgameSource::Database,
            is_record: true,
            replayed,
            class: &ClassFolders {
                versions,
                ..ClassFolders::default()
            },
        };
        resolve(typed, &context)
    });
    resolved.map_err(|problem| problem.in_file(path.to_owned()))
}
