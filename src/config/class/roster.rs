//! The roster of a class, `roster.csv`: who each folder of the submissions belongs to.
//!
//! ```text
//! folder,name,id,email,alias,status,submitted,late,handed_in_as,   columns of the teacher's own
//! ada,Ada Lovelace,17,ada@…,brave otter,,2026-11-20T21:04:00,,…,   anything
//! ```
//!
//! `awale class new` writes it, and a teacher edits it in a spreadsheet. So it is read as
//! spreadsheets write it: with a byte order mark, with `;` or tabs between the cells, with columns
//! in any order or missing. Columns that awale does not know are kept as they are.

use crate::config::names;
use crate::record::RosterStatus;
use crate::text::{did_you_mean, folded, printable, quoted, some_names};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use toml::value::{Datetime, Offset};

/// The file of the roster, beside the configuration.
pub const ROSTER: &str = "roster.csv";
/// The largest roster, in MiB.
pub const MOST_ROSTER_MIB: u64 = 16;
/// Excel reads other letters than those of English only in a file that begins with this.
const BYTE_ORDER_MARK: &str = "\u{feff}";
/// What stands between cells, where a file does not show it.
const COMMA: u8 = b',';
/// What spreadsheets put between cells.
const SEPARATORS: [u8; 3] = [COMMA, b';', b'\t'];
/// The columns, in the order in which they are written.
pub const ROSTER_COLUMNS: [&str; 9] = [
    "folder",
    "name",
    "id",
    "email",
    "alias",
    "status",
    "submitted",
    "late",
    "handed_in_as",
];

/// One person, or one team.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RosterRow {
    /// The folder in `submissions`; empty until something is handed in.
    pub folder: String,
    /// The name as the platform has it.
    pub name: String,
    /// The number or login by which the platform knows the person.
    pub id: String,
    /// The address.
    pub email: String,
    /// The name that others see.
    pub alias: String,
    /// Whether the person takes part.
    #[serde(deserialize_with = "status_cell")]
    pub status: RosterStatus,
    /// The time of the last hand-in. Without an offset it is the local time of the platform.
    #[serde(with = "time_cell")]
    pub submitted: Option<Datetime>,
    /// Whether the platform or the teacher says that this hand-in was late.
    #[serde(with = "yes_cell")]
    pub late: bool,
    /// The folder, or the beginning of file names, in the platform's download.
    pub handed_in_as: String,
}

/// The status, in lower or upper case; an empty cell is `active`.
fn status_cell<'d, D: Deserializer<'d>>(cell: D) -> Result<RosterStatus, D::Error> {
    let text = String::deserialize(cell)?;
    match text.to_lowercase().as_str() {
        "" | "active" => Ok(RosterStatus::Active),
        "withdrawn" => Ok(RosterStatus::Withdrawn),
        "excused" => Ok(RosterStatus::Excused),
        other => {
            let names = ["active", "withdrawn", "excused"];
            let hint = did_you_mean(other, &names, ["", ""]);
            Err(serde::de::Error::custom(format!(
                "{} is no status{hint}; write active, withdrawn or excused",
                quoted(&text)
            )))
        }
    }
}

/// A time as `2026-11-20T21:04:00+01:00`, which spreadsheets leave as it is.
mod time_cell {
    use super::{Datetime, Deserialize as _, Deserializer, Serializer, quoted};
    use serde::de::Error as _;
    use std::str::FromStr as _;

    #[expect(clippy::ref_option, reason = "serde asks for it")]
    pub fn serialize<S: Serializer>(time: &Option<Datetime>, out: S) -> Result<S::Ok, S::Error> {
        match time {
            Some(time) => out.collect_str(time),
            None => out.serialize_str(""),
        }
    }

    pub fn deserialize<'d, D: Deserializer<'d>>(cell: D) -> Result<Option<Datetime>, D::Error> {
        let text = String::deserialize(cell)?;
        if text.is_empty() {
            return Ok(None);
        }
        let time = Datetime::from_str(&text)
            .ok()
            .filter(|it| it.date.is_some());
        time.map(Some).ok_or_else(|| {
            D::Error::custom(format!(
                "{} is no time; write it as in 2026-11-20T21:04:00 or \
                 2026-11-20T21:04:00+01:00, or leave it empty",
                quoted(&text)
            ))
        })
    }
}

/// `yes`, or nothing.
mod yes_cell {
    use super::{Deserialize as _, Deserializer, Serializer, quoted};
    use serde::de::Error as _;

    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde asks for a reference"
    )]
    pub fn serialize<S: Serializer>(is_so: &bool, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_str(if *is_so { "yes" } else { "" })
    }

    pub fn deserialize<'d, D: Deserializer<'d>>(cell: D) -> Result<bool, D::Error> {
        let text = String::deserialize(cell)?;
        match text.to_lowercase().as_str() {
            "" | "no" | "false" | "0" => Ok(false),
            "yes" | "true" | "1" => Ok(true),
            _ => Err(D::Error::custom(format!(
                "{} is neither yes nor no; write yes, or leave it empty",
                quoted(&text)
            ))),
        }
    }
}

impl RosterRow {
    /// Whether this came after the deadline, or the platform or the teacher says that it was late. A
    /// time without an offset is one of the deadline's own zone.
    pub fn is_late(&self, deadline: Option<Datetime>) -> bool {
        let after = self
            .submitted
            .zip(deadline)
            .is_some_and(|(submitted, deadline)| {
                let zone = deadline.offset;
                seconds(submitted, zone) > seconds(deadline, zone)
            });
        self.late || after
    }

    /// How messages name this person.
    pub fn shown(&self) -> &str {
        let all = [&self.folder, &self.name, &self.id, &self.email];
        all.into_iter()
            .find(|it| !it.is_empty())
            .map_or("", |it| it)
    }
}

/// The rows of a roster, in the order of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roster {
    rows: Vec<RosterRow>,
    /// The names of the teacher's own columns.
    own_columns: Vec<String>,
    /// Their cells, for each row.
    own_cells: Vec<Vec<String>>,
    /// What stands between cells: a spreadsheet reads what it has written.
    separator: u8,
}

impl Default for Roster {
    fn default() -> Self {
        Self {
            rows: Vec::new(),
            own_columns: Vec::new(),
            own_cells: Vec::new(),
            separator: COMMA,
        }
    }
}

/// Why a roster cannot be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RosterError {
    /// The line, from 1, and the column, if it is about one.
    pub place: Option<(u64, String)>,
    /// What is wrong, and what to do.
    pub reason: String,
}

impl fmt::Display for RosterError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Some((line, column)) if column.is_empty() => write!(out, "line {line}: ")?,
            Some((line, column)) => write!(out, "line {line}, column {column}: ")?,
            None => {}
        }
        out.write_str(&self.reason)
    }
}

impl std::error::Error for RosterError {}

fn wrong(place: Option<(u64, &str)>, reason: impl Into<String>) -> RosterError {
    RosterError {
        place: place.map(|(line, column)| (line, column.to_owned())),
        reason: reason.into(),
    }
}

impl Roster {
    /// Reads a roster.
    ///
    /// # Errors
    /// It is not a table with the columns of a roster, a cell is wrong, or two rows are of one
    /// folder or have one alias.
    pub fn read(bytes: &[u8]) -> Result<Self, RosterError> {
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let before = &bytes[..error.valid_up_to()];
            let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
            wrong(
                Some((line as u64, "")),
                "this is not UTF-8; save it as CSV in UTF-8 (in Excel: \"CSV UTF-8\")",
            )
        })?;
        let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        let separator = separator_of(text.lines().next().unwrap_or_default(), |name| {
            !is_own(&column_name(name))
        });
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(separator)
            .flexible(true)
            .trim(csv::Trim::All)
            .from_reader(text.as_bytes());
        let header = reader.headers().map_err(|error| unreadable(&error))?;
        let names: Vec<String> = header.iter().map(column_name).collect();
        check_header(&names)?;
        let own: Vec<usize> = (0..names.len()).filter(|&it| is_own(&names[it])).collect();
        let mut roster = Self {
            own_columns: own.iter().map(|&it| header[it].to_owned()).collect(),
            separator,
            ..Self::default()
        };
        let names = csv::StringRecord::from(names);
        let mut lines = Vec::new();
        for record in reader.records() {
            let record = record.map_err(|error| unreadable(&error))?;
            if record.iter().all(str::is_empty) {
                continue;
            }
            let start = record.position().map_or(0, csv::Position::byte);
            let line = line_at(text, start);
            roster.rows.push(read_row(&record, &names, line)?);
            let cell = |&it: &usize| record.get(it).unwrap_or_default().to_owned();
            roster.own_cells.push(own.iter().map(cell).collect());
            lines.push(line);
        }
        roster.check_unique(&lines)?;
        Ok(roster)
    }

    /// The rows, in the order of the file.
    pub fn rows(&self) -> &[RosterRow] {
        &self.rows
    }

    /// The same, to change them.
    pub fn rows_mut(&mut self) -> &mut [RosterRow] {
        &mut self.rows
    }

    /// Appends a row.
    pub fn push(&mut self, row: RosterRow) {
        self.rows.push(row);
        self.own_cells
            .push(vec![String::new(); self.own_columns.len()]);
    }

    /// The names of columns that awale keeps and does not read.
    pub fn own_columns(&self) -> &[String] {
        &self.own_columns
    }

    /// The row of a folder; names of folders are compared as people read them.
    pub fn of_folder(&self, folder: &str) -> Option<&RosterRow> {
        let wanted = folded(folder);
        let mut rows = self.rows.iter();
        rows.find(|row| !row.folder.is_empty() && folded(&row.folder) == wanted)
    }

    /// The file: columns of awale first, then the teacher's own.
    pub fn to_csv(&self) -> Vec<u8> {
        let mut writer = csv::WriterBuilder::new()
            .delimiter(self.separator)
            .has_headers(false)
            .from_writer(BYTE_ORDER_MARK.as_bytes().to_vec());
        let own = self.own_columns.iter().map(String::as_str);
        let written = writer.write_record(ROSTER_COLUMNS.into_iter().chain(own));
        let mut rows = self.rows.iter().zip(&self.own_cells);
        let written = written.and_then(|()| rows.try_for_each(|row| writer.serialize(row)));
        written.expect("memory takes every row, which has a cell for each column");
        writer.into_inner().expect("memory takes every row")
    }

    /// A sentence about columns that look like a misspelled one of ours, if there are any.
    pub fn column_warning(&self) -> Option<String> {
        let typed = self.own_columns.iter();
        let alike = typed.filter(|it| !did_you_mean(it, &ROSTER_COLUMNS, ["", ""]).is_empty());
        let alike: Vec<&String> = alike.collect();
        (!alike.is_empty()).then(|| {
            format!(
                "awale does not read the columns {} of the roster; the columns that it reads are \
                 {}",
                some_names(&alike),
                ROSTER_COLUMNS.join(", ")
            )
        })
    }

    /// Two people must not share a folder, and an alias must not be what another person is called.
    fn check_unique(&self, lines: &[u64]) -> Result<(), RosterError> {
        let mut folders = BTreeMap::new();
        let mut called: BTreeMap<String, BTreeSet<u64>> = BTreeMap::new();
        for (row, &line) in self.rows.iter().zip(lines) {
            let folder = folded(&row.folder);
            if !folder.is_empty()
                && let Some(other) = folders.insert(folder, line)
            {
                let folder = quoted(&row.folder);
                let reason = format!("{folder} is the folder of line {other} too; change one");
                return Err(wrong(Some((line, "folder")), reason));
            }
            for name in [&row.folder, &row.name, &row.alias] {
                called.entry(folded(name)).or_default().insert(line);
            }
        }
        for (row, &line) in self.rows.iter().zip(lines) {
            let others = &called[&folded(&row.alias)];
            if !row.alias.is_empty()
                && let Some(other) = others.iter().find(|it| **it != line)
            {
                let alias = quoted(&row.alias);
                let reason = format!("{alias} is a name of line {other} too; choose another alias");
                return Err(wrong(Some((line, "alias")), reason));
            }
        }
        Ok(())
    }
}

/// The line on which a record begins: the reader still has the line ends before it to skip.
fn line_at(text: &str, start: u64) -> u64 {
    let start = usize::try_from(start).unwrap_or(usize::MAX).min(text.len());
    let skipped = text[start..].len() - text[start..].trim_start_matches(['\r', '\n']).len();
    let before = &text.as_bytes()[..start + skipped];
    1 + before.iter().filter(|&&byte| byte == b'\n').count() as u64
}

/// The separator between the names of columns in the first line of a table: the one with which most
/// names are known.
pub fn separator_of(header: &str, is_known: impl Fn(&str) -> bool) -> u8 {
    let known = |separator: &u8| {
        let cells = header.split(char::from(*separator));
        cells.filter(|it| is_known(it.trim_matches('"'))).count()
    };
    // The first of the best: `max_by_key` would take the last.
    let best = SEPARATORS.into_iter().rev().max_by_key(known);
    best.unwrap_or(COMMA)
}

/// The name of a column as it is compared: `Handed in as` is `handed_in_as`.
fn column_name(name: &str) -> String {
    name.trim().to_lowercase().replace([' ', '-'], "_")
}

fn is_own(name: &str) -> bool {
    !ROSTER_COLUMNS.contains(&name)
}

fn check_header(names: &[String]) -> Result<(), RosterError> {
    let mut seen = BTreeSet::new();
    let second = names
        .iter()
        .find(|name| !is_own(name) && !seen.insert(*name));
    if let Some(name) = second {
        let reason = format!("there are two columns {name}; remove one of them");
        return Err(wrong(Some((1, "")), reason));
    }
    if seen.contains(&"folder".to_owned()) || seen.contains(&"name".to_owned()) {
        return Ok(());
    }
    let reason = format!(
        "the first line has neither a column folder nor name; it names the columns, which are {}",
        ROSTER_COLUMNS.join(", ")
    );
    Err(wrong(Some((1, "")), reason))
}

fn read_row(
    record: &csv::StringRecord,
    names: &csv::StringRecord,
    line: u64,
) -> Result<RosterRow, RosterError> {
    if record.iter().skip(names.len()).any(|cell| !cell.is_empty()) {
        let reason = "it has more cells than there are columns; put text with a separator in it \
                      into quotes";
        return Err(wrong(Some((line, "")), reason));
    }
    // Spreadsheets leave out empty cells at the end of a row.
    let mut whole = record.clone();
    (record.len()..names.len()).for_each(|_| whole.push_field(""));
    let row: RosterRow = whole
        .deserialize(Some(names))
        .map_err(|error| wrong_cell(&whole, names, line).unwrap_or_else(|| unreadable(&error)))?;
    check_row(&row).map_err(|(column, reason)| wrong(Some((line, column)), reason))?;
    Ok(row)
}

/// The first cell that cannot be read: the error of a whole row does not name it.
fn wrong_cell(
    record: &csv::StringRecord,
    names: &csv::StringRecord,
    line: u64,
) -> Option<RosterError> {
    names.iter().zip(record).find_map(|(name, cell)| {
        let cell = csv::StringRecord::from(vec![cell]);
        let name_alone = csv::StringRecord::from(vec![name]);
        let error = cell.deserialize::<RosterRow>(Some(&name_alone)).err()?;
        let csv::ErrorKind::Deserialize { err, .. } = error.kind() else {
            return None;
        };
        let reason = match err.kind() {
            csv::DeserializeErrorKind::Message(reason) => reason.clone(),
            other => other.to_string(),
        };
        Some(wrong(Some((line, name)), printable(&reason)))
    })
}

/// The column of a wrong cell, and what is wrong.
fn check_row(row: &RosterRow) -> Result<(), (&'static str, String)> {
    if row.shown().is_empty() {
        return Err((
            "folder",
            "the row names nobody; fill in folder or name".to_owned(),
        ));
    }
    for (column, name) in [("folder", &row.folder), ("alias", &row.alias)] {
        if !name.is_empty() {
            names::check(name).map_err(|reason| (column, reason))?;
        }
    }
    if row.folder.starts_with('.') {
        let reason = format!(
            "{} would be hidden; choose another name",
            quoted(&row.folder)
        );
        return Err(("folder", reason));
    }
    let texts = [&row.name, &row.id, &row.email, &row.handed_in_as];
    for (column, text) in ["name", "id", "email", "handed_in_as"]
        .into_iter()
        .zip(texts)
    {
        names::check_harmless(text).map_err(|reason| (column, reason))?;
    }
    Ok(())
}

fn unreadable(error: &csv::Error) -> RosterError {
    let line = error.position().map(|it| (it.line(), ""));
    wrong(line, format!("this is no row of a table: {error}"))
}

/// Seconds since the beginning of the year 0 in UTC; `zone` is that of a time without one.
fn seconds(time: Datetime, zone: Option<Offset>) -> i64 {
    let date = time.date.map_or([0, 1, 1], |it| {
        [i64::from(it.year), i64::from(it.month), i64::from(it.day)]
    });
    let [year, month, day] = date;
    // Years begin in March, so that a leap day is the last of its year: as in Howard Hinnant's
    // `days_from_civil`.
    let year = if month <= 2 { year - 1 } else { year };
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days = 365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    let of_day = time.time.map_or(0, |it| {
        let [hour, minute] = [it.hour, it.minute].map(i64::from);
        3600 * hour + 60 * minute + it.second.map_or(0, i64::from)
    });
    let ahead = match time.offset.or(zone) {
        Some(Offset::Custom { minutes }) => 60 * i64::from(minutes),
        Some(Offset::Z) | None => 0,
    };
    86_400 * (days + day_of_year) + of_day - ahead
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Roster, String> {
        Roster::read(text.as_bytes()).map_err(|it| it.to_string())
    }

    #[test]
    fn what_spreadsheets_write_is_read() {
        let plain = "folder,name,id,email,alias,status,submitted,late,handed_in_as,group\n\
                     ada,\"Lovelace, Ada\",007,ada@x.org,brave otter,excused,\
                     2026-11-20T21:04:00+01:00,yes,Ada_7_assignsubmission_file,a\n";
        let plain = read(plain).unwrap();
        let row = &plain.rows()[0];
        assert_eq!(
            (row.name.as_str(), row.id.as_str()),
            ("Lovelace, Ada", "007")
        );
        assert_eq!((row.status, row.late), (RosterStatus::Excused, true));
        for text in [
            // Another order, capitals, CRLF, `;` and a byte order mark, and an empty last row.
            "\u{feff}Late;Group;Folder;Name;ID;Email;Alias;Status;Submitted;Handed in as\r\n\
             TRUE;a;ada;Lovelace, Ada;007;ada@x.org;brave otter;Excused;\
             2026-11-20 21:04:00+01:00;Ada_7_assignsubmission_file\r\n;;;;;;;;;\r\n",
            "folder\tname\tid\temail\talias\tstatus\tsubmitted\tlate\thanded_in_as\tgroup\n\
             ada\t Lovelace, Ada \t007\tada@x.org\tbrave otter\texcused\t\
             2026-11-20T21:04:00+01:00\t1\tAda_7_assignsubmission_file\ta",
        ] {
            let roster = read(text).unwrap();
            assert_eq!(roster.rows(), plain.rows(), "{text}");
            assert_eq!(roster.own_cells, plain.own_cells, "{text}");
            let again = Roster::read(&roster.to_csv()).unwrap();
            assert_eq!(again, roster, "{text}");
        }
        let short = read("name\nAda\n\nBen\n").unwrap();
        assert_eq!(short.rows()[1].name, "Ben");
        assert_eq!(short.rows()[1].status, RosterStatus::Active);
        assert_eq!(read("folder,name\nada\n").unwrap().rows()[0].name, "");
    }

    #[test]
    fn mistakes_are_named_with_line_and_column() {
        for (text, said) in [
            ("", "line 1: the first line has neither"),
            ("a,b\n1,2\n", "line 1: the first line has neither"),
            ("folder,name,Name\n", "line 1: there are two columns name"),
            (
                "folder,status\nada,\nben,gone\n",
                "line 3, column status: \"gone\" is no status",
            ),
            ("folder,status\nada,withdrawed\n", "did you mean withdrawn?"),
            (
                "folder,late\nada,x\n",
                "line 2, column late: \"x\" is neither",
            ),
            (
                "folder,submitted\nada,1.2.2026\n",
                "line 2, column submitted: ",
            ),
            (
                "folder,submitted\nada,21:04:00\n",
                "line 2, column submitted: ",
            ),
            (
                "folder\nada\nAda\n",
                "line 3, column folder: \"Ada\" is the folder of line 2",
            ),
            (
                "folder\nRen\u{e9}e\nRene\u{301}e\n",
                "line 3, column folder",
            ),
            (
                "folder\n..\n",
                "line 2, column folder: \"..\" would be hidden",
            ),
            (
                "folder\na/b\n",
                "line 2, column folder: the name \"a/b\" contains /",
            ),
            ("folder,name\nada,=cmd()\n", "line 2, column name: "),
            ("folder,email\nada,a\u{1b}[2J\n", "line 2, column email: "),
            (
                "folder,alias\nada,ox\nben,OX\n",
                "line 2, column alias: \"ox\" is a name of line 3",
            ),
            ("folder,alias\nada,ben\nben,\n", "line 2, column alias"),
            ("folder,alias\nada,\nben,\n", ""),
            ("folder,name\n,\"\"\n,,x\n", "line 3: it has more cells"),
            ("folder,late\r\nada,\r\nben,x\r\n", "line 3, column late"),
            ("folder,id,email\n,,\nada,,\n", ""),
            (
                "folder,own\n,x\n",
                "line 2, column folder: the row names nobody",
            ),
        ] {
            match read(text) {
                Ok(_) => assert_eq!(said, "", "{text}"),
                Err(error) => assert!(!said.is_empty() && error.contains(said), "{text}: {error}"),
            }
        }
        let latin = Roster::read(b"folder,name\nada,Ada\nb,M\xfcller\n").unwrap_err();
        assert!(
            latin.to_string().starts_with("line 3: this is not UTF-8"),
            "{latin}"
        );
    }

    #[test]
    fn columns_of_the_teacher_are_kept() {
        let mut roster = read("note;folder;stauts\n=SUM(A1);ada;x\n").unwrap();
        assert_eq!(roster.own_columns(), ["note", "stauts"]);
        assert!(roster.column_warning().unwrap().contains("\"stauts\""));
        roster.push(RosterRow {
            folder: "ben".to_owned(),
            ..RosterRow::default()
        });
        let text = String::from_utf8(roster.to_csv()).unwrap();
        let header = "folder;name;id;email;alias;status;submitted;late;handed_in_as;note;stauts";
        let expected =
            format!("\u{feff}{header}\nada;;;;;active;;;;=SUM(A1);x\nben;;;;;active;;;;;\n");
        assert_eq!(text, expected);
    }

    #[test]
    fn what_comes_after_the_deadline_is_late() {
        for (submitted, deadline, is_late) in [
            ("2026-12-04T23:59:00+01:00", "2026-12-04T23:59+01:00", false),
            ("2026-12-04T23:59:01+01:00", "2026-12-04T23:59+01:00", true),
            ("2026-12-04T22:59:00Z", "2026-12-04T23:59+01:00", false),
            ("2026-12-04T23:00:00Z", "2026-12-04T23:59+01:00", true),
            ("2026-12-05T07:59:00+09:00", "2026-12-04T23:59+01:00", false),
            // The platform writes its local time.
            ("2026-12-04T23:59:00", "2026-12-04T23:59+01:00", false),
            ("2026-12-05T00:00:00", "2026-12-04T23:59+01:00", true),
            ("2026-12-05", "2026-12-04T23:59", true),
            ("2028-02-29T23:00:00", "2028-03-01T00:00", false),
            ("2028-03-01T00:00:00", "2028-02-29T23:59", true),
            ("2027-01-01T00:30:00+01:00", "2026-12-31T23:45Z", false),
        ] {
            let row = RosterRow {
                submitted: Some(submitted.parse().unwrap()),
                ..RosterRow::default()
            };
            let deadline = Some(deadline.parse().unwrap());
            assert_eq!(row.is_late(deadline), is_late, "{submitted}");
            assert!(!row.is_late(None));
            let said = RosterRow { late: true, ..row };
            assert!(said.is_late(None) && said.is_late(deadline));
        }
    }
}
