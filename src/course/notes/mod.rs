//! `notes.csv`: what a teacher may want to look at. Evidence, never a verdict: two authors may have
//! worked together, as they were told, or have had the same lesson.
//!
//! ```text
//! versions/KEY/files ─▶ source  programs with the same text
//! games that count ───▶ moves   programs that play the same
//!                  └──▶ times, here
//! ```

mod moves;
mod source;

use super::grades::{Grades, GradesRow};
use super::versions::program_files;
use crate::files::Folder;
use crate::record::GameSummary;
use crate::report::{Column, write_csv};
use crate::rules::Side;
use crate::run_folder::{JournalGames, RunResults};
use crate::text::{counted, time_text};
use moves::PlayedMoves;
pub use source::ProgramFiles;
use source::Sources;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::Duration;

/// The table of notes in a run's folder.
pub const NOTES_TABLE: &str = "notes.csv";
/// CPU time in the turns of others that is not worth a note, in µs for each game: a runtime collects
/// its garbage.
const OFF_TURN_US: u64 = 20_000;

/// A note on an entrant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The entrant.
    pub entrant: String,
    /// What kind of note this is.
    pub kind: NoteKind,
    /// The other entrant, or the starter bot; empty if the note is about nobody else.
    pub with: String,
    /// What was seen.
    pub detail: String,
}

/// The kinds of notes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NoteKind {
    /// Its files are those of another author.
    SameProgram,
    /// They differ in white space and comments alone.
    SameButSpacing,
    /// They are those of an earlier program of another author.
    EarlierProgram,
    /// They are those of a starter bot.
    Starter,
    /// It plays the same moves as another program.
    SameMoves,
    /// It computes in the turns of others.
    OffTurn,
    /// Its moves take longer than the limit, and less than the margin.
    OverLimit,
}

impl NoteKind {
    /// The name in the table.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SameProgram => "same-program",
            Self::SameButSpacing => "same-but-spacing",
            Self::EarlierProgram => "earlier-program",
            Self::Starter => "starter",
            Self::SameMoves => "same-moves",
            Self::OffTurn => "off-turn",
            Self::OverLimit => "over-limit",
        }
    }
}

impl Note {
    /// The cells of its row in the table.
    pub fn cells(&self) -> [String; 4] {
        let Self {
            entrant,
            kind,
            with,
            detail,
        } = self;
        [entrant, kind.name(), with, detail].map(str::to_owned)
    }
}

/// The columns of `notes.csv`.
pub const NOTES: &[Column<Note>] = &[
    Column::new(&["entrant"], "the entrant", |row, cells| {
        cells.text(&row.entrant);
    }),
    Column::new(
        &["note"],
        "`same-program`, `same-but-spacing` (the files differ in white space and comments alone), \
                `earlier-program` (they are those of an earlier program of another author), \
                `starter`, `same-moves`, `off-turn` (it computes in the turns of others), or \
                `over-limit` (a move took longer than the limit, and less than the margin)",
        |row, cells| cells.text(row.kind.name()),
    ),
    Column::new(
        &["with"],
        "the other entrant, or the language of the starter bot",
        |row, cells| cells.text(&row.with),
    ),
    Column::new(&["detail"], "what was seen", |row, cells| {
        cells.text(&row.detail);
    }),
];

/// The notes on the graded entrants of a run, in their order.
///
/// # Errors
/// The folder of the run cannot be read.
pub fn notes(
    results: &RunResults<'_>,
    games: &JournalGames,
    grades: &Grades,
) -> io::Result<Vec<Note>> {
    let graded: Vec<&str> = grades.rows.iter().map(GradesRow::entrant).collect();
    let run = Folder::open(results.folder)?;
    let sources = Sources::read(&run, &program_files(&results.run.plan, games, &graded));
    let mut notes = sources.notes(&graded);
    let is_same =
        |note: &&Note| matches!(note.kind, NoteKind::SameProgram | NoteKind::SameButSpacing);
    let same_text: Vec<[String; 2]> = notes
        .iter()
        .filter(is_same)
        .map(|note| [note.entrant.clone(), note.with.clone()])
        .collect();
    let mut moves = PlayedMoves::new(results.run.plan.rules, &graded);
    let mut times: BTreeMap<&str, Times> = BTreeMap::new();
    let exclusions = &results.outcome.exclusions;
    let games = results.games.results();
    for game in games.filter_map(|game| exclusions.counted(game)) {
        moves.add(game);
        for side in Side::BOTH {
            let name = game.entrants[side.index()].as_str();
            if let Some(name) = graded.iter().find(|it| **it == name) {
                times.entry(name).or_default().add(game, side);
            }
        }
    }
    // Programs with the same text play the same moves.
    let alike = moves.notes().into_iter();
    notes.extend(alike.filter(|it| !same_text.contains(&[it.entrant.clone(), it.with.clone()])));
    let limit = |name| results.run.plan.clock_of(name).move_limit;
    notes.extend(
        times
            .iter()
            .flat_map(|(name, it)| it.notes(name, limit(name))),
    );
    let place = |note: &Note| graded.iter().position(|it| *it == note.entrant);
    notes.sort_by(|one, other| {
        (place(one), one.kind, &one.with).cmp(&(place(other), other.kind, &other.with))
    });
    Ok(notes)
}

/// Writes `notes.csv`.
///
/// # Errors
/// Those of `out`.
pub fn write_notes(notes: &[Note], out: impl Write) -> io::Result<()> {
    write_csv(NOTES, notes, out)
}

/// A sentence for the organiser.
pub fn sentence(notes: &[Note]) -> Option<String> {
    (!notes.is_empty()).then(|| {
        format!(
            "{NOTES_TABLE} has {} on programs that are alike, that compute out of turn, or whose \
             moves take longer than the limit: evidence, never a verdict.",
            counted(notes.len(), "note", "notes")
        )
    })
}

/// What the times of an entrant show.
#[derive(Clone, Copy, Debug, Default)]
struct Times {
    games: u64,
    off_turn_us: u64,
    longest_us: u64,
}

impl Times {
    fn add(&mut self, game: &GameSummary, side: Side) {
        let index = side.index();
        self.games += 1;
        self.off_turn_us = self
            .off_turn_us
            .saturating_add(game.off_turn_us[index].unwrap_or(0));
        let longest = game.times[index].max_us().unwrap_or(0);
        self.longest_us = self.longest_us.max(longest);
    }

    fn notes(self, entrant: &str, limit: Option<Duration>) -> Vec<Note> {
        let note = |kind, detail| Note {
            entrant: entrant.to_owned(),
            kind,
            with: String::new(),
            detail,
        };
        let time = |us| time_text(Duration::from_micros(us));
        let mut notes = Vec::new();
        if self.off_turn_us > OFF_TURN_US * self.games {
            let games = counted(
                usize::try_from(self.games).unwrap_or(usize::MAX),
                "game",
                "games",
            );
            let used = time(self.off_turn_us);
            notes.push(note(
                NoteKind::OffTurn,
                format!("{used} of CPU time in the turns of others, in {games}"),
            ));
        }
        let longest = Duration::from_micros(self.longest_us);
        if let Some(limit) = limit.filter(|it| longest > *it) {
            let (longest, limit) = (time(self.longest_us), time_text(limit));
            notes.push(note(
                NoteKind::OverLimit,
                format!("its longest move took {longest} of {limit}"),
            ));
        }
        notes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_noted_above_what_a_runtime_takes_and_above_the_limit() {
        let limit = Some(Duration::from_millis(100));
        for (games, off_turn_us, longest_us, limit, expected) in [
            (2, 40_000, 100_000, limit, vec![]),
            (2, 40_001, 100_000, limit, vec![NoteKind::OffTurn]),
            (1, 40_000, 100_000, limit, vec![NoteKind::OffTurn]),
            (1, 0, 100_001, limit, vec![NoteKind::OverLimit]),
            (1, 0, 900_000, None, vec![]),
            (
                1,
                20_001,
                900_000,
                limit,
                vec![NoteKind::OffTurn, NoteKind::OverLimit],
            ),
        ] {
            let times = Times {
                games,
                off_turn_us,
                longest_us,
            };
            let kinds: Vec<NoteKind> = times.notes("ada", limit).iter().map(|it| it.kind).collect();
            assert_eq!(kinds, expected, "{times:?}");
        }
    }
}
