//! Unpacks the archive of a build into a new folder. Every name in it is a stranger's. Only paths
//! below the folder are written, through no link: links are made after everything else, and stay
//! text. Bytes and names are bounded.

use crate::text::{quoted, size_text};
use std::fs::{self, File, Permissions};
use std::io::{self, Read};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Component, Path, PathBuf};
use tar::{Archive, Entry, EntryType};

/// The most entries of an archive.
const MOST_ENTRIES: usize = 200_000;

/// Unpacks an archive into a new folder, at most this many bytes of files; or why it cannot be a
/// program's folder.
///
/// # Errors
/// The folder cannot be written.
pub fn unpack(archive: &File, to: &Path, most_bytes: u64) -> io::Result<Result<(), String>> {
    fs::create_dir(to)?;
    let mut archive = Archive::new(archive);
    let entries = match archive.entries() {
        Ok(entries) => entries,
        Err(error) => return Ok(Err(unreadable(&error))),
    };
    let mut unpacking = Unpacking {
        to,
        most_bytes,
        left: most_bytes,
        links: Vec::new(),
    };
    for (number, entry) in entries.enumerate() {
        if number >= MOST_ENTRIES {
            return Ok(Err(format!(
                "it builds more than {MOST_ENTRIES} files and folders"
            )));
        }
        let mut entry = match entry {
            Ok(entry) => entry,
            Err(error) => return Ok(Err(unreadable(&error))),
        };
        if let Err(reason) = unpacking.take(&mut entry)? {
            return Ok(Err(reason));
        }
    }
    unpacking.make_links()?;
    Ok(Ok(()))
}

fn unreadable(error: &io::Error) -> String {
    format!("what its build leaves cannot be read: {error}")
}

struct Unpacking<'a> {
    to: &'a Path,
    most_bytes: u64,
    left: u64,
    /// Links to be made at the end: the path, and the text of the link.
    links: Vec<(PathBuf, PathBuf)>,
}

impl Unpacking<'_> {
    fn take(&mut self, entry: &mut Entry<'_, &File>) -> io::Result<Result<(), String>> {
        let Some(path) = entry.path().ok().and_then(|path| below(self.to, &path)) else {
            let name = quoted(&String::from_utf8_lossy(&entry.path_bytes()));
            return Ok(Err(format!("its build makes a file with the path {name}")));
        };
        if path == self.to {
            return Ok(Ok(()));
        }
        match entry.header().entry_type() {
            EntryType::Directory => make_folder(self.to, &path),
            EntryType::Regular | EntryType::Continuous | EntryType::GNUSparse => {
                self.file(entry, &path)
            }
            EntryType::Link => self.hard_link(entry, &path),
            EntryType::Symlink => {
                if let Ok(Some(text)) = entry.link_name() {
                    self.links.push((path, text.into_owned()));
                }
                Ok(Ok(()))
            }
            _ => Ok(Err(format!(
                "its build makes {}, which is no file, folder or link",
                name(self.to, &path)
            ))),
        }
    }

    fn file(
        &mut self,
        entry: &mut Entry<'_, &File>,
        path: &Path,
    ) -> io::Result<Result<(), String>> {
        let runs = entry.header().mode().unwrap_or(0) & 0o111 != 0;
        let size = entry.size();
        self.write(path, entry, size, runs)
    }

    /// A second name of a file that was unpacked before; it gets a copy.
    fn hard_link(
        &mut self,
        entry: &Entry<'_, &File>,
        path: &Path,
    ) -> io::Result<Result<(), String>> {
        let named = entry.link_name().ok().flatten();
        let first = named.and_then(|name| below(self.to, &name));
        let Some((first, found)) = first.and_then(|first| {
            let found = fs::symlink_metadata(&first)
                .ok()
                .filter(fs::Metadata::is_file)?;
            Some((first, found))
        }) else {
            let name = name(self.to, path);
            return Ok(Err(format!("its build makes the link {name} to no file")));
        };
        let runs = found.permissions().mode() & 0o111 != 0;
        self.write(path, &mut File::open(first)?, found.len(), runs)
    }

    fn write(
        &mut self,
        path: &Path,
        from: &mut impl Read,
        size: u64,
        runs: bool,
    ) -> io::Result<Result<(), String>> {
        let Some(left) = self.left.checked_sub(size) else {
            let most = size_text(self.most_bytes);
            return Ok(Err(format!(
                "it builds more than {most} (`submission-size` in [limits])"
            )));
        };
        self.left = left;
        if let Some(folder) = path.parent()
            && let Err(reason) = make_folder(self.to, folder)?
        {
            return Ok(Err(reason));
        }
        let file = File::options().write(true).create_new(true).open(path);
        let mut file = match file {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let name = name(self.to, path);
                return Ok(Err(format!("its build makes {name} twice")));
            }
            Err(error) => return Err(error),
        };
        if let Err(error) = io::copy(&mut from.take(size), &mut file) {
            return Ok(Err(unreadable(&error)));
        }
        let mode = if runs { 0o755 } else { 0o644 };
        file.set_permissions(Permissions::from_mode(mode))?;
        Ok(Ok(()))
    }

    fn make_links(&self) -> io::Result<()> {
        for (path, text) in &self.links {
            if let Some(folder) = path.parent()
                && make_folder(self.to, folder)?.is_ok()
            {
                // Where something else has the name, that stays.
                let _ = symlink(text, path);
            }
        }
        Ok(())
    }
}

/// The place of a path of the archive, if it is below the folder.
fn below(to: &Path, path: &Path) -> Option<PathBuf> {
    let mut place = to.to_owned();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::Normal(name) => place.push(name),
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(place)
}

/// Creates a folder and its parents. Nothing here is a link yet.
fn make_folder(to: &Path, path: &Path) -> io::Result<Result<(), String>> {
    let is_in_the_way = |error: &io::Error| {
        let kinds = [io::ErrorKind::AlreadyExists, io::ErrorKind::NotADirectory];
        kinds.contains(&error.kind())
    };
    match fs::create_dir_all(path) {
        Ok(()) => Ok(Ok(())),
        Err(error) if is_in_the_way(&error) => Ok(Err(format!(
            "its build needs the folder {}, and makes a file there",
            name(to, path)
        ))),
        Err(error) => Err(error),
    }
}

/// A path below the folder, for a message.
fn name(to: &Path, path: &Path) -> String {
    let below = path.strip_prefix(to).unwrap_or(path);
    quoted(&below.to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Seek as _, Write as _};
    use tar::{Builder, Header};

    /// An entry of an archive, by its raw name.
    fn entry(kind: EntryType, name: &str, link: &str, text: &str, mode: u32) -> (Header, String) {
        let mut header = Header::new_gnu();
        header.as_gnu_mut().unwrap().name[..name.len()].copy_from_slice(name.as_bytes());
        header.as_gnu_mut().unwrap().linkname[..link.len()].copy_from_slice(link.as_bytes());
        header.set_entry_type(kind);
        header.set_mode(mode);
        header.set_size(text.len() as u64);
        header.set_cksum();
        (header, text.to_owned())
    }

    fn unpacked(
        entries: &[(Header, String)],
        most: u64,
    ) -> (tempfile::TempDir, Result<(), String>) {
        let folder = tempfile::tempdir().unwrap();
        let mut file = tempfile::tempfile().unwrap();
        let mut builder = Builder::new(Vec::new());
        for (header, text) in entries {
            builder.append(header, text.as_bytes()).unwrap();
        }
        file.write_all(&builder.into_inner().unwrap()).unwrap();
        file.rewind().unwrap();
        let done = unpack(&file, &folder.path().join("to"), most).unwrap();
        (folder, done)
    }

    #[test]
    fn a_build_comes_out_as_it_is() {
        let (folder, done) = unpacked(
            &[
                entry(EntryType::Directory, "./", "", "", 0o700),
                entry(EntryType::Directory, "./deep/er/", "", "", 0o700),
                entry(EntryType::Regular, "./bot", "", "run", 0o711),
                entry(EntryType::Regular, "./deep/data", "", "some", 0o600),
                entry(EntryType::Link, "./again", "./bot", "", 0o711),
                entry(EntryType::Symlink, "./name", "bot", "", 0o777),
            ],
            100,
        );
        done.unwrap();
        let to = folder.path().join("to");
        let mode = |name: &str| fs::metadata(to.join(name)).unwrap().permissions().mode() & 0o777;
        assert_eq!(fs::read_to_string(to.join("bot")).unwrap(), "run");
        assert_eq!(fs::read_to_string(to.join("again")).unwrap(), "run");
        assert_eq!(
            [mode("bot"), mode("again"), mode("deep/data")],
            [0o755, 0o755, 0o644]
        );
        assert_eq!(fs::read_link(to.join("name")).unwrap(), Path::new("bot"));
    }

    #[test]
    fn nothing_is_written_elsewhere_or_beyond_the_limit() {
        let file = |name: &str| entry(EntryType::Regular, name, "", "x", 0o644);
        let link = |name: &str, to: &str| entry(EntryType::Symlink, name, to, "", 0o777);
        for (entries, said) in [
            (vec![file("../out")], "with the path \"../out\""),
            (vec![file("a/../../out")], "with the path"),
            (
                vec![file("/tmp/awale-out")],
                "with the path \"/tmp/awale-out\"",
            ),
            (vec![file("a"), file("a")], "its build makes \"a\" twice"),
            (
                vec![file("a"), file("a/b")],
                "needs the folder \"a\", and makes a file there",
            ),
            (
                vec![entry(EntryType::Link, "a", "../out", "", 0o644)],
                "to no file",
            ),
            (
                vec![entry(EntryType::Fifo, "a", "", "", 0o644)],
                "no file, folder or link",
            ),
            (
                vec![entry(EntryType::Regular, "a", "", &"x".repeat(101), 0o644)],
                "more than 100B",
            ),
        ] {
            let (folder, done) = unpacked(&entries, 100);
            let reason = done.unwrap_err();
            assert!(reason.contains(said), "{reason}");
            assert!(!folder.path().join("out").exists());
        }
        // A link that is there first leads nowhere while files are written.
        let (folder, done) = unpacked(&[link("d", ".."), file("d/out")], 100);
        done.unwrap();
        assert!(!folder.path().join("out").exists());
        assert!(folder.path().join("to/d/out").is_file());
    }
}
