//! The grades of the people of a roster, from the tables of the last run.

use crate::config::{self, GradedRow, RosterRow};
use crate::course::{CourseError, SUBMISSIONS};
use crate::files::Folder;
use crate::record::{GRADES_TABLE, RosterStatus};
use crate::text::folded;

/// A person of the roster with a grade. Somebody who has left is not graded.
#[derive(Clone, Debug)]
pub struct GradedPerson<'r> {
    pub row: &'r RosterRow,
    cells: GradedRow,
    /// Whether no file of this person was ever handed in.
    pub is_missing: bool,
}

impl GradedPerson<'_> {
    /// The points; nothing for those who are excused or have handed in nothing.
    pub fn points(&self) -> &str {
        match self.row.status {
            RosterStatus::Active if !self.is_missing => &self.cells.points,
            _ => "",
        }
    }

    /// The most points that there are.
    pub fn most_points(&self) -> Option<String> {
        Some(self.cells.most_points.clone()).filter(|it| !it.is_empty())
    }

    /// Why there is no grade, or why the program did not play.
    pub fn reason(&self) -> &str {
        match self.row.status {
            RosterStatus::Excused => "excused",
            _ if self.is_missing => "nothing was handed in",
            _ => &self.cells.reason,
        }
    }

    /// The name of the entrant; empty if it was not in the run.
    pub fn entrant(&self) -> &str {
        &self.cells.entrant
    }
}

/// The people of a roster with their grades, in its order.
pub fn read_grades<'r>(
    course: &Folder,
    results: &Folder,
    rows: &'r [RosterRow],
) -> Result<Vec<GradedPerson<'r>>, CourseError> {
    let path = results.path(GRADES_TABLE);
    let table = config::read_grades(results, "").map_err(CourseError::disk("read", &path))?;
    let graded = rows
        .iter()
        .filter(|row| row.status != RosterStatus::Withdrawn);
    let person = |row: &'r RosterRow| {
        let is_same = |one: &str, other: &str| !one.is_empty() && folded(one) == folded(other);
        let by_folder = table.iter().find(|it| is_same(&it.folder, &row.folder));
        // Without a roster in the run there is no folder; people without a folder have a name.
        let by_name = || {
            let names = [&row.alias, &row.folder];
            let mut cells = table.iter().filter(|it| it.folder.is_empty());
            cells.find(|it| {
                names.iter().any(|name| is_same(&it.entrant, name)) || is_same(&it.name, &row.name)
            })
        };
        let cells = by_folder.or_else(by_name).cloned().unwrap_or_default();
        let place = format!("{SUBMISSIONS}/{}", row.folder);
        let has_files =
            !row.folder.is_empty() && course.names(place).is_ok_and(|it| !it.is_empty());
        GradedPerson {
            is_missing: !has_files && cells.version.is_empty(),
            row,
            cells,
        }
    };
    Ok(graded.map(person).collect())
}
