//! One regular file of a submission: opened without waiting and without following links, read up to
//! its size at the time of opening, without reading its holes from the disk; and the messages for
//! files that cannot be read.

use crate::text::hexadecimal;
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, Stat, fstat, openat, statat};
use rustix::io::Errno;
use sha2::{Digest as _, Sha256};
use std::fs::{self, File, Permissions};
use std::io::{self, Read as _};
use std::os::fd::AsFd;
use std::os::unix::fs::{FileExt as _, PermissionsExt as _};
use std::path::Path;
use thiserror::Error;

/// Bytes per read.
const CHUNK: usize = 64 << 10;

/// The SHA-256 of one regular file of at most this many bytes. If `to` is given, the file is copied
/// there, readable for every user.
///
/// # Errors
/// It is a link or a special file, is too large, or cannot be read; the copy cannot be written.
pub fn read_file(
    path: &Path,
    most_bytes: u64,
    to: Option<&Path>,
) -> Result<String, SubmissionError> {
    let (file, status) = open_file(CWD, path)?;
    let size = u64::try_from(status.st_size).unwrap_or(u64::MAX);
    if size > most_bytes {
        return Err(too_large(path, most_bytes));
    }
    copy_file(&file, &status, path, to)
}

/// The bytes of a small file directly in a folder that was read before, when it had this hash.
///
/// # Errors
/// It is larger than this, or not the file that was hashed.
pub fn small_file(
    folder: &Path,
    name: &str,
    most_bytes: u64,
    hash: &str,
) -> Result<Vec<u8>, SubmissionError> {
    let path = Path::new(name);
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let folder = openat(CWD, folder, flags, Mode::empty())
        .map_err(|error| cannot("open the folder", folder, error))?;
    let (file, _) = open_file(&folder, path)?;
    let mut bytes = Vec::new();
    file.take(most_bytes + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| problem("read", path, error))?;
    if bytes.len() as u64 > most_bytes {
        let path = shown(path);
        return Err(unfit(format!("{path} has more than {most_bytes} bytes")));
    }
    if hexadecimal(&Sha256::digest(&bytes)) != hash {
        return Err(changed(path));
    }
    Ok(bytes)
}

/// The first bytes of a regular file, at most this many; `None` if it is anything else, or cannot
/// be read.
pub fn beginning(path: &Path, most_bytes: usize) -> Option<Vec<u8>> {
    let (file, _) = open_file(CWD, path).ok()?;
    let mut bytes = vec![0; most_bytes];
    let count = file.read_at(&mut bytes, 0).ok()?;
    bytes.truncate(count);
    Some(bytes)
}

fn open_file(folder: impl AsFd + Copy, path: &Path) -> Result<(File, Stat), SubmissionError> {
    let listed = statat(folder, path, AtFlags::SYMLINK_NOFOLLOW);
    let listed = listed.map_err(|error| cannot("read", path, error))?;
    open_listed(folder, path, &listed, path)
}

/// Opens a regular file, which must be the one that was listed. This never blocks.
pub fn open_listed<P: rustix::path::Arg>(
    folder: impl AsFd,
    name: P,
    listed: &Stat,
    path: &Path,
) -> Result<(File, Stat), SubmissionError> {
    let kind = FileType::from_raw_mode(listed.st_mode);
    if kind != FileType::RegularFile {
        return Err(special(path, kind));
    }
    let flags =
        OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file =
        openat(folder, name, flags, Mode::empty()).map_err(|error| cannot("read", path, error))?;
    let status = fstat(&file).map_err(io::Error::from)?;
    same(&status, listed, path)?;
    Ok((file.into(), status))
}

pub fn same(found: &Stat, listed: &Stat, path: &Path) -> Result<(), SubmissionError> {
    let of = |status: &Stat| (status.st_dev, status.st_ino, status.st_mode);
    if of(found) == of(listed) {
        return Ok(());
    }
    Err(changed(path))
}

/// Reads a file up to its size at the time of opening. A copy has no holes: a page of a hole is in
/// memory once it has been read, so bots could leave messages in holes for processes of later
/// games. What was just written is in memory, all of it.
pub fn copy_file(
    file: &File,
    status: &Stat,
    path: &Path,
    to: Option<&Path>,
) -> Result<String, SubmissionError> {
    let size = u64::try_from(status.st_size).unwrap_or(0);
    let copy = match to {
        None => None,
        Some(to) => {
            make_parent(to)?;
            let copy = File::options().write(true).create_new(true).open(to)?;
            copy.set_len(size)?;
            Some(copy)
        }
    };
    let (mut hash, mut chunk, mut at) = (Sha256::new(), vec![0; CHUNK], 0);
    while at < size {
        let wanted = usize::try_from(size - at).unwrap_or(CHUNK).min(CHUNK);
        let count = match file.read_at(&mut chunk[..wanted], at) {
            Ok(0) => return Err(changed(path)),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(problem("read", path, error)),
        };
        hash.update(&chunk[..count]);
        if let Some(copy) = &copy {
            copy.write_all_at(&chunk[..count], at)?;
        }
        at += count as u64;
    }
    if let Some(copy) = copy {
        let mode = if runs(status) { 0o555 } else { 0o444 };
        copy.set_permissions(Permissions::from_mode(mode))?;
    }
    Ok(hexadecimal(&hash.finalize()))
}

pub fn runs(status: &Stat) -> bool {
    status.st_mode & 0o111 != 0
}

pub fn make_parent(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), make_folder)
}

/// Creates a folder and its parents, readable for every user.
pub fn make_folder(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    make_parent(path)?;
    fs::create_dir(path)?;
    fs::set_permissions(path, Permissions::from_mode(0o755))
}

/// A path for a message, at most a line or two long.
pub fn shown(path: &Path) -> String {
    let text = format!("{:?}", path.to_string_lossy());
    match text.char_indices().nth(120) {
        None => text,
        Some((end, _)) => format!("{}…\"", &text[..end]),
    }
}

pub fn unfit(reason: String) -> SubmissionError {
    SubmissionError::Unfit(reason)
}

fn changed(path: &Path) -> SubmissionError {
    let path = shown(path);
    unfit(format!(
        "{path} changed while it was read: let nothing write there, and run again"
    ))
}

pub fn too_large(path: &Path, most: u64) -> SubmissionError {
    let path = shown(path);
    unfit(format!(
        "with {path} it has more than {most} bytes: take out what the bot does not need, or allow \
         more with `submission-size` in [limits]"
    ))
}

pub fn special(path: &Path, kind: FileType) -> SubmissionError {
    let what = match kind {
        FileType::Fifo => "a named pipe",
        FileType::Socket => "a socket",
        FileType::CharacterDevice | FileType::BlockDevice => "a device",
        FileType::Directory => "a folder",
        FileType::Symlink => "a link",
        _ => "a special file",
    };
    let path = shown(path);
    unfit(format!(
        "{path} is {what}: a submission has only regular files, folders and links; take it out"
    ))
}

pub fn cannot(what: &str, path: &Path, error: Errno) -> SubmissionError {
    problem(what, path, error.into())
}

/// A host without descriptors or memory is not the submission's fault.
fn problem(what: &str, path: &Path, error: io::Error) -> SubmissionError {
    let lacks = [Errno::MFILE, Errno::NFILE, Errno::NOMEM].map(Errno::raw_os_error);
    if error
        .raw_os_error()
        .is_some_and(|code| lacks.contains(&code))
    {
        return error.into();
    }
    let path = shown(path);
    unfit(format!("cannot {what} {path}: {error}"))
}

/// Why a submission cannot be read or copied.
#[derive(Debug, Error)]
pub enum SubmissionError {
    /// The contents are not allowed, for this reason.
    #[error("{0}")]
    Unfit(String),
    /// The host's failure.
    #[error(transparent)]
    Host(#[from] io::Error),
}
