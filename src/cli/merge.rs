//! `awale merge`: takes the games of shards into the folder of their run, and writes its tables; with
//! `--watch` as they come.

use super::args::{MergeArguments, ReportArguments};
use super::exit::{Exit, Failure, tell};
use super::report::report;
use super::run::read_run;
use super::shard::{PLAN_FILE, shown};
use crate::config::MOST_PLAN_MIB;
use crate::files;
use crate::record::GameId;
use crate::run_folder::{
    FoundJournal, JOURNAL, PLAN, RunFolder, last_plan, planned_database, verdict,
};
use crate::shard::script::{Carrier, JOB, SHARDS};
use crate::shard::{Collector, JOURNALS, ShardFile, Taken, open_pairs, ranges};
use crate::text::{counted, shell_word};
use crate::tournament::{RunDocument, RunOutcome};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, SystemTime};

/// How often shards are looked for.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Ranges of missing pairs that are named.
const MOST_RANGES: usize = 10;

/// Merges.
///
/// # Errors
/// The folder cannot be that of the run, or the machine fails. What is wrong with shards is told.
pub fn merge(arguments: &MergeArguments) -> Result<Exit, Failure> {
    let places = &arguments.shards;
    if let Some(absent) = places.iter().find(|it| !it.exists() && !arguments.watch) {
        return Err(Failure::usage(format!(
            "there is no file or folder {}",
            shown(absent)
        )));
    }
    check_folder(&arguments.folder)?;
    let (run, plan) = run_of(arguments)?;
    let endgame = planned_database(&run.plan)?;
    let endgame = endgame.map(|it| Arc::new(it.values().clone()) as _);
    await_shards(arguments)?;
    let folder = RunFolder::open(&arguments.folder)?;
    let found = folder.find(&run.plan)?;
    let journal = folder.journal(&run, &found)?;
    if let Some(plan) = plan {
        copy_plan(&plan, &folder)?;
    }
    let FoundJournal {
        progress, games, ..
    } = found;
    let collector = Collector::new(&folder, &run, journal, (&games, progress), endgame);
    let mut collector = collector.map_err(Failure::usage)?;
    let mut merged = Merged::default();
    let expected = expected(places);
    let outcome = loop {
        let is_new = merged.take_new(places, &mut collector)?;
        let may_come = arguments.watch && expected.is_none_or(|it| merged.seen.len() < it);
        let outcome = collector.outcome(may_come);
        if outcome.complete || !arguments.watch {
            break outcome;
        }
        if is_new {
            merged.tell(&outcome, &collector);
        }
        sleep(LOOK_EVERY);
    };
    merged.tell(&outcome, &collector);
    if let Some(test) = &outcome.test {
        tell(&verdict(test, &outcome));
    }
    if !outcome.complete {
        tell_missing(&collector, &outcome);
    }
    collector.conclude().map_err(Failure::machine)?;
    // The report takes the lock again.
    drop(folder);
    report(&ReportArguments {
        folder: arguments.folder.clone(),
        output: None,
        entrant: Vec::new(),
    })?;
    if outcome.complete && arguments.watch {
        end_jobs(arguments);
    }
    Ok(if outcome.complete && merged.refused == 0 {
        Exit::Done
    } else {
        Exit::Attention
    })
}

/// Refuses a folder in which something else is: the tables would lie among it.
fn check_folder(folder: &Path) -> Result<(), Failure> {
    let is_new = !folder.exists() || fs::read_dir(folder).is_ok_and(|mut it| it.next().is_none());
    if is_new || folder.join(JOURNAL).exists() {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "{} is not the folder of a run, and not empty; first comes the folder of the run, then the \
         shards: awale merge results/spring results/spring.shards",
        shown(folder)
    )))
}

/// Nothing is written before there is a shard.
fn await_shards(arguments: &MergeArguments) -> Result<(), Failure> {
    let places: Vec<String> = arguments.shards.iter().map(|it| shown(it)).collect();
    let places = places.join(", ");
    let mut is_told = false;
    while journals(&arguments.shards).is_empty() {
        if !arguments.watch {
            return Err(Failure::usage(format!("there is no shard in {places} yet")));
        }
        if !is_told {
            tell(&format!(
                "waiting for shards in {places}; Ctrl-C ends this, and loses nothing"
            ));
            is_told = true;
        }
        sleep(LOOK_EVERY);
    }
    Ok(())
}

/// The run, which no shard decides: that of the folder, or of a plan that the user names, or that lies
/// beside the shards. Also returns where the plan is.
fn run_of(arguments: &MergeArguments) -> Result<(RunDocument, Option<PathBuf>), Failure> {
    let beside = arguments.shards.iter().map(|it| it.join(PLAN_FILE));
    let plan = arguments
        .plan
        .clone()
        .or_else(|| beside.into_iter().find(|it| it.exists()));
    if let Ok(folder) = RunFolder::open_to_read(&arguments.folder)
        && let Some(recorded) = last_plan(&folder)?
    {
        return Ok((RunDocument::clone(&recorded.run), plan));
    }
    let Some(path) = plan else {
        return Err(Failure::usage(format!(
            "{} has no run yet, and there is no {PLAN_FILE} beside the shards: name the plan by which \
             they were played with --plan FILE",
            shown(&arguments.folder)
        )));
    };
    Ok((read_run(&path)?, Some(path)))
}

/// Copies the plan for people, which lies beside the plan, if the run has none.
fn copy_plan(path: &Path, folder: &RunFolder) -> Result<(), Failure> {
    let text = files::read(&path.with_extension("toml"), MOST_PLAN_MIB).unwrap_or_default();
    let hash = read_run(path)?.plan.hash();
    let line = format!("plan-sha256 = \"{hash}\"");
    let mut lines = text.split(|&byte| byte == b'\n');
    if !folder.files().is_file(PLAN) && lines.any(|it| it == line.as_bytes()) {
        folder.write(PLAN, &text)?;
    }
    Ok(())
}

/// How many shards the job scripts play, if these have made the folders.
fn expected(places: &[PathBuf]) -> Option<usize> {
    let counts = places.iter().map(|it| {
        let text = files::read_text(&it.join(SHARDS), 1).ok()?;
        text.trim().parse::<usize>().ok()
    });
    counts.sum()
}

/// The journals at these places, in the order of their names.
fn journals(places: &[PathBuf]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for place in places {
        let entries = fs::read_dir(place).into_iter().flatten().flatten();
        let paths = entries.map(|it| it.path());
        let is_journal = |path: &PathBuf| path.extension().is_some_and(|it| it == JOURNALS);
        let mut below: Vec<PathBuf> = paths.filter(is_journal).collect();
        below.sort();
        if place.is_dir() {
            found.extend(below);
        } else if place.exists() {
            found.push(place.clone());
        }
    }
    found
}

/// What was merged so far.
#[derive(Debug, Default)]
struct Merged {
    /// The journals, and when they were written.
    seen: BTreeMap<PathBuf, Option<SystemTime>>,
    games: usize,
    refused: usize,
}

impl Merged {
    /// Takes the shards that were not taken yet. Returns whether there was one.
    fn take_new(
        &mut self,
        places: &[PathBuf],
        collector: &mut Collector<'_>,
    ) -> Result<bool, Failure> {
        let mut is_new = false;
        for path in journals(places) {
            let written = fs::metadata(&path).and_then(|it| it.modified()).ok();
            if self.seen.get(&path) == Some(&written) {
                continue;
            }
            is_new = true;
            match ShardFile::open(&path) {
                Ok(mut shard) => {
                    let taken = collector.take(&mut shard)?;
                    self.note(&path, &taken);
                }
                Err(error) => {
                    self.refused += 1;
                    tell(&format!("refused: {}: {error}", shown(&path)));
                }
            }
            self.seen.insert(path, written);
        }
        Ok(is_new)
    }

    fn note(&mut self, path: &Path, taken: &Taken) {
        let path = shown(path);
        self.games += taken.games;
        self.refused += taken.refused;
        for line in taken.refusals() {
            tell(&format!("refused: {path}: {line}"));
        }
        if taken.voids > 0 {
            tell(&format!(
                "{path}: the host made {} void, which do not count",
                counted(taken.voids, "game", "games")
            ));
        }
        for game in &taken.contradicted {
            tell(&format!(
                "warning: {path}: game {game} has other moves than the one that is there, although \
                 both bots are said to be deterministic"
            ));
        }
    }

    fn tell(&self, outcome: &RunOutcome, collector: &Collector<'_>) {
        let games = collector.progress().games_done();
        let most = if outcome.test.is_some() {
            "at most "
        } else {
            ""
        };
        tell(&format!(
            "{}: {} new, {games} of {most}{} games",
            counted(self.seen.len(), "shard", "shards"),
            self.games,
            outcome.games.max(games)
        ));
    }
}

/// Names the pairs that no shard has brought.
fn tell_missing(collector: &Collector<'_>, outcome: &RunOutcome) {
    let (schedule, progress) = (collector.schedule(), collector.progress());
    let names = collector.names();
    let plays = |game: &GameId, place: usize| {
        let sides = schedule.pairs[place].sides(game.number);
        let names = sides.map(|it| names[it.index()].clone());
        outcome.exclusions.allow_game(game, &names)
    };
    let open = open_pairs(schedule, 0..schedule.pairs.len(), progress, plays);
    let mut missing = ranges(&open);
    let more = missing.len().saturating_sub(MOST_RANGES);
    missing.truncate(MOST_RANGES);
    if more > 0 {
        missing.push(format!("and {more} more"));
    }
    tell(&format!(
        "{} missing: {}; start the shards again, or play these alone with awale shard … --pairs FIRST..LAST",
        counted(open.len(), "pair is", "pairs are"),
        missing.join(", ")
    ));
}

/// Ends the jobs that are left, or says how.
fn end_jobs(arguments: &MergeArguments) {
    for place in &arguments.shards {
        let Ok(text) = files::read_text(&place.join(JOB), 1) else {
            continue;
        };
        let mut words = text.split_whitespace();
        let carrier = words.next().and_then(Carrier::from_name);
        let job = words.next().and_then(|it| it.parse().ok());
        let (Some(carrier), Some(job)) = (carrier, job) else {
            tell(&format!("{} does not name a job", shown(&place.join(JOB))));
            continue;
        };
        let (command, may_run) = carrier.cancel(job);
        let words: Vec<String> = command.iter().map(|it| shell_word(it)).collect();
        let words = words.join(" ");
        if !arguments.cancel || !may_run {
            tell(&format!("what is left of the jobs ends by:\n  {words}"));
            continue;
        }
        let ended = Command::new(&command[0])
            .args(&command[1..])
            .stdin(Stdio::null())
            .status();
        match ended {
            Ok(status) if status.success() => tell(&format!("the jobs are ended: {words}")),
            Ok(_) => tell(&format!(
                "nothing is left of the jobs, or they do not end: {words}"
            )),
            Err(error) => tell(&format!("cannot end the jobs by {words}: {error}")),
        }
    }
}
