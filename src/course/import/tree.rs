//! The files of one hand-in, tidied: without what tools have left there, out of the one folder and
//! the one archive into which its author has put them.

use super::archive::{Archive, TOO_LARGE, is_archive, open_inner};
use super::bounds::{MOST_FILES, most_bytes, unfit};
use crate::text::{printable, quoted, some_names};
use std::collections::{BTreeMap, BTreeSet};

/// Names of files and folders that tools leave, and that no bot needs.
const LEFTOVERS: [&str; 16] = [
    "__MACOSX",
    ".DS_Store",
    "Thumbs.db",
    "desktop.ini",
    "node_modules",
    "__pycache__",
    ".pytest_cache",
    ".mypy_cache",
    ".venv",
    ".git",
    ".hg",
    ".svn",
    ".idea",
    ".vscode",
    ".gradle",
    ".ipynb_checkpoints",
];
/// macOS keeps what a zip has no place for in files with this before their names.
const APPLE_DOUBLE: &str = "._";
/// A folder with this file is a virtual environment of Python.
const ENVIRONMENT: &str = "pyvenv.cfg";
/// What Cargo builds lies in `target` beside this file.
const CARGO: &str = "Cargo.toml";
const TARGET: &str = "target";
/// Endings of files that may lie beside the program's folder or archive.
const DOCUMENTS: [&str; 9] = [
    ".txt", ".md", ".pdf", ".html", ".htm", ".doc", ".docx", ".odt", ".rtf",
];
/// Why a file is not taken if there are enough.
const TOO_MANY: &str = "too many files";
/// How files begin that a system starts: platforms lose the right to do so.
const STARTED: [&[u8]; 2] = [b"#!", b"\x7fELF"];

/// A file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeFile {
    pub bytes: Vec<u8>,
    pub is_executable: bool,
}

/// The files of a hand-in by path, and what was done with them.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    pub files: BTreeMap<String, TreeFile>,
    /// What was done, in words.
    pub notes: Vec<String>,
    /// Whether something was refused because there was too much.
    pub is_too_much: bool,
}

impl Tree {
    /// Reads the files of a hand-in, each a path and its index in the archive.
    pub fn read(archive: &mut dyn Archive, files: &[(String, usize)]) -> Self {
        let mut tree = Self::taken(archive, files);
        tree.lift();
        if let Some(name) = tree.only_archive() {
            tree.unpack(&name);
            tree.lift();
        }
        tree.note_likes();
        tree
    }

    fn taken(archive: &mut dyn Archive, files: &[(String, usize)]) -> Self {
        let mut tree = Self::default();
        let leftovers = Leftovers::among(files.iter().map(|(path, _)| path.as_str()));
        let mut left_out = BTreeSet::new();
        let mut refused: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let packed = files
            .iter()
            .map(|(_, index)| archive.entries()[*index].packed);
        let mut most = most_bytes(packed.fold(0, u64::saturating_add));
        for (path, index) in files {
            let entry = archive.entries()[*index].clone();
            if let Some(leftover) = leftovers.of(path) {
                left_out.insert(leftover);
                continue;
            }
            let refusal = match (entry.refusal, entry.is_folder) {
                (None, true) => continue,
                (refusal, true) => refusal,
                (refusal, false) => refusal.or_else(|| unfit(path)),
            };
            let refusal = refusal.or_else(|| tree.has_no_room(path));
            let read = match refusal {
                Some(reason) => Err(reason.to_owned()),
                None => archive.read(*index, most),
            };
            match read {
                Ok(bytes) => {
                    most -= bytes.len() as u64;
                    tree.put(path, bytes, entry.is_executable);
                }
                Err(reason) => {
                    tree.is_too_much |= [TOO_LARGE, TOO_MANY].contains(&reason.as_str());
                    refused.entry(reason).or_default().push(path.clone());
                }
            }
        }
        if !left_out.is_empty() {
            let names: Vec<String> = left_out.into_iter().collect();
            tree.notes.push(format!("left out {}", some_names(&names)));
        }
        for (reason, paths) in refused {
            tree.notes
                .push(format!("refused {}: {reason}", some_names(&paths)));
        }
        tree
    }

    fn put(&mut self, path: &str, bytes: Vec<u8>, is_executable: bool) {
        let is_executable = is_executable || STARTED.iter().any(|it| bytes.starts_with(it));
        let file = TreeFile {
            bytes,
            is_executable,
        };
        self.files.insert(path.to_owned(), file);
    }

    fn has_no_room(&self, path: &str) -> Option<&'static str> {
        match () {
            () if self.is_in_the_way(path) => Some("another file has its name"),
            () if self.files.len() == MOST_FILES => Some(TOO_MANY),
            () => None,
        }
    }

    /// Whether a file has this path, or is where a folder on the way must be, or below it.
    fn is_in_the_way(&self, path: &str) -> bool {
        let mut above = path
            .match_indices('/')
            .map(|(at, _)| &path[..at])
            .chain([path]);
        let below = format!("{path}/");
        let mut next = self.files.range(below.clone()..);
        above.any(|it| self.files.contains_key(it))
            || next.next().is_some_and(|(it, _)| it.starts_with(&below))
    }

    /// Moves the files of the one folder up, as often as there is one.
    fn lift(&mut self) {
        while let Some(folder) = self.only_folder() {
            let inner = format!("{folder}/");
            let moved = std::mem::take(&mut self.files);
            let (below, beside): (BTreeMap<_, _>, BTreeMap<_, _>) = moved
                .into_iter()
                .partition(|(path, _)| path.starts_with(&inner));
            let below = below.into_iter();
            self.files = below
                .map(|(path, file)| (path[inner.len()..].to_owned(), file))
                .collect();
            self.keep_beside(beside);
            self.notes.push(format!(
                "took the files out of the folder {}",
                quoted(&folder)
            ));
        }
    }

    /// Keeps documents that lay beside the program, unless the program has a file of that name.
    fn keep_beside(&mut self, documents: BTreeMap<String, TreeFile>) {
        for (path, file) in documents {
            if !self.is_in_the_way(&path) {
                self.files.insert(path, file);
            }
        }
    }

    /// The folder in which everything is, but for documents.
    fn only_folder(&self) -> Option<String> {
        let mut paths = self.files.keys().filter(|path| !is_document(path));
        let (folder, _) = paths.next()?.split_once('/')?;
        let inner = format!("{folder}/");
        paths
            .all(|path| path.starts_with(&inner))
            .then(|| folder.to_owned())
    }

    /// The archive in which everything is, but for documents.
    fn only_archive(&self) -> Option<String> {
        let mut paths = self.files.keys().filter(|path| !is_document(path));
        let path = paths.next().filter(|path| is_archive(path))?;
        paths.next().is_none().then(|| path.clone())
    }

    fn unpack(&mut self, name: &str) {
        let packed = self.files[name].bytes.clone();
        let unpacked = open_inner(name, packed).and_then(|mut inner| {
            let entries = inner.entries().iter().enumerate();
            let files: Vec<(String, usize)> = entries
                .map(|(index, entry)| (entry.path.clone(), index))
                .collect();
            let tree = Self::taken(&mut *inner, &files);
            if tree.is_too_much {
                return Err("it unpacks to too many bytes or files".to_owned());
            }
            Ok(tree)
        });
        let name_shown = quoted(name);
        match unpacked {
            Ok(tree) => {
                let mut beside = std::mem::replace(&mut self.files, tree.files);
                beside.remove(name);
                self.keep_beside(beside);
                self.notes.push(format!("unpacked {name_shown}"));
                self.notes.extend(tree.notes);
            }
            Err(reason) => self
                .notes
                .push(format!("left {name_shown} packed: {reason}")),
        }
    }

    /// Names files that differ only in case: on other systems they are one.
    fn note_likes(&mut self) {
        let mut likes: BTreeMap<String, Vec<&String>> = BTreeMap::new();
        for path in self.files.keys() {
            likes.entry(path.to_lowercase()).or_default().push(path);
        }
        let notes: Vec<String> = likes
            .into_values()
            .filter(|paths| paths.len() > 1)
            .map(|paths| format!("{} differ only in case", some_names(&paths)))
            .collect();
        self.notes.extend(notes);
    }
}

fn is_document(path: &str) -> bool {
    let name = path.to_lowercase();
    !path.contains('/') && DOCUMENTS.iter().any(|ending| name.ends_with(ending))
}

/// Whether tools have left something of this name.
pub fn is_leftover(name: &str) -> bool {
    LEFTOVERS.contains(&name) || name.starts_with(APPLE_DOUBLE)
}

/// What tools have left in a hand-in.
struct Leftovers {
    /// Folders that are virtual environments, or what Cargo has built, each with a `/` at its end.
    folders: Vec<String>,
}

impl Leftovers {
    fn among<'p>(paths: impl Iterator<Item = &'p str>) -> Self {
        let folder = |path: &str| {
            let (around, name) = path.rsplit_once('/').map_or(("", path), |it| it);
            match name {
                ENVIRONMENT if !around.is_empty() => Some(format!("{around}/")),
                CARGO if around.is_empty() => Some(format!("{TARGET}/")),
                CARGO => Some(format!("{around}/{TARGET}/")),
                _ => None,
            }
        };
        Self {
            folders: paths.filter_map(folder).collect(),
        }
    }

    /// The name of what this file is a part of.
    fn of(&self, path: &str) -> Option<String> {
        let mut steps = path.split('/');
        let named = steps.find_map(|step| match step {
            _ if LEFTOVERS.contains(&step) => Some(step.to_owned()),
            _ if step.starts_with(APPLE_DOUBLE) => Some(format!("{APPLE_DOUBLE}*")),
            _ => None,
        });
        let mut folders = self.folders.iter();
        named.or_else(|| {
            let inside = format!("{path}/");
            let folder = folders.find(|folder| inside.starts_with(*folder))?;
            Some(printable(folder))
        })
    }
}
