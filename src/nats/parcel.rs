//! The plan and the programs of a run as files: packed by the collector, each named by its SHA-256,
//! fetched by a worker into its cache, and laid out there as they were.

use crate::bot::{GivenFile, Submission};
use crate::files::{self, Folder, remove_folder};
use crate::text::hexadecimal;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Component, Path, PathBuf};
use tempfile::TempDir;
use thiserror::Error;

/// The most files.
const MOST_FILES: usize = 200_000;
/// The most bytes of all of them.
const MOST_BYTES: u64 = 16 << 30;
/// The most MiB of one.
pub const MOST_MIB: u64 = 4 << 10;

/// What a worker needs: everything but the secret.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Parcel {
    /// SHA-256 of the plan, as a plan's file, without the secret.
    pub plan: String,
    /// SHA-256 of the configuration that finds the programs.
    pub config: String,
    /// The folder from which its relative paths begin.
    pub folder: PathBuf,
    /// The files.
    pub files: Vec<ParcelFile>,
}

/// A file, or a link.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct ParcelFile {
    /// Its path, without links.
    pub path: PathBuf,
    /// What is there.
    pub kind: ParcelKind,
}

/// What a path of a parcel is.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ParcelKind {
    /// A file with this content.
    File {
        /// SHA-256 of it.
        sha256: String,
        /// Its length in bytes.
        bytes: u64,
        /// Whether it is a program.
        executable: bool,
    },
    /// A link with this text.
    Link(PathBuf),
}

/// Why a parcel cannot be packed or laid out.
#[derive(Debug, Error)]
pub enum ParcelError {
    /// A file cannot be read or written.
    #[error("{0}: {1}")]
    File(PathBuf, #[source] io::Error),
    /// It names a place outside of its folder, or is too large.
    #[error("what the collector has sent cannot be laid out: {0}")]
    Bad(String),
}

/// Copies of the files of all entrants, from which a parcel is made.
#[derive(Debug)]
pub struct Stage {
    place: TempDir,
    /// The folder above all of them.
    root: PathBuf,
    /// The contents that are no files of entrants, by their SHA-256.
    texts: BTreeMap<String, Vec<u8>>,
}

impl Stage {
    /// Takes copies of what the bots of these entrants are made of: their folders, and files that their
    /// commands name. `folder` is that of the configuration.
    ///
    /// # Errors
    /// A file cannot be read, or no room is left.
    pub fn of<'a>(
        folder: &Path,
        entrants: impl Iterator<Item = StagedEntrant<'a>> + Clone,
    ) -> Result<Self, ParcelError> {
        let folder = real(folder)?;
        let mut root = folder;
        for place in entrants.clone().flat_map(StagedEntrant::places) {
            while !place.starts_with(&root) && root.pop() {}
        }
        let place = TempDir::new().map_err(|error| ParcelError::File(root.clone(), error))?;
        let stage = Self {
            place,
            root,
            texts: BTreeMap::new(),
        };
        let mut copied = BTreeSet::new();
        for entrant in entrants {
            entrant.copy(&stage, &mut copied)?;
        }
        Ok(stage)
    }

    /// Where the copy of a path is.
    fn copy_of(&self, path: &Path) -> PathBuf {
        let below = path.strip_prefix(&self.root).unwrap_or(path);
        self.place.path().join(below)
    }

    /// Adds the plan and the configuration, and lists everything.
    ///
    /// # Errors
    /// A copy cannot be read.
    pub fn parcel(
        &mut self,
        folder: &Path,
        plan: Vec<u8>,
        config: Vec<u8>,
    ) -> Result<Parcel, ParcelError> {
        let mut files = Vec::new();
        list(self.place.path(), Path::new(""), &mut files)?;
        let folder = real(folder)?;
        let folder = folder.strip_prefix(&self.root).unwrap_or(&folder);
        let [plan, config] = [plan, config].map(|text| {
            let hash = sha256(&text);
            self.texts.insert(hash.clone(), text);
            hash
        });
        Ok(Parcel {
            plan,
            config,
            folder: folder.to_owned(),
            files,
        })
    }

    /// The content with this SHA-256 of a parcel of these files.
    ///
    /// # Errors
    /// The copy cannot be read.
    pub fn content(&self, parcel: &Parcel, hash: &str) -> Result<Vec<u8>, ParcelError> {
        if let Some(text) = self.texts.get(hash) {
            return Ok(text.clone());
        }
        let has_it = |it: &&ParcelFile| matches!(&it.kind, ParcelKind::File { sha256, .. } if sha256 == hash);
        let file = parcel.files.iter().find(has_it);
        let file = file.ok_or_else(|| ParcelError::Bad(format!("there is no {hash}")))?;
        let path = self.place.path().join(&file.path);
        files::read(&path, MOST_MIB).map_err(|error| ParcelError::File(path, error))
    }
}

/// What an entrant's bot is made of.
#[derive(Clone, Copy, Debug)]
pub struct StagedEntrant<'a> {
    /// Its folder, if that is its own.
    pub folder: Option<&'a Submission>,
    /// Its working directory.
    pub directory: &'a Path,
    /// The files that its command names.
    pub named: &'a [GivenFile],
}

impl StagedEntrant<'_> {
    fn places(self) -> impl Iterator<Item = PathBuf> {
        let named = self.named.iter().map(|it| it.named.clone());
        std::iter::once(self.directory.to_owned()).chain(named)
    }

    fn copy(self, stage: &Stage, copied: &mut BTreeSet<PathBuf>) -> Result<(), ParcelError> {
        if let Some(folder) = self.folder
            && copied.insert(folder.root.clone())
        {
            let to = stage.copy_of(&folder.root);
            let failed = |error| ParcelError::File(folder.root.clone(), error);
            if let Some(around) = to.parent() {
                fs::create_dir_all(around).map_err(failed)?;
            }
            folder.copy(&to).map_err(|error| failed(error.into()))?;
        }
        for file in self.named {
            // A folder has its own, but for built files in caches.
            let to = stage.copy_of(&file.named);
            if !to.exists() {
                copy_file(&file.source, &to)?;
            }
        }
        Ok(())
    }
}

fn copy_file(from: &Path, to: &Path) -> Result<(), ParcelError> {
    let failed = |error| ParcelError::File(from.to_owned(), error);
    if let Some(around) = to.parent() {
        fs::create_dir_all(around).map_err(failed)?;
    }
    let mut source = files::open(from).map_err(failed)?;
    let mode = source.metadata().map_err(failed)?.permissions();
    let mut copy = fs::File::create(to).map_err(failed)?;
    io::copy(&mut source, &mut copy).map_err(failed)?;
    copy.set_permissions(mode).map_err(failed)
}

/// The files below a folder of copies, in the order of their names.
fn list(root: &Path, below: &Path, found: &mut Vec<ParcelFile>) -> Result<(), ParcelError> {
    let place = root.join(below);
    let failed = |error| ParcelError::File(place.clone(), error);
    let mut names = Vec::new();
    for entry in fs::read_dir(&place).map_err(failed)? {
        names.push(entry.map_err(failed)?.file_name());
    }
    names.sort();
    for name in names {
        let (path, whole) = (below.join(&name), place.join(&name));
        let metadata = whole.symlink_metadata().map_err(failed)?;
        if metadata.is_dir() {
            list(root, &path, found)?;
            continue;
        }
        let kind = if metadata.is_symlink() {
            ParcelKind::Link(fs::read_link(&whole).map_err(failed)?)
        } else {
            ParcelKind::File {
                sha256: sha256(&files::read(&whole, MOST_MIB).map_err(failed)?),
                bytes: metadata.len(),
                executable: metadata.permissions().mode() & 0o111 != 0,
            }
        };
        found.push(ParcelFile { path, kind });
    }
    Ok(())
}

/// SHA-256 in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

fn real(path: &Path) -> Result<PathBuf, ParcelError> {
    let real = path.canonicalize();
    real.map_err(|error| ParcelError::File(path.to_owned(), error))
}

impl Parcel {
    /// The contents that a worker needs, by their SHA-256.
    pub fn contents(&self) -> BTreeSet<&str> {
        let files = self.files.iter().filter_map(|it| match &it.kind {
            ParcelKind::File { sha256, .. } => Some(sha256.as_str()),
            ParcelKind::Link(_) => None,
        });
        files.chain([self.plan.as_str(), &self.config]).collect()
    }

    /// Checks that everything stays inside of a folder and within bounds.
    ///
    /// # Errors
    /// What does not.
    pub fn check(&self) -> Result<(), ParcelError> {
        let bad = |what: String| Err(ParcelError::Bad(what));
        let is_inside = |path: &Path| {
            let mut parts = path.components();
            parts.all(|it| matches!(it, Component::Normal(_)))
                && path.as_os_str().as_bytes().len() < 4096
        };
        let mut files = self.files.iter().map(|it| &it.path);
        let outside = files.find(|it| !is_inside(it) || it.as_os_str().is_empty());
        let outside = outside.or(Some(&self.folder).filter(|it| !is_inside(it)));
        if let Some(path) = outside {
            return bad(format!("{} is no place in a folder", path.display()));
        }
        let mut bytes = 0_u64;
        for file in &self.files {
            if let ParcelKind::File { bytes: more, .. } = file.kind {
                bytes = bytes.saturating_add(more);
            }
        }
        if self.files.len() > MOST_FILES || bytes > MOST_BYTES {
            return bad(format!("{} files of {bytes} bytes", self.files.len()));
        }
        let is_hash = |it: &&str| it.len() == 64 && it.bytes().all(|it| it.is_ascii_hexdigit());
        match self.contents().into_iter().find(|it| !is_hash(it)) {
            Some(hash) => bad(format!("{hash} is no SHA-256")),
            None => Ok(()),
        }
    }

    /// Lays the files out in a folder, which becomes a new one. `content` gives their contents.
    ///
    /// # Errors
    /// They cannot be written.
    pub fn lay_out(
        &self,
        place: &Path,
        content: impl Fn(&str) -> io::Result<Vec<u8>>,
    ) -> Result<(), ParcelError> {
        self.check()?;
        let failed = |error| ParcelError::File(place.to_owned(), error);
        if place.exists() {
            remove_folder(place).map_err(failed)?;
        }
        let folder = Folder::create(place).map_err(failed)?;
        make_around(&folder, &self.folder.join("x")).map_err(failed)?;
        for file in &self.files {
            let laid = make_around(&folder, &file.path).and_then(|()| match &file.kind {
                ParcelKind::File {
                    sha256, executable, ..
                } => {
                    let mode = if *executable { 0o755 } else { 0o644 };
                    let bytes = content(sha256)?;
                    folder.create_file(&file.path, mode)?.write_all(&bytes)
                }
                // Nothing is written by way of it: what is created must not be there.
                ParcelKind::Link(text) => symlink(text, place.join(&file.path)),
            });
            laid.map_err(|error| ParcelError::File(file.path.clone(), error))?;
        }
        Ok(())
    }
}

/// Makes the folders around a path.
fn make_around(folder: &Folder, path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(around) if around != Path::new("") => folder.make(around).map(drop),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> ParcelFile {
        ParcelFile {
            path: path.into(),
            kind: ParcelKind::File {
                sha256: sha256(text.as_bytes()),
                bytes: text.len() as u64,
                executable: false,
            },
        }
    }

    fn parcel(files: Vec<ParcelFile>, folder: &str) -> Parcel {
        Parcel {
            plan: sha256(b"plan"),
            config: sha256(b"config"),
            folder: folder.into(),
            files,
        }
    }

    #[test]
    fn what_was_packed_is_laid_out_as_it_was() {
        let place = tempfile::tempdir().unwrap();
        let at = |path: &str| place.path().join(path);
        for (path, text) in [
            ("c/own/a.py", "a"),
            ("c/own/deep/b.txt", "b"),
            ("bots/run.sh", "#!"),
        ] {
            fs::create_dir_all(at(path).parent().unwrap()).unwrap();
            fs::write(at(path), text).unwrap();
        }
        fs::set_permissions(at("bots/run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
        symlink("deep/b.txt", at("c/own/link")).unwrap();
        let root = place.path().canonicalize().unwrap();
        let own = Submission {
            root: root.join("c/own"),
            most_bytes: 1 << 20,
            left_out: Vec::new(),
            left_out_with: "",
            kept: Vec::new(),
            expected: None,
        };
        let named = [GivenFile {
            named: root.join("bots/run.sh"),
            source: root.join("bots/run.sh"),
        }];
        let directory = root.join("c");
        let staged = [
            StagedEntrant {
                folder: Some(&own),
                directory: &own.root,
                named: &[],
            },
            StagedEntrant {
                folder: None,
                directory: &directory,
                named: &named,
            },
        ];
        let mut stage = Stage::of(&at("c"), staged.into_iter()).unwrap();
        let parcel = stage
            .parcel(&at("c"), b"plan".to_vec(), b"config".to_vec())
            .unwrap();
        assert_eq!(parcel.folder, Path::new("c"));
        let out = at("out");
        let content = |hash: &str| stage.content(&parcel, hash).map_err(io::Error::other);
        for _ in 0..2 {
            parcel.lay_out(&out, content).unwrap();
            for (path, text) in [
                ("c/own/a.py", "a"),
                ("c/own/link", "b"),
                ("bots/run.sh", "#!"),
            ] {
                assert_eq!(fs::read_to_string(out.join(path)).unwrap(), text);
            }
            let mode = |path: &str| out.join(path).metadata().unwrap().permissions().mode() & 0o777;
            assert_eq!(
                (mode("bots/run.sh") & 0o100, mode("c/own/a.py") & 0o111),
                (0o100, 0)
            );
            // What somebody has added is gone the next time.
            fs::write(out.join("c/own/more"), "x").unwrap();
        }
        assert!(content(&sha256(b"nothing")).is_err());
    }

    #[test]
    fn nothing_leaves_its_folder() {
        for path in ["../x", "/etc/x", "a/../../x", ""] {
            let bad = parcel(vec![file(path, "x")], "c");
            bad.check().unwrap_err();
        }
        for folder in ["../x", "/etc", "a/../.."] {
            parcel(Vec::new(), folder).check().unwrap_err();
        }
        parcel(Vec::new(), "").check().unwrap();
        let mut no_hash = parcel(Vec::new(), "c");
        no_hash.plan = "../../x".to_owned();
        no_hash.check().unwrap_err();
        // A link that leads out, and a file below it.
        let place = tempfile::tempdir().unwrap();
        let link = ParcelFile {
            path: "c/out".into(),
            kind: ParcelKind::Link(place.path().to_owned()),
        };
        let bad = parcel(vec![link, file("c/out/x", "x")], "c");
        let out = place.path().join("laid");
        bad.lay_out(&out, |_| Ok(b"x".to_vec())).unwrap_err();
        assert!(!place.path().join("x").exists());
    }
}
