//! `feedback/NAME/`: a folder for each graded entrant of a class, which its author may have: how it
//! did against the yardsticks, its faults with evidence, its games. Of the other entrants it has
//! their rows in the table of ranks, unless names are hidden, and nothing else: no code, no standard
//! error, no name.
//!
//! ```text
//! journal, tables ─┬─ feedback.html  what happened and what to do, with boards
//!                  ├─ feedback.txt   the same as plain text
//!                  ├─ games.csv      its games
//!                  ├─ games.jsonl    the same, for `awale trace`
//!                  └─ faults.csv     its faults
//! faults/GAME-ID/ ─── faults/        the evidence of some of them, which can be replayed
//! ```
//!
//! ```text
//! content        what the author reads, as sections of blocks
//! text           the same as plain text
//! games          the entrant's games, and those to look at
//! habits         how it plays
//! evidence_copy  evidence without what only the organiser may see
//! pseudonyms     hides the names of other entrants
//! checked        the same files of an examination, before any game
//! written_game   reads a game back, for `awale replay`
//! ```
//!
//! `feedback/index.csv` says which folder is whose.
//!
//! The files are made from the journal and from the evidence in the run's folder, and replace those
//! of the last time. Other files in the folder are left alone: organisers write there, too.

mod checked;
mod content;
mod evidence_copy;
mod games;
mod habits;
mod pseudonyms;
mod text;
mod written_game;

use super::grades::{Grades, GradesRow};
use super::weeks::Week;
use crate::bot::ProgramIdentity;
use crate::files::Folder;
use crate::record::{GameId, Grading};
use crate::report::{
    CsvTable, Endgames, FaultRow, LostGame, feedback_page, like_faults, write_faults_csv,
};
use crate::run_folder::evidence::{
    BUILD_OUTPUT, FAULTS, MOST_MIB, REQUESTS, STDERR, admission_folder, fault_rows,
    folder_of_refusal,
};
use crate::run_folder::superseded::SUPERSEDED;
use crate::run_folder::{FillError, FolderError, RunResults, open_target, write_file};
use crate::text::{printable, shell_word, time_text};
use crate::tournament::{Plan, changed_fields, label, plain_text};
use content::{Content, FaultGroup, Feedback, ShownProgram};
use games::{EntrantGames, GameFiles};
use pseudonyms::Pseudonyms;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write as _};
use std::path::Path;
use text::feedback_text;

pub use checked::{CheckedEntrant, CheckedStep, write_checked_feedback};
pub use written_game::{FeedbackFolder, WrittenGame, WrittenGameError};

/// The folder of all feedback in the run's folder.
pub const FEEDBACK: &str = "feedback";
/// The files of a folder.
const TEXT: &str = "feedback.txt";
const WEB_PAGE: &str = "feedback.html";
const GAMES: &str = "games.csv";
const GAME_LINES: &str = "games.jsonl";
const FAULTS_TABLE: &str = "faults.csv";
/// The table of the folders.
const INDEX: &str = "index.csv";
/// The most folders of evidence for one entrant: the first fault of each kind and detail.
const MOST_EVIDENCE: usize = 5;
/// The entrants whose games are in memory at a time.
const BATCH: usize = 16;
/// The last lines of a program that are shown, and the most bytes of each.
const OUTPUT_LINES: usize = 12;
const OUTPUT_LINE_CHARS: usize = 160;

/// Writes the feedback of every graded entrant to `feedback/` in a folder. It tells what has changed
/// since an earlier week.
///
/// # Errors
/// The disk's.
pub fn write_feedback(
    results: &RunResults<'_>,
    grades: &Grades,
    earlier: Option<&Week>,
    target: &Path,
) -> Result<(), FolderError> {
    let Some(grading) = &results.run.settings.grading else {
        return Ok(());
    };
    let target = open_target(target)?;
    let failed = |error| FolderError::file("write", target.path(FEEDBACK), error);
    remove_stale(&target, grades).map_err(failed)?;
    let mut faults = faults_by_entrant(results, grading);
    for batch in grades.rows.chunks(BATCH) {
        let names: Vec<Pseudonyms> = batch
            .iter()
            .map(|row| Pseudonyms::for_entrant(row.entrant(), &results.run.plan))
            .collect();
        let wanted = batch.iter().map(|row| {
            let faults = faults.get(row.entrant()).map_or(&[][..], Vec::as_slice);
            games_of(faults)
        });
        let files = game_files(results, batch, &names, wanted).map_err(failed)?;
        for ((row, names), games) in batch.iter().zip(&names).zip(files) {
            let entrant = EntrantFeedback {
                results,
                grades,
                earlier,
                grading,
                row,
                names,
                faults: faults.remove(row.entrant()).unwrap_or_default(),
                games,
            };
            entrant.write(&target)?;
        }
    }
    write_index(&target, grades)
}

/// Which folder is whose.
fn write_index(target: &Folder, grades: &Grades) -> Result<(), FolderError> {
    let feedback = target.make(FEEDBACK);
    let feedback = feedback.map_err(|error| failed(target, FEEDBACK, error))?;
    write_file(&feedback, INDEX, |out| {
        let mut csv = CsvTable::new(out, ["entrant", "folder"])?;
        for row in &grades.rows {
            csv.row(|cells| {
                cells.text(row.entrant());
                cells.text(&label(row.entrant()));
            })?;
        }
        Ok(csv.finish()?)
    })
}

/// The faults of the games that count, after the refusal of the last program, if an earlier one
/// plays.
fn faults_by_entrant(
    results: &RunResults<'_>,
    grading: &Grading,
) -> BTreeMap<String, Vec<FaultRow>> {
    let mut by_entrant: BTreeMap<String, Vec<FaultRow>> = BTreeMap::new();
    for (name, older) in &grading.older {
        if let Some(refusal) = &older.refusal {
            let folder = folder_of_refusal(name, refusal);
            let folder = folder.map(|it| format!("{SUPERSEDED}/{}/{it}", older.revision));
            let row = FaultRow::of_refusal(name, refusal, folder);
            by_entrant.entry(name.clone()).or_default().push(row);
        }
    }
    for row in fault_rows(results.games, &results.outcome.exclusions) {
        by_entrant.entry(row.entrant.clone()).or_default().push(row);
    }
    by_entrant
}

/// The games of the first of like faults.
fn games_of(faults: &[FaultRow]) -> BTreeSet<GameId> {
    let groups = like_faults(faults).into_iter();
    let games = groups.filter_map(|(first, _)| first.game.as_ref());
    games.map(|game| game.id.clone()).collect()
}

fn game_files(
    results: &RunResults<'_>,
    rows: &[GradesRow],
    names: &[Pseudonyms],
    wanted: impl Iterator<Item = BTreeSet<GameId>>,
) -> io::Result<Vec<GameFiles>> {
    let (plan, exclusions) = (&results.run.plan, &results.outcome.exclusions);
    let entrants = rows.iter().zip(names).zip(wanted);
    let analyst = results.tables.endgames().map(Endgames::analyst);
    let entrants = entrants.map(|((row, names), wanted)| {
        EntrantGames::new(row.entrant(), plan, names, wanted, analyst)
    });
    let mut entrants: Vec<EntrantGames<'_>> = entrants.collect::<Result<_, _>>()?;
    let games = results.games.results();
    for game in games.filter_map(|game| exclusions.counted(game)) {
        entrants.iter_mut().try_for_each(|it| it.add(game))?;
    }
    let standings = results.tables.standings().rows();
    let files = entrants.into_iter();
    files.map(|it| it.finish(standings)).collect()
}

/// Everything for one entrant.
struct EntrantFeedback<'a> {
    results: &'a RunResults<'a>,
    grades: &'a Grades,
    earlier: Option<&'a Week>,
    grading: &'a Grading,
    row: &'a GradesRow,
    names: &'a Pseudonyms,
    /// Its faults, with the names and folders of the run.
    faults: Vec<FaultRow>,
    games: GameFiles,
}

impl EntrantFeedback<'_> {
    fn write(&self, target: &Folder) -> Result<(), FolderError> {
        let name = format!("{FEEDBACK}/{}", label(self.row.entrant()));
        let folder = target.make(&name);
        let folder = folder.map_err(|error| failed(target, &name, error))?;
        let groups = like_faults(&self.faults);
        let copied = self.copy_evidence(&groups, &folder)?;
        let faults = self.faults.iter().map(|row| self.shown(row, &copied));
        let faults: Vec<FaultRow> = faults.collect();
        let groups = groups.into_iter();
        let groups: Vec<FaultGroup> = groups
            .map(|(first, count)| self.group(first, count, &copied, &folder))
            .collect();
        let endgames = self.results.tables.endgames();
        let content = Content::of(&Feedback {
            tournament: &self.results.run.settings.name,
            grades: self.grades,
            earlier: self.earlier,
            row: self.row,
            grading: self.grading,
            standings: self.results.tables.standings(),
            faults: &groups,
            games: &self.games.shown,
            accuracy: endgames.and_then(|it| it.sentence(self.row.entrant())),
            costly: &self.games.costly,
            habits: &self.games.habits,
            complete: self.results.outcome.complete,
            program: &shown_program(&self.results.run.plan, self.row.entrant()),
        });
        let put =
            |name: &str, bytes: &[u8]| write_file(&folder, name, |out| Ok(out.write_all(bytes)?));
        put(GAMES, &self.games.csv)?;
        put(GAME_LINES, &self.games.lines)?;
        write_file(&folder, FAULTS_TABLE, |out| {
            write_faults_csv(&faults, out).map_err(FillError::from)
        })?;
        put(WEB_PAGE, feedback_page(&content.title, &content).as_bytes())?;
        put(TEXT, feedback_text(&content).as_bytes())
    }

    /// Like faults as their author reads them.
    fn group(
        &self,
        first: &FaultRow,
        count: usize,
        copied: &BTreeMap<String, String>,
        folder: &Folder,
    ) -> FaultGroup {
        let copy = first.folder.as_ref().and_then(|it| copied.get(it));
        let game = first.game.as_ref();
        FaultGroup {
            can_replay: copy.is_some_and(|it| folder.is_file(format!("{it}/{REQUESTS}"))),
            output: copy.and_then(|it| last_lines(folder, it)),
            game: game.and_then(|it| self.games.faulty.get(&it.id).cloned()),
            first: self.shown(first, copied),
            count,
        }
    }

    /// Copies the evidence of the first groups. Returns the names of the folders by those in the
    /// run.
    fn copy_evidence(
        &self,
        groups: &[(&FaultRow, usize)],
        folder: &Folder,
    ) -> Result<BTreeMap<String, String>, FolderError> {
        let removed = folder.remove(FAULTS);
        removed.map_err(|error| failed(folder, FAULTS, error))?;
        let mut copied = BTreeMap::new();
        let run = open_target(self.results.folder)?;
        let sources = groups.iter().filter_map(|(first, _)| {
            let name = first.folder.as_ref()?;
            Some((*first, name, run.below(name).ok()?))
        });
        for (first, name, source) in sources.take(MOST_EVIDENCE) {
            let shown = match &first.game {
                Some(game) => format!("{FAULTS}/{}", self.names.id(&game.id)),
                None => admission_folder(self.row.entrant()),
            };
            copied.insert(name.clone(), shown.clone());
            let fault = self.shown(first, &copied);
            let copy = folder.make(&shown);
            copy.and_then(|copy| evidence_copy::copy(&source, &copy, &fault, self.names))
                .map_err(|error| failed(folder, &shown, error))?;
        }
        Ok(copied)
    }

    /// A fault as its author reads it.
    fn shown(&self, row: &FaultRow, copied: &BTreeMap<String, String>) -> FaultRow {
        let game = row.game.as_ref().map(|game| LostGame {
            id: self.names.id(&game.id),
            opponent: self.names.name(&game.opponent).to_owned(),
            ..game.clone()
        });
        let folder = row.folder.as_ref();
        FaultRow {
            game,
            folder: folder.and_then(|it| copied.get(it).cloned()),
            ..row.clone()
        }
    }
}

/// The command of an entrant, and what builds it.
fn shown_program(plan: &Plan, name: &str) -> ShownProgram {
    let mut entrants = plan.entrants.iter();
    let entrant = entrants.find(|it| it.name == name);
    let program = entrant.and_then(|it| ProgramIdentity::of(&it.program));
    let shown = |words: &[String]| {
        let words: Vec<String> = words.iter().map(|word| shell_word(word)).collect();
        words.join(" ")
    };
    program.map_or_else(ShownProgram::default, |it| ShownProgram {
        command: shown(&it.command),
        build: shown(&it.build),
        check_flags: check_flags(plan, name),
    })
}

/// The flags of `awale check` for the clock of this entrant and the rules of a plan.
fn check_flags(plan: &Plan, name: &str) -> String {
    let mut flags = String::new();
    let mut flag = |name: &str, value: &str| {
        flags = format!("{flags} --{name} {}", shell_word(value));
    };
    if let Some(limit) = plan.clock_of(name).move_limit {
        flag("move", &time_text(limit));
    }
    flag("start-up", &time_text(plan.conditions.start_up));
    flag("new-game", &time_text(plan.conditions.new_game));
    if plan.preset.name() != "awale" {
        flag("rules", plan.preset.name());
    }
    for (field, value) in changed_fields(&plan.rules, plan.preset) {
        flag("set", &format!("{field}={}", plain_text(&value)));
    }
    flags
}

/// The last lines that the program wrote to standard error, or its build, in a copy of the evidence.
fn last_lines(folder: &Folder, copy: &str) -> Option<String> {
    let files = [STDERR, BUILD_OUTPUT].into_iter();
    let mut texts = files.filter_map(|name| folder.read(format!("{copy}/{name}"), MOST_MIB).ok());
    texts.find_map(|text| last_lines_of(&text))
}

/// The last lines of what a program wrote; `None` if there is nothing but white space.
fn last_lines_of(text: &[u8]) -> Option<String> {
    if text.trim_ascii().is_empty() {
        return None;
    }
    let text = String::from_utf8_lossy(text);
    let lines: Vec<&str> = text.lines().collect();
    let last = &lines[lines.len().saturating_sub(OUTPUT_LINES)..];
    let shown = last.iter().map(|line| {
        let begin: String = line.chars().take(OUTPUT_LINE_CHARS).collect();
        printable(begin.trim_end())
    });
    Some(shown.collect::<Vec<_>>().join("\n"))
}

/// Removes what was written for entrants that are gone. Files of other people stay.
fn remove_stale(target: &Folder, grades: &Grades) -> io::Result<()> {
    let current: BTreeSet<String> = grades.rows.iter().map(|row| label(row.entrant())).collect();
    for name in target.names(FEEDBACK)? {
        let folder = format!("{FEEDBACK}/{name}");
        let is_ours = target.is_file(format!("{folder}/{TEXT}"));
        if is_ours && !current.contains(&name) {
            for ours in [TEXT, WEB_PAGE, GAMES, GAME_LINES, FAULTS_TABLE, FAULTS] {
                target.remove(format!("{folder}/{ours}"))?;
            }
            // It stays if somebody else's files are in it.
            if target.names(&folder)?.is_empty() {
                target.remove(&folder)?;
            }
        }
    }
    Ok(())
}

fn failed(folder: &Folder, name: &str, error: io::Error) -> FolderError {
    FolderError::file("write", folder.path(name), error)
}
