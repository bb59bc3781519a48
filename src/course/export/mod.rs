//! Gives grades and feedback back to a learning platform: the gradebook that it imports, and a zip of
//! the feedback under the names of its own download.
//!
//! ```text
//! roster.csv ────────────────────┐
//! results/class/ grades.csv ─────┴─▶ grades ─▶ gradebook ─▶ export/gradebook.csv
//!                feedback/NAME/ ─▶ feedback_zip ──────────▶ export/feedback.zip
//! ```
//!
//! The same course gives the same bytes.

mod feedback_zip;
mod gradebook;
mod grades;

pub use gradebook::Gradebook;

use super::course_folder::{CONFIGURATION, CourseError, open_course};
use crate::files::{self, Folder};
use crate::run_folder::write_file;
use crate::text::quoted;
use grades::{GradedPerson, read_grades};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Where `awale run` puts what follows from the configuration of a course.
const RESULTS: &str = "results/class";
/// The folder of what is exported, and the files in it.
const EXPORT: &str = "export";
const GRADEBOOK: &str = "export/gradebook.csv";
const FEEDBACK_ZIP: &str = "export/feedback.zip";
/// The largest gradebook and configuration, in MiB.
const MOST_MIB: u64 = 16;

/// What was exported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    /// The kind of gradebook.
    pub kind: Gradebook,
    /// The folder of the files.
    pub folder: PathBuf,
    /// The people who are in the gradebook.
    pub people: usize,
    /// The people who are not, because the platform's name of them is not known.
    pub left_out: Vec<String>,
    /// The most points, if there are any.
    pub most_points: Option<String>,
    /// The people with feedback in the zip.
    pub with_feedback: usize,
}

/// Exports the grades of a course, for the platform of its last import unless another is given. A
/// `worksheet`, the platform's own, is filled in, at the column of this name.
///
/// # Errors
/// There is no course or nothing is graded yet, the worksheet cannot be filled in, or the disk failed.
pub fn export(
    course: &Path,
    kind: Option<Gradebook>,
    worksheet: Option<&Path>,
    column: Option<&str>,
) -> Result<Exported, CourseError> {
    let (folder, roster) = open_course(course)?;
    let results = folder.below(RESULTS).map_err(|_| {
        let place = quoted(&folder.path(RESULTS).to_string_lossy());
        CourseError::Refused(format!(
            "there is no {place}: nothing is graded yet; run `awale run {CONFIGURATION}` in the course"
        ))
    })?;
    let people = read_grades(&folder, &results, roster.rows())?;
    let kind = kind.unwrap_or_else(|| Gradebook::of(roster.rows()));
    let title = column.map_or_else(|| course_name(&folder), str::to_owned);
    let (table, found) = match worksheet {
        Some(worksheet) => {
            let bytes = files::read(worksheet, MOST_MIB).map_err(|error| error.to_string());
            let filled =
                bytes.and_then(|bytes| gradebook::fill(&bytes, &people, kind, column, &title));
            filled.map_err(|reason| {
                let worksheet = quoted(&worksheet.to_string_lossy());
                CourseError::Refused(format!("cannot fill in {worksheet}: {reason}"))
            })?
        }
        None => gradebook::write(&people, kind, &title),
    };
    write_file(&folder, GRADEBOOK, |out| Ok(out.write_all(&table)?))?;
    let with_feedback = feedback_zip::write(&folder, &results, &people)?;
    let left_out = people
        .iter()
        .enumerate()
        .filter(|(it, _)| !found.contains(it));
    Ok(Exported {
        kind,
        folder: folder.path(EXPORT),
        people: found.len(),
        left_out: left_out.map(|(_, it)| it.row.shown().to_owned()).collect(),
        most_points: people.iter().find_map(GradedPerson::most_points),
        with_feedback,
    })
}

/// The name of the course in its configuration.
fn course_name(folder: &Folder) -> String {
    let text = folder.read(CONFIGURATION, MOST_MIB).ok();
    let table = text.and_then(|it| String::from_utf8(it).ok()?.parse::<toml::Table>().ok());
    let name = table.and_then(|it| Some(it.get("tournament")?.get("name")?.as_str()?.to_owned()));
    name.unwrap_or_else(|| "awale".to_owned())
}
