//! The file that `--output` names, for commands that print it otherwise.

use super::exit::{Exit, Failure, say_data};
use crate::run_folder::{open_target, write_file};
use std::io::Write as _;
use std::path::Path;

/// Writes the bytes to a file, whole or not at all, or to standard output.
///
/// # Errors
/// The path names no file; the disk's, or those of standard output.
pub fn write(output: Option<&Path>, bytes: &[u8]) -> Result<Exit, Failure> {
    let Some(path) = output else {
        return say_data(bytes);
    };
    let name = path.file_name().and_then(|name| name.to_str());
    let Some(name) = name.filter(|_| !path.is_dir()) else {
        let path = path.display();
        return Err(Failure::usage(format!(
            "--output {path}: this is not the name of a file"
        )));
    };
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
    let folder = open_target(folder.unwrap_or_else(|| Path::new(".")))?;
    write_file(&folder, name, |out| Ok(out.write_all(bytes)?))?;
    Ok(Exit::Done)
}
