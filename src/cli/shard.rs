//! `awale shard`: plays a part of a run on any machine, and leaves its journal whole or not at all.
//!
//! ```text
//! 7.jsonl.node3.part/  the run's folder of this shard while it is played: a killed one goes on
//!      ├──▶ 7.files/   evidence, logs, plan.toml
//!      └──▶ 7.jsonl    its journal, by a rename
//! ```

use super::args::{PlayArguments, ShardArguments};
use super::exit::{Exit, Failure, tell};
use super::run::{ConfigSource, Loaded, OnChange, Session, agree, load, overrides, read_run};
use crate::config::{self, DumpTo, Overrides, Purpose, SecretSource};
use crate::files::{Folder, remove_folder};
use crate::isolation::supervisor::Guard;
use crate::record::PlayedAt;
use crate::run_folder::kept_folders::{BUILDS, VERSIONS};
use crate::run_folder::{self, JOURNAL, PLAN, RunFolder};
use crate::shard::script::{Carrier, JOB_SCRIPT, Jobs, SHARDS, START_SCRIPT};
use crate::shard::{JOURNALS, ShardFile, Share, files_beside, open_pairs, ranges, write_plan};
use crate::text::{counted, long_time, printable, shell_word, slug};
use crate::tournament::{
    ATTEMPTS, Entry, JournalReader, Plan, Progress, RunDocument, RunShard, Schedule,
};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::ops::Range;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// The plan in a folder of shards.
pub const PLAN_FILE: &str = "plan.json";
/// What a copy of a shard locks in its folder.
const LOCK: &str = "lock";
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
    let written = write_private(&people, &text);
    let written = written.and_then(|()| write_plan(path, &loaded.resolved.document()));
    written.map_err(|error| {
        Failure::machine(format!("cannot write the plan {}: {error}", shown(path)))
    })
}

/// Writes a new file that its owner alone can read: it has the secret of a run, or shows where that is.
fn write_private(path: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new();
    let mut file = file.write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())
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
    let mut loaded = resolve(arguments, run.as_ref(), Some(&part), Some(guard))?;
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
        remove_folder(&part).map_err(|error| cannot_write(output, &error))?;
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
    let placed = put_in_place(&part, output, &whole);
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
    let secret = match run {
        Some(run) => SecretSource::Given(run.plan.secret.clone()),
        None => SecretSource::FolderOrDrawn(run_folder::kept_secret),
    };
    let is_test = run.map_or(arguments.sprt, |it| it.plan.test.is_some());
    let flags = Overrides {
        secret,
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

/// What a shard has when it is whole.
struct WholeShard<'a> {
    plan: &'a Plan,
    schedule: &'a Schedule,
    places: Range<usize>,
}

impl WholeShard<'_> {
    /// Whether a journal has every game, each of its lines being sound.
    fn is_there(&self, journal: &Path) -> Result<bool, Failure> {
        let Ok(shard) = ShardFile::open(journal) else {
            return Ok(false);
        };
        let Some(progress) = self.progress(shard, true) else {
            return Ok(false);
        };
        let Some(progress) = progress else {
            return Err(Failure::usage(format!(
                "{} is there, and is a shard of another plan: name another --output",
                shown(journal)
            )));
        };
        let others = (0..self.schedule.pairs.len()).filter(|it| !self.places.contains(it));
        let is_done = |place: &usize| {
            let games = self.schedule.pairs[*place].game_ids();
            games.iter().any(|it| progress.is_done(it))
        };
        let others: Vec<usize> = others.filter(is_done).collect();
        if others.is_empty() {
            return Ok(self.open(&progress).is_empty());
        }
        Err(Failure::usage(format!(
            "{} is there, and has the pairs {} too: name another --output",
            shown(journal),
            ranges(&others).join(", ")
        )))
    }

    /// The pairs that stay open because the host made their games void every time; `None` if some were
    /// not tried: the shard was interrupted.
    fn still_open(&self, journal: &Path) -> Result<Option<Vec<usize>>, Failure> {
        let shard = ShardFile::open(journal);
        let shard =
            shard.map_err(|error| Failure::machine(format!("{}: {error}", shown(journal))))?;
        let Some(Some(progress)) = self.progress(shard, false) else {
            return Ok(None);
        };
        let open = self.open(&progress);
        let tried = |place: &usize| {
            let games = self.schedule.pairs[*place].game_ids();
            let mut open = games.iter().filter(|it| !progress.is_done(it));
            open.all(|game| progress.next_attempt(game) > ATTEMPTS)
        };
        Ok(open.iter().all(tried).then_some(open))
    }

    /// What a journal has; `None` if a line of it is damaged, or within it if it is of another plan.
    fn progress(&self, shard: ShardFile, strictly: bool) -> Option<Option<Progress>> {
        let mut reader = JournalReader::surveying(shard.journal).counting_for(self.plan);
        let mut progress = Progress::default();
        loop {
            match reader.next_entry() {
                Ok(Some(Entry::Game(record))) => progress.note(&record),
                Ok(Some(Entry::Admission(admission))) => progress.note_admission(&admission),
                Ok(Some(Entry::Withdrawal(_))) => {}
                Ok(None) => break,
                Err(_) if strictly => return None,
                Err(_) => {}
            }
        }
        if strictly && reader.state.text.torn_bytes > 0 {
            return None;
        }
        let plan = reader.state.plan.filter(|it| it.hash_fits)?;
        Some((plan.run.plan.hash() == self.plan.hash()).then_some(progress))
    }

    /// The pairs with a game that has no result, though both entrants are admitted.
    fn open(&self, progress: &Progress) -> Vec<usize> {
        let may_play = |place: usize| {
            let mut entrants = self.schedule.pairs[place].entrants.iter();
            entrants.all(|it| {
                let name = &self.plan.entrants[it.index()].name;
                progress.refusal(name).is_none()
            })
        };
        let places = self.places.clone();
        open_pairs(self.schedule, places, progress, |_, place| may_play(place))
    }
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

/// Measures how long games take, and writes the plan and the scripts.
fn write_scripts(
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
    let folder = arguments.folder.clone().unwrap_or_else(|| {
        let mut name = results.clone().into_os_string();
        name.push(".shards");
        name.into()
    });
    for path in [&folder, &results, &arguments.config] {
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
        write_private(&folder.join(name), &text).map_err(failed)?;
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

/// Plays the first pairs of the schedule, one for each slot and one more.
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
    let absolute = |path: &Path| {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        path.to_string_lossy().into_owned()
    };
    let own = std::env::current_exe().unwrap_or_else(|_| "awale".into());
    let words = [
        &absolute(&own),
        "shard",
        &absolute(&arguments.config),
        "--plan",
        &absolute(&folder.join(PLAN_FILE)),
        "--slots",
        &slots.number.to_string(),
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
        command,
        folder: absolute(folder),
        merge: format!(
            "awale merge {results} {shards_folder} --watch{}",
            if is_test { " --cancel" } else { "" }
        ),
    }
}

fn shown(path: &Path) -> String {
    printable(&path.to_string_lossy())
}
