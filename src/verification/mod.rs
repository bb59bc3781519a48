//! Verifies that a run's folder is as a run left it. It reads the journal line by line, replays
//! every game by the rules, makes every table again, and compares plans, hashes and times. It
//! writes nothing and starts no bot.
//!
//! ```text
//! findings    problems, warnings and notes, each of one check, and advice about problems
//! plan        the last plan of the journal, plan.toml, the bots' files
//! bot_files   the programs that played, against those of this machine
//! scan        the journal, line by line, and each game by itself ─┬─ game      on the rules
//!                                                                 ├─ copies    of other games
//!                                                                 ├─ schedule  sides, attempts,
//!                                                                 │            openings
//!                                                                 └─ evidence  of a fault, with
//!                                                                              its transcript
//! transcript  what a process was sent and said, against the moves of its last game
//! exclusions  admissions and withdrawals against what the games lead to
//! tables      every table made again
//! endgames    what two of them need
//! replay      which games can be played again, and how one compares with its journal
//! ```
//!
//! The journal is trusted where its checksums are right, and `plan.toml` as far as it gives the
//! plan whose hash is in the journal.
//!
//! The journal is read once, with several threads, and some hundred bytes of each game are kept for
//! what needs all games. Only a search comes before that reading, because every check of a game
//! needs the last plan: for lines of plans and settings, without parsing a game.
//!
//! Only results that count for the last plan are compared with it. Which ones do follows from each
//! revision of the plan; how many do not is said.

mod bot_files;
mod copies;
mod endgames;
mod evidence;
mod exclusions;
mod findings;
mod game;
pub mod plan;
pub mod replay;
mod scan;
mod schedule;
mod tables;
#[cfg(test)]
mod tests;
mod transcript;

pub use exclusions::is_possible;
pub use findings::{Check, Finding, FindingPlace, Findings, Severity, add_advice};
pub use plan::KnownPlan;
pub use plan::{PlanFileError, ReadPlan};

use crate::endgame_file::EndgameDatabase;
use crate::record::{Exclusions, GameId, GameRecord, GameSummary};
use crate::referee::EndgameJudge;
use crate::report::RecordsError;
use crate::run_folder::{FolderError, JOURNAL, RunFolder, last_plan, planned_database};
use crate::text::counted;
use crate::tournament::{Openings, Plan, RunDocument, Schedule, judge};
use evidence::EvidenceFolders;
use scan::{ExpectedGames, Scan};
use schedule::{SeenGames, compare_openings, wrong_sides};
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// What is impossible in a game of this plan: its place in the schedule, its opening, its moves, its
/// times. Only a judge of endgames can tell the stores of a game that one has ended.
pub fn problems_of(
    record: &GameRecord,
    plan: &Plan,
    schedule: &Schedule,
    openings: &Openings,
    endgame: Option<&dyn EndgameJudge>,
) -> Vec<String> {
    let mut problems = Vec::new();
    let Some(pair) = schedule
        .pair(&record.id.pair)
        .filter(|it| it.id == record.id.pair)
    else {
        return vec!["the schedule has no such pair".to_owned()];
    };
    problems.extend(wrong_sides(plan, pair, record.id.number, &record.entrants));
    let opened = compare_openings(openings, pair, &GameSummary::of(record));
    problems.extend(opened.err());
    game::play_again(plan, endgame, record, &mut |_, message| {
        problems.push(message.to_owned());
    });
    problems
}

/// Why a folder cannot be verified.
#[derive(Debug, Error)]
pub enum VerifyError {
    /// The path is not a folder.
    #[error("{0} is not a folder; name the folder of a run, as in results/spring")]
    NoFolder(PathBuf),
    /// The folder has no journal.
    #[error("{0} is not the folder of a run: there is no {JOURNAL} in it")]
    NoJournal(PathBuf),
    /// What should be the journal is a link, a device, a pipe or a folder.
    #[error(
        "{0} is not the folder of a run: {JOURNAL} in it is not a file, and no link is followed"
    )]
    NoFile(PathBuf),
    /// The journal has no lines.
    #[error("{JOURNAL} in {0} is empty: nothing was played, and nothing can be checked")]
    Empty(PathBuf),
    /// A file cannot be read.
    #[error("cannot read {file}: {error}")]
    File {
        /// Its name in the message.
        file: String,
        /// The system's error.
        error: io::Error,
    },
    /// The run's folder cannot be read.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The journal's games are inconsistent.
    #[error(transparent)]
    Records(#[from] RecordsError),
}

impl VerifyError {
    /// Whether the wrong path was given: nothing is wrong with the machine.
    pub fn is_about_what_was_named(&self) -> bool {
        match self {
            Self::NoFolder(_) | Self::NoJournal(_) | Self::NoFile(_) | Self::Empty(_) => true,
            Self::File { .. } | Self::Folder(_) | Self::Records(_) => false,
        }
    }

    fn file(file: &str, error: io::Error) -> Self {
        Self::File {
            file: file.to_owned(),
            error,
        }
    }
}

/// Opens the folder of a run for verification.
///
/// # Errors
/// It is not the folder of a run, or it cannot be read.
pub fn open(path: &Path) -> Result<RunFolder, VerifyError> {
    let shown = || path.to_owned();
    let unreadable = |error| VerifyError::File {
        file: format!("{JOURNAL} in {}", path.display()),
        error,
    };
    if !path.is_dir() {
        return Err(VerifyError::NoFolder(shown()));
    }
    let folder = RunFolder::open_to_read(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => VerifyError::NoJournal(shown()),
        io::ErrorKind::InvalidInput => VerifyError::NoFile(shown()),
        _ => unreadable(error),
    })?;
    if bytes_are_there(&mut folder.bytes()?).map_err(unreadable)? {
        Ok(folder)
    } else {
        Err(VerifyError::Empty(shown()))
    }
}

fn bytes_are_there(bytes: &mut impl io::BufRead) -> io::Result<bool> {
    Ok(!bytes.fill_buf()?.is_empty())
}

/// How complete a tournament is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completeness {
    /// The number of games that count, or of records if that is unknown.
    pub games: usize,
    /// The number of games to be played, if known.
    pub planned: Option<usize>,
    /// Whether all games were played, if known.
    pub finished: Option<bool>,
    /// The first missing games.
    pub open: Vec<GameId>,
}

/// The results of all checks.
#[derive(Debug)]
pub struct Examined {
    /// How complete the tournament is.
    pub verdict: Completeness,
    /// The source for replaying games with their bots, or why there is none.
    pub source: Result<ReplaySource, &'static str>,
}

impl Examined {
    const fn without_source(verdict: Completeness, why: &'static str) -> Self {
        Self {
            verdict,
            source: Err(why),
        }
    }
}

/// The source for replaying games.
#[derive(Debug)]
pub struct ReplaySource {
    /// The run.
    pub run: RunDocument,
    /// The openings of the plan.
    pub openings: Openings,
    /// Entrants whose programs here differ from those that played.
    pub others: BTreeSet<String>,
}

/// Makes all possible checks. `read_plan` reads the folder's `plan.toml`.
///
/// # Errors
/// Something in the folder cannot be read.
pub fn examine(
    folder: &RunFolder,
    read_plan: ReadPlan<'_>,
    findings: &mut Findings,
) -> Result<Examined, VerifyError> {
    let is_played = folder.is_played();
    if is_played {
        let message = "a run is playing in this folder: tables are written when it ends; verify \
                       it then";
        findings.problem(Check::Journal, FindingPlace::file(JOURNAL), message);
    }
    let recorded = last_plan(folder)?;
    let Some(known) = plan::compare(folder, recorded.as_ref(), read_plan, findings) else {
        let why = "plan.toml does not give the plan of the journal";
        leave_out(&Check::OF_FOLDERS[2..], why, findings);
        let verdict = journal_alone(folder, is_played, findings)?;
        return Ok(Examined::without_source(verdict, why));
    };
    let KnownPlan {
        mut run,
        openings,
        others,
        file_settings,
        file_fits,
    } = known;
    let Some(openings) = openings else {
        let why = "the openings of the plan are not known";
        leave_out(&Check::OF_FOLDERS[3..9], why, findings);
        let verdict = journal_alone(folder, is_played, findings)?;
        return Ok(Examined::without_source(verdict, why));
    };
    let (verdict, is_damaged) = examine_games(folder, &mut run, &openings, is_played, findings)?;
    if let Some(settings) = file_settings {
        let mut differences = run.settings.differences(&settings);
        // People stand in the roster, and which of their programs plays follows from the journal:
        // plan.toml has neither.
        let elsewhere = ["grading.people", "grading.absent", "grading.older"];
        differences.retain(|it| !elsewhere.contains(&it.key.as_str()));
        plan::tell_of(&differences, "the run went on with", findings);
    }
    let source = match recorded {
        _ if is_played => Err("a run is playing in this folder"),
        _ if is_damaged => Err("the journal is damaged"),
        None => Err("the journal does not say what played"),
        _ if !file_fits => Err("plan.toml does not give the plan of the journal"),
        Some(_) => Ok(ReplaySource {
            run,
            openings,
            others,
        }),
    };
    Ok(Examined { verdict, source })
}

/// Checks the games of the journal and what follows from them. Also returns whether lines are
/// damaged.
fn examine_games(
    folder: &RunFolder,
    run: &mut RunDocument,
    openings: &Openings,
    is_played: bool,
    findings: &mut Findings,
) -> Result<(Completeness, bool), VerifyError> {
    let plan = run.plan.clone();
    let plan = &plan;
    let schedule = Schedule::new(plan);
    let database = planned_database(plan);
    let values = database.as_ref().ok().and_then(Option::as_ref);
    let values = values.map(EndgameDatabase::values);
    let mut expected = ExpectedGames {
        plan,
        schedule: &schedule,
        openings,
        endgame: values.map(|it| it as &dyn EndgameJudge),
        seen: SeenGames::new(&schedule),
        evidence: EvidenceFolders::of(folder),
    };
    let scan = Scan::read(folder.bytes()?, Some(&mut expected), is_played, findings);
    let mut scan = scan.map_err(|error| folder.unusable(error))?;
    if let Err(error) = &database
        && scan.solved > 0
    {
        let message = format!(
            "{} ended by endgame, and their final stores are not checked: {error}",
            counted(scan.solved, "game", "games")
        );
        findings.warning(Check::Games, FindingPlace::file(JOURNAL), &message);
    }
    // The last settings of the journal.
    if let Some(settings) = scan.settings.take() {
        run.settings = settings;
    }
    let is_damaged = scan.damaged > 0;
    if !is_damaged {
        expected.seen.conclude(&schedule, findings);
    }
    expected
        .evidence
        .conclude(!is_damaged && !is_played, findings);
    let progress = std::mem::take(&mut scan.progress);
    if !is_damaged {
        schedule::compare_rounds(plan, &progress, scan.earlier_rounds, findings);
    }
    let judgement = judge(plan, &schedule, progress);
    let seen = &expected.seen;
    let exclusions = &judgement.exclusions;
    let counted = compare_whole(folder, run, &scan, seen, exclusions, is_played, findings)?;
    let played = counted.unwrap_or(seen.results());
    let is_complete = judgement.complete;
    let verdict = Completeness {
        games: played,
        planned: Some(if is_complete { played } else { judgement.games }),
        finished: Some(is_complete),
        open: if is_complete {
            Vec::new()
        } else {
            seen.open_games(plan, &schedule, exclusions)
        },
    };
    Ok((verdict, is_damaged))
}

/// Checks only the lines of the journal, because nothing is known to compare them with.
fn journal_alone(
    folder: &RunFolder,
    is_played: bool,
    findings: &mut Findings,
) -> Result<Completeness, VerifyError> {
    let scan = Scan::read(folder.bytes()?, None, is_played, findings);
    let scan = scan.map_err(|error| folder.unusable(error))?;
    Ok(Completeness {
        games: scan.records,
        ..Completeness::default()
    })
}

/// The comparisons that need all games. Returns the number of games in the tables, if tables can be
/// made.
fn compare_whole(
    folder: &RunFolder,
    run: &RunDocument,
    scan: &Scan,
    seen: &SeenGames,
    exclusions: &Exclusions,
    is_played: bool,
    findings: &mut Findings,
) -> Result<Option<usize>, VerifyError> {
    if scan.damaged > 0 {
        let why = "games are missing where the journal is damaged";
        leave_out(&[Check::Exclusions, Check::Tables], why, findings);
        return Ok(None);
    }
    exclusions::compare(scan, run, seen, exclusions, findings);
    let why = if seen.cannot_tabulate {
        "no tables can be made of these records, see schedule"
    } else if is_played {
        "a run writes them when it ends"
    } else {
        let counted = tables::compare(folder, scan, run, exclusions, findings)?;
        return Ok(Some(usize::try_from(counted).unwrap_or(usize::MAX)));
    };
    findings.leave_out(Check::Tables, why);
    Ok(None)
}

fn leave_out(checks: &[Check], why: &str, findings: &mut Findings) {
    for &check in checks {
        findings.leave_out(check, why);
    }
}
