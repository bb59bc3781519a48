//! Files that untrusted code may have prepared: only regular files are read, opening never blocks,
//! and memory is bounded. Also programs in the folders of `PATH`.
//!
//! ```text
//! folder   a folder, and what is below it, without following links
//! removal  opens and removes a folder that untrusted code filled
//! ```

mod folder;
mod removal;

pub use folder::Folder;
pub use removal::{open_folder, remove_folder};

use rustix::fs::{
    Access, AtFlags, CWD, FileType, Mode, OFlags, Stat, access, fstat, openat, statat,
};
use rustix::io::Errno;
use std::fs::File;
use std::io::{self, BufRead, Read as _};
use std::os::fd::AsFd;
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

/// Awale's folder among the caches of this user: `$XDG_CACHE_HOME/awale`, or `.cache/awale` in the
/// home. `None` if neither is an absolute path.
pub fn user_cache() -> Option<PathBuf> {
    let folder = |variable: &str| {
        let folder = std::env::var_os(variable).map(PathBuf::from);
        folder.filter(|it| it.is_absolute())
    };
    let base = folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(".cache")));
    Some(base?.join("awale"))
}

/// Opens a regular file, directly or through a link. Anything else might be endless.
///
/// # Errors
/// It cannot be opened, or is not a regular file.
pub fn open(path: &Path) -> io::Result<File> {
    open_at(CWD, path, OFlags::RDONLY, 0)
}

/// Opens a regular file relative to a folder. It never waits.
fn open_at(folder: impl AsFd, name: &Path, flags: OFlags, mode: u32) -> io::Result<File> {
    let (at, kinds) = if flags.contains(OFlags::NOFOLLOW) {
        (AtFlags::SYMLINK_NOFOLLOW, "a link, a device")
    } else {
        (AtFlags::empty(), "a device")
    };
    let checked = |found: Stat| match FileType::from_raw_mode(found.st_mode) {
        FileType::RegularFile => Ok(()),
        _ => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("it is not a file: {kinds}, a pipe or a folder is not read"),
        )),
    };
    // Even opening a device may have an effect.
    match statat(&folder, name, at) {
        Err(Errno::NOENT) if flags.contains(OFlags::CREATE) => {}
        found => checked(found?)?,
    }
    let flags = flags | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = openat(folder, name, flags, Mode::from_raw_mode(mode))?;
    // The path may lead to another file by now.
    checked(fstat(&file)?)?;
    Ok(file.into())
}

/// Reads a regular file of at most this many MiB. A larger one is not read completely.
///
/// # Errors
/// It cannot be read, is not a regular file, or is larger.
pub fn read(path: &Path, most_mib: u64) -> io::Result<Vec<u8>> {
    read_open(open(path)?, most_mib)
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

/// Takes something as done that failed because what it was about is missing.
///
/// # Errors
/// Any other reason.
pub fn unless_missing(done: io::Result<()>) -> io::Result<()> {
    match done {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done,
    }
}

/// Reads a line with its end into `line`, whose contents it replaces; false at the end of the
/// input. Of a line longer than `most` bytes the first are kept, and the rest is skipped.
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
            let error = read(&path(name), 1).unwrap_err();
            assert!(error.to_string().contains("it is not a file"), "{error}");
        }
        let error = read(&path("nothing"), 1).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        let folder = Folder::open(folder.path()).unwrap();
        assert!(folder.read("file", 2).is_ok());
        for name in ["link", "pipe", "device"] {
            let error = folder.read(name, 2).unwrap_err();
            assert!(
                error.to_string().contains("it is not a file: a link"),
                "{error}"
            );
        }
        let mut line = Vec::new();
        let mut input = &b"12345678\n1\n1234\n12345"[..];
        for expected in ["1234", "1\n", "1234", "1234"] {
            assert!(read_line(&mut input, 4, &mut line).unwrap());
            assert_eq!(line, expected.as_bytes());
        }
        assert!(!read_line(&mut input, 4, &mut line).unwrap());
    }
}
