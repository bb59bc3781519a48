//! `awale serve`: a run whose pairs are played by workers. In all other respects it is `awale run`.

use super::args::{ServeArguments, SprtArguments};
use super::exit::{Exit, Failure, tell};
use super::run::{self, Loaded};
use super::sprt;
use crate::bot::{GivenFile, ProgramIdentity};
use crate::config::{self, DumpTo, split_adapter};
use crate::endgame_file::EndgameDatabase;
use crate::isolation::supervisor::Guard;
use crate::nats::{DeskSettings, Embedded, NatsCarrier, Stage, StagedEntrant};
use crate::referee::Measure;
use crate::shard::write_plan;
use crate::text::shell_word;
use crate::tournament::{Carrier, Plan, RunDocument, RunSettings};
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// The server that is started here.
const EMBEDDED: &str = "embedded";

/// Plays or resumes.
///
/// # Errors
/// Those of `awale run`; the server fails.
pub fn serve(arguments: &ServeArguments, guard: &Guard) -> Result<Exit, Failure> {
    let play = &arguments.run.play;
    if !play.plays() {
        return run::describe(&arguments.run);
    }
    let make = |loaded: &Loaded| carrier(arguments, loaded);
    if !arguments.sprt {
        return run::run(&arguments.run, guard, Some(&make));
    }
    let test = SprtArguments::of_config(arguments.run.config.clone(), play.clone());
    sprt::sprt(&test, guard, Some(&make))
}

fn carrier(arguments: &ServeArguments, loaded: &Loaded) -> Result<Box<dyn Carrier>, Failure> {
    let resolved = &loaded.resolved;
    run::refuse_dealt(&resolved.plan)?;
    if resolved.plan.clock.measure == Measure::Wall {
        tell(
            "warning: times are measured by the wall clock, and mean another strength on another \
             machine: take machines of one kind, or measure = \"cpu\" in [clock], or bots with a \
             fixed depth or number of nodes",
        );
    }
    let (stage, parcel) = parcel(loaded)?;
    let typed = arguments.server.access(&arguments.nats);
    let (access, embedded) = if arguments.nats == EMBEDDED {
        let place = beside(&resolved.output);
        let started = Embedded::start(&resolved.plan, &place, arguments.listen, &typed);
        let server = started
            .map_err(|error| Failure::machine(format!("cannot start a NATS server: {error}")))?;
        (server.access(), Some(server))
    } else {
        (typed, None)
    };
    let join = how_to_join(arguments, embedded.as_ref());
    let values = resolved.endgame.as_ref().map(EndgameDatabase::values);
    let settings = DeskSettings {
        plan: resolved.plan.clone(),
        endgame: values.map(|it| Arc::new(it.clone()) as _),
        deterministic: resolved.settings.deterministic.clone(),
        stage,
        parcel,
        min_speed: arguments.min_speed,
    };
    let carrier = NatsCarrier::new(&access, embedded, settings).map_err(Failure::machine)?;
    for line in &join {
        tell(line);
    }
    Ok(Box::new(carrier))
}

/// The folder of an embedded server: it is not the run's, which may be shown to others.
fn beside(output: &Path) -> PathBuf {
    let mut name = output
        .file_name()
        .map_or_else(OsString::new, OsString::from);
    name.push(".nats");
    output.with_file_name(name)
}

/// What the user should know of workers.
fn how_to_join(arguments: &ServeArguments, embedded: Option<&Embedded>) -> Vec<String> {
    let Some(server) = embedded else {
        let address = shell_word(&arguments.nats);
        return vec![format!("workers join by: awale worker {address}")];
    };
    let address = server.address();
    let key = shell_word(&server.worker_key().to_string_lossy());
    if address.ip().is_loopback() {
        return vec![format!(
            "workers join by: awale worker nats://{address} --nkey {key}"
        )];
    }
    let machine = rustix::system::uname();
    let reached = if address.ip().is_unspecified() {
        format!(
            "{}:{}",
            machine.nodename().to_string_lossy(),
            address.port()
        )
    } else {
        address.to_string()
    };
    let mut lines = vec![format!(
        "workers join by: awale worker nats://{reached} --nkey {key}   (copy that file to them)"
    )];
    if arguments.server.tls_cert.is_none() {
        lines.push(
            "warning: without --tls-cert everybody in the network can read the programs and games \
             that travel"
                .to_owned(),
        );
    }
    lines
}

/// What workers need: the programs, the plan without its secret, and how the programs are started.
fn parcel(loaded: &Loaded) -> Result<(Stage, crate::nats::Parcel), Failure> {
    let resolved = &loaded.resolved;
    let all = 0..resolved.entrants.len();
    let named: Vec<_> = all.map(|index| named_files(loaded, index)).collect();
    let entrants = resolved.entrants.iter().zip(&named);
    let entrants = entrants.filter(|(it, _)| !it.bot.launch.is_own());
    let staged = entrants.map(|(entrant, named)| StagedEntrant {
        folder: entrant.folder.as_ref(),
        directory: &entrant.bot.launch.directory,
        named,
    });
    let failed = |error| Failure::machine(format!("cannot pack the programs for workers: {error}"));
    let mut stage = Stage::of(&resolved.folder, staged).map_err(failed)?;
    let public = RunDocument::new(
        Plan {
            secret: None,
            ..resolved.plan.clone()
        },
        RunSettings {
            toolchains: resolved.settings.toolchains,
            ..RunSettings::default()
        },
    );
    let mut plan = Vec::new();
    write_plan(&public, &mut plan)
        .map_err(|error| Failure::machine(format!("cannot write the plan: {error}")))?;
    let config = config::dump(resolved, DumpTo::Worker).into_bytes();
    let parcel = stage.parcel(&resolved.folder, plan, config);
    Ok((stage, parcel.map_err(failed)?))
}

/// A path without `..`, as it is laid out elsewhere.
fn without_parents(path: &Path) -> PathBuf {
    let mut whole = PathBuf::new();
    for part in path.components() {
        if part == Component::ParentDir {
            whole.pop();
        } else {
            whole.push(part);
        }
    }
    whole
}

/// The files that an entrant's command names by relative paths. What is typed as an absolute path must
/// be on a worker as it is here.
fn named_files(loaded: &Loaded, index: usize) -> Vec<GivenFile> {
    let resolved = &loaded.resolved;
    let identity = ProgramIdentity::of(&resolved.plan.entrants[index].program);
    let identity = identity.unwrap_or_default();
    let directory = &resolved.entrants[index].bot.launch.directory;
    let words = resolved.typed.entrants[index].command.value.iter();
    let is_file = |(place, word): &(usize, &str)| {
        let path = split_adapter(word).1;
        let is_path = *place > 0 || path.contains('/');
        is_path && !Path::new(path).is_absolute() && identity.files.contains_key(*word)
    };
    let words = words
        .map(|it| it.value.as_str())
        .enumerate()
        .filter(is_file);
    let files = words.map(|(_, word)| {
        let named = without_parents(&directory.join(split_adapter(word).1));
        GivenFile {
            source: named.clone(),
            named,
        }
    });
    files.collect()
}
