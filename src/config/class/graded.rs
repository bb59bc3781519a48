//! `grades.csv` of a run, read back: by the final that its best play, by later weeks, and by the
//! export. It may come from anywhere: a cell that is no number is no number.

use crate::files::Folder;
use crate::record::GRADES_TABLE;
use serde::{Deserialize, Deserializer};
use std::io;
use std::path::Path;
use std::str::FromStr;

/// The most bytes of a table of grades, in MiB.
const MOST_MIB: u64 = 64;

/// What is read of a row. Hostile text.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct GradedRow {
    /// The entrant.
    pub entrant: String,
    /// The real name of its author.
    pub name: String,
    /// The folder in the submissions.
    pub folder: String,
    /// Whether the author has left or is excused; empty otherwise.
    pub status: String,
    /// `yes`, `no`, or empty.
    pub admitted: String,
    /// Which program plays, if it is not the last one.
    pub version: String,
    /// The rank among all entrants.
    #[serde(deserialize_with = "number")]
    pub rank: Option<usize>,
    /// The points, as they were written.
    pub points: String,
    /// All points that can be earned.
    pub most_points: String,
    /// Why it does not play.
    pub reason: String,
}

impl GradedRow {
    /// The points as a number.
    pub fn points(&self) -> Option<f64> {
        self.points.parse().ok()
    }
}

fn number<'d, D: Deserializer<'d>, T: FromStr>(cell: D) -> Result<Option<T>, D::Error> {
    Ok(String::deserialize(cell)?.parse().ok())
}

/// The rows of the table in a folder.
///
/// # Errors
/// The disk's, and those of a file that is no such table.
pub fn read_grades(folder: &Folder, place: impl AsRef<Path>) -> io::Result<Vec<GradedRow>> {
    let table = folder.read(place.as_ref().join(GRADES_TABLE), MOST_MIB)?;
    let mut table = csv::Reader::from_reader(table.as_slice());
    let rows: Result<_, _> = table.deserialize().collect();
    Ok(rows?)
}
