//! Files of a folder that are written whole or not at all: first under another name, and synced
//! before they get their own.

use super::folder_error::{FillError, FolderError};
use crate::files::Folder;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// The suffix of unfinished files, whose names begin with a dot.
pub const PART: &str = ".part";
/// The name of the journal in the folder.
pub const JOURNAL: &str = "games.jsonl";
/// The file of lines that a repair has set aside.
pub const DAMAGED_LINES: &str = "damaged-lines.txt";
/// The name of the plan in the folder.
pub const PLAN: &str = "plan.toml";
/// The name of a tuning's template in its folder.
pub const TEMPLATE: &str = "template.toml";
/// The mode of files that contain the run's secret.
pub const OWNER_ONLY: u32 = 0o600;
/// The mode of all others.
const READABLE: u32 = 0o644;

/// A file that is complete and does not have its name yet. It is removed if it never gets it.
#[derive(Debug)]
pub struct PreparedFile<'f> {
    folder: &'f Folder,
    /// Its name so far; none once it has its own.
    part: PathBuf,
    name: String,
}

impl Drop for PreparedFile<'_> {
    fn drop(&mut self) {
        if !self.part.as_os_str().is_empty() {
            // The next run removes what is left.
            let _ = self.folder.remove(&self.part);
        }
    }
}

/// Writes what `fill` writes to a file below a folder, whole or not at all.
///
/// # Errors
/// The disk's; those of `fill`.
pub fn write_file(
    folder: &Folder,
    name: &str,
    fill: impl FnOnce(&mut File) -> Result<(), FillError>,
) -> Result<(), FolderError> {
    put_in_place(vec![prepare_file(folder, name, fill)?])
}

/// The same, up to the moment when the file gets its name.
///
/// # Errors
/// The disk's; those of `fill`.
pub fn prepare_file<'f>(
    folder: &'f Folder,
    name: &str,
    fill: impl FnOnce(&mut File) -> Result<(), FillError>,
) -> Result<PreparedFile<'f>, FolderError> {
    let is_secret = [PLAN, JOURNAL, DAMAGED_LINES, TEMPLATE].contains(&name);
    let mode = if is_secret { OWNER_ONLY } else { READABLE };
    let prepared = unfinished(folder, name, mode).map_err(FillError::from);
    let filled = prepared.and_then(|(prepared, mut file)| {
        fill(&mut file)?;
        file.sync_all()?;
        Ok(prepared)
    });
    filled.map_err(|error| match error {
        FillError::Write(error) => failed(folder, name, error),
        FillError::Source(error) => error,
    })
}

/// A new file beside that of this name. Several threads may write at a time.
fn unfinished<'f>(
    folder: &'f Folder,
    name: &str,
    mode: u32,
) -> io::Result<(PreparedFile<'f>, File)> {
    for number in 0_u32.. {
        let part = Path::new(name).with_file_name(format!(".{number}{PART}"));
        match folder.create_file(&part, mode) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            file => {
                let name = name.to_owned();
                return file.map(|file| (PreparedFile { folder, part, name }, file));
            }
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Gives files of one folder their names, in their order, and waits until that would survive a
/// crash.
///
/// # Errors
/// The disk's.
pub fn put_in_place(files: Vec<PreparedFile<'_>>) -> Result<(), FolderError> {
    let mut last = None;
    for mut file in files {
        let renamed = file.folder.rename(&file.part, &file.name);
        let around = renamed.map_err(|error| failed(file.folder, &file.name, error))?;
        file.part.clear();
        last = Some((around, file));
    }
    last.map_or(Ok(()), |(around, file)| {
        let synced = around.sync();
        synced.map_err(|error| failed(file.folder, &file.name, error))
    })
}

/// Opens the folder of a run, or another in which results are written, and creates it if necessary.
///
/// # Errors
/// The disk's.
pub fn open_target(target: &Path) -> Result<Folder, FolderError> {
    let folder = Folder::create(target);
    folder.map_err(|error| FolderError::file("create the folder", target.to_owned(), error))
}

fn failed(folder: &Folder, name: &str, error: io::Error) -> FolderError {
    FolderError::file("write", folder.path(name), error)
}
