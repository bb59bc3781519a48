//! `awale shard --script`: measures how long games take, and writes the plan and the scripts.

use super::{PLAN_FILE, play, private_file, put_plan, resolve, shown};
use crate::cli::args::ShardArguments;
use crate::cli::exit::{Exit, Failure, tell};
use crate::cli::run::{agree, read_run};
use crate::files::remove_folder;
use crate::isolation::supervisor::Guard;
use crate::run_folder::RunFolder;
use crate::shard::script::{Carrier, JOB_SCRIPT, Jobs, SHARDS, START_SCRIPT};
use crate::text::{counted, long_time, shell_word};
use crate::tournament::{RunDocument, Schedule};
use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// How long a shard is to play.
const SHARD_TIME: Duration = Duration::from_secs(120);
/// What a slower machine may take more, and what comes before the first game.
const RESERVE: u64 = 3;
const RESERVE_MINUTES: u64 = 10;
/// The largest array of jobs, unless the site says another one: Slurm's usual limit, and the most that
/// anybody overlooks.
const MOST_SHARDS: usize = 1_000;
/// How many shards of a sequential test are played at a time, if nothing else is typed.
const TEST_TOGETHER: u32 = 8;
/// Pairs of a sequential test that each slot plays before the first of them must be known: as in a run
/// on one machine.
const TEST_WINDOW: usize = 4;

/// Measures, and writes the scripts.
///
/// # Errors
/// The folder is there, or the first pairs cannot be played.
pub fn write_scripts(
    arguments: &ShardArguments,
    carrier: Carrier,
    guard: &Guard,
) -> Result<Exit, Failure> {
    let run = arguments.plan.as_deref().map(read_run).transpose()?;
    let mut described = resolve(arguments, run.as_ref(), None, None)?;
    let results = described.resolved.output.clone();
    if let Some(run) = run {
        agree(&mut described, Some(run))?;
    }
    let run = described.resolved.document();
    let folder = new_folder(arguments, &results)?;
    let failed = |error: io::Error| {
        Failure::machine(format!(
            "cannot write the shards' folder {}: {error}",
            shown(&folder)
        ))
    };
    fs::create_dir_all(&folder).map_err(failed)?;
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).map_err(failed)?;
    let folder = fs::canonicalize(&folder).map_err(failed)?;
    put_plan(&folder.join(PLAN_FILE), &described)?;
    drop(described);
    let pairs = Schedule::new(&run.plan).pairs.len();
    let part = folder.join("measure.part");
    let slots = match measure(arguments, guard, &run, &part) {
        Ok(slots) => slots,
        Err(failure) => {
            // So that the same command can be tried again.
            remove_folder(&folder).map_err(failed)?;
            return Err(failure);
        }
    };
    remove_folder(&part).map_err(failed)?;
    let most = match carrier {
        Carrier::Slurm => site_limit().unwrap_or(MOST_SHARDS),
        Carrier::HyperQueue | Carrier::Parallel => MOST_SHARDS,
    };
    let measured = Measured { pairs, slots, most };
    let jobs = jobs(arguments, &run, &measured, &folder, &results);
    for (name, text) in [
        (SHARDS, format!("{}\n", jobs.shards)),
        (JOB_SCRIPT, jobs.job_script(carrier)),
        (START_SCRIPT, jobs.start_script(carrier)),
    ] {
        let file = private_file(&folder.join(name));
        let written = file.and_then(|mut it| it.write_all(text.as_bytes()));
        written.map_err(failed)?;
    }
    let each = pairs.div_ceil(jobs.shards as usize);
    tell(&format!(
        "{} of {}, about {} each with {}",
        counted(jobs.shards as usize, "shard", "shards"),
        counted(each, "pair", "pairs"),
        long_time(slots.pair * u32::try_from(each).unwrap_or(u32::MAX) / slots.number),
        counted(slots.number as usize, "slot", "slots")
    ));
    tell(&format!(
        "look at the scripts, then start and merge them:\n  sh {}\n  {}",
        shell_word(&folder.join(START_SCRIPT).to_string_lossy()),
        jobs.merge
    ));
    Ok(Exit::Done)
}

/// The folder of the shards, which is not there yet.
fn new_folder(arguments: &ShardArguments, results: &Path) -> Result<PathBuf, Failure> {
    let folder = arguments.folder.clone().unwrap_or_else(|| {
        let mut name = results.as_os_str().to_owned();
        name.push(".shards");
        name.into()
    });
    for path in [folder.as_path(), results, &arguments.config] {
        check_scriptable(path)?;
    }
    if folder.exists() {
        let start = folder.join(START_SCRIPT);
        let again = if start.exists() {
            format!(
                "start that again by sh {}",
                shell_word(&start.to_string_lossy())
            )
        } else {
            "remove it if it is of no use".to_owned()
        };
        return Err(Failure::usage(format!(
            "{} is there already: name another folder with --folder, or {again}",
            shown(&folder)
        )));
    }
    Ok(folder)
}

/// Refuses paths that no script can name.
fn check_scriptable(path: &Path) -> Result<(), Failure> {
    let is_fit = path
        .to_str()
        .is_some_and(|it| !it.contains(char::is_control));
    if is_fit {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "{} cannot stand in a script: name a path of letters that can be seen",
        shown(path)
    )))
}

/// The largest array that Slurm takes here; `None` where there is no Slurm.
fn site_limit() -> Option<usize> {
    let said = Command::new("scontrol")
        .args(["show", "config"])
        .output()
        .ok()?;
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    let line = said
        .lines()
        .find(|it| it.trim_start().starts_with("MaxArraySize"))?;
    let size: usize = line.split_once('=')?.1.trim().parse().ok()?;
    // Indexes begin at 0, and shards at 1.
    size.checked_sub(1).filter(|it| *it > 0)
}

/// What decides how many shards there are.
#[derive(Clone, Copy, Debug)]
struct Measured {
    /// The pairs of the plan.
    pairs: usize,
    slots: Slots,
    /// The most shards.
    most: usize,
}

/// What was measured.
#[derive(Clone, Copy, Debug)]
struct Slots {
    /// Games at a time.
    number: u32,
    /// What a pair takes on one slot.
    pair: Duration,
}

/// Plays the first pairs of the schedule, two for each slot.
fn measure(
    arguments: &ShardArguments,
    guard: &Guard,
    run: &RunDocument,
    part: &Path,
) -> Result<Slots, Failure> {
    let mut loaded = resolve(arguments, Some(run), Some(part), Some(guard))?;
    agree(&mut loaded, Some(run.clone()))?;
    let schedule = Schedule::new(&run.plan);
    let number = loaded.resolved.settings.slots.max(1);
    let count = (2 * number as usize).min(schedule.pairs.len()).max(1);
    tell(&format!(
        "measuring: plays {} first",
        counted(count, "pair", "pairs")
    ));
    let begun = Instant::now();
    play(arguments, guard, &loaded, 0..count, Vec::new())?;
    let took = begun.elapsed();
    let (_, progress) = RunFolder::open_to_read(part)
        .map_err(|error| Failure::machine(format!("{}: {error}", shown(part))))?
        .read_for(&run.plan)?;
    if (0..count).any(|it| {
        !schedule.pairs[it]
            .game_ids()
            .iter()
            .all(|game| progress.is_done(game))
    }) {
        return Err(Failure::usage(
            "the first pairs could not be played to their ends, so nothing is known of the time; see \
             above, and try awale run --dry-run",
        ));
    }
    // Examinations are not what a shard takes for its games.
    let sides = loaded
        .resolved
        .gate
        .candidates
        .iter()
        .filter_map(|it| progress.side_time(&run.plan.entrants[it.index()].name));
    let examined: Duration = sides.map(|side| 3 * side).sum();
    let played = took
        .saturating_sub(examined / number)
        .max(Duration::from_millis(1));
    let pair = played * number / u32::try_from(count).unwrap_or(1);
    Ok(Slots { number, pair })
}

/// The number of shards, and their commands.
fn jobs(
    arguments: &ShardArguments,
    run: &RunDocument,
    &Measured { pairs, slots, most }: &Measured,
    folder: &Path,
    results: &Path,
) -> Jobs {
    let is_test = run.plan.test.is_some();
    let at_once = slots.number as usize;
    let each = if is_test {
        TEST_WINDOW * at_once
    } else {
        let pair = slots.pair.as_secs_f64().max(1e-6);
        let wanted = SHARD_TIME.as_secs_f64() * f64::from(slots.number) / pair;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a small number, or all pairs"
        )]
        let wanted = wanted.min(pairs as f64) as usize;
        wanted.max(at_once)
    };
    let together = arguments.together.unwrap_or(1) as usize;
    let shards = pairs.div_ceil(each.max(1)).max(together).min(pairs);
    let shards = shards.clamp(1, most);
    let each = pairs.div_ceil(shards);
    let seconds = slots.pair.as_secs_f64() * each as f64 / f64::from(slots.number);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "minutes of a shard"
    )]
    let minutes = (seconds / 60.0).ceil() as u64;
    let [results, shards_folder] = [results, folder].map(|it| shell_word(&absolute(it)));
    Jobs {
        name: run.settings.name.clone(),
        shards: u32::try_from(shards).unwrap_or(u32::MAX),
        together: arguments
            .together
            .unwrap_or(if is_test { TEST_TOGETHER } else { 0 }),
        slots: slots.number,
        processors: std::thread::available_parallelism()
            .map_or(1, |it| u32::try_from(it.get()).unwrap_or(u32::MAX)),
        minutes: RESERVE * minutes + RESERVE_MINUTES,
        command: command(arguments, slots.number, folder),
        folder: absolute(folder),
        merge: format!(
            "awale merge {results} {shards_folder} --watch{}",
            if is_test { " --cancel" } else { "" }
        ),
    }
}

/// The command that plays a shard, but for its number and its output.
fn command(arguments: &ShardArguments, slots: u32, folder: &Path) -> Vec<String> {
    let own = std::env::current_exe().unwrap_or_else(|_| "awale".into());
    let words = [
        &absolute(&own),
        "shard",
        &absolute(&arguments.config),
        "--plan",
        &absolute(&folder.join(PLAN_FILE)),
        "--slots",
        &slots.to_string(),
        "--quiet",
    ];
    let mut command: Vec<String> = words.map(str::to_owned).to_vec();
    // The plan has the secret, and everybody sees a command that runs.
    let is_secret = |set: &&String| set.trim_start().starts_with("tournament.secret");
    for set in arguments.sets.iter().filter(|it| !is_secret(it)) {
        command.extend(["--set".to_owned(), set.clone()]);
    }
    if let Some(level) = &arguments.isolation {
        command.extend(["--isolation".to_owned(), level.clone()]);
    }
    for (is_typed, flag) in [
        (arguments.i_trust_these_bots, "--i-trust-these-bots"),
        (arguments.oversubscribe, "--oversubscribe"),
    ] {
        command.extend(is_typed.then(|| flag.to_owned()));
    }
    command
}

fn absolute(path: &Path) -> String {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    path.to_string_lossy().into_owned()
}
