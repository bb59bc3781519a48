//! The zip of feedback: a folder for each person, with the name that the platform gave to the
//! hand-in. Moodle takes it back as it is ("Upload multiple feedback files in a zip").

use super::FEEDBACK_ZIP;
use super::grades::GradedPerson;
use crate::course::CourseError;
use crate::course::feedback::FEEDBACK;
use crate::files::Folder;
use crate::run_folder::{FillError, write_file};
use crate::tournament::label;
use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use zip::write::SimpleFileOptions;
use zip::{DateTime, ZipWriter};

/// The mode of every file.
const READABLE: u32 = 0o644;

/// Writes the zip, and returns how many people are in it.
pub fn write(
    course: &Folder,
    results: &Folder,
    people: &[GradedPerson<'_>],
) -> Result<usize, CourseError> {
    let mut with_feedback = 0;
    write_file(course, FEEDBACK_ZIP, |out| {
        let mut zip = ZipWriter::new(out);
        let mut used = BTreeSet::new();
        for person in people.iter().filter(|it| !it.entrant().is_empty()) {
            let source = format!("{FEEDBACK}/{}", label(person.entrant()));
            let name = folder_name(person);
            if results.is_folder(&source) && used.insert(name.clone()) {
                add_folder(&mut zip, results, &source, &name)?;
                with_feedback += 1;
            }
        }
        zip.finish().map_err(io::Error::from)?;
        Ok(())
    })?;
    Ok(with_feedback)
}

/// The folder of the platform; ours where that could not be one.
fn folder_name(person: &GradedPerson<'_>) -> String {
    let name = &person.row.handed_in_as;
    let is_name = !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\']);
    if is_name { name } else { &person.row.folder }.clone()
}

/// Adds all files below a folder, in the order of their names, without dates.
fn add_folder(
    zip: &mut ZipWriter<&mut File>,
    results: &Folder,
    source: &str,
    name: &str,
) -> Result<(), FillError> {
    let options = SimpleFileOptions::default()
        .last_modified_time(DateTime::default())
        .unix_permissions(READABLE);
    let mut left = vec![String::new()];
    while let Some(below) = left.pop() {
        let mut folders = Vec::new();
        for entry in results.names(format!("{source}/{below}"))? {
            let path = format!("{below}{entry}");
            let place = format!("{source}/{path}");
            if results.is_folder(&place) {
                folders.push(format!("{path}/"));
            } else if results.is_file(&place) {
                zip.start_file(format!("{name}/{path}"), options)
                    .map_err(io::Error::from)?;
                io::copy(&mut results.file(&place)?, zip)?;
            }
        }
        left.extend(folders.into_iter().rev());
    }
    Ok(())
}
