//! `awale worker`: plays pairs of a run that another machine has, until it is over.

use super::args::{PlayArguments, WorkerArguments};
use super::exit::{Exit, Failure, runtime, tell};
use super::run::{
    BotFactory, ConfigSource, Loaded, agree, build_all, check_trust, equip, has_strangers,
    keep_limits, listen, load, no_place, overrides, read_run,
};
use super::shard::shown;
use crate::config::{KeyFlag, Overrides, Purpose, SecretSource};
use crate::files::{self, Folder};
use crate::isolation::supervisor::Guard;
use crate::nats::{Access, Found, Hello, Left, WorkerError, find_run, measured_speed, work};
use crate::text::{counted, hexadecimal};
use crate::tournament::{Entrant, Phase, Plan, RunDocument, RunSetup, Schedule, Secret};
use rustix::rand::{GetRandomFlags, getrandom};
use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use tokio::sync::watch;

/// What the cache has: contents by their SHA-256, and folders of workers.
const CONTENTS: &str = "contents";
const LOCK: &str = "lock";
const FILES: &str = "files";
/// The configuration, beside the files.
const CONFIG: &str = "run.toml";
/// The most MiB of a configuration or a plan.
const MOST_MIB: u64 = 64;

/// Works until the run is over.
///
/// # Errors
/// The server or the machine fails, or this machine cannot play the run.
pub fn worker(arguments: &WorkerArguments, guard: &Guard) -> Result<Exit, Failure> {
    let interrupt = listen(guard)?;
    let access = arguments.server.access(&arguments.url);
    let cache = cache(arguments)?;
    let failed = |error| cannot_cache(&cache, &error);
    let contents = Folder::create(&cache.join(CONTENTS)).map_err(failed)?;
    let (place, _lock) = own_place(&cache).map_err(failed)?;
    loop {
        let found = find_run(&access, &contents, interrupt.clone(), &tell);
        let Some(found) = runtime()?.block_on(found).map_err(failure)? else {
            return Ok(Exit::Interrupted);
        };
        let left = play(
            arguments,
            guard,
            (&access, &found),
            &contents,
            &place,
            &interrupt,
        )?;
        match left {
            Left::Over => {
                tell("the run is over");
                return Ok(Exit::Done);
            }
            Left::Interrupted => return Ok(Exit::Interrupted),
            Left::PutAside(reason) => {
                tell(&format!("this machine gets no more work: {reason}"));
                return Ok(Exit::Attention);
            }
            Left::Broken(reason) => {
                return Err(Failure::machine(format!(
                    "this machine cannot play: {reason}"
                )));
            }
            Left::Silent => tell("nobody collects the run any more"),
        }
    }
}

fn failure(error: WorkerError) -> Failure {
    match error {
        WorkerError::Version(..) => Failure::usage(error),
        error => Failure::machine(error),
    }
}

/// The folder of the cache.
fn cache(arguments: &WorkerArguments) -> Result<PathBuf, Failure> {
    if let Some(cache) = &arguments.cache {
        return std::path::absolute(cache).map_err(|error| cannot_cache(cache, &error));
    }
    files::user_cache().ok_or_else(|| {
        Failure::usage("this user has no home for a cache: name a folder with --cache")
    })
}

fn cannot_cache(cache: &Path, error: &io::Error) -> Failure {
    Failure::machine(format!(
        "cannot write to the cache {}: {error}; name another folder with --cache",
        shown(cache)
    ))
}

/// A folder that no other worker of this machine has meanwhile, and its lock.
fn own_place(cache: &Path) -> io::Result<(PathBuf, File)> {
    let mut number = 1_u32;
    loop {
        let place = cache.join(format!("worker-{number}"));
        let lock = Folder::create(&place)?.append(LOCK, 0o600)?;
        match lock.try_lock() {
            Ok(()) => return Ok((place, lock)),
            Err(TryLockError::WouldBlock) => number += 1,
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}

/// Plays what the collector of a run asks for.
fn play(
    arguments: &WorkerArguments,
    guard: &Guard,
    (access, found): (&Access, &Found),
    contents: &Folder,
    place: &Path,
    interrupt: &watch::Receiver<Phase>,
) -> Result<Left, Failure> {
    let run = read_run(&contents.path(&found.parcel.plan))?;
    let hash = run.plan.hash();
    let (loaded, other_programs) = lay_out(arguments, guard, found, contents, place, run)?;
    let (resolved, isolation) = (&loaded.resolved, &loaded.isolation);
    check_trust(
        arguments.i_trust_these_bots,
        isolation,
        has_strangers(resolved),
    )?;
    for line in isolation.banner() {
        tell(&format!("warning: {line}"));
    }
    let freeze = resolved.typed.isolation.freeze;
    let equipment = equip(resolved, &isolation.mechanism, guard, freeze)?;
    let begin = |programs| {
        let programs = counted(programs, "program", "programs");
        tell(&format!("building {programs}"));
    };
    let built = build_all(resolved, place, &equipment, &|_| true, interrupt, begin)?;
    let gate = built.gate(&resolved.gate);
    let factory = BotFactory::new(&equipment, built.bots, resolved, None);
    let factory = factory.map_err(|error| no_place(&error))?;
    let (keep, warning) = keep_limits(resolved);
    for warning in warning.into_iter().chain(equipment.warnings()) {
        tell(&format!("warning: {warning}"));
    }
    let slots = resolved.cores_of_slots();
    let hello = Hello {
        worker: drawn_number().map_err(|error| Failure::machine(error.to_string()))?,
        host: rustix::system::uname()
            .nodename()
            .to_string_lossy()
            .into_owned(),
        awale: env!("CARGO_PKG_VERSION").to_owned(),
        plan: hash,
        level: resolved.level.name().to_owned(),
        slots: u32::try_from(slots.len()).unwrap_or(u32::MAX),
        speed: measured_speed(),
        other_programs,
        leaves: None,
    };
    let schedule = Schedule::new(&resolved.plan);
    let setup = RunSetup {
        gate,
        slots,
        keep,
        endgame: resolved.endgame_judge(),
        ..RunSetup::new(&resolved.plan, &schedule, &resolved.openings)
    };
    tell(&format!(
        "playing for {} on {}, {:.1} million nodes a second",
        access.url,
        counted(setup.slots.len(), "slot", "slots"),
        hello.speed as f64 / 1e6
    ));
    work(access, found, &hello, &setup, &factory, interrupt).map_err(failure)
}

/// Lays the files of a run out, and finds the programs. What is here must be what the plan says.
/// Returns the programs of this machine that differ, and may.
fn lay_out(
    arguments: &WorkerArguments,
    guard: &Guard,
    found: &Found,
    contents: &Folder,
    place: &Path,
    run: RunDocument,
) -> Result<(Loaded, Vec<String>), Failure> {
    let files = place.join(FILES);
    let content = |hash: &str| contents.read(hash, crate::nats::MOST_MIB);
    found
        .parcel
        .lay_out(&files, content)
        .map_err(Failure::machine)?;
    let text = files::read_text(&contents.path(&found.parcel.config), MOST_MIB);
    let text = text.map_err(|error| cannot_cache(place, &error))?;
    let folder = files.join(&found.parcel.folder);
    let flags = PlayArguments {
        slots: arguments.slots,
        output: Some(place.to_owned()),
        oversubscribe: arguments.oversubscribe,
        ..PlayArguments::default()
    };
    let folder = format!("{:?}", folder.to_string_lossy());
    let folder = KeyFlag::typed("--cache", ["tournament", "folder"], Some(folder));
    let secret = Secret::drawn().map_err(|error| Failure::machine(error.to_string()))?;
    let flags = Overrides {
        // Every game comes with what it needs of that of the run.
        secret: SecretSource::Given(Some(secret)),
        purpose: if run.plan.test.is_some() {
            Purpose::Match
        } else {
            Purpose::Tournament
        },
        ..overrides(&flags, [folder])
    };
    let source = ConfigSource::Text(&text, place.join(CONFIG));
    let mut loaded = load(&source, &flags, None, Some(guard))?;
    loaded.cores = loaded.resolved.take_cores();
    let here = &mut loaded.resolved.plan;
    // Only the programs are found here; everything else is the collector's.
    let programs = here.entrants.iter().map(|it| (&it.name, &it.program));
    let same = |(planned, (name, program)): (&Entrant, (&String, &serde_json::Value))| Entrant {
        name: name.clone(),
        program: program.clone(),
        ..planned.clone()
    };
    let entrants = run.plan.entrants.iter().zip(programs).map(same).collect();
    *here = Plan {
        entrants,
        ..run.plan.clone()
    };
    let others = agree(&mut loaded, Some(run))?;
    Ok((loaded, others))
}

/// A number that no other worker has.
fn drawn_number() -> io::Result<String> {
    let mut bytes = [0; 8];
    getrandom(&mut bytes, GetRandomFlags::empty())?;
    Ok(hexadecimal(&bytes))
}
