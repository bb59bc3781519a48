//! A configuration from its file or from a command line, resolved for a run.

use crate::bot::Level;
use crate::cli::args::PlayArguments;
use crate::cli::exit::Failure;
use crate::cli::exit::tell;
use crate::cli::house_bot::HOUSE_COMMANDS;
use crate::config::{
    self, ConfigError, CoreLocks, EndgameSource, KeyFlag, Origin, Overrides, Resolved, SecretSource,
};
use crate::isolation::supervisor::Guard;
use crate::isolation::{Isolation, IsolationRequest};
use crate::run_folder;
use crate::shard::{Agreement, agreement, read_plan};
use crate::text::printable;
use crate::tournament::{RunDocument, RunSettings, Toolchains};
use std::path::{Path, PathBuf};

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
    /// The physical cores of the slots, which other runs leave alone meanwhile.
    pub cores: CoreLocks,
}

/// Resolves a configuration, with the isolation that it requires, as far as that is available.
pub fn load(
    source: &ConfigSource<'_>,
    overrides: &Overrides,
    at_least: Option<Level>,
    guard: Option<&Guard>,
) -> Result<Loaded, Failure> {
    let mut isolation = None;
    let choose = |level| {
        let request = IsolationRequest { level, at_least };
        let chosen = isolation.insert(Isolation::choose(request, guard));
        // All other errors in the configuration are reported first.
        chosen.as_ref().map_or(Level::None, Isolation::level)
    };
    let resolved = match source {
        ConfigSource::File(file) => config::load(file, overrides, &HOUSE_COMMANDS, choose),
        ConfigSource::Text(text, at) => {
            config::load_bytes(text.as_bytes(), at, overrides, &HOUSE_COMMANDS, choose)
        }
    };
    let resolved = resolved.map_err(Failure::usage)?;
    let isolation = isolation.expect("a configuration that was read has asked for a level");
    Ok(Loaded {
        resolved,
        isolation: isolation.map_err(Failure::usage)?,
        cores: CoreLocks::default(),
    })
}

/// The same for a command that plays, or that only describes what it would play.
pub fn load_to_play(
    source: &ConfigSource<'_>,
    overrides: &Overrides,
    arguments: &PlayArguments,
    guard: Option<&Guard>,
) -> Result<Loaded, Failure> {
    let secret = match guard {
        _ if matches!(overrides.secret, SecretSource::Given(_)) => overrides.secret.clone(),
        Some(_) if arguments.fresh => SecretSource::FolderOrDrawn(|_| None),
        Some(_) => SecretSource::FolderOrDrawn(run_folder::kept_secret),
        None => SecretSource::Folder(run_folder::kept_secret),
    };
    let endgame = match &overrides.endgame {
        given @ EndgameSource::Given(_) => given.clone(),
        _ if arguments.fresh => EndgameSource::Database,
        _ => EndgameSource::Folder(run_folder::kept_plan),
    };
    let overrides = Overrides {
        secret,
        endgame,
        ..overrides.clone()
    };
    let mut loaded = load(source, &overrides, arguments.require_isolation, guard)?;
    if guard.is_some() {
        loaded.cores = loaded.resolved.take_cores();
    }
    Ok(loaded)
}

/// Reads the plan of a run from its file.
pub fn read_run(path: &Path) -> Result<RunDocument, Failure> {
    let run = read_plan(path);
    run.map_err(|error| Failure::usage(format!("{}: {error}", printable(&path.to_string_lossy()))))
}

/// Compares what is here with the plan of the run, which is what counts. Returns the programs of this
/// machine that differ, and may.
pub fn agree(loaded: &mut Loaded, run: Option<RunDocument>) -> Result<Vec<String>, Failure> {
    let Some(run) = run else {
        return Ok(Vec::new());
    };
    let may_differ = run.settings.toolchains == Toolchains::Any;
    let resolved = &mut loaded.resolved;
    let others = match agreement(&run.plan, &resolved.plan) {
        Agreement::Whole => Vec::new(),
        Agreement::OtherPrograms(others) if may_differ => {
            tell(&format!(
                "warning: this machine has other versions of {}: each game says so",
                printable(&others.join(", "))
            ));
            others
        }
        Agreement::OtherPrograms(others) => {
            return Err(Failure::usage(format!(
                "nothing is played: this machine has other versions of {}; install those of the \
                 plan, or write toolchains = \"any\" in [tournament] before the plan is made",
                printable(&others.join(", "))
            )));
        }
        Agreement::None(differences) => {
            return Err(Failure::usage(format!(
                "nothing is played: what is here is not what the plan says\n  {}",
                printable_all(&differences).join("\n  ")
            )));
        }
    };
    resolved.settings = RunSettings {
        slots: resolved.settings.slots,
        ..run.settings
    };
    resolved.plan = run.plan;
    Ok(others)
}

fn printable_all(texts: &[String]) -> Vec<String> {
    texts.iter().map(|it| printable(it)).collect()
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

/// The overrides of a configuration from flags that all such commands share, and from others.
pub fn overrides(
    arguments: &PlayArguments,
    others: impl IntoIterator<Item = Option<KeyFlag>>,
) -> Overrides {
    let level = arguments.isolation.as_ref();
    let own = [
        KeyFlag::typed("--slots", ["tournament", "slots"], arguments.slots),
        KeyFlag::typed("--seed", ["tournament", "seed"], arguments.seed),
        KeyFlag::typed("--isolation", ["isolation", "level"], level),
    ];
    Overrides {
        sets: arguments.sets.clone(),
        output: arguments.output.clone(),
        oversubscribe: arguments.oversubscribe,
        keys: own.into_iter().chain(others).flatten().collect(),
        ..Overrides::default()
    }
}
