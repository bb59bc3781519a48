//! Sets the folder of an earlier run aside, so that a run begins anew in its place.

use super::folder::RunFolder;
use super::folder_error::FolderError;
use super::whole_file::JOURNAL;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// Gives the folder of a run the first free name of `NAME.1`, `NAME.2` and so on, and returns it;
/// `None` if there is no run in the folder. Nothing is deleted.
///
/// # Errors
/// A run is playing there, or the disk's.
pub fn set_run_aside(path: &Path) -> Result<Option<PathBuf>, FolderError> {
    if !path.join(JOURNAL).exists() {
        return Ok(None);
    }
    let _lock = RunFolder::open(path)?;
    let mut aside = (1_u32..).map(|number| numbered(path, number));
    let aside = aside.find(|aside| aside.symlink_metadata().is_err());
    let aside = aside.expect("a folder has fewer than 2^32 entries");
    match fs::rename(path, &aside) {
        Ok(()) => Ok(Some(aside)),
        Err(error) => Err(FolderError::File {
            attempt: "rename",
            path: path.to_owned(),
            error,
        }),
    }
}

fn numbered(path: &Path, number: u32) -> PathBuf {
    let mut name = path.file_name().map_or_else(OsString::new, OsString::from);
    name.push(format!(".{number}"));
    path.with_file_name(name)
}
