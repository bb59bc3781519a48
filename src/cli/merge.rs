//! `awale merge`: takes the games of shards into the folder of their run, and writes its tables; with
//! `--watch` as they come.

use super::args::{MergeArguments, ReportArguments};
use super::exit::{Exit, Failure, tell};
use super::report::report;
use super::shard::PLAN_FILE;
use crate::files;
use crate::record::GameId;
use crate::run_folder::{FoundJournal, RunFolder, last_plan, verdict};
use crate::shard::script::{Carrier, JOB};
use crate::shard::{Collector, ShardFile, Taken, open_pairs, ranges, read_plan};
use crate::text::{counted, printable, shell_word};
use crate::tournament::{JournalReader, RunDocument, RunOutcome};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, SystemTime};

/// How often shards are looked for.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// The ending of journals.
const JOURNALS: &str = "jsonl";
/// Ranges of missing pairs that are named.
const MOST_RANGES: usize = 10;

/// Merges.
///
/// # Errors
/// The folder cannot be that of the run, or the machine fails. What is wrong with shards is told.
pub fn merge(arguments: &MergeArguments) -> Result<Exit, Failure> {
    let Some(run) = run_of(arguments)? else {
        return Err(Failure::usage(format!(
            "there is no shard yet in {}; --watch waits for the first one where {PLAN_FILE} is",
            listed(&arguments.shards)
        )));
    };
    let folder = RunFolder::open(&arguments.folder)?;
    let mut found = folder.find(&run.plan)?;
    let journal = folder.journal(&run, &found)?;
    let FoundJournal {
        progress, games, ..
    } = std::mem::take(&mut found);
    let collector = Collector::new(&folder, &run, journal, (games, progress));
    let mut collector = collector.map_err(Failure::usage)?;
    let mut merged = Merged::default();
    let outcome = loop {
        let is_new = merged.take_new(&arguments.shards, &mut collector)?;
        let outcome = collector.outcome();
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
    let concluded = collector.conclude()?;
    concluded.map_err(Failure::machine)?;
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

/// The run: of the folder, of the plan beside the shards, or of the first shard that says it.
fn run_of(arguments: &MergeArguments) -> Result<Option<RunDocument>, Failure> {
    if let Ok(folder) = RunFolder::open_to_read(&arguments.folder)
        && let Some(recorded) = last_plan(&folder)?
    {
        return Ok(Some(RunDocument::clone(&recorded.run)));
    }
    for place in arguments.shards.iter().filter(|it| it.is_dir()) {
        let path = place.join(PLAN_FILE);
        if path.exists() {
            let run = read_plan(&path);
            let run = run.map_err(|error| Failure::usage(format!("{}: {error}", shown(&path))))?;
            return Ok(Some(run));
        }
    }
    let shards = journals(&arguments.shards);
    Ok(shards.iter().find_map(|path| {
        let shard = ShardFile::open(path).ok()?;
        let mut reader = JournalReader::surveying(shard.journal);
        let _ = reader.next_entry();
        let plan = reader.state.plan.filter(|it| it.hash_fits)?;
        Some(RunDocument::clone(&plan.run))
    }))
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
        self.refused += taken.refused.len();
        for line in taken.refusals() {
            tell(&format!("refused: {path}: {line}"));
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
        "{} missing: {}; play them with awale shard … --pairs FIRST..LAST, or start the shards again",
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
        let command = carrier.cancel(job);
        let words: Vec<String> = command.iter().map(|it| shell_word(it)).collect();
        let words = words.join(" ");
        if !arguments.cancel {
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

fn listed(places: &[PathBuf]) -> String {
    let places: Vec<String> = places.iter().map(|it| shown(it)).collect();
    places.join(", ")
}

fn shown(path: &Path) -> String {
    printable(&path.to_string_lossy())
}
