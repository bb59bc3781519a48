//! Makes the folder of a course. It is filled beside its place and gets its name when it is whole.

use super::alias::{AliasWords, give_aliases};
use super::course_folder::{CONFIGURATION, CourseError, HANDOUT, SUBMISSIONS, write_roster};
use super::handout::handout_files;
use super::students::read_students;
use crate::config::{Roster, check_name};
use crate::files::Folder;
use crate::run_folder::write_file;
use crate::text::{quoted, slug, toml_string};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// The configuration, with the place of its name.
const TEMPLATE: &str = include_str!("class.toml");

/// What was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewCourse {
    /// The folder.
    pub path: PathBuf,
    /// The people of its roster.
    pub people: usize,
}

/// Makes a course with this name, in a folder of this name unless another one is given. Its roster
/// has the people of a list of students, if there is one.
///
/// # Errors
/// The name cannot be shown or makes no folder, something is in the folder, or the list cannot be
/// read.
pub fn new_course(
    name: &str,
    folder: Option<&Path>,
    students: Option<&Path>,
) -> Result<NewCourse, CourseError> {
    check_name(name).map_err(CourseError::Refused)?;
    let path = folder.map_or_else(|| folder_of(name), |it| Ok(it.to_owned()))?;
    let mut roster = students.map_or_else(|| Ok(Roster::default()), read_students)?;
    let words = AliasWords::drawn();
    let mut words = words.map_err(CourseError::disk("draw", Path::new("aliases")))?;
    give_aliases(&mut roster, &mut words);
    let (Some(around), Some(own)) = (path.parent(), path.file_name()) else {
        let path = quoted(&path.to_string_lossy());
        let reason = format!("cannot make a course in {path}: name a new folder");
        return Err(CourseError::Refused(reason));
    };
    let around = if around == Path::new("") {
        Path::new(".")
    } else {
        around
    };
    let around = Folder::create(around).map_err(CourseError::disk("make", around))?;
    if around.kind(own).is_some() && !around.names(own).is_ok_and(|it| it.is_empty()) {
        let path = quoted(&path.to_string_lossy());
        let reason = format!("{path} exists already, and is left as it is; choose another name");
        return Err(CourseError::Refused(reason));
    }
    let part = format!(".{}.part", own.to_string_lossy());
    let disk = || CourseError::disk("make", &path);
    around.remove(&part).map_err(disk())?;
    fill(&around.make(&part).map_err(disk())?, name, &roster)?;
    around.rename(&part, own).map_err(disk())?;
    Ok(NewCourse {
        people: roster.rows().len(),
        path,
    })
}

/// The folder for a name: the name itself, if every system takes it.
fn folder_of(name: &str) -> Result<PathBuf, CourseError> {
    let is_plain = name.starts_with(|first: char| first.is_ascii_alphanumeric())
        && name
            .chars()
            .all(|it| it.is_ascii_alphanumeric() || "-_".contains(it));
    let folder = if is_plain {
        name.to_owned()
    } else {
        slug(name)
    };
    if folder.is_empty() {
        let reason = format!(
            "the name {} makes no name of a folder; name the folder with --course DIR",
            quoted(name)
        );
        return Err(CourseError::Refused(reason));
    }
    Ok(PathBuf::from(folder))
}

fn fill(folder: &Folder, name: &str, roster: &Roster) -> Result<(), CourseError> {
    let put = |name: &str, text: &str| {
        write_file(folder, name, |out| Ok(out.write_all(text.as_bytes())?))
    };
    for (path, text) in handout_files() {
        put(&format!("{HANDOUT}/{path}"), &text)?;
    }
    let made = folder.make(SUBMISSIONS);
    made.map_err(CourseError::disk("make", &folder.path(SUBMISSIONS)))?;
    write_roster(folder, roster)?;
    put(
        CONFIGURATION,
        &TEMPLATE.replace("{name}", &toml_string(name)),
    )?;
    Ok(())
}
