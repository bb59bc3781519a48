//! Writes everything that follows from the games of a run, with the grades and the feedback if its
//! entrants are a class.

use super::feedback::write_feedback;
use super::grades::Grades;
use super::notes::{NOTES_TABLE, Note, notes, sentence, write_notes};
use super::weeks::{Week, kept_weeks};
use crate::record::{GRADES_TABLE, OlderVersion};
use crate::report::{ClassFacts, ClassSecrets, StudentFacts, Tables};
use crate::run_folder::tables::TablesError;
use crate::run_folder::{FillError, FolderError, ResultFiles, RunResults, open_target, write_file};
use std::path::Path;

/// Writes the tables, the grades, the feedback and the page of a run to the folder `target`, with
/// pages of these entrants alone. Returns the tables, and notes for their readers.
///
/// # Errors
/// The folders fail, or the journal has games of other entrants.
pub fn write_results<'n>(
    files: &ResultFiles<'n, '_>,
    target: &Path,
    entrants: &[String],
) -> Result<(Tables<'n>, Vec<String>), TablesError> {
    let (tables, noise) = files.write_tables(target)?;
    let mut notes = files.notes(&tables, &noise);
    let results = files.results(&tables);
    let grades = Grades::of(files.run, &tables);
    let weeks = kept_weeks(files.folder);
    let mut class = None;
    if let Some(grades) = &grades {
        write_file(&open_target(target)?, GRADES_TABLE, |out| {
            grades.write_csv(out).map_err(FillError::from)
        })?;
        write_feedback(&results, grades, weeks.last(), target)?;
        notes.extend(grades.notes(tables.standings()));
        let of_programs = programs_notes(files, &results, grades)?;
        write_file(&open_target(target)?, NOTES_TABLE, |out| {
            write_notes(&of_programs, out).map_err(FillError::from)
        })?;
        notes.extend(sentence(&of_programs));
        class = Some(ClassFacts {
            secrets: files
                .run
                .settings
                .hides_names()
                .then(|| secrets(grades, &of_programs)),
            ..class_facts(grades, &weeks)
        });
    }
    files.write_pages(&results, &notes, target, (entrants, class.as_ref()))?;
    Ok((tables, notes))
}

fn programs_notes(
    files: &ResultFiles<'_, '_>,
    results: &RunResults<'_>,
    grades: &Grades,
) -> Result<Vec<Note>, FolderError> {
    let found = notes(results, files.games, grades);
    found.map_err(|error| FolderError::file("read", files.folder.to_owned(), error))
}

/// The students as the page shows them.
fn class_facts(grades: &Grades, weeks: &[Week]) -> ClassFacts {
    let students = grades.rows.iter().map(|row| {
        let name = row.entrant().to_owned();
        let of_week = |week: &Week| week.grades.get(&name).cloned().unwrap_or_default();
        let points = row.points();
        let rounded = |points: f64| (100.0 * points).round() / 100.0;
        StudentFacts {
            points: points.map(|(points, _)| rounded(points)),
            most_points: points.map(|(_, most)| rounded(most)),
            version: row.older.as_ref().map(OlderVersion::text),
            weeks: weeks.iter().map(of_week).collect(),
            name,
        }
    });
    ClassFacts {
        yardsticks: grades.yardsticks.clone(),
        weeks: weeks.iter().map(|it| it.label.clone()).collect(),
        students: students.collect(),
        secrets: None,
    }
}

/// What only the organiser may read.
fn secrets(grades: &Grades, notes: &[Note]) -> ClassSecrets {
    let people = grades.rows.iter();
    let people = people.map(|row| (row.entrant().to_owned(), row.person.name.clone()));
    ClassSecrets {
        people: people.filter(|(_, name)| !name.is_empty()).collect(),
        notes: notes.iter().map(Note::cells).collect(),
    }
}

/// Writes the feedback of a class where no entrant may play: there are no tables.
///
/// # Errors
/// Those of [`write_results`].
pub fn write_feedback_alone(files: &ResultFiles<'_, '_>) -> Result<(), TablesError> {
    let tables = files.tables()?;
    if let Some(grades) = Grades::of(files.run, &tables) {
        let weeks = kept_weeks(files.folder);
        let results = files.results(&tables);
        write_feedback(&results, &grades, weeks.last(), files.folder)?;
    }
    Ok(())
}
