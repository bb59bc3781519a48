//! The files of an entrant that its bot gets, which also identify the bot: the tree of its folder,
//! the files that its command names, and the folders that it reads in place. They are opened only
//! for hashing, and nothing in them is trusted. A problem with them is the entrant's, not an error
//! of the configuration.

use super::class::start::{CHOICE_FILE, MOST_CHOICE_BYTES, start};
use super::error::{Diagnostic, Located};
use super::keys::tables::{TypedEntrant, TypedStart};
use super::trust::{TrustBoundary, is_unreal, plain};
use crate::bot::{
    Contents, GivenFile, Level, Own, Submission, SubmissionError, read_file, small_file,
};
use crate::config::error::wrong;
use crate::config::trust::{absolute, shown};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

/// A folder with this file belongs to a run, and is not part of a submission.
pub const RUN_MARK: &str = "games.jsonl";
/// Paths that each box has to itself.
const OF_THE_BOX: [&str; 2] = ["/tmp", "/dev/shm"];

/// The files of an entrant.
#[derive(Clone, Debug, Default)]
pub struct EntrantFiles {
    pub own: Own,
    pub files: Vec<GivenFile>,
    /// SHA-256 of the words of the command that are files, by index from 0.
    pub fingerprints: BTreeMap<usize, String>,
    /// SHA-256 of the tree of its folder.
    pub tree: Option<String>,
    /// Why the entrant cannot be admitted.
    pub unfit: Option<String>,
}

/// Trees that were read: by folder, kept cache files and size limit; the contents, or why they were
/// refused.
pub type TreesRead = BTreeMap<(PathBuf, Vec<PathBuf>, u64), Result<Contents, String>>;

/// The inputs for reading an entrant's files.
pub struct FileReader<'a> {
    pub boundary: &'a TrustBoundary,
    pub level: Level,
    /// Its working directory, and whether the directory is its own.
    pub directory: &'a Path,
    pub is_own: bool,
    /// Whether its program is built from the folder: then the tree identifies it even where nothing
    /// is isolated.
    pub is_built: bool,
    /// The size limit of its files, in bytes.
    pub most_bytes: u64,
    /// The run's folder.
    pub output: Option<&'a Path>,
    /// Trees that were read for other entrants.
    pub trees: &'a mut TreesRead,
}

impl FileReader<'_> {
    /// The files of an entrant whose command contains these words, some of which may not be files.
    ///
    /// # Errors
    /// The host cannot read them.
    pub fn read_files(&mut self, words: &[(usize, PathBuf)]) -> io::Result<EntrantFiles> {
        let mut files = EntrantFiles::default();
        let mut inner = BTreeMap::new();
        if self.is_own && (self.level > Level::None || self.is_built) {
            let named = words.iter();
            let named = named.filter_map(|(_, path)| inside(self.directory, path));
            let submission = self.submission(named.collect());
            match self.contents(&submission)? {
                Ok(contents) => {
                    files.own = Own::Folder(Submission {
                        expected: Some(contents.tree.clone()),
                        ..submission
                    });
                    files.tree = Some(contents.tree);
                    inner = contents.files;
                }
                Err(reason) => {
                    files.unfit = Some(self.refused(&reason));
                    return Ok(files);
                }
            }
        }
        for (index, path) in words {
            let inside = inside(self.directory, path);
            if let (Some(rest), Some(_)) = (&inside, &files.tree) {
                if let Some(hash) = inner.get(rest) {
                    files.fingerprints.insert(*index, hash.clone());
                }
                continue;
            }
            match self.named_file(path)? {
                Ok(None) => {}
                Ok(Some((source, hash))) => {
                    files.fingerprints.insert(*index, hash);
                    files.give(path, source, inside);
                }
                Err(reason) => {
                    let file = shown(path);
                    let reason = format!("{file}, which its command names, is refused: {reason}");
                    files.unfit.get_or_insert(reason);
                }
            }
        }
        Ok(files)
    }

    /// How its folder is started, by the files in it.
    ///
    /// # Errors
    /// The host cannot read them.
    pub fn start<'s>(
        &mut self,
        starts: &'s [TypedStart],
    ) -> io::Result<Result<&'s TypedStart, String>> {
        let contents = match self.contents(&self.submission(Vec::new()))? {
            Ok(contents) => contents,
            Err(reason) => return Ok(Err(self.refused(&reason))),
        };
        let choice = contents.files.get(Path::new(CHOICE_FILE));
        let choice = choice.map(|hash| {
            let read = small_file(self.directory, CHOICE_FILE, MOST_CHOICE_BYTES, hash);
            judged(read)
        });
        let choice = match choice.transpose()?.transpose() {
            Ok(choice) => choice,
            Err(reason) => return Ok(Err(self.refused(&reason))),
        };
        Ok(start(starts, &contents, choice.as_deref()))
    }

    fn refused(&self, reason: &str) -> String {
        format!("its folder {} is refused: {reason}", shown(self.directory))
    }

    /// Its folder; `kept` are the files in it that its command names.
    fn submission(&self, kept: Vec<PathBuf>) -> Submission {
        let output = self.output.map(super::trust::real);
        let output = output.filter(|it| it.starts_with(self.directory));
        Submission {
            root: self.directory.to_owned(),
            most_bytes: self.most_bytes,
            left_out: output.into_iter().collect(),
            left_out_with: RUN_MARK,
            kept,
            expected: None,
        }
    }

    /// The contents of a folder, read once for all entrants that share it.
    fn contents(&mut self, submission: &Submission) -> io::Result<Result<Contents, String>> {
        let key = (
            submission.root.clone(),
            submission.kept.clone(),
            submission.most_bytes,
        );
        if let Some(known) = self.trees.get(&key) {
            return Ok(known.clone());
        }
        let contents = judged(submission.contents())?;
        self.trees.insert(key, contents.clone());
        Ok(contents)
    }

    /// A regular file that a command names: its path and its hash; `None` if the word names no
    /// file. For an isolated bot, this is the path without links.
    fn named_file(&self, path: &Path) -> io::Result<Result<Option<(PathBuf, String)>, String>> {
        let path = plain(path);
        if !path.is_file() {
            return Ok(Ok(None));
        }
        let target = path.canonicalize()?;
        if is_unreal(&target) {
            let target = shown(&target);
            return Ok(Err(format!(
                "{target} is of the host's own: copy it to a file"
            )));
        }
        if self.level == Level::None {
            let hash = judged(read_file(&target, u64::MAX, None))?;
            return Ok(hash.map(|hash| Some((path, hash))));
        }
        if self.is_strangers(&path) && target != self.without_links(&path) {
            return Ok(Err(format!(
                "it leads through a link to {}; name that file itself, or give the entrant a \
                 `dir`",
                shown(&target)
            )));
        }
        let hash = judged(read_file(&target, self.most_bytes, None))?;
        Ok(hash.map(|hash| Some((target, hash))))
    }

    /// Whether a file may be untrusted: it is where the entrants' files are.
    fn is_strangers(&self, path: &Path) -> bool {
        let boundary = self.boundary;
        boundary.holder(path).is_some()
            || path.starts_with(&boundary.folder)
            || path.starts_with(self.directory)
    }

    /// The path, if no component below the configuration's or the entrant's folder is a link.
    fn without_links(&self, path: &Path) -> PathBuf {
        let directory = plain(self.directory);
        match path.strip_prefix(&directory) {
            Ok(rest) => super::trust::real(&directory).join(rest),
            Err(_) => path.to_owned(),
        }
    }
}

/// The result of reading; an error is the host's.
fn judged<T>(read: Result<T, SubmissionError>) -> io::Result<Result<T, String>> {
    match read {
        Ok(read) => Ok(Ok(read)),
        Err(SubmissionError::Unfit(reason)) => Ok(Err(reason)),
        Err(SubmissionError::Host(error)) => Err(error),
    }
}

impl EntrantFiles {
    /// No files, for this reason.
    pub fn unfit(reason: String) -> Self {
        Self {
            unfit: Some(reason),
            ..Self::default()
        }
    }

    /// Gives a bot a file that its command names: one of its own, or one from elsewhere.
    fn give(&mut self, named: &Path, source: PathBuf, inside: Option<PathBuf>) {
        match (&mut self.own, inside) {
            (Own::Folder(_), Some(_)) => {}
            (Own::Files(files), Some(rest)) => {
                if !files.contains(&rest) {
                    files.push(rest);
                }
            }
            (_, None) => {
                let named = named.to_owned();
                self.files.push(GivenFile { named, source });
            }
        }
    }
}

/// The path below the working directory, if it is there.
pub fn inside(directory: &Path, path: &Path) -> Option<PathBuf> {
    let path = absolute(path);
    let rest = path.strip_prefix(directory).ok()?;
    let is_plain = rest.components().all(|c| matches!(c, Component::Normal(_)));
    is_plain.then(|| rest.to_owned())
}

/// Additional folders that a bot may read, at the organiser's request.
pub fn readable(
    entrant: &TypedEntrant,
    common: &[Located<String>],
    boundary: &TrustBoundary,
) -> Result<Vec<PathBuf>, Diagnostic> {
    let words = entrant.readable.iter().chain(common);
    words
        .map(|word| {
            let path = absolute(&boundary.folder.join(&word.value));
            let refuse = |reason: &str| {
                let message = format!("cannot let it read {}: {reason}", shown(&path));
                wrong(&entrant.name.value, &word.origin, message)
            };
            let folder = fs::canonicalize(&path).map_err(|error| refuse(&error.to_string()))?;
            match objection(&folder, boundary) {
                None => Ok(folder),
                Some(reason) => Err(refuse(&reason)),
            }
        })
        .collect()
}

fn objection(folder: &Path, boundary: &TrustBoundary) -> Option<String> {
    let of_the_box = |place: &str| Path::new(place).starts_with(folder);
    if OF_THE_BOX.iter().any(|place| of_the_box(place)) {
        return Some(
            "each bot has a /tmp and a /dev/shm of its own; name a folder below, or elsewhere"
                .to_owned(),
        );
    }
    if is_unreal(folder) && !folder.starts_with("/dev/shm") {
        return Some("it is of the host's own; copy what is needed to another folder".to_owned());
    }
    boundary
        .entrant_below(folder)
        .map(|reason| format!("{reason}; name folders that belong to no entrant"))
}
