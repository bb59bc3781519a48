//! Writes everything that follows from the games of a run, with the grades and the feedback if its
//! entrants are a class.

use super::feedback::write_feedback;
use super::grades::Grades;
use super::weeks::last_week;
use crate::report::{HostNoise, Tables};
use crate::run_folder::tables::TablesError;
use crate::run_folder::{FillError, ResultFiles, open_target, write_file};
use std::path::Path;

/// The name of the table of grades in a run's folder.
pub const GRADES_TABLE: &str = "grades.csv";

/// What was written, for those who tell people.
#[derive(Clone, Debug)]
pub struct WrittenResults<'n> {
    /// The tables.
    pub tables: Tables<'n>,
    /// How the host disturbed games.
    pub noise: HostNoise,
    /// The grades, if the entrants are a class.
    pub grades: Option<Grades>,
    /// Notes for readers of the tables.
    pub notes: Vec<String>,
}

/// Writes the tables, the grades, the feedback and the page of a run to the folder `target`, with
/// pages of these entrants alone.
///
/// # Errors
/// The folders fail, or the journal has games of other entrants.
pub fn write_results<'n>(
    files: &ResultFiles<'n, '_>,
    target: &Path,
    entrants: &[String],
) -> Result<WrittenResults<'n>, TablesError> {
    let (tables, noise) = files.write_tables(target)?;
    let grades = Grades::of(files.run, &tables);
    let mut notes = files.notes(&tables, &noise);
    let results = files.results(&tables);
    if let Some(grades) = &grades {
        write_file(&open_target(target)?, GRADES_TABLE, |out| {
            grades.write_csv(out).map_err(FillError::from)
        })?;
        write_feedback(&results, grades, last_week(files.folder).as_ref(), target)?;
        notes.extend(grades.notes(tables.standings()));
    }
    files.write_pages(&results, &notes, target, entrants)?;
    Ok(WrittenResults {
        tables,
        noise,
        grades,
        notes,
    })
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
