//! The gradebooks of learning platforms: made by their rules, or the platform's own, filled in.
//!
//! Moodle reads a grading worksheet by the names of its columns, which are in the language of the
//! site, and people by the number at the end of the first cell. Canvas reads people by `ID`, and
//! grades in a column with the name of the assignment; `EX` is somebody who is excused.

use super::grades::GradedPerson;
use crate::config::{RosterRow, separator_of};
use crate::course::import::{moodle_number, name_words};
use crate::record::RosterStatus;
use crate::text::{folded, quoted, some_names};
use std::collections::BTreeSet;
use std::fmt;

/// What Excel puts before text in UTF-8.
const BYTE_ORDER_MARK: &str = "\u{feff}";
/// The column of the grade in Moodle's worksheet, in the languages of its sites.
const MOODLE_GRADE: [&str; 9] = [
    "grade",
    "bewertung",
    "note",
    "calificación",
    "valutazione",
    "cijfer",
    "nota",
    "ocena",
    "betyg",
];
/// How Canvas marks somebody who is excused.
const CANVAS_EXCUSED: &str = "EX";
/// The columns of Canvas before those of assignments.
const CANVAS_COLUMNS: [&str; 5] = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"];

/// The kind of a gradebook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gradebook {
    /// The grading worksheet of an assignment in Moodle.
    Moodle,
    /// The gradebook of Canvas.
    Canvas,
    /// A table for everything else.
    Csv,
}

impl Gradebook {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Moodle, Self::Canvas, Self::Csv];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Moodle => "moodle",
            Self::Canvas => "canvas",
            Self::Csv => "csv",
        }
    }

    /// That of the platform from which a roster has its people.
    pub fn of(rows: &[RosterRow]) -> Self {
        let is_canvas = |row: &&RosterRow| {
            let end = row.handed_in_as.rsplit_once('_');
            !row.id.is_empty() && end.is_some_and(|(_, id)| id == row.id)
        };
        if rows
            .iter()
            .any(|row| moodle_number(&row.handed_in_as).is_some())
        {
            Self::Moodle
        } else if rows.iter().any(|row| is_canvas(&row)) {
            Self::Canvas
        } else {
            Self::Csv
        }
    }

    fn grade<'p>(self, person: &'p GradedPerson<'_>) -> &'p str {
        match (self, person.row.status) {
            (Self::Canvas, RosterStatus::Excused) => CANVAS_EXCUSED,
            _ => person.points(),
        }
    }
}

impl fmt::Display for Gradebook {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Moodle => "Moodle's grading worksheet",
            Self::Canvas => "Canvas' gradebook",
            Self::Csv => "a table",
        })
    }
}

/// Writes a gradebook, and returns who is in it. `title` is the assignment in Canvas.
pub fn write(
    people: &[GradedPerson<'_>],
    kind: Gradebook,
    title: &str,
) -> (Vec<u8>, BTreeSet<usize>) {
    let mut rows = vec![head(kind, title)];
    if kind == Gradebook::Canvas {
        let most = people.iter().find_map(GradedPerson::most_points);
        let most = most.unwrap_or_default();
        rows.push(
            ["Points Possible", "", "", "", "", &most]
                .map(str::to_owned)
                .to_vec(),
        );
    }
    let mut found = BTreeSet::new();
    for (index, person) in people.iter().enumerate() {
        if let Some(row) = cells(kind, person) {
            rows.push(row);
            found.insert(index);
        }
    }
    let mark = if kind == Gradebook::Csv {
        BYTE_ORDER_MARK
    } else {
        ""
    };
    (table(mark, b',', csv::Terminator::Any(b'\n'), &rows), found)
}

fn head(kind: Gradebook, title: &str) -> Vec<String> {
    let names = match kind {
        Gradebook::Moodle => vec![
            "Identifier",
            "Full name",
            "Email address",
            "Status",
            "Grade",
            "Maximum Grade",
            "Last modified (grade)",
        ],
        Gradebook::Canvas => CANVAS_COLUMNS.into_iter().chain([title]).collect(),
        Gradebook::Csv => vec![
            "folder",
            "name",
            "id",
            "email",
            "alias",
            "status",
            "late",
            "points",
            "most_points",
            "reason",
        ],
    };
    names.into_iter().map(str::to_owned).collect()
}

/// The row of a person; nothing if the platform could not tell who it is.
fn cells(kind: Gradebook, person: &GradedPerson<'_>) -> Option<Vec<String>> {
    let (row, grade) = (person.row, kind.grade(person));
    let most = person.most_points().unwrap_or_default();
    let status = match row.status {
        RosterStatus::Active => "active",
        RosterStatus::Withdrawn => "withdrawn",
        RosterStatus::Excused => "excused",
    };
    let cells = match kind {
        Gradebook::Moodle => {
            let number = moodle_number(&row.handed_in_as)?;
            let submitted = if person.is_missing {
                "No submission"
            } else {
                "Submitted for grading"
            };
            vec![
                format!("Participant {number}"),
                row.name.clone(),
                row.email.clone(),
                submitted.to_owned(),
                grade.to_owned(),
                most,
                "-".to_owned(),
            ]
        }
        Gradebook::Canvas => {
            let is_known = !row.id.is_empty();
            let cells = [&row.name, &row.id, "", "", "", grade];
            is_known.then(|| cells.map(str::to_owned).to_vec())?
        }
        Gradebook::Csv => {
            let late = if row.late { "yes" } else { "" };
            let cells = [
                &row.folder,
                &row.name,
                &row.id,
                &row.email,
                &row.alias,
                status,
                late,
                grade,
                &most,
                person.reason(),
            ];
            cells.map(str::to_owned).to_vec()
        }
    };
    Some(cells)
}

/// Fills in the platform's own worksheet, and returns it with those who are in it. `column` is the one
/// that the user has named; `title` is tried otherwise.
///
/// # Errors
/// It is no table, has no such column, or nobody of the roster.
pub fn fill(
    worksheet: &[u8],
    people: &[GradedPerson<'_>],
    kind: Gradebook,
    column: Option<&str>,
    title: &str,
) -> Result<(Vec<u8>, BTreeSet<usize>), String> {
    let text = std::str::from_utf8(worksheet);
    let text = text.map_err(|_| "it is not UTF-8; take it as the platform gave it".to_owned())?;
    let (mark, text) = match text.strip_prefix(BYTE_ORDER_MARK) {
        Some(text) => (BYTE_ORDER_MARK, text),
        None => ("", text),
    };
    let head = text.lines().next().unwrap_or_default();
    let separator = separator_of(head, |name| !name.trim().is_empty());
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(separator)
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes());
    let rows: Result<Vec<Vec<String>>, csv::Error> = reader
        .records()
        .map(|row| Ok(row?.iter().map(str::to_owned).collect()))
        .collect();
    let mut rows = rows.map_err(|error| format!("it is no table: {error}"))?;
    let names = rows.first().ok_or("it is empty")?;
    let grades = grade_column(names, kind, column, title)?;
    let id = names
        .iter()
        .position(|it| it.trim() == "ID")
        .unwrap_or_default();
    let mut found = BTreeSet::new();
    for row in rows.iter_mut().skip(1) {
        let Some(index) = person_of(row, people, kind, id) else {
            continue;
        };
        if row.len() <= grades {
            row.resize(grades + 1, String::new());
        }
        kind.grade(&people[index]).clone_into(&mut row[grades]);
        found.insert(index);
    }
    if found.is_empty() {
        return Err("nobody of the roster is in it; is it that of another course?".to_owned());
    }
    let terminator = if text.contains("\r\n") {
        csv::Terminator::CRLF
    } else {
        csv::Terminator::Any(b'\n')
    };
    Ok((table(mark, separator, terminator, &rows), found))
}

/// The column for the grades: that of this name, which Canvas writes with a number after it.
fn grade_column(
    names: &[String],
    kind: Gradebook,
    column: Option<&str>,
    title: &str,
) -> Result<usize, String> {
    let has_name = |name: &str, wanted: &str| {
        let name = name.trim();
        let short = name.rsplit_once(" (").filter(|(_, end)| {
            let digits = end.trim_end_matches(')');
            !digits.is_empty() && digits.bytes().all(|it| it.is_ascii_digit())
        });
        [Some(name), short.map(|(name, _)| name)]
            .into_iter()
            .flatten()
            .any(|it| folded(it) == folded(wanted))
    };
    let place = names.iter().position(|name| match (kind, column) {
        (_, Some(column)) => has_name(name, column),
        (Gradebook::Moodle, None) => MOODLE_GRADE.iter().any(|it| has_name(name, it)),
        (Gradebook::Canvas, None) => has_name(name, title),
        (Gradebook::Csv, None) => has_name(name, "points"),
    });
    place.ok_or_else(|| {
        let wanted = column.map_or_else(|| "for the grades".to_owned(), quoted);
        format!(
            "it has no column {wanted}; name one of them with --column NAME: {}",
            some_names(names)
        )
    })
}

/// Whose a row is: by the platform's number, then by address, then by name.
fn person_of(
    row: &[String],
    people: &[GradedPerson<'_>],
    kind: Gradebook,
    id: usize,
) -> Option<usize> {
    let key = row.get(id).map_or("", |it| it.trim());
    let digits = key.len() - key.bytes().rev().take_while(u8::is_ascii_digit).count();
    let by_number = people.iter().position(|it| match kind {
        Gradebook::Moodle => {
            moodle_number(&it.row.handed_in_as).is_some_and(|number| number == &key[digits..])
        }
        Gradebook::Canvas | Gradebook::Csv => !it.row.id.is_empty() && it.row.id == key,
    });
    let only = |is_person: &dyn Fn(&RosterRow) -> bool| {
        let mut found = (0..people.len()).filter(|it| is_person(people[*it].row));
        let first = found.next();
        first.filter(|_| found.next().is_none())
    };
    let has_address = |person: &RosterRow| {
        !person.email.is_empty() && row.iter().any(|it| folded(it) == folded(&person.email))
    };
    let has_name = |person: &RosterRow| {
        let words = name_words(&person.name);
        !words.is_empty() && row.iter().take(3).any(|it| name_words(it) == words)
    };
    by_number
        .or_else(|| only(&has_address))
        .or_else(|| only(&has_name))
}

fn table(mark: &str, separator: u8, end: csv::Terminator, rows: &[Vec<String>]) -> Vec<u8> {
    let mut writer = csv::WriterBuilder::new()
        .delimiter(separator)
        .terminator(end)
        .flexible(true)
        .from_writer(mark.as_bytes().to_vec());
    let written = rows.iter().try_for_each(|row| writer.write_record(row));
    written.expect("memory takes every row");
    writer.into_inner().expect("memory takes every row")
}
