//! Files that untrusted code may have prepared: only regular files are read, opening never blocks,
//! and memory is bounded. Also programs in the folders of `PATH`.

use rustix::fs::{Access, access};
use std::fs::{self, File};
use std::io::{self, BufRead, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

/// The programs with this name in folders such as those of `PATH`, in their order: files that this
/// user may execute. A relative folder would depend on the working directory, and is skipped.
pub fn programs<'a>(
    folders: impl Iterator<Item = PathBuf> + 'a,
    name: &'a Path,
) -> impl Iterator<Item = PathBuf> + 'a {
    folders
        .filter(|folder| folder.is_absolute())
        .map(move |folder| folder.join(name))
        .filter(|path| path.is_file() && access(path, Access::EXEC_OK).is_ok())
}

/// Opens a regular file, directly or through a link; `None` for anything else, which might be
/// endless.
///
/// # Errors
/// It cannot be examined or opened.
pub fn open(path: &Path) -> io::Result<Option<File>> {
    // Even opening a device may have an effect.
    if !fs::metadata(path)?.is_file() {
        return Ok(None);
    }
    open_with(path, 0)
}

/// The same, without following a link.
fn open_unlinked(path: &Path) -> io::Result<Option<File>> {
    if !fs::symlink_metadata(path)?.is_file() {
        return Ok(None);
    }
    open_with(path, libc::O_NOFOLLOW)
}

fn open_with(path: &Path, flags: i32) -> io::Result<Option<File>> {
    let mut options = File::options();
    options
        .read(true)
        .custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY | flags);
    let file = options.open(path)?;
    // The path may lead to another file by now.
    let is_file = file.metadata()?.is_file();
    Ok(is_file.then_some(file))
}

/// Reads a regular file of at most this many MiB. A larger one is not read completely.
///
/// # Errors
/// It cannot be read, is not a regular file, or is larger.
pub fn read(path: &Path, most_mib: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let file = file.ok_or_else(|| {
        io::Error::other("it is not a file: a device, a pipe or a folder is not read")
    })?;
    read_open(file, most_mib)
}

/// The same without following a link.
///
/// # Errors
/// Those of [`read`]; a link.
pub fn read_unlinked(path: &Path, most_mib: u64) -> io::Result<Vec<u8>> {
    let file = open_unlinked(path)?;
    let file = file.ok_or_else(|| {
        io::Error::other("it is not a file: a link, a device, a pipe or a folder is not read")
    })?;
    read_open(file, most_mib)
}

fn read_open(file: File, most_mib: u64) -> io::Result<Vec<u8>> {
    let most = most_mib << 20;
    let too_large = || {
        let message = format!("it has more than {most_mib} MiB, which no such file has");
        io::Error::new(io::ErrorKind::FileTooLarge, message)
    };
    if file.metadata()?.len() > most {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    // It may grow during the read.
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(too_large());
    }
    Ok(bytes)
}

/// The same for a text.
///
/// # Errors
/// Those of [`read`]; it is not UTF-8.
pub fn read_text(path: &Path, most_mib: u64) -> io::Result<String> {
    let not_text = |_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8");
    String::from_utf8(read(path, most_mib)?).map_err(not_text)
}

/// Reads a line with its end into `line`, whose contents it replaces; false at the end of the input.
/// Of a line longer than `most` bytes the first are kept, and the rest is skipped.
///
/// # Errors
/// The input cannot be read.
pub fn read_line(input: &mut impl BufRead, most: usize, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    let read = input.take(most as u64).read_until(b'\n', line)?;
    if read == most && !line.ends_with(b"\n") {
        input.skip_until(b'\n')?;
    }
    Ok(read > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{CWD, Mode, mkfifoat};
    use std::os::unix::fs::symlink;

    #[test]
    fn only_regular_files_up_to_a_bound_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let file = File::create(path("file")).unwrap();
        file.set_len(1 << 20).unwrap();
        symlink("file", path("link")).unwrap();
        for name in ["file", "link"] {
            assert_eq!(read(&path(name), 1).unwrap().len(), 1 << 20, "{name}");
        }
        file.set_len((1 << 20) + 1).unwrap();
        let error = read(&path("link"), 1).unwrap_err();
        assert!(error.to_string().contains("more than 1 MiB"), "{error}");
        mkfifoat(CWD, path("pipe"), Mode::RUSR | Mode::WUSR).unwrap();
        symlink("/dev/zero", path("device")).unwrap();
        for name in ["pipe", "device", "."] {
            assert!(open(&path(name)).unwrap().is_none(), "{name}");
            let error = read(&path(name), 1).unwrap_err();
            assert!(error.to_string().contains("it is not a file"), "{error}");
        }
        assert!(read_unlinked(&path("file"), 2).is_ok());
        for name in ["link", "pipe", "device", "."] {
            let error = read_unlinked(&path(name), 2).unwrap_err();
            assert!(
                error.to_string().contains("it is not a file: a link"),
                "{error}"
            );
        }
        for read in [read, read_unlinked] {
            let error = read(&path("nothing"), 1).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::NotFound);
        }
    }
}
