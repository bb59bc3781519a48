//! Files of a folder that are written whole or not at all: first under another name, and synced
//! before they get their own.

use super::folder_error::{FillError, FolderError};
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// The suffix of unfinished files, whose names begin with a dot.
pub const PART: &str = ".part";
/// The name of the journal in the folder.
pub const JOURNAL: &str = "games.jsonl";
/// The name of the plan in the folder.
pub const PLAN: &str = "plan.toml";
/// The mode of files that contain the run's secret.
pub const OWNER_ONLY: u32 = 0o600;
/// The mode of all others.
const READABLE: u32 = 0o644;

/// A file that is complete and does not have its name yet. It is removed if it never gets it.
#[derive(Debug)]
pub struct PreparedFile {
    file: NamedTempFile,
    path: PathBuf,
}

/// Writes what `fill` writes to a file of any folder, whole or not at all.
///
/// # Errors
/// The disk's; those of `fill`.
pub fn write_file(
    folder: &Path,
    name: &str,
    fill: impl FnOnce(&mut File) -> Result<(), FillError>,
) -> Result<(), FolderError> {
    put_in_place(vec![prepare_file(folder, name, fill)?])
}

/// The same, up to the moment when the file gets its name.
///
/// # Errors
/// The disk's; those of `fill`.
pub fn prepare_file(
    folder: &Path,
    name: &str,
    fill: impl FnOnce(&mut File) -> Result<(), FillError>,
) -> Result<PreparedFile, FolderError> {
    let path = folder.join(name);
    let is_secret = name == PLAN || name == JOURNAL;
    let mode = if is_secret { OWNER_ONLY } else { READABLE };
    match filled(parent(&path), mode, fill) {
        Ok(file) => Ok(PreparedFile { file, path }),
        Err(FillError::Write(error)) => Err(failed(path, error)),
        Err(FillError::Source(error)) => Err(error),
    }
}

/// Gives files of one folder their names, in their order, and waits until that would survive a
/// crash.
///
/// # Errors
/// The disk's.
pub fn put_in_place(files: Vec<PreparedFile>) -> Result<(), FolderError> {
    let mut last = None;
    for PreparedFile { file, path } in files {
        if let Err(error) = file.persist(&path) {
            return Err(failed(path, error.error));
        }
        last = Some(path);
    }
    let Some(path) = last else {
        return Ok(());
    };
    let synced = File::open(parent(&path)).and_then(|folder| folder.sync_all());
    synced.map_err(|error| failed(path, error))
}

/// The folder of a file, which may be in a folder of the run's folder.
fn parent(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("."))
}

/// A temporary file in the folder, filled and synced.
fn filled(
    folder: &Path,
    mode: u32,
    fill: impl FnOnce(&mut File) -> Result<(), FillError>,
) -> Result<NamedTempFile, FillError> {
    fs::create_dir_all(folder)?;
    let mut file = tempfile::Builder::new()
        .prefix(".")
        .suffix(PART)
        .permissions(fs::Permissions::from_mode(mode))
        .tempfile_in(folder)?;
    fill(file.as_file_mut())?;
    file.as_file().sync_all()?;
    Ok(file)
}

const fn failed(path: PathBuf, error: io::Error) -> FolderError {
    FolderError::File {
        attempt: "write",
        path,
        error,
    }
}
