//! A configuration from its file or from a command line, resolved for a run.

use crate::bot::Level;
use crate::cli::args::PlayArguments;
use crate::cli::exit::Failure;
use crate::cli::house_commands::HOUSE_COMMANDS;
use crate::cli::run::ahead::Ahead;
use crate::cli::run::versions::kept_versions;
use crate::config::{self, ConfigError, Origin, Overrides, Resolved, SecretSource, VersionSource};
use crate::isolation::supervisor::Guard;
use crate::isolation::{Isolation, IsolationRequest, Mechanism};
use crate::run_folder;
use std::cell::Cell;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::thread;

/// The source of a configuration.
pub enum ConfigSource<'a> {
    /// A file.
    File(&'a Path),
    /// A text, and the path that it would have.
    Text(&'a str, PathBuf),
}

/// What a command that plays begins with.
pub struct Loaded {
    /// The configuration, resolved.
    pub resolved: Resolved,
    /// The isolation that holds.
    pub isolation: Isolation,
    /// What was prepared while that was tested, until a session takes it.
    pub ahead: Cell<Option<Ahead>>,
}

/// Resolves a configuration, with the isolation that it requires, as far as that is available.
pub fn load(
    source: &ConfigSource<'_>,
    overrides: &Overrides,
    at_least: Option<Level>,
    secret: SecretSource,
    guard: Option<&Guard>,
) -> Result<(Resolved, Isolation), Failure> {
    let overrides = Overrides {
        secret,
        ..overrides.clone()
    };
    let loaded = load_meanwhile(source, &overrides, at_least, guard, |_, _| None)?;
    Ok((loaded.resolved, loaded.isolation))
}

/// The same. What the level of isolation decides is resolved for the first level to be tested,
/// while it is tested, and a run is prepared with it. If another level holds, everything is
/// resolved again.
fn load_meanwhile(
    source: &ConfigSource<'_>,
    overrides: &Overrides,
    at_least: Option<Level>,
    guard: Option<&Guard>,
    prepare: impl FnOnce(&Resolved, &Mechanism) -> Option<Ahead>,
) -> Result<Loaded, Failure> {
    thread::scope(|threads| {
        let mut test = None;
        let resolved = resolve(source, overrides, |level| {
            let request = IsolationRequest { level, at_least };
            let first = Isolation::first(request, guard);
            let level = first.level;
            let thread = thread::Builder::new().name("isolation".to_owned());
            let choose = move || Isolation::choose(request, guard);
            test = Some((request, first, thread.spawn_scoped(threads, choose)));
            level
        });
        let Some((request, first, test)) = test else {
            return Err(resolved.expect_err("a configuration that was read has asked for a level"));
        };
        let ahead = resolved.as_ref().ok();
        let ahead = ahead.and_then(|resolved| prepare(resolved, &first));
        let isolation = match test {
            Ok(test) => test.join().unwrap_or_else(|panic| resume_unwind(panic)),
            // The host has no thread left.
            Err(_) => Isolation::choose(request, guard),
        };
        // All other errors in the configuration are reported first.
        let level = isolation.as_ref().map_or(Level::None, Isolation::level);
        let resolved = if level == first.level {
            resolved
        } else {
            resolve(source, overrides, |_| level)
        }?;
        let isolation = isolation.map_err(Failure::usage)?;
        let ahead = ahead.and_then(|ahead| ahead.with(&isolation));
        Ok(Loaded {
            resolved,
            isolation,
            ahead: Cell::new(ahead),
        })
    })
}

/// Resolves a configuration for the level of isolation that is chosen for the requested one.
fn resolve(
    source: &ConfigSource<'_>,
    overrides: &Overrides,
    choose: impl FnOnce(Option<Level>) -> Level,
) -> Result<Resolved, Failure> {
    match source {
        ConfigSource::File(file) => config::load(file, overrides, &HOUSE_COMMANDS, choose),
        ConfigSource::Text(text, at) => {
            config::load_bytes(text.as_bytes(), at, overrides, &HOUSE_COMMANDS, choose)
        }
    }
    .map_err(Failure::usage)
}

/// The same for a command that plays, or that only describes what it would play.
pub fn load_to_play(
    source: &ConfigSource<'_>,
    overrides: &Overrides,
    arguments: &PlayArguments,
    guard: Option<&Guard>,
) -> Result<Loaded, Failure> {
    let secret = match guard {
        Some(_) if arguments.fresh => SecretSource::FolderOrDrawn(|_| None),
        Some(_) => SecretSource::FolderOrDrawn(run_folder::kept_secret),
        None => SecretSource::Folder(run_folder::kept_secret),
    };
    let overrides = Overrides {
        versions: (!arguments.fresh).then_some(kept_versions as VersionSource),
        secret,
        ..overrides.clone()
    };
    let at_least = arguments.require_isolation;
    load_meanwhile(source, &overrides, at_least, guard, |resolved, first| {
        Ahead::prepare(resolved, first, guard?)
    })
}

/// A mistake in a configuration made from a command line is a mistake of the command line. `place`
/// is how a message begins that is about this entrant.
pub fn of_command_line(failure: Failure, place: impl Fn(&str) -> String) -> Failure {
    let Failure::Usage(error) = failure else {
        return failure;
    };
    match error.downcast::<ConfigError>() {
        Ok(error) if matches!(error.origin, Origin::File(_)) => {
            let begin = error.entrant.as_deref().map_or(String::new(), place);
            Failure::usage(format!("{begin}{}", error.message))
        }
        Ok(error) => Failure::Usage(error),
        Err(error) => Failure::Usage(error),
    }
}

/// The overrides of a configuration from flags that all such commands share.
pub fn overrides(arguments: &PlayArguments) -> Overrides {
    Overrides {
        slots: arguments.slots,
        seed: arguments.seed,
        isolation: arguments.isolation.clone(),
        sets: arguments.sets.clone(),
        output: arguments.output.clone(),
        oversubscribe: arguments.oversubscribe,
        ..Overrides::default()
    }
}
