//! Imports what students have handed in: a learning platform's download becomes the folders of a
//! course, and the people in it rows of the roster.
//!
//! ```text
//! export ─ archive ─▶ entries ─ platform ─▶ hand-ins ─ people ─▶ rows of the roster
//!                                    └────── tree ─ placement ─▶ submissions/NAME/
//! ```
//!
//! `bounds` has the limits of what is taken. Every hand-in has a row and a folder, even if nothing in
//! it can be used: the check then says why.

mod archive;
mod bounds;
mod people;
mod placement;
mod platform;
mod tree;

pub use people::name_words;
pub use placement::Change;
pub use platform::{Platform, moodle_number};

use super::alias::{AliasWords, give_aliases};
use super::course_folder::{CourseError, free_folder, open_course, write_roster};
use crate::config::{REFUSED, Roster, RosterRow};
use crate::text::{counted, quoted, some_names};
use archive::{Archive, open_export};
use people::{Match, cell, matches};
use placement::Placement;
use platform::{HandIn, hand_ins};
use std::path::Path;
use tree::Tree;

/// What an import did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    /// What the export was taken for.
    pub platform: Platform,
    /// Each hand-in that was imported.
    pub hand_ins: Vec<ImportedHandIn>,
    /// What the teacher has to do; what it is about was not imported.
    pub to_do: Vec<String>,
    /// Files that belong to nobody.
    pub nobodys: Vec<String>,
}

/// What became of a hand-in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedHandIn {
    /// The name of its author.
    pub name: String,
    /// The folder in the submissions.
    pub folder: String,
    /// The number of its files.
    pub files: usize,
    /// What became of the folder.
    pub change: Change,
    /// Whether the roster had no row for its author.
    pub is_new_person: bool,
    /// What was done with its files.
    pub notes: Vec<String>,
}

impl ImportedHandIn {
    /// A line about it.
    pub fn text(&self) -> String {
        let files = counted(self.files, "file", "files");
        let change = match &self.change {
            Change::New => format!("new, {files}"),
            Change::Updated => format!("handed in again, {files}"),
            Change::Unchanged => "unchanged".to_owned(),
            Change::KeptEdited => {
                "unchanged; you have edited the folder, which stays as it is".to_owned()
            }
            Change::ReplacedEdited(kept) => format!(
                "handed in again, {files}; what you had edited is now in {}",
                quoted(kept)
            ),
        };
        let person = if self.is_new_person {
            "; a new row in the roster"
        } else {
            ""
        };
        let (name, folder) = (quoted(&self.name), &self.folder);
        let line = format!("{folder} ({name}): {change}{person}");
        let parts: Vec<&str> = self.notes.iter().map(String::as_str).collect();
        [&[line.as_str()], &parts[..]].concat().join("; ")
    }
}

/// Imports an export into a course. The platform is recognised if it is not given.
///
/// # Errors
/// There is no course, the export cannot be read or is not one of this platform, or the disk
/// failed.
pub fn import(
    course: &Path,
    export: &Path,
    platform: Option<Platform>,
) -> Result<Imported, CourseError> {
    let (folder, mut roster) = open_course(course)?;
    let mut archive = open_export(export)?;
    let platform = platform.unwrap_or_else(|| Platform::of(archive.entries()));
    let (hand_ins, nobodys) = hand_ins(platform, archive.entries());
    if hand_ins.is_empty() {
        let reason = format!(
            "{} has no hand-in: its names are not those of {platform}; --from names another \
             platform",
            quoted(&export.to_string_lossy())
        );
        return Err(CourseError::Refused(reason));
    }
    let again = folder.try_clone();
    let again = again.map_err(CourseError::disk("open", course))?;
    let mut placement = Placement::begin(again)?;
    let mut imported = Imported {
        platform,
        hand_ins: Vec::new(),
        to_do: Vec::new(),
        nobodys,
    };
    let found = matches(&roster, &hand_ins, platform);
    let found: Vec<(&HandIn, Match)> = hand_ins.iter().zip(found).collect();
    let rows = stage_all(&mut *archive, found, &mut roster, &placement, &mut imported)?;
    let words = AliasWords::drawn();
    let mut words = words.map_err(CourseError::disk("draw", Path::new("aliases")))?;
    give_aliases(&mut roster, &mut words);
    let readable = Roster::read(&roster.to_csv());
    readable.map_err(|error| {
        CourseError::Refused(format!(
            "cannot import into the roster: with the people of the export, {error}"
        ))
    })?;
    // A folder without a row would stop a run, so people come first.
    write_roster(&folder, &roster)?;
    for (done, (row, hand_in)) in imported.hand_ins.iter_mut().zip(rows) {
        done.change = placement.put(&done.folder)?;
        if !matches!(done.change, Change::Unchanged | Change::KeptEdited) || done.is_new_person {
            note_hand_in(&mut roster.rows_mut()[row], hand_in);
        }
    }
    write_roster(&folder, &roster)?;
    placement.end()?;
    Ok(imported)
}

/// Gives each hand-in a row and a folder, and writes its files beside their place. Returns the rows.
fn stage_all<'h>(
    archive: &mut dyn Archive,
    found: Vec<(&'h HandIn, Match)>,
    roster: &mut Roster,
    placement: &Placement,
    imported: &mut Imported,
) -> Result<Vec<(usize, &'h HandIn)>, CourseError> {
    let people_before = roster.rows().len();
    let mut rows = Vec::new();
    for (hand_in, found) in found {
        let row = match found {
            Match::Row(row) => row,
            Match::Nobody => add_row(roster, hand_in),
            Match::OneOf(people) => {
                imported.to_do.push(several(hand_in, &people));
                continue;
            }
        };
        give_folder(roster, row);
        let mut tree = Tree::read(archive, &hand_in.files);
        explain_nothing(&mut tree);
        let author = &roster.rows()[row];
        placement.stage(&author.folder, &tree)?;
        imported.hand_ins.push(ImportedHandIn {
            name: author.name.clone(),
            folder: author.folder.clone(),
            files: tree.files.len(),
            change: Change::New,
            is_new_person: row >= people_before,
            notes: tree.notes,
        });
        rows.push((row, hand_in));
    }
    Ok(rows)
}

fn several(hand_in: &HandIn, people: &[String]) -> String {
    let handed_in_as = quoted(&cell(&hand_in.handed_in_as));
    format!(
        "{handed_in_as} is not imported: it may belong to {}. Write {handed_in_as} into the column \
         handed_in_as of the right row of the roster (or of a new one), and import again",
        some_names(people)
    )
}

fn add_row(roster: &mut Roster, hand_in: &HandIn) -> usize {
    let name = cell(&hand_in.name);
    roster.push(RosterRow {
        name: if name.is_empty() {
            cell(&hand_in.handed_in_as)
        } else {
            name
        },
        id: cell(&hand_in.id),
        handed_in_as: cell(&hand_in.handed_in_as),
        ..RosterRow::default()
    });
    roster.rows().len() - 1
}

fn give_folder(roster: &mut Roster, row: usize) {
    if roster.rows()[row].folder.is_empty() {
        let folder = free_folder(roster, roster.rows()[row].shown());
        roster.rows_mut()[row].folder = folder;
    }
}

/// What the platform says of a hand-in. A row of a hand-in that has not changed stays: the teacher
/// may have forgiven that it was late.
fn note_hand_in(row: &mut RosterRow, hand_in: &HandIn) {
    row.handed_in_as = cell(&hand_in.handed_in_as);
    row.late = hand_in.late;
    row.submitted = hand_in.submitted;
    if row.id.is_empty() {
        row.id = cell(&hand_in.id);
    }
}

/// An author of whom nothing could be taken reads why in a file.
fn explain_nothing(tree: &mut Tree) {
    if tree.files.is_empty() && !tree.notes.is_empty() {
        let text = tree.notes.join("\n") + "\n";
        let file = tree::TreeFile {
            bytes: text.into_bytes(),
            is_executable: false,
        };
        tree.files.insert(REFUSED.to_owned(), file);
    }
}
