//! The entries of an export: of a zip or a folder on disk, and of an archive inside it. Names,
//! sizes and contents are a stranger's. Nothing is written here, and no link is followed.

use super::bounds::{MOST_ENTRIES, most_bytes};
use crate::course::CourseError;
use crate::files::{self, Folder};
use crate::text::{composed, printable, quoted};
use flate2::read::MultiGzDecoder;
use rustix::fs::FileType;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufReader, Cursor, Read, Seek};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use tar::EntryType;
use toml::value::Datetime;
use zip::ZipArchive;

/// The kinds of archives that are unpacked, by the ends of their names.
const ENDINGS: [&str; 4] = [".zip", ".tar", ".tar.gz", ".tgz"];
/// What stands before each entry of the list at the end of a zip.
const ZIP_ENTRY: &[u8] = b"PK\x01\x02";
/// The part of a Unix mode that says what an entry is, and its value for a regular file.
const KIND: u32 = 0o170_000;
const REGULAR: u32 = 0o100_000;
/// Every execute permission.
const EXECUTE: u32 = 0o111;
/// Dates of this year and earlier are those of a zip without dates.
const NO_YEAR: u16 = 1980;

/// Why a file is not taken that would go over the bound.
pub const TOO_LARGE: &str = "it unpacks to too many bytes";

const LINK: &str = "a link, a device or a pipe";
const ABSOLUTE: &str = "an absolute path";
const LEADS_OUT: &str = "a path that leads out of its folder";

/// A file or folder of an archive.
#[derive(Clone, Debug, Default)]
pub struct Entry {
    /// Its path with `/`, composed (NFC); it may lead anywhere if there is a refusal.
    pub path: String,
    pub is_folder: bool,
    /// Its bytes in the archive.
    pub packed: u64,
    /// Local time of whatever made the archive.
    pub modified: Option<Datetime>,
    pub is_executable: bool,
    /// Why its contents are not taken.
    pub refusal: Option<&'static str>,
}

/// Something with entries.
pub trait Archive {
    fn entries(&self) -> &[Entry];

    /// The contents of a file.
    ///
    /// # Errors
    /// It cannot be read, or has more bytes than `most`.
    fn read(&mut self, index: usize, most: u64) -> Result<Vec<u8>, String>;
}

/// Opens an export that the user has named.
pub fn open_export(path: &Path) -> Result<Box<dyn Archive>, CourseError> {
    let refuse = |reason: String| {
        let path = quoted(&path.to_string_lossy());
        CourseError::Refused(format!("cannot import {path}: {reason}"))
    };
    if path.is_dir() {
        let folder = Folder::open(path).map_err(|error| refuse(error.to_string()))?;
        let disk = Disk::list(folder).map_err(refuse)?;
        return Ok(Box::new(disk));
    }
    let file = files::open(path).map_err(|error| refuse(error.to_string()))?;
    let zip = Zip::<BufReader<File>>::list(BufReader::new(file));
    let zip = zip.map_err(|reason| {
        refuse(format!(
            "{reason}; name the zip as the platform gave it, or unpack it and name the folder"
        ))
    })?;
    Ok(Box::new(zip))
}

/// Whether a file is an archive, by its name.
pub fn is_archive(name: &str) -> bool {
    let name = name.to_lowercase();
    ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// The name without the ending of an archive.
pub fn without_ending(name: &str) -> &str {
    let folded = name.to_lowercase();
    let mut endings = ENDINGS.iter().filter(|ending| folded.ends_with(**ending));
    let length = endings.next().map_or(0, |ending| ending.len());
    name.get(..name.len() - length).unwrap_or(name)
}

/// Opens an archive inside an export.
///
/// # Errors
/// Why it stays packed.
pub fn open_inner(name: &str, bytes: Vec<u8>) -> Result<Box<dyn Archive>, String> {
    let ending = Path::new(name).extension().map(OsStr::to_ascii_lowercase);
    if ending.as_deref() == Some(OsStr::new("zip")) {
        let counted = bytes.windows(ZIP_ENTRY.len());
        if counted.filter(|it| *it == ZIP_ENTRY).count() > MOST_ENTRIES {
            return Err(too_many());
        }
        return Ok(Box::new(Zip::list(Cursor::new(bytes))?));
    }
    if ending.as_deref() == Some(OsStr::new("tar")) {
        return Ok(Box::new(Tar::list(bytes)?));
    }
    let most = most_bytes(bytes.len() as u64);
    let tar = read_at_most(MultiGzDecoder::new(&*bytes), most)?;
    Ok(Box::new(Tar::list(tar)?))
}

fn too_many() -> String {
    format!("it has more than {MOST_ENTRIES} entries")
}

fn read_at_most(input: impl Read, most: u64) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let read = input.take(most + 1).read_to_end(&mut bytes);
    read.map_err(|error| format!("it cannot be read: {}", printable(&error.to_string())))?;
    if bytes.len() as u64 > most {
        return Err(TOO_LARGE.to_owned());
    }
    Ok(bytes)
}

/// A path as archives have it, and why nothing may be written there. Windows writes `\`.
fn clean(raw: &str) -> (String, Option<&'static str>) {
    let raw = composed(raw).replace('\\', "/");
    let is_drive = raw.as_bytes().get(1) == Some(&b':');
    let steps: Vec<&str> = raw
        .split('/')
        .filter(|step| !["", "."].contains(step))
        .collect();
    let refusal = if raw.starts_with('/') || is_drive {
        Some(ABSOLUTE)
    } else if steps.contains(&"..") {
        Some(LEADS_OUT)
    } else {
        None
    };
    (steps.join("/"), refusal)
}

/// A zip, whose entries may not share bytes.
struct Zip<R> {
    archive: ZipArchive<R>,
    entries: Vec<Entry>,
}

impl<R: Read + Seek> Zip<R> {
    fn list(input: R) -> Result<Self, String> {
        let unreadable = |error: zip::result::ZipError| {
            let error = printable(&error.to_string());
            format!("it is no zip that can be read: {error}")
        };
        let mut archive = ZipArchive::new(input).map_err(unreadable)?;
        if archive.len() > MOST_ENTRIES {
            return Err(too_many());
        }
        if archive.has_overlapping_entries().map_err(unreadable)? {
            return Err("entries of it share bytes, as in a zip bomb".to_owned());
        }
        let mut entries = Vec::new();
        for index in 0..archive.len() {
            let found = archive.by_index_data(index).map_err(unreadable)?;
            let raw = found.name_raw();
            // Many programs write UTF-8 without saying so; otherwise it is CP437, as of old.
            let name = match std::str::from_utf8(raw) {
                Ok(name) => name.to_owned(),
                Err(_) => found.name().map_or_else(
                    |_| String::from_utf8_lossy(raw).into_owned(),
                    std::borrow::Cow::into_owned,
                ),
            };
            let (path, leads_out) = clean(&name);
            let mode = found.unix_mode().unwrap_or_default();
            let is_special = !found.is_dir() && ![0, REGULAR].contains(&(mode & KIND));
            let refusal = match () {
                () if is_special || found.is_symlink() => Some(LINK),
                () if found.encrypted() => Some("encrypted"),
                () => leads_out,
            };
            entries.push(Entry {
                path,
                is_folder: found.is_dir() || name.ends_with('\\'),
                packed: found.compressed_size(),
                modified: found.last_modified().and_then(time),
                is_executable: mode & EXECUTE != 0,
                refusal,
            });
        }
        Ok(Self { archive, entries })
    }
}

fn time(found: zip::DateTime) -> Option<Datetime> {
    let text = format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}",
        found.year(),
        found.month(),
        found.day(),
        found.hour(),
        found.minute(),
        found.second()
    );
    text.parse().ok().filter(|_| found.year() > NO_YEAR)
}

impl<R: Read + Seek> Archive for Zip<R> {
    fn entries(&self) -> &[Entry] {
        &self.entries
    }

    fn read(&mut self, index: usize, most: u64) -> Result<Vec<u8>, String> {
        let file = self.archive.by_index(index);
        let file =
            file.map_err(|error| format!("unreadable ({})", printable(&error.to_string())))?;
        read_at_most(file, most)
    }
}

/// A tar that is in memory.
struct Tar {
    bytes: Vec<u8>,
    entries: Vec<Entry>,
    /// Where the contents of each begin.
    places: Vec<u64>,
}

impl Tar {
    fn list(bytes: Vec<u8>) -> Result<Self, String> {
        let unreadable = |error: std::io::Error| {
            let error = printable(&error.to_string());
            format!("it is no tar that can be read: {error}")
        };
        let (mut entries, mut places) = (Vec::new(), Vec::new());
        let mut archive = tar::Archive::new(&*bytes);
        for found in archive.entries().map_err(unreadable)? {
            let found = found.map_err(unreadable)?;
            if entries.len() == MOST_ENTRIES {
                return Err(too_many());
            }
            let (path, leads_out) = clean(&String::from_utf8_lossy(&found.path_bytes()));
            let kind = found.header().entry_type();
            let is_plain = matches!(
                kind,
                EntryType::Regular | EntryType::Continuous | EntryType::Directory
            );
            let mode = found.header().mode().unwrap_or_default();
            places.push(found.raw_file_position());
            entries.push(Entry {
                path,
                is_folder: kind == EntryType::Directory,
                packed: found.size(),
                modified: None,
                is_executable: mode & EXECUTE != 0,
                refusal: if is_plain { leads_out } else { Some(LINK) },
            });
        }
        Ok(Self {
            bytes,
            entries,
            places,
        })
    }
}

impl Archive for Tar {
    fn entries(&self) -> &[Entry] {
        &self.entries
    }

    fn read(&mut self, index: usize, most: u64) -> Result<Vec<u8>, String> {
        let (start, length) = (self.places[index], self.entries[index].packed);
        if length > most {
            return Err(TOO_LARGE.to_owned());
        }
        let range = start..start.saturating_add(length);
        let [start, end] = [range.start, range.end].map(|it| usize::try_from(it).ok());
        let found = start.zip(end);
        let found = found.and_then(|(start, end)| self.bytes.get(start..end));
        found
            .map(<[u8]>::to_vec)
            .ok_or_else(|| "it ends before its contents".to_owned())
    }
}

/// A folder of an unpacked export. Its dates are those of the unpacking, and say nothing.
struct Disk {
    folder: Folder,
    entries: Vec<Entry>,
    /// The names as they are on disk.
    paths: Vec<String>,
}

impl Disk {
    fn list(folder: Folder) -> Result<Self, String> {
        let mut disk = Self {
            folder,
            entries: Vec::new(),
            paths: Vec::new(),
        };
        let mut left = vec![String::new()];
        while let Some(below) = left.pop() {
            let names = disk.folder.names(&below);
            for name in names.map_err(|error| format!("{}: {error}", quoted(&below)))? {
                if disk.entries.len() == MOST_ENTRIES {
                    return Err(too_many());
                }
                let path = match below.as_str() {
                    "" => name,
                    _ => format!("{below}/{name}"),
                };
                let kind = disk.folder.kind(&path);
                let is_folder = kind == Some(FileType::Directory);
                let is_plain = is_folder || kind == Some(FileType::RegularFile);
                disk.entries.push(Entry {
                    path: composed(&path),
                    is_folder,
                    refusal: (!is_plain).then_some(LINK),
                    ..Entry::default()
                });
                if is_folder {
                    left.push(path.clone());
                }
                disk.paths.push(path);
            }
        }
        for index in 0..disk.paths.len() {
            let entry = &mut disk.entries[index];
            if !entry.is_folder
                && entry.refusal.is_none()
                && let Ok(found) = disk.folder.file(&disk.paths[index])
                && let Ok(found) = found.metadata()
            {
                entry.packed = found.len();
                entry.is_executable = found.permissions().mode() & EXECUTE != 0;
            }
        }
        Ok(disk)
    }
}

impl Archive for Disk {
    fn entries(&self) -> &[Entry] {
        &self.entries
    }

    fn read(&mut self, index: usize, most: u64) -> Result<Vec<u8>, String> {
        let file = self.folder.file(&self.paths[index]);
        let file =
            file.map_err(|error| format!("unreadable ({})", printable(&error.to_string())))?;
        read_at_most(file, most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write as _;
    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    fn zipped(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in files {
            zip.start_file(*name, SimpleFileOptions::default()).unwrap();
            zip.write_all(bytes).unwrap();
        }
        zip.finish().unwrap().into_inner()
    }

    fn refusal(name: &str, bytes: Vec<u8>) -> String {
        open_inner(name, bytes).map(|_| ()).unwrap_err()
    }

    #[test]
    fn paths_of_any_system_stay_below_or_are_refused() {
        for (raw, path, refusal) in [
            ("a/b.py", "a/b.py", None),
            ("./a//b.py", "a/b.py", None),
            ("a\\b.py", "a/b.py", None),
            ("/etc/passwd", "etc/passwd", Some(ABSOLUTE)),
            ("\\\\server\\x", "server/x", Some(ABSOLUTE)),
            ("C:\\x", "C:/x", Some(ABSOLUTE)),
            ("a/../../x", "a/../../x", Some(LEADS_OUT)),
            ("..\\x", "../x", Some(LEADS_OUT)),
            ("e\u{301}.py", "\u{e9}.py", None),
        ] {
            assert_eq!(clean(raw), (path.to_owned(), refusal), "{raw:?}");
        }
    }

    #[test]
    fn names_are_utf_8_or_cp437() {
        let mut bytes = zipped(&[("m__.py", b"x"), ("o__.py", b"y")]);
        // The local header and the central one have the name without a flag for UTF-8.
        for (from, to) in [
            (&b"m__"[..], "\u{fc}m".as_bytes()),
            (b"o__", &[b'o', 0x81, b'_']),
        ] {
            let places: Vec<usize> = (0..bytes.len() - 3)
                .filter(|&at| &bytes[at..at + 3] == from)
                .collect();
            assert_eq!(places.len(), 2);
            for at in places {
                bytes[at..at + 3].copy_from_slice(to);
            }
        }
        let archive = open_inner("a.zip", bytes).unwrap();
        let names: Vec<&str> = archive
            .entries()
            .iter()
            .map(|it| it.path.as_str())
            .collect();
        assert_eq!(names, ["\u{fc}m.py", "o\u{fc}_.py"]);
    }

    #[test]
    fn links_devices_and_encrypted_files_are_refused_one_by_one() {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        let plain = SimpleFileOptions::default();
        zip.add_symlink("link", "/etc/passwd", plain).unwrap();
        zip.start_file("main.py", plain.unix_permissions(0o755))
            .unwrap();
        zip.write_all(b"x").unwrap();
        zip.start_file("secret", plain).unwrap();
        let mut bytes = zip.finish().unwrap().into_inner();
        // Bit 0 of the flags of the last entry of the list says that it is encrypted.
        let last = bytes.windows(4).rposition(|it| it == ZIP_ENTRY).unwrap();
        bytes[last + 8] |= 1;
        let mut archive = open_inner("a.zip", bytes).unwrap();
        let refusals: Vec<_> = archive.entries().iter().map(|it| it.refusal).collect();
        assert_eq!(refusals, [Some(LINK), None, Some("encrypted")]);
        assert!(archive.entries()[1].is_executable);
        assert_eq!(archive.read(1, 1).unwrap(), b"x");
        assert!(archive.read(1, 0).is_err());

        let mut tar = tar::Builder::new(Vec::new());
        for (path, kind) in [
            ("main.py", EntryType::Regular),
            ("l", EntryType::Symlink),
            ("d", EntryType::Char),
            ("h", EntryType::Link),
        ] {
            let mut header = tar::Header::new_gnu();
            header.set_entry_type(kind);
            let contents = if kind == EntryType::Regular {
                &b"xy"[..]
            } else {
                b""
            };
            header.set_size(contents.len() as u64);
            if kind != EntryType::Regular {
                header.set_link_name("/etc/passwd").unwrap();
            }
            tar.append_data(&mut header, path, contents).unwrap();
        }
        let tar = tar.into_inner().unwrap();
        let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
        gzip.write_all(&tar).unwrap();
        for (name, bytes) in [("a.tar", tar), ("A.TGZ", gzip.finish().unwrap())] {
            let mut archive = open_inner(name, bytes).unwrap();
            let refusals: Vec<_> = archive.entries().iter().map(|it| it.refusal).collect();
            assert_eq!(
                refusals,
                [None, Some(LINK), Some(LINK), Some(LINK)],
                "{name}"
            );
            assert_eq!(archive.read(0, 2).unwrap(), b"xy");
        }
    }

    #[test]
    fn bombs_stay_packed() {
        let zeros = vec![0; 40 << 20];
        let bomb = zipped(&[("zeros", &zeros)]);
        let mut archive = open_inner("a.zip", bomb.clone()).unwrap();
        let most = most_bytes(bomb.len() as u64);
        assert!(most < 40 << 20);
        assert!(
            archive
                .read(0, most)
                .unwrap_err()
                .contains("too many bytes")
        );

        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        gzip.write_all(&zeros).unwrap();
        assert!(refusal("a.tar.gz", gzip.finish().unwrap()).contains("too many bytes"));

        let lists = ZIP_ENTRY.repeat(MOST_ENTRIES + 1);
        assert!(refusal("a.zip", lists).contains("more than 100000 entries"));

        // Two entries of one file's bytes.
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        zip.start_file("one", SimpleFileOptions::default()).unwrap();
        zip.write_all(b"x").unwrap();
        zip.shallow_copy_file("one", "two").unwrap();
        let overlapping = zip.finish().unwrap().into_inner();
        assert!(refusal("a.zip", overlapping).contains("share bytes"));
        for name in ["a.zip", "a.tar", "a.tgz"] {
            assert!(!refusal(name, b"\x1b[2J no archive".repeat(99)).contains('\u{1b}'));
        }
    }

    #[test]
    fn no_link_of_a_folder_is_followed() {
        let place = tempfile::tempdir().unwrap();
        std::fs::create_dir(place.path().join("ada")).unwrap();
        std::fs::write(place.path().join("ada/main.py"), "x").unwrap();
        std::os::unix::fs::symlink("/etc", place.path().join("ada/etc")).unwrap();
        let archive = open_export(place.path()).unwrap();
        let found: Vec<_> = archive
            .entries()
            .iter()
            .map(|it| (it.path.as_str(), it.refusal))
            .collect();
        assert_eq!(
            found,
            [
                ("ada", None),
                ("ada/etc", Some(LINK)),
                ("ada/main.py", None)
            ]
        );
    }
}
