//! `weeks/LABEL/`: what a class had at the end of a week, kept for ever: the pages, the tables of
//! ranks and grades, and the feedback. Later feedback tells what has changed since the last one.
//!
//! A week is kept whole or not at all: it gets its name when everything is there.

use super::feedback::FEEDBACK;
use crate::config::read_grades;
use crate::files::Folder;
use crate::record::GRADES_TABLE;
use crate::report::EarlierGrade;
use crate::run_folder::{FolderError, ORGANISER_PAGE, REPORT, open_target};
use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// The folder of all weeks in that of a run.
const WEEKS: &str = "weeks";
/// The number of a week, from 1, in its folder.
const NUMBER: &str = "number";
/// The end of the name of a week that is not complete.
const PART: &str = ".part";
/// What is kept.
const KEPT: [&str; 5] = [
    REPORT,
    ORGANISER_PAGE,
    "standings.csv",
    GRADES_TABLE,
    FEEDBACK,
];
/// The longest label, in characters.
const LONGEST_LABEL: usize = 40;

/// The grades at the end of a week.
#[derive(Clone, Debug, PartialEq)]
pub struct Week {
    /// Its label.
    pub label: String,
    /// The grades by the names of the entrants.
    pub grades: BTreeMap<String, EarlierGrade>,
}

/// Checks the label of a week, which names a folder.
///
/// # Errors
/// What is wrong with it, and what is allowed.
pub fn check_label(label: &str) -> Result<(), String> {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "-_.".contains(it);
    let begins = label.starts_with(|it: char| it.is_ascii_alphanumeric());
    if begins && label.chars().all(is_plain) && label.len() <= LONGEST_LABEL {
        return Ok(());
    }
    Err(format!(
        "a label has at most {LONGEST_LABEL} letters (a to z), digits and - _ . and begins with a \
         letter or a digit, as in week-2"
    ))
}

/// The place of the week of this label in a run's folder, if it is kept already.
pub fn kept_week(run: &Path, label: &str) -> Option<PathBuf> {
    let place = format!("{WEEKS}/{label}");
    let run = Folder::open(run).ok()?;
    run.is_folder(&place).then(|| run.path(place))
}

/// Keeps what the run's folder has now as the week of this label. Returns its place.
///
/// # Errors
/// The disk's; there is a week of this label.
pub fn keep_week(run: &Path, label: &str) -> Result<PathBuf, FolderError> {
    let run = open_target(run)?;
    let part = format!("{WEEKS}/.{label}{PART}");
    let place = format!("{WEEKS}/{label}");
    let kept = || -> io::Result<()> {
        run.remove(&part)?;
        let number = numbered(&run)?.last().map_or(1, |(number, _)| number + 1);
        let week = run.make(&part)?;
        for name in KEPT {
            copy(&run, &week, name)?;
        }
        writeln!(week.create_file(NUMBER, 0o666)?, "{number}")?;
        week.sync()?;
        run.rename(&part, &place)?.sync()
    };
    kept().map_err(|error| FolderError::file("keep the week in", run.path(&place), error))?;
    Ok(run.path(place))
}

/// The weeks that are kept in a run's folder and can be read, the first one first.
pub fn kept_weeks(run: &Path) -> Vec<Week> {
    let Ok(run) = Folder::open(run) else {
        return Vec::new();
    };
    let labels = numbered(&run).unwrap_or_default().into_iter();
    labels.filter_map(|(_, label)| week(&run, label)).collect()
}

fn week(run: &Folder, label: String) -> Option<Week> {
    let rows = read_grades(run, format!("{WEEKS}/{label}"))
        .ok()?
        .into_iter();
    let grades = rows.map(|row| {
        let (rank, points) = (row.rank, row.points());
        (row.entrant, EarlierGrade { rank, points })
    });
    Some(Week {
        grades: grades.collect(),
        label,
    })
}

/// The labels of the weeks with their numbers, in their order.
fn numbered(run: &Folder) -> io::Result<Vec<(u32, String)>> {
    let labels = run.names(WEEKS)?.into_iter();
    let numbered = labels
        .filter(|it| check_label(it).is_ok())
        .filter_map(|label| {
            let number = run.read(format!("{WEEKS}/{label}/{NUMBER}"), 1).ok()?;
            let number = String::from_utf8(number).ok()?.trim().parse().ok()?;
            Some((number, label))
        });
    let mut numbered: Vec<(u32, String)> = numbered.collect();
    numbered.sort();
    Ok(numbered)
}

/// Copies a file, or a folder with all its files and folders; nothing else, and no link.
fn copy(from: &Folder, to: &Folder, name: &str) -> io::Result<()> {
    if from.is_file(name) {
        let mut copy = to.create_file(name, 0o666)?;
        io::copy(&mut from.file(name)?, &mut copy)?;
        return copy.sync_all();
    }
    if !from.is_folder(name) {
        return Ok(());
    }
    let (below, copy_below) = (from.below(name)?, to.make(name)?);
    for name in below.names("")? {
        copy(&below, &copy_below, &name)?;
    }
    copy_below.sync()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn write(run: &Path, grades: &str) {
        fs::write(run.join(GRADES_TABLE), grades).unwrap();
        fs::write(run.join(REPORT), format!("page of {grades}")).unwrap();
        fs::create_dir_all(run.join("feedback/ada/faults")).unwrap();
        fs::write(run.join("feedback/ada/faults/x"), "evidence").unwrap();
    }

    #[test]
    fn the_last_week_is_the_one_that_was_kept_last() {
        let place = tempfile::tempdir().unwrap();
        let run = place.path();
        assert_eq!(kept_weeks(run), []);
        for (label, rank, points) in [("z", "17", "40.5"), ("b", "9", "70"), ("m", "", "")] {
            write(run, &format!("entrant,rank,points\nada,{rank},{points}\n"));
            keep_week(run, label).unwrap();
            let week = kept_weeks(run).pop().unwrap();
            assert_eq!(week.label, label);
            let grade = &week.grades["ada"];
            assert_eq!(grade.rank, rank.parse().ok());
            assert_eq!(grade.points, points.parse().ok());
        }
        let weeks = kept_weeks(run).into_iter();
        assert_eq!(
            weeks.map(|it| it.label).collect::<Vec<_>>(),
            ["z", "b", "m"]
        );
        let first = run.join("weeks/z");
        let page = fs::read_to_string(first.join(REPORT)).unwrap();
        assert!(page.contains("ada,17,40.5"), "{page}");
        assert!(first.join("feedback/ada/faults/x").is_file());
    }

    #[test]
    fn a_week_is_kept_for_ever() {
        let place = tempfile::tempdir().unwrap();
        let run = place.path();
        write(run, "entrant\nada\n");
        keep_week(run, "week-1").unwrap();
        assert_eq!(kept_week(run, "week-1"), Some(run.join("weeks/week-1")));
        assert_eq!(kept_week(run, "week-2"), None);
        write(run, "entrant\nben\n");
        assert!(keep_week(run, "week-1").is_err());
        let kept = fs::read_to_string(run.join("weeks/week-1/grades.csv")).unwrap();
        assert_eq!(kept, "entrant\nada\n");
    }

    #[test]
    fn a_link_is_not_kept_and_what_a_crash_left_is_no_week() {
        let place = tempfile::tempdir().unwrap();
        let run = place.path().join("run");
        fs::create_dir(&run).unwrap();
        write(&run, "entrant\nada\n");
        let secret = place.path().join("secret");
        fs::write(&secret, "secret").unwrap();
        std::os::unix::fs::symlink(&secret, run.join("feedback/ada/link")).unwrap();
        fs::create_dir_all(run.join("weeks/.week-1.part/feedback/eve")).unwrap();
        assert_eq!(kept_weeks(&run), []);
        keep_week(&run, "week-1").unwrap();
        let kept = run.join("weeks/week-1/feedback");
        assert!(!kept.join("ada/link").exists() && !kept.join("eve").exists());
        assert!(kept.join("ada/faults/x").is_file());
    }

    #[test]
    fn a_label_names_a_folder_and_nothing_else() {
        for label in ["week-2", "2", "W1.final_x"] {
            assert_eq!(check_label(label), Ok(()), "{label}");
        }
        let long = "a".repeat(41);
        for label in [
            "",
            "..",
            ".week",
            "a/b",
            "woche 2",
            "é",
            "-2",
            long.as_str(),
        ] {
            assert!(check_label(label).is_err(), "{label}");
        }
    }
}
