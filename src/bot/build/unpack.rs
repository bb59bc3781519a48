//! Unpacks the archive of a build into a new folder. Every byte of it is a stranger's, who may have
//! written it by hand. Nothing is written through a link: a path below a link or a file is refused,
//! and links are made after everything else. Names, depth and bytes are bounded before anything is
//! created.

use super::{BuildFailure, too_large};
use crate::text::quoted;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File, Permissions};
use std::io::{self, Read, Seek as _, SeekFrom, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Component, Path, PathBuf};
use tar::{Archive, Entry, EntryType, PaxExtensions};

/// The most files, folders and links.
const MOST_NAMES: usize = 100_000;
/// The deepest nesting of folders.
const MOST_DEPTH: usize = 64;
/// The most bytes of a path below the folder, and of the text of a link.
const LONGEST_PATH: usize = 2048;
/// The most bytes of one name, which every file system takes.
const LONGEST_NAME: usize = 255;
/// The most bytes of what stands before an entry: its long name.
const LONGEST_EXTENSION: u64 = 64 << 10;
/// Bytes that are written at a time. A part that is zero becomes a hole.
const PART: usize = 64 << 10;

/// Unpacks an archive into a new folder, at most this many bytes of files; or why it cannot be a
/// program's folder. The file `program` may be run in any case: outside of a box the build itself
/// cannot say so.
///
/// # Errors
/// The folder cannot be written.
pub fn unpack(
    archive: &File,
    to: &Path,
    most_bytes: u64,
    program: Option<&Path>,
) -> io::Result<Result<(), BuildFailure>> {
    unpack_within(archive, to, (most_bytes, MOST_NAMES), program)
}

fn unpack_within(
    archive: &File,
    to: &Path,
    (most_bytes, most_names): (u64, usize),
    program: Option<&Path>,
) -> io::Result<Result<(), BuildFailure>> {
    fs::create_dir(to)?;
    let mut unpacking = Unpacking {
        to,
        most_bytes,
        most_names,
        program,
        left: most_bytes,
        made: BTreeMap::new(),
        extension: Extension::default(),
    };
    match unpacking.take_all(archive) {
        Ok(()) => Ok(Ok(())),
        Err(Refused::Failure(failure)) => Ok(Err(failure)),
        Err(Refused::Host(error)) => Err(error),
    }
}

/// Why an archive is not unpacked.
enum Refused {
    /// The build's fault.
    Failure(BuildFailure),
    /// The host's.
    Host(io::Error),
}

impl From<io::Error> for Refused {
    fn from(error: io::Error) -> Self {
        Self::Host(error)
    }
}

fn refused<T>(reason: String) -> Result<T, Refused> {
    Err(Refused::Failure(BuildFailure::own(reason)))
}

fn unreadable(error: &io::Error) -> Refused {
    let reason = format!("what its build leaves cannot be read: {error}");
    Refused::Failure(BuildFailure::own(reason))
}

/// What has been made at a path.
enum Made {
    Folder,
    /// A file, and whether it may be run.
    File(bool),
    /// A link with this text, which is made at the end.
    Link(PathBuf),
}

/// What stands before an entry because its header has no room for it.
#[derive(Default)]
struct Extension {
    path: Option<Vec<u8>>,
    link: Option<Vec<u8>>,
}

struct Unpacking<'a> {
    to: &'a Path,
    most_bytes: u64,
    most_names: usize,
    program: Option<&'a Path>,
    left: u64,
    /// Everything that the archive has made, by its path below the folder. It decides what may be
    /// made next: the disk is not asked.
    made: BTreeMap<PathBuf, Made>,
    extension: Extension,
}

impl Unpacking<'_> {
    fn take_all(&mut self, archive: &File) -> Result<(), Refused> {
        let mut archive = Archive::new(archive);
        // Long names are read here, within bounds.
        let entries = archive.entries().map_err(|error| unreadable(&error))?;
        for entry in entries.raw(true) {
            let mut entry = entry.map_err(|error| unreadable(&error))?;
            if !self.take_extension(&mut entry)? {
                self.take(&mut entry)?;
            }
        }
        self.make_links()
    }

    /// Whether the entry belongs to the next one, and is remembered for it.
    fn take_extension(&mut self, entry: &mut Entry<'_, &File>) -> Result<bool, Refused> {
        let kind = entry.header().entry_type();
        let is_extension = matches!(
            kind,
            EntryType::GNULongName
                | EntryType::GNULongLink
                | EntryType::XHeader
                | EntryType::XGlobalHeader
        );
        if !is_extension {
            return Ok(false);
        }
        if entry.size() > LONGEST_EXTENSION {
            return refused("its build makes a file whose path is too long".to_owned());
        }
        let mut bytes = Vec::new();
        let read = entry.take(LONGEST_EXTENSION).read_to_end(&mut bytes);
        read.map_err(|error| unreadable(&error))?;
        let text = bytes.split(|&byte| byte == 0).next().unwrap_or_default();
        match kind {
            EntryType::GNULongName => self.extension.path = Some(text.to_vec()),
            EntryType::GNULongLink => self.extension.link = Some(text.to_vec()),
            EntryType::XHeader => {
                for pair in PaxExtensions::new(&bytes).flatten() {
                    match pair.key_bytes() {
                        b"path" => self.extension.path = Some(pair.value_bytes().to_vec()),
                        b"linkpath" => self.extension.link = Some(pair.value_bytes().to_vec()),
                        b"size" => return refused("its build makes a huge file".to_owned()),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
        Ok(true)
    }

    fn take(&mut self, entry: &mut Entry<'_, &File>) -> Result<(), Refused> {
        let Extension { path, link } = std::mem::take(&mut self.extension);
        let path = path.unwrap_or_else(|| entry.path_bytes().into_owned());
        let path = below(&path)?;
        if path == Path::new("") {
            return Ok(());
        }
        let link = link.or_else(|| Some(entry.link_name_bytes()?.into_owned()));
        match entry.header().entry_type() {
            EntryType::Directory => self.folder(&path),
            EntryType::Regular | EntryType::Continuous => {
                let runs =
                    entry.header().mode().unwrap_or(0) & 0o111 != 0 || self.program == Some(&path);
                let size = entry.size();
                self.write(&path, entry, size, runs)
            }
            EntryType::Link => self.hard_link(&path, link.as_deref().unwrap_or_default()),
            EntryType::Symlink => self.link(&path, link.as_deref().unwrap_or_default()),
            _ => refused(format!(
                "its build makes {}, which is no file, folder or link",
                name(&path)
            )),
        }
    }

    /// Creates a folder and its parents, if they do not exist.
    fn folder(&mut self, path: &Path) -> Result<(), Refused> {
        let mut ancestors: Vec<&Path> = path.ancestors().collect();
        ancestors.retain(|it| *it != Path::new(""));
        for folder in ancestors.into_iter().rev() {
            match self.made.get(folder) {
                Some(Made::Folder) => {}
                Some(Made::File(_) | Made::Link(_)) => {
                    return refused(format!(
                        "its build needs the folder {}, and makes something else there",
                        name(folder)
                    ));
                }
                None => {
                    self.note(folder, Made::Folder)?;
                    fs::create_dir(self.to.join(folder))?;
                }
            }
        }
        Ok(())
    }

    /// Makes place for a new file or link.
    fn place(&mut self, path: &Path, what: Made) -> Result<(), Refused> {
        if let Some(folder) = path.parent() {
            self.folder(folder)?;
        }
        if self.made.contains_key(path) {
            return refused(format!("its build makes {} twice", name(path)));
        }
        self.note(path, what)
    }

    fn note(&mut self, path: &Path, what: Made) -> Result<(), Refused> {
        let most = self.most_names;
        if self.made.len() >= most {
            return refused(format!("it builds more than {most} files and folders"));
        }
        self.made.insert(path.to_owned(), what);
        Ok(())
    }

    fn link(&mut self, path: &Path, text: &[u8]) -> Result<(), Refused> {
        if text.is_empty() || text.len() > LONGEST_PATH || text.contains(&0) {
            return refused(format!(
                "its build makes the link {} to no file",
                name(path)
            ));
        }
        self.place(path, Made::Link(OsStr::from_bytes(text).into()))
    }

    /// A second name of a file that was unpacked before; it gets a copy.
    fn hard_link(&mut self, path: &Path, text: &[u8]) -> Result<(), Refused> {
        let first = below(text).ok();
        let found = first.and_then(|first| match self.made.get(&first)? {
            Made::File(runs) => Some((first, *runs)),
            Made::Folder | Made::Link(_) => None,
        });
        let Some((first, runs)) = found else {
            return refused(format!(
                "its build makes the link {} to no file",
                name(path)
            ));
        };
        let mut file = File::open(self.to.join(first))?;
        let size = file.metadata()?.len();
        self.write(path, &mut file, size, runs)
    }

    fn write(
        &mut self,
        path: &Path,
        from: &mut impl Read,
        size: u64,
        runs: bool,
    ) -> Result<(), Refused> {
        let Some(left) = self.left.checked_sub(size) else {
            let failure = BuildFailure::passing(too_large(self.most_bytes));
            return Err(Refused::Failure(failure));
        };
        self.left = left;
        self.place(path, Made::File(runs))?;
        let mut file = File::options()
            .write(true)
            .create_new(true)
            .open(self.to.join(path))?;
        write_with_holes(from, size, &mut file)?;
        let mode = if runs { 0o755 } else { 0o644 };
        file.set_permissions(Permissions::from_mode(mode))?;
        Ok(())
    }

    /// Each parent of a link is a folder that was made here.
    fn make_links(&self) -> Result<(), Refused> {
        for (path, made) in &self.made {
            if let Made::Link(text) = made {
                symlink(text, self.to.join(path))?;
            }
        }
        Ok(())
    }
}

/// Writes a file of this size; what is zero takes no room.
fn write_with_holes(from: &mut impl Read, size: u64, file: &mut File) -> Result<(), Refused> {
    let mut part = vec![0; PART];
    let mut left = size;
    while left > 0 {
        let wanted = usize::try_from(left).unwrap_or(PART).min(PART);
        let part = &mut part[..wanted];
        from.read_exact(part).map_err(|error| unreadable(&error))?;
        if part.iter().all(|&byte| byte == 0) {
            file.seek(SeekFrom::Start(size - left + wanted as u64))?;
        } else {
            file.write_all(part)?;
        }
        left -= wanted as u64;
    }
    Ok(file.set_len(size)?)
}

/// A path of the archive below the folder, if it is one.
fn below(path: &[u8]) -> Result<PathBuf, Refused> {
    let mut place = PathBuf::new();
    let mut depth = 0;
    let is_path = path.len() <= LONGEST_PATH
        && !path.contains(&0)
        && Path::new(OsStr::from_bytes(path))
            .components()
            .all(|component| match component {
                Component::CurDir => true,
                Component::Normal(name) => {
                    place.push(name);
                    depth += 1;
                    depth <= MOST_DEPTH && name.len() <= LONGEST_NAME
                }
                Component::ParentDir | Component::RootDir | Component::Prefix(_) => false,
            });
    if is_path {
        return Ok(place);
    }
    let shown: String = String::from_utf8_lossy(path).chars().take(100).collect();
    refused(format!(
        "its build makes a file with the path {}",
        quoted(&shown)
    ))
}

/// A path below the folder, for a message.
fn name(path: &Path) -> String {
    quoted(&path.to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;
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
    ) -> (tempfile::TempDir, Result<(), BuildFailure>) {
        let folder = tempfile::tempdir().unwrap();
        let mut file = tempfile::tempfile().unwrap();
        let mut builder = Builder::new(Vec::new());
        for (header, text) in entries {
            builder.append(header, text.as_bytes()).unwrap();
        }
        file.write_all(&builder.into_inner().unwrap()).unwrap();
        file.rewind().unwrap();
        let done = {
            let (to, program) = (folder.path().join("to"), Path::new("program"));
            unpack_within(&file, &to, (most, 1_000), Some(program)).unwrap()
        };
        (folder, done)
    }

    #[test]
    fn a_build_comes_out_as_it_is() {
        let (folder, done) = unpacked(
            &[
                entry(EntryType::Directory, "./", "", "", 0o700),
                entry(EntryType::Directory, "./deep/er/", "", "", 0o700),
                entry(EntryType::Regular, "./bot", "", "run", 0o711),
                entry(EntryType::Regular, "./program", "", "made", 0o600),
                entry(EntryType::Regular, "./deep/data", "", "some", 0o600),
                entry(EntryType::Link, "./again", "./bot", "", 0o711),
                entry(EntryType::Symlink, "./name", "bot", "", 0o777),
            ],
            // The second name of `bot` is a file of its own.
            14,
        );
        done.unwrap();
        let to = folder.path().join("to");
        let mode = |name: &str| fs::metadata(to.join(name)).unwrap().permissions().mode() & 0o777;
        assert_eq!(fs::read_to_string(to.join("bot")).unwrap(), "run");
        assert_eq!(fs::read_to_string(to.join("again")).unwrap(), "run");
        assert_eq!(
            [
                mode("bot"),
                mode("again"),
                mode("program"),
                mode("deep/data")
            ],
            [0o755, 0o755, 0o755, 0o644]
        );
        assert_eq!(fs::read_link(to.join("name")).unwrap(), Path::new("bot"));
    }

    #[test]
    fn nothing_is_written_elsewhere_or_beyond_the_limit() {
        let file = |name: &str| entry(EntryType::Regular, name, "", "x", 0o644);
        let link = |name: &str, to: &str| entry(EntryType::Symlink, name, to, "", 0o777);
        let sized =
            |name: &str, size| entry(EntryType::Regular, name, "", &"x".repeat(size), 0o644);
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
                "needs the folder \"a\", and makes something else there",
            ),
            (
                vec![entry(EntryType::Link, "a", "../out", "", 0o644)],
                "to no file",
            ),
            (
                vec![entry(EntryType::Fifo, "a", "", "", 0o644)],
                "no file, folder or link",
            ),
            // Neither is too large alone.
            (vec![sized("a", 60), sized("b", 41)], "more than 100B"),
        ] {
            let (folder, done) = unpacked(&entries, 100);
            let reason = done.unwrap_err().reason;
            assert!(reason.contains(said), "{reason}");
            assert!(!folder.path().join("out").exists());
        }
        // No path leads through a link, whether to a file, a folder or another link.
        for below in [
            file("d/out"),
            entry(EntryType::Directory, "d/out", "", "", 0o755),
            link("d/out", "x"),
            entry(EntryType::Link, "d/out", "a", "", 0o644),
        ] {
            for entries in [
                vec![file("a"), link("d", ".."), below.clone()],
                vec![file("a"), below.clone(), link("d", "..")],
                vec![
                    file("a"),
                    link("b/d", "/tmp"),
                    link("d", "b/d"),
                    below.clone(),
                ],
            ] {
                let (folder, done) = unpacked(&entries, 100);
                let reason = done.unwrap_err().reason;
                assert!(reason.contains("\"d\""), "{reason}");
                let names = fs::read_dir(folder.path()).unwrap();
                let names: Vec<_> = names.map(|it| it.unwrap().file_name()).collect();
                assert_eq!(names, ["to"]);
            }
        }
    }

    /// An entry with a long name before it, as GNU tar writes it.
    fn long(name: &str, kind: EntryType) -> [(Header, String); 2] {
        let before = entry(EntryType::GNULongName, "././@LongLink", "", name, 0o644);
        [before, entry(kind, "short", "", "", 0o755)]
    }

    #[test]
    fn names_are_bounded_before_anything_is_made() {
        let deep = |depth: usize| vec!["d"; depth].join("/");
        for (name, is_fine) in [
            ("n".repeat(255), true),
            ("n".repeat(256), false),
            (deep(64), true),
            (deep(65), false),
            (vec!["n".repeat(200); 10].join("/"), true),
            (vec!["n".repeat(200); 11].join("/"), false),
            (format!("n\0{}", "m".repeat(300)), true),
            ("n".repeat(70_000), false),
        ] {
            let (_folder, done) = unpacked(&long(&name, EntryType::Directory), 100);
            assert_eq!(done.is_ok(), is_fine, "{} bytes: {done:?}", name.len());
        }
        // A folder takes as much of the bound as a file, named or not.
        let many: Vec<_> = (0..17)
            .flat_map(|number| long(&format!("{number}/{}", deep(60)), EntryType::Directory))
            .collect();
        let (_folder, done) = unpacked(&many, 100);
        let reason = done.unwrap_err().reason;
        assert!(
            reason.contains("more than 1000 files and folders"),
            "{reason}"
        );
    }

    #[test]
    fn zeros_take_no_room() {
        use std::os::unix::fs::MetadataExt as _;
        let text = format!("{}x", "\0".repeat(1 << 20));
        let (folder, done) = unpacked(
            &[entry(EntryType::Regular, "hole", "", &text, 0o644)],
            2 << 20,
        );
        done.unwrap();
        let hole = folder.path().join("to/hole");
        assert_eq!(fs::read_to_string(&hole).unwrap(), text);
        assert!(fs::metadata(&hole).unwrap().blocks() * 512 < 512 << 10);
    }
}
