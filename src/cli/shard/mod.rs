//! `awale shard`: plays a part of a run on any machine, and leaves its journal whole or not at all.
//!
//! ```text
//! 7.jsonl.node3.part/  the run's folder of this shard while it is played: a killed one goes on
//!      ├──▶ 7.files/   evidence, logs, plan.toml
//!      └──▶ 7.jsonl    its journal, by a rename
//! ```
//!
//! ```text
//! whole    whether a shard has all of its games
//! scripts  job scripts for a cluster
//! ```

mod scripts;
mod whole;

use super::args::{PlayArguments, ShardArguments};
use super::exit::{Exit, Failure, tell};
use super::run::{
    ConfigSource, Loaded, OnChange, Session, agree, load, overrides, read_run, refuse_dealt,
};
use crate::config::{self, DumpTo, EndgameSource, Overrides, Purpose, SecretSource};
use crate::files::{Folder, remove_folder};
use crate::isolation::supervisor::Guard;
use crate::record::PlayedAt;
use crate::run_folder::kept_folders::{BUILDS, VERSIONS};
use crate::run_folder::{self, JOURNAL, PLAN};
use crate::shard::{JOURNALS, Share, files_beside, ranges, write_plan};
use crate::text::{counted, printable, shell_word, slug};
use crate::tournament::{RunDocument, RunShard, Schedule};
use scripts::write_scripts;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::ops::Range;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use whole::WholeShard;

/// The plan in a folder of shards.
pub const PLAN_FILE: &str = "plan.json";
/// What a copy of a shard locks in its folder.
const LOCK: &str = "lock";

/// Writes the plan of a run to a file.
///
/// # Errors
/// The configuration is wrong, or the file is there.
pub fn write(arguments: &ShardArguments) -> Result<Exit, Failure> {
    let path = arguments
        .write_plan
        .as_deref()
        .expect("the flag of this command");
    let loaded = resolve(arguments, None, None, None)?;
    let run = loaded.resolved.document();
    put_plan(path, &loaded)?;
    tell(&format!(
        "{} is the plan of {} with the run's secret: show it to nobody who has a bot in it",
        shown(path),
        counted(Schedule::new(&run.plan).pairs.len(), "pair", "pairs")
    ));
    Ok(Exit::Done)
}

/// Writes the plan for shards, and beside it for people.
fn put_plan(path: &Path, loaded: &Loaded) -> Result<(), Failure> {
    let people = path.with_extension("toml");
    if let Some(there) = [path, &people].into_iter().find(|it| it.exists()) {
        return Err(Failure::usage(format!(
            "{} is there already, and shards may have been played by it: name another file",
            shown(there)
        )));
    }
    let text = config::dump(&loaded.resolved, DumpTo::Folder);
    let written = private_file(&people).and_then(|mut it| it.write_all(text.as_bytes()));
    let run = loaded.resolved.document();
    let written = written.and_then(|()| write_plan(&run, private_file(path)?));
    written.map_err(|error| {
        Failure::machine(format!("cannot write the plan {}: {error}", shown(path)))
    })
}

/// A new file that its owner alone can read: it has the secret of a run, or shows where that is.
fn private_file(path: &Path) -> io::Result<File> {
    let mut file = OpenOptions::new();
    file.write(true).create_new(true).mode(0o600).open(path)
}

/// Plays a shard, or measures and writes job scripts.
///
/// # Errors
/// The configuration is not that of the plan, or the machine fails.
pub fn shard(arguments: &ShardArguments, guard: &Guard) -> Result<Exit, Failure> {
    if let Some(carrier) = arguments.script {
        return write_scripts(arguments, carrier, guard);
    }
    let output = arguments.output.as_deref().expect("a shard has an output");
    let run = arguments.plan.as_deref().map(read_run).transpose()?;
    if run.is_none() {
        check_secret_is_typed(arguments)?;
    }
    check_output(output)?;
    let (part, _lock) = part_folder(output)?;
    let played = play_in(arguments, guard, output, &part, run);
    if !part.join(JOURNAL).exists() && part.exists() {
        // Nothing was begun.
        remove_folder(&part).map_err(|error| cannot_write(output, &error))?;
    }
    played
}

/// Plays a shard in this folder, and puts it in its place.
fn play_in(
    arguments: &ShardArguments,
    guard: &Guard,
    output: &Path,
    part: &Path,
    run: Option<RunDocument>,
) -> Result<Exit, Failure> {
    let mut loaded = resolve(arguments, run.as_ref(), Some(part), Some(guard))?;
    let others = agree(&mut loaded, run)?;
    let plan = &loaded.resolved.plan;
    let schedule = Schedule::new(plan);
    let places = share(arguments).places(schedule.pairs.len());
    let places = places.map_err(Failure::usage)?;
    if places.is_empty() {
        let pairs = counted(schedule.pairs.len(), "pair", "pairs");
        return Err(Failure::usage(format!(
            "this shard has no pair: the plan has {pairs}"
        )));
    }
    let whole = WholeShard {
        plan,
        schedule: &schedule,
        places: places.clone(),
    };
    if whole.is_there(output)? {
        tell(&format!(
            "{} is there already: nothing is played",
            shown(output)
        ));
        return Ok(Exit::Done);
    }
    play(arguments, guard, &loaded, places, others)?;
    let Some(open) = whole.still_open(&part.join(JOURNAL))? else {
        tell("interrupted: the same command goes on with this shard");
        return Ok(Exit::Interrupted);
    };
    let placed = put_in_place(part, output, &whole);
    placed.map_err(|error| cannot_write(output, &error))?;
    tell(&format!("{} has its games", shown(output)));
    if open.is_empty() {
        return Ok(Exit::Done);
    }
    tell(&format!(
        "the host made a game of these pairs void every time, and the same command plays them again: {}",
        ranges(&open).join(", ")
    ));
    Ok(Exit::Attention)
}

fn cannot_write(output: &Path, error: &io::Error) -> Failure {
    Failure::machine(format!("cannot write {}: {error}", shown(output)))
}

/// Refuses a name beside which something else would be overwritten.
fn check_output(output: &Path) -> Result<(), Failure> {
    if output.extension().is_none_or(|it| it != JOURNALS) {
        return Err(Failure::usage(format!(
            "--output takes a journal, as in 7.{JOURNALS}, and not {}",
            shown(output)
        )));
    }
    let files = files_beside(output);
    if files.exists() && !files.join(PLAN).exists() {
        return Err(Failure::usage(format!(
            "{} is there, and no shard has made it: name another --output",
            shown(&files)
        )));
    }
    Ok(())
}

fn share(arguments: &ShardArguments) -> Share {
    match (arguments.pairs, arguments.index, arguments.of) {
        (Some(pairs), ..) => pairs,
        (None, index, of) => Share::Part {
            index: index.unwrap_or(0),
            of: of.unwrap_or(0),
        },
    }
}

/// Without a plan, each shard would draw a secret, and so openings, of its own.
fn check_secret_is_typed(arguments: &ShardArguments) -> Result<(), Failure> {
    let loaded = resolve(arguments, None, None, None)?;
    if loaded.resolved.typed.tournament.secret.is_some() {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "each shard would draw other openings: write the plan once by `awale shard {} --write-plan \
         {PLAN_FILE}`, and add --plan {PLAN_FILE} to each shard",
        shell_word(&arguments.config.to_string_lossy())
    )))
}

/// The configuration as it is on this machine. Without a plan the secret is that of the run's folder, or
/// a new one.
fn resolve(
    arguments: &ShardArguments,
    run: Option<&RunDocument>,
    output: Option<&Path>,
    guard: Option<&Guard>,
) -> Result<Loaded, Failure> {
    let (secret, endgame) = match run {
        Some(RunDocument { plan, .. }) => (
            SecretSource::Given(plan.secret.clone()),
            EndgameSource::Given(plan.endgame.clone()),
        ),
        None => (
            SecretSource::FolderOrDrawn(run_folder::kept_secret),
            EndgameSource::Folder(run_folder::kept_plan),
        ),
    };
    let is_test = run.map_or(arguments.sprt, |it| it.plan.test.is_some());
    let flags = Overrides {
        secret,
        endgame,
        purpose: if is_test {
            Purpose::Test
        } else {
            Purpose::Tournament
        },
        ..overrides(&play_arguments(arguments, output), [])
    };
    let source = ConfigSource::File(&arguments.config);
    let mut loaded = load(&source, &flags, None, guard)?;
    if guard.is_some() {
        loaded.cores = loaded.resolved.take_cores();
    }
    refuse_dealt(&loaded.resolved.plan)?;
    Ok(loaded)
}

/// The same flags as those of other commands that play.
fn play_arguments(arguments: &ShardArguments, output: Option<&Path>) -> PlayArguments {
    PlayArguments {
        slots: arguments.slots,
        output: output.map(Path::to_owned),
        sets: arguments.sets.clone(),
        isolation: arguments.isolation.clone(),
        i_trust_these_bots: arguments.i_trust_these_bots,
        oversubscribe: arguments.oversubscribe,
        quiet: arguments.quiet,
        ..PlayArguments::default()
    }
}

fn play(
    arguments: &ShardArguments,
    guard: &Guard,
    loaded: &Loaded,
    places: Range<usize>,
    other_programs: Vec<String>,
) -> Result<(), Failure> {
    let machine = rustix::system::uname();
    let at = PlayedAt {
        host: machine.nodename().to_string_lossy().into_owned(),
        other_programs,
    };
    let flags = play_arguments(arguments, Some(&loaded.resolved.output));
    let session = Session::new(&flags, guard, loaded, OnChange::Refuse)?;
    session.play_shard(RunShard { pairs: places, at })
}

/// The folder of this shard while it is played on this machine, and the lock that it holds. A second
/// copy at the same moment has another one.
fn part_folder(output: &Path) -> Result<(PathBuf, File), Failure> {
    let machine = rustix::system::uname();
    let name = output.file_name().unwrap_or_default().to_string_lossy();
    let host = slug(&machine.nodename().to_string_lossy());
    let mut number = 1_u32;
    loop {
        let copy = match number {
            1 => String::new(),
            number => format!(".{number}"),
        };
        let part = output.with_file_name(format!("{name}.{host}{copy}.part"));
        let failed = |error: io::Error| {
            Failure::machine(format!("cannot make the folder {}: {error}", shown(&part)))
        };
        let folder = Folder::create(&part).map_err(failed)?;
        let lock = folder.append(LOCK, 0o600).map_err(failed)?;
        match lock.try_lock() {
            Ok(()) => return Ok((part, lock)),
            Err(TryLockError::WouldBlock) => number += 1,
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
    }
}

/// Gives the journal of a whole shard its name, and what is beside it first. One that was killed between
/// the two is played again.
fn put_in_place(part: &Path, output: &Path, whole: &WholeShard<'_>) -> io::Result<()> {
    let around = output.parent().filter(|it| *it != Path::new(""));
    let around = Folder::open(around.unwrap_or(Path::new(".")))?;
    let files = files_beside(output);
    for needless in [BUILDS, VERSIONS] {
        Folder::open(part)?.remove(needless)?;
    }
    if whole.is_there(output).unwrap_or(false) {
        // Another copy was faster, and has the same games.
        return remove_folder(part);
    }
    if files.exists() {
        remove_folder(&files)?;
    }
    fs::rename(part, &files)?;
    fs::rename(files.join(JOURNAL), output)?;
    // Held until nobody can take the folder for one that is played.
    Folder::open(&files)?.remove(LOCK)?;
    around.sync()
}

/// A path in a message.
pub fn shown(path: &Path) -> String {
    printable(&path.to_string_lossy())
}
