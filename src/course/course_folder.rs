//! A course's folder: its files, and why it cannot be used.

use crate::config::{HOUSE_BOTS, MOST_ROSTER_MIB, ROSTER, Roster};
use crate::files::Folder;
use crate::run_folder::{FolderError, write_file};
use crate::text::{folded, quoted, slug};
use std::io::{self, Write as _};
use std::path::Path;
use thiserror::Error;

/// The configuration of a course.
pub const CONFIGURATION: &str = "class.toml";
/// The folder of what is handed in.
pub const SUBMISSIONS: &str = "submissions";
/// The folder that students get.
pub const HANDOUT: &str = "handout";

/// Why something cannot be done with a course.
#[derive(Debug, Error)]
pub enum CourseError {
    /// It was asked for something impossible; in words, with what to do.
    #[error("{0}")]
    Refused(String),
    /// The disk failed.
    #[error(transparent)]
    Disk(#[from] FolderError),
}

impl CourseError {
    /// For `map_err` where the disk fails at an attempt, a verb.
    pub fn disk(attempt: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |error| FolderError::file(attempt, path, error).into()
    }
}

/// Reads a roster that was found at a path.
pub fn read_roster(bytes: &[u8], path: &Path) -> Result<Roster, CourseError> {
    Roster::read(bytes).map_err(|error| {
        let path = quoted(&path.to_string_lossy());
        CourseError::Refused(format!("cannot read the roster {path}: {error}"))
    })
}

/// Opens a course, with the people of its roster.
pub fn open_course(path: &Path) -> Result<(Folder, Roster), CourseError> {
    let folder = Folder::open(path)
        .ok()
        .filter(|it| it.is_file(CONFIGURATION));
    let folder = folder.ok_or_else(|| {
        let path = quoted(&path.to_string_lossy());
        CourseError::Refused(format!(
            "{path} is no course: it has no {CONFIGURATION}; name the course with --course DIR, or \
             make one with `awale class new`"
        ))
    })?;
    let roster = match folder.read(ROSTER, MOST_ROSTER_MIB) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Roster::default(),
        Err(error) => return Err(CourseError::disk("read", &folder.path(ROSTER))(error)),
        Ok(bytes) => read_roster(&bytes, &folder.path(ROSTER))?,
    };
    Ok((folder, roster))
}

/// Writes the roster of a course's folder.
pub fn write_roster(folder: &Folder, roster: &Roster) -> Result<(), CourseError> {
    let bytes = roster.to_csv();
    Ok(write_file(
        folder,
        ROSTER,
        |out| Ok(out.write_all(&bytes)?),
    )?)
}

/// A folder for a person of this name that nobody of the roster has, and no yardstick: a plain word
/// that is the same on every system.
pub fn free_folder(roster: &Roster, name: &str) -> String {
    let slug = Some(slug(name)).filter(|it| !it.is_empty());
    let slug = slug.unwrap_or_else(|| "person".to_owned());
    let is_house = HOUSE_BOTS.contains(&slug.as_str()) || slug.starts_with("minimax-");
    let first = (!is_house).then(|| slug.clone());
    let numbered = (2..).map(|number| format!("{slug}-{number}"));
    let mut names = first.into_iter().chain(numbered);
    let is_free = |it: &String| {
        let form = folded(it);
        let mut names = roster
            .rows()
            .iter()
            .flat_map(|row| [&row.folder, &row.alias]);
        names.all(|name| folded(name) != form)
    };
    names.find(is_free).expect("one of endless names is free")
}
