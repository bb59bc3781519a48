//! Writes everything that follows from the games of a run, with the grades and the feedback if its
//! entrants are a class.

use super::feedback::write_feedback;
use super::grades::Grades;
use super::notes::{NOTES_TABLE, Note, notes, sentence, write_notes};
use super::weeks::last_week;
use crate::record::GRADES_TABLE;
use crate::report::Tables;
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
    if let Some(grades) = Grades::of(files.run, &tables) {
        write_file(&open_target(target)?, GRADES_TABLE, |out| {
            grades.write_csv(out).map_err(FillError::from)
        })?;
        write_feedback(&results, &grades, last_week(files.folder).as_ref(), target)?;
        notes.extend(grades.notes(tables.standings()));
        let of_programs = programs_notes(files, &results, &grades)?;
        write_file(&open_target(target)?, NOTES_TABLE, |out| {
            write_notes(&of_programs, out).map_err(FillError::from)
        })?;
        notes.extend(sentence(&of_programs));
    }
    files.write_pages(&results, &notes, target, entrants)?;
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

/// Writes the feedback of a class where no entrant may play: there are no tables.
///
/// # Errors
/// Those of [`write_results`].
pub fn write_feedback_alone(files: &ResultFiles<'_, '_>) -> Result<(), TablesError> {
    let tables = files.tables()?;
    if let Some(grades) = Grades::of(files.run, &tables) {
        let week = last_week(files.folder);
        write_feedback(
            &files.results(&tables),
            &grades,
            week.as_ref(),
            files.folder,
        )?;
    }
    Ok(())
}
