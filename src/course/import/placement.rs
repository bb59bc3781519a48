//! Puts the files of a hand-in into the folder of its author. They are written beside it, and then
//! the two folders change names, so that at every instant the old or the new hand-in is there.
//!
//! `.import.json` keeps the hash of each folder as it was imported last: a folder with another hash
//! was edited by the teacher, and is kept beside the new one.

use super::tree::Tree;
use crate::bot::Submission;
use crate::course::{CourseError, SUBMISSIONS};
use crate::files::Folder;
use crate::run_folder::write_file;
use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::Path;

/// What was imported last: the hash of each folder.
const RECORD: &str = ".import.json";
/// The largest record, in MiB.
const MOST_RECORD_MIB: u64 = 16;
/// The folder, among the submissions, in which new ones are written.
const STAGE: &str = ".import";
/// The end of the name of a folder on its way out, where folders cannot change names.
const OLD: &str = ".old";

/// What became of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// It is new.
    New,
    /// It replaces an earlier hand-in.
    Updated,
    /// It is as before.
    Unchanged,
    /// The hand-in is as before, and the teacher has edited the folder, which stays.
    KeptEdited,
    /// It replaces a folder that the teacher has edited, which is now here.
    ReplacedEdited(String),
}

/// The submissions of a course during an import.
pub struct Placement {
    course: Folder,
    submissions: Folder,
    record: BTreeMap<String, String>,
}

impl Placement {
    /// Begins, and ends what an import that was killed has left.
    pub fn begin(course: Folder) -> Result<Self, CourseError> {
        let failed = CourseError::disk("open", &course.path(SUBMISSIONS));
        let submissions = course.make(SUBMISSIONS).map_err(failed)?;
        let record = course.read(RECORD, MOST_RECORD_MIB).unwrap_or_default();
        // Without a record every folder counts as edited, and nothing is lost.
        let record = serde_json::from_slice(&record).unwrap_or_default();
        let placement = Self {
            course,
            submissions,
            record,
        };
        placement.disk(STAGE, placement.restore())?;
        Ok(placement)
    }

    fn disk<T>(&self, name: &str, done: io::Result<T>) -> Result<T, CourseError> {
        done.map_err(CourseError::disk("write", &self.submissions.path(name)))
    }

    /// Gives folders back that were on their way out.
    fn restore(&self) -> io::Result<()> {
        for name in self.submissions.names(STAGE)? {
            if let Some(folder) = name.strip_suffix(OLD)
                && self.submissions.kind(folder).is_none()
            {
                self.submissions.rename(format!("{STAGE}/{name}"), folder)?;
            }
        }
        self.submissions.remove(STAGE)
    }

    /// Writes the files of a hand-in beside their place.
    pub fn stage(&self, folder: &str, tree: &Tree) -> Result<(), CourseError> {
        let staged = format!("{STAGE}/{folder}");
        let write = || -> io::Result<()> {
            let place = self.submissions.make(&staged)?;
            for (path, file) in &tree.files {
                let mode = if file.is_executable { 0o755 } else { 0o644 };
                place.create_file(path, mode)?.write_all(&file.bytes)?;
            }
            Ok(())
        };
        self.disk(&staged, write())
    }

    /// Puts a folder that was written into its place.
    pub fn put(&mut self, folder: &str) -> Result<Change, CourseError> {
        let staged = format!("{STAGE}/{folder}");
        let new = self.hash(&staged);
        let change = self.disk(folder, self.change(folder, &staged, new.as_ref()))?;
        if let Some(new) = new {
            self.record.insert(folder.to_owned(), new);
        }
        Ok(change)
    }

    fn change(&self, folder: &str, staged: &str, new: Option<&String>) -> io::Result<Change> {
        let last = self.record.get(folder);
        if self.submissions.kind(folder).is_none() {
            self.submissions.rename(staged, folder)?;
            return Ok(Change::New);
        }
        let now = self.hash(folder);
        if now.is_some() && now.as_ref() == new {
            return Ok(Change::Unchanged);
        }
        let is_empty = self.submissions.names(folder).is_ok_and(|it| it.is_empty());
        if last.is_some() && last == new && !is_empty {
            return Ok(Change::KeptEdited);
        }
        let is_edited = !is_empty && (now.is_none() || now.as_ref() != last);
        self.swap(folder, staged)?;
        if is_edited {
            let names = (1..).map(|number| format!(".{folder}.edited-{number}"));
            let mut free = names.filter(|it| self.submissions.kind(it).is_none());
            let kept = free.next().expect("one of endless names is free");
            self.submissions.rename(staged, &kept)?;
            return Ok(Change::ReplacedEdited(format!("{SUBMISSIONS}/{kept}")));
        }
        Ok(if is_empty {
            Change::New
        } else {
            Change::Updated
        })
    }

    /// Lets the new folder have its name; the old one is then staged.
    fn swap(&self, folder: &str, staged: &str) -> io::Result<()> {
        match self.submissions.exchange(staged, folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                // Network file systems cannot do it at once: `restore` repairs what is between.
                let old = format!("{STAGE}/{folder}{OLD}");
                self.submissions.rename(folder, &old)?;
                self.submissions.rename(staged, folder)?;
                self.submissions.rename(&old, staged).map(|_| ())
            }
            done => done,
        }
    }

    /// The hash of a folder; none if it cannot be a submission.
    fn hash(&self, folder: &str) -> Option<String> {
        let submission = Submission {
            root: self.submissions.path(folder),
            most_bytes: u64::MAX,
            left_out: Vec::new(),
            left_out_with: "",
            kept: Vec::new(),
            expected: None,
        };
        submission.contents().ok().map(|it| it.tree)
    }

    /// Writes down what was imported.
    pub fn end(self) -> Result<(), CourseError> {
        let record = serde_json::to_vec_pretty(&self.record).expect("texts are JSON");
        write_file(&self.course, RECORD, |out| Ok(out.write_all(&record)?))?;
        let removed = self.submissions.remove(Path::new(STAGE));
        self.disk(STAGE, removed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn tree(text: &str) -> Tree {
        let file = crate::course::import::tree::TreeFile {
            bytes: text.as_bytes().to_vec(),
            is_executable: false,
        };
        Tree {
            files: BTreeMap::from([("main.py".to_owned(), file)]),
            ..Tree::default()
        }
    }

    fn begin(place: &Path) -> Placement {
        Placement::begin(Folder::open(place).unwrap()).unwrap()
    }

    fn import(place: &Path, text: &str) -> Change {
        let mut placement = begin(place);
        placement.stage("ada", &tree(text)).unwrap();
        let change = placement.put("ada").unwrap();
        placement.end().unwrap();
        change
    }

    fn text(place: &Path) -> String {
        fs::read_to_string(place.join("submissions/ada/main.py")).unwrap()
    }

    #[test]
    fn a_hand_in_replaces_the_last_one_whole_and_edits_are_kept() {
        let place = tempfile::tempdir().unwrap();
        let place = place.path();
        assert_eq!(import(place, "1"), Change::New);
        assert_eq!(import(place, "1"), Change::Unchanged);
        fs::write(place.join("submissions/ada/other"), "").unwrap();
        assert_eq!(import(place, "1"), Change::KeptEdited);
        let kept = "submissions/.ada.edited-1".to_owned();
        assert_eq!(import(place, "2"), Change::ReplacedEdited(kept.clone()));
        assert!(place.join(kept).join("other").exists());
        assert!(!place.join("submissions/ada/other").exists());
        assert_eq!(import(place, "3"), Change::Updated);
        assert_eq!(text(place), "3");
        // Nothing is lost with the record.
        fs::remove_file(place.join(RECORD)).unwrap();
        assert_eq!(import(place, "3"), Change::Unchanged);
        fs::remove_file(place.join(RECORD)).unwrap();
        assert!(matches!(import(place, "4"), Change::ReplacedEdited(_)));
        fs::remove_dir_all(place.join("submissions/ada")).unwrap();
        fs::create_dir(place.join("submissions/ada")).unwrap();
        assert_eq!(import(place, "4"), Change::New);
    }

    /// What a killed import leaves, at each of its steps.
    #[test]
    fn a_kill_leaves_the_old_or_the_new() {
        let place = tempfile::tempdir().unwrap();
        let place = place.path();
        import(place, "old");
        let placement = begin(place);
        placement.stage("ada", &tree("new")).unwrap();
        drop(placement);
        assert_eq!(text(place), "old");
        // Between the two steps of a file system that cannot exchange names.
        let submissions = place.join("submissions");
        fs::rename(submissions.join("ada"), submissions.join(".import/ada.old")).unwrap();
        let mut placement = begin(place);
        assert_eq!(text(place), "old");
        placement.stage("ada", &tree("new")).unwrap();
        assert_eq!(placement.put("ada").unwrap(), Change::Updated);
        drop(placement);
        assert_eq!(text(place), "new");
        assert_eq!(import(place, "new"), Change::Unchanged);
        assert!(!submissions.join(".import").exists());
    }
}
