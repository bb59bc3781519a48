//! Which of an author's programs plays: a bad one that is handed in last costs nothing.
//!
//! ```text
//! submissions/NAME ─ before its examination ─▶ versions/KEY   kept for ever
//!                                                   │
//! journal: examinations and games of each program ──┴─▶ the one that plays
//! ```
//!
//! A program is what the plan says of it, and KEY is the hash of that. What the journal has of an
//! earlier program counts again as soon as the plan has that program, so nothing is played twice.
//!
//! In a final, the last resort is the program with which an author qualified: it plays even if the
//! final's journal has never seen it.

use super::notes::ProgramFiles;
use crate::config::{CountedVersion, CountedVersions, Counts, Resolved};
use crate::record::{OlderVersion, Person, Refusal};
use crate::rules::{GameResult, Side};
use crate::run_folder::kept_folders::{KeptFolders, SUBMITTED, VERSIONS, files_of};
use crate::run_folder::{FolderError, JournalGames, RunFolder};
use crate::tournament::{Plan, Progress, RunDocument, hash_of, label};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

/// Why entrants of a run were not admitted, by their names.
pub type Refusals = BTreeMap<String, Refusal>;

/// An entrant whose last program may not be the one that plays.
struct Author<'a> {
    /// Its place in the plan.
    index: usize,
    name: &'a str,
    refusal: Option<Refusal>,
    /// The revision in which the last program was examined; 0 if it was not.
    revision: u32,
    /// What the last program scored; `None` if it cannot count.
    score: Option<f64>,
    /// Its earlier programs that are kept, the last one first.
    earlier: Vec<Earlier>,
    /// The one that plays.
    chosen: Option<usize>,
}

/// An earlier program.
struct Earlier {
    program: Value,
    place: PathBuf,
    submitted: String,
    /// Whether it has qualified its author for this final: it was admitted there.
    has_qualified: bool,
}

impl Earlier {
    /// A program, if its files are kept.
    fn kept(kept: &KeptFolders, program: Value, has_qualified: bool) -> Option<Self> {
        let key = hash_of(&program);
        Some(Self {
            place: kept.find(&key)?,
            submitted: kept.text(&key, SUBMITTED),
            program,
            has_qualified,
        })
    }
}

/// The run that decides who plays in a final: `best-of`.
struct Heats {
    plan: Plan,
    kept: KeptFolders,
}

impl Heats {
    /// That of this final, if it is one and the run can be read.
    fn of(last: &Resolved) -> Option<Self> {
        let folder = last.folder.join(&last.typed.class.best_of.as_ref()?.value);
        let games = RunFolder::open_to_read(&folder).ok()?.games_of(&last.plan);
        Some(Self {
            plan: games.ok()?.state().plan.as_ref()?.run.plan.clone(),
            kept: KeptFolders::of(&folder, VERSIONS).ok()?,
        })
    }

    /// The program with which an author has qualified, unless it is the present one.
    fn program_of(&self, name: &str, present: &Value) -> Option<Earlier> {
        let entrant = self.plan.entrants.iter().find(|it| it.name == name)?;
        let program = Some(&entrant.program).filter(|it| *it != present)?;
        Earlier::kept(&self.kept, program.clone(), true)
    }
}

/// The earlier programs that play in place of the last ones, which `last` has. `refused` says why
/// examinations of this moment refused some of these, beside what the journal has.
///
/// # Errors
/// The journal cannot be read.
pub fn versions_that_play(
    last: &Resolved,
    refused: &Refusals,
) -> Result<CountedVersions, FolderError> {
    let counts = last.typed.class.counts;
    let is_class = last.entrants.iter().any(|it| it.is_submitted);
    if !is_class || counts == Counts::Latest {
        return Ok(CountedVersions::new());
    }
    let run = RunFolder::open_to_read(&last.output).ok();
    let read = |plan: &Plan| match &run {
        Some(run) => run.read_for(plan),
        None => Ok((JournalGames::counting_for(plan), Progress::default())),
    };
    let kept = run
        .as_ref()
        .map(|_| KeptFolders::of(&last.output, VERSIONS));
    let kept = kept.transpose();
    let kept = kept.map_err(|error| FolderError::file("open", last.output.clone(), error))?;
    let mut authors = authors(last, refused, &read(&last.plan)?, kept.as_ref());
    let most = authors.iter().map(|it| it.earlier.len()).max();
    for place in 0..most.unwrap_or(0) {
        if counts == Counts::LastAdmitted && authors.iter().all(|it| it.chosen.is_some()) {
            break;
        }
        let mut plan = last.plan.clone();
        for author in &authors {
            if let Some(earlier) = author.earlier.get(place) {
                plan.entrants[author.index].program = earlier.program.clone();
            }
        }
        let (games, progress) = read(&plan)?;
        for author in &mut authors {
            let may_play = author.earlier.get(place).is_some_and(|it| {
                let is_open = it.has_qualified && progress.refusal(author.name).is_none();
                is_open || progress.is_admitted(author.name)
            });
            if may_play {
                let measured = measured(&games, &plan, author.name);
                author.consider(place, counts, score(measured, planned(&plan, author.index)));
            }
        }
    }
    let chosen = authors.into_iter().filter_map(|it| it.version(last));
    Ok(chosen.collect())
}

/// Those whose last program may not be the one that plays.
fn authors<'a>(
    last: &'a Resolved,
    refused: &Refusals,
    (games, progress): &(JournalGames, Progress),
    kept: Option<&KeptFolders>,
) -> Vec<Author<'a>> {
    let heats = Heats::of(last);
    let unfit = last.gate.unfit.iter();
    let unfit: BTreeMap<usize, &Refusal> = unfit.map(|(it, why)| (it.index(), why)).collect();
    let entrants = last.plan.entrants.iter().zip(&last.entrants).enumerate();
    let submitted = entrants.filter(|(_, (_, it))| it.is_submitted);
    let authors = submitted.filter_map(|(index, (entrant, _))| {
        let name = entrant.name.as_str();
        let refusal = unfit.get(&index).copied();
        let refusal = refusal.or(progress.refusal(name)).or(refused.get(name));
        let (measured, planned) = (
            measured(games, &last.plan, name),
            planned(&last.plan, index),
        );
        let is_compared = last.typed.class.counts == Counts::Best
            && progress.is_admitted(name)
            && (progress.is_withdrawn(name) || measured.0 >= planned);
        if refusal.is_none() && !is_compared {
            return None;
        }
        let earlier = earlier_programs(games, name, &entrant.program).into_iter();
        let earlier = earlier.filter_map(|it| Earlier::kept(kept?, it, false));
        let qualified = heats
            .as_ref()
            .and_then(|it| it.program_of(name, &entrant.program));
        Some(Author {
            index,
            name,
            refusal: refusal.cloned(),
            revision: games.examined(&label(name)).unwrap_or(0),
            score: refusal.is_none().then(|| score(measured, planned)),
            earlier: earlier.chain(qualified).collect(),
            chosen: None,
        })
    });
    authors.collect()
}

impl Author<'_> {
    /// Takes an earlier program that was admitted, if it counts before those that were considered.
    fn consider(&mut self, place: usize, counts: Counts, score: f64) {
        if self
            .score
            .is_none_or(|it| counts == Counts::Best && score > it)
        {
            self.chosen = Some(place);
            self.score = Some(score);
        }
    }

    /// The program that plays in place of the last one, if there is one.
    fn version(mut self, last: &Resolved) -> Option<(String, CountedVersion)> {
        let chosen = self.earlier.swap_remove(self.chosen?);
        let older = OlderVersion {
            submitted: chosen.submitted,
            last: day_of(last, self.name),
            refusal: self.refusal,
            revision: self.revision,
        };
        let place = chosen.place;
        Some((self.name.to_owned(), CountedVersion { place, older }))
    }
}

/// The programs that an entrant had in the plans of a journal, the last one first, without the
/// present one.
fn earlier_programs(games: &JournalGames, name: &str, present: &Value) -> Vec<Value> {
    let state = games.state();
    let last = state.plan.iter().map(|it| &it.run.plan);
    let earlier = state.earlier.iter().rev().map(|it| &it.run.plan);
    let mut programs: Vec<Value> = Vec::new();
    for plan in last.chain(earlier) {
        let entrant = plan.entrants.iter().find(|it| it.name == name);
        if let Some(program) = entrant.map(|it| &it.program)
            && program != present
            && !programs.contains(program)
        {
            programs.push(program.clone());
        }
    }
    programs
}

/// The share of the points against the yardsticks. A game that was not played, because the entrant was
/// withdrawn, is lost.
fn score((games, points): (u64, u64), planned: u64) -> f64 {
    points as f64 / (2 * games.max(planned).max(1)) as f64
}

/// The games of an entrant against the yardsticks that count, and twice the points that it won in
/// them.
fn measured(games: &JournalGames, plan: &Plan, name: &str) -> (u64, u64) {
    let yardsticks = plan.yardsticks();
    let results = games.store().results().filter_map(|game| {
        let sides = Side::BOTH.into_iter().zip(game.entrants.iter());
        let (mine, other): (Vec<_>, Vec<_>) = sides.partition(|(_, it)| *it == name);
        let (&(side, _), &(_, other)) = (mine.first()?, other.first()?);
        let won = match game.result()? {
            GameResult::Win(winner) if winner == side => 2,
            GameResult::Win(_) => 0,
            GameResult::Draw => 1,
        };
        yardsticks.contains(other).then_some(won)
    });
    results.fold((0, 0), |(games, points), won| (games + 1, points + won))
}

/// The games of an entrant against the yardsticks that a plan has.
fn planned(plan: &Plan, index: usize) -> u64 {
    let own = plan.pairings().into_iter().filter(|(pairing, _)| {
        let is_own = pairing.iter().any(|it| it.index() == index);
        is_own && plan.yardstick_of(*pairing).is_some()
    });
    own.map(|(_, pairs)| 2 * u64::from(pairs)).sum()
}

/// The day on which an author has handed in the last program; empty if it is not known.
fn day_of(last: &Resolved, name: &str) -> String {
    let grading = last.settings.grading.as_ref();
    let person: Option<&Person> = grading.and_then(|it| it.people.get(name));
    person.map_or_else(String::new, |it| it.submitted.clone())
}

/// Keeps what was handed in, so that it can play again. Returns what could not be kept: the authors,
/// and why.
///
/// # Errors
/// The disk's, for the whole run.
pub fn keep_versions(run: &Resolved) -> Result<Vec<(String, io::Error)>, io::Error> {
    let mut failed = Vec::new();
    if run.typed.class.counts == Counts::Latest {
        return Ok(failed);
    }
    let kept = KeptFolders::of(&run.output, VERSIONS)?;
    for (entrant, found) in run.plan.entrants.iter().zip(&run.entrants) {
        let key = hash_of(&entrant.program);
        let Some(folder) = found.folder.as_ref().filter(|_| found.is_submitted) else {
            continue;
        };
        if kept.find(&key).is_some() {
            continue;
        }
        let copied = kept.begin(&key).and_then(|to| Ok(folder.copy(&to)?));
        let day = day_of(run, &entrant.name);
        let done = copied.and_then(|_| kept.keep(&key, &[(SUBMITTED, day.as_bytes())]));
        if let Err(error) = done {
            kept.discard(&key)?;
            failed.push((entrant.name.clone(), error));
        }
    }
    Ok(failed)
}

/// The earlier programs that play in a run, as far as its folder keeps them.
pub fn recorded_versions(folder: &RunFolder, run: &RunDocument) -> CountedVersions {
    let grading = run.settings.grading.iter();
    let older = grading.flat_map(|it| &it.older);
    let kept = older.filter_map(|(name, older)| {
        let entrant = run.plan.entrants.iter().find(|it| it.name == *name)?;
        let files = files_of(VERSIONS, &hash_of(&entrant.program));
        let version = CountedVersion {
            place: folder
                .files()
                .is_folder(&files)
                .then(|| folder.file(&files))?,
            older: older.clone(),
        };
        Some((name.clone(), version))
    });
    kept.collect()
}

/// The programs of these entrants that a run keeps: those that play, and those of earlier plans.
pub fn program_files(plan: &Plan, games: &JournalGames, entrants: &[&str]) -> Vec<ProgramFiles> {
    let files = |entrant: &str, program: &Value, is_present| ProgramFiles {
        entrant: entrant.to_owned(),
        folder: files_of(VERSIONS, &hash_of(program)),
        is_present,
    };
    let authors = plan.entrants.iter();
    let authors = authors.filter(|it| entrants.contains(&it.name.as_str()));
    let found = authors.flat_map(|author| {
        let earlier = earlier_programs(games, &author.name, &author.program).into_iter();
        let earlier = earlier.map(|program| files(&author.name, &program, false));
        let present = files(&author.name, &author.program, true);
        std::iter::once(present).chain(earlier).collect::<Vec<_>>()
    });
    found.collect()
}
