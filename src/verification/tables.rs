//! Compares the tables in a folder with those that its journal gives, by the names of the columns.
//! A column that only one side has is a note: another version of awale may have written the file.

use super::VerifyError;
use super::endgames::analyst_of;
use super::findings::{Check, FindingPlace, Findings, short};
use super::scan::Scan;
use crate::course::Grades;
use crate::record::Exclusions;
use crate::record::GRADES_TABLE;
use crate::run_folder::tables::{self, Filling, TablesError};
use crate::run_folder::{FillError, RunFolder, earlier_standings};
use crate::tournament::RunDocument;
use std::io::{self, BufRead, BufReader, Write};

/// Characters shown of a cell.
const CELL: usize = 60;
/// Bytes of a file's line that are read beyond the length of the expected line: enough to show the
/// difference.
const SURPLUS: usize = 64 << 10;

/// Makes every table again and compares it with the file. Returns the number of games that count.
pub fn compare(
    folder: &RunFolder,
    scan: &Scan,
    run: &RunDocument,
    exclusions: &Exclusions,
    findings: &mut Findings,
) -> Result<u64, VerifyError> {
    let analyst = analyst_of(folder, &run.plan.rules, findings);
    let inputs = tables::TableInputs {
        run,
        names: &run.plan.names(),
        exclusions,
        history: &earlier_standings(folder, &scan.earlier).map_err(|error| match error {
            TablesError::Folder(error) => VerifyError::from(error),
            TablesError::Records(error) => VerifyError::from(error),
        })?,
        analyst: analyst.as_ref(),
    };
    let (tables, _, mut compared) = tables::make(&scan.games, &inputs, &|name, fill| {
        compare_table(folder, name, fill)
    })?;
    if let Some(grades) = Grades::of(run, &tables) {
        let fill = |out: &mut dyn Write| grades.write_csv(out).map_err(FillError::from);
        compared.push(compare_table(folder, GRADES_TABLE, Box::new(fill))?);
    }
    for table in &compared {
        if let Some((place, message)) = &table.problem {
            findings.problem(Check::Tables, place.clone(), message);
        }
        for note in &table.notes {
            findings.note(Check::Tables, note);
        }
    }
    let names: Vec<&str> = compared.iter().map(|it| it.name.as_str()).collect();
    findings.done(Check::Tables, names.join(", "));
    Ok(tables.games())
}

/// How a table compares with its file.
#[derive(Default)]
struct ComparedTable {
    name: String,
    problem: Option<(FindingPlace, String)>,
    notes: Vec<String>,
}

impl ComparedTable {
    fn has_problem(&mut self, place: FindingPlace, message: &str) {
        self.problem = Some((place, message.to_owned()));
    }
}

fn compare_table(
    folder: &RunFolder,
    name: &str,
    fill: Filling<'_>,
) -> Result<ComparedTable, VerifyError> {
    let mut compared = ComparedTable {
        name: name.to_owned(),
        ..ComparedTable::default()
    };
    let file = match folder.files().file(name) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
            compared.has_problem(FindingPlace::file(name), &error.to_string());
            return Ok(compared);
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let message = "it is missing: a run writes it when it ends or is interrupted, and \
                           `awale run` does so again";
            compared.has_problem(FindingPlace::file(name), message);
            return Ok(compared);
        }
        Err(error) => return Err(VerifyError::file(name, error)),
    };
    let mut comparison = Comparison::new(BufReader::new(file));
    match fill(&mut comparison) {
        Ok(()) => {}
        Err(FillError::Source(error)) => return Err(error.into()),
        Err(FillError::Write(error)) => return Err(VerifyError::file(name, error)),
    }
    let (difference, columns) = comparison
        .finish()
        .map_err(|it| VerifyError::file(name, it))?;
    if let Some((line, message)) = difference {
        compared.has_problem(FindingPlace::line(name, line), &message);
    }
    if columns.shared.is_empty() {
        return Ok(compared);
    }
    let others = [
        (columns.missing, "does not have", "gives"),
        (columns.unknown, "has", "does not give"),
    ];
    for (columns, file, journal) in others {
        if !columns.is_empty() {
            compared.notes.push(format!(
                "{name} {file} columns that the journal {journal}, which another version of awale \
                 may have written: {}",
                columns.join(", ")
            ));
        }
    }
    Ok(compared)
}

/// Receives the expected bytes of a file and compares them with the file, row by row.
struct Comparison<R> {
    file: R,
    /// The expected row, as far as it was received.
    wanted: Vec<u8>,
    /// The row of the file.
    found: Vec<u8>,
    /// The number of the row, from 1; the first one has the names of the columns.
    row: usize,
    columns: SharedColumns,
    first: Option<(usize, String)>,
    differing: usize,
    /// Whether reading has stopped because a row may be endless.
    is_over: bool,
}

/// The columns that both sides have, and the names of those that one side lacks.
#[derive(Default)]
struct SharedColumns {
    /// Name, place in the expected rows, place in the rows of the file.
    shared: Vec<(String, usize, usize)>,
    /// How many columns the file has.
    found: usize,
    missing: Vec<String>,
    unknown: Vec<String>,
    is_same: bool,
}

impl SharedColumns {
    fn of(wanted: Vec<String>, found: &[String]) -> Self {
        let mut columns = Self {
            found: found.len(),
            is_same: wanted == found,
            ..Self::default()
        };
        let is_unknown = |name: &&String| !wanted.contains(name);
        columns.unknown = found.iter().filter(is_unknown).cloned().collect();
        for (place, name) in wanted.into_iter().enumerate() {
            match found.iter().position(|it| *it == name) {
                Some(found) => columns.shared.push((name, place, found)),
                None => columns.missing.push(name),
            }
        }
        columns
    }
}

/// The problem of a row that may be endless.
const ENDLESS: &str = "it is much longer than what the journal gives there; the rest is not read";

impl<R: BufRead> Comparison<R> {
    fn new(file: R) -> Self {
        Self {
            file,
            wanted: Vec::new(),
            found: Vec::new(),
            row: 0,
            columns: SharedColumns::default(),
            first: None,
            differing: 0,
            is_over: false,
        }
    }

    /// Reads a row of the file, but not much more than the expected bytes.
    fn read_found(&mut self, expected: usize) -> io::Result<()> {
        let most = (expected + SURPLUS) as u64;
        self.found.clear();
        let mut rest = io::Read::take(&mut self.file, most);
        let (mut quotes, mut is_whole) = (0, false);
        while !is_whole {
            let start = self.found.len();
            if rest.read_until(b'\n', &mut self.found)? == 0 {
                break;
            }
            quotes += quotes_in(&self.found[start..]);
            is_whole = ends_row(&self.found, quotes);
        }
        self.is_over = rest.limit() == 0 && !is_whole;
        Ok(())
    }

    fn compare_row(&mut self) -> io::Result<()> {
        let wanted = std::mem::take(&mut self.wanted);
        if self.is_over {
            return Ok(());
        }
        self.row += 1;
        self.read_found(wanted.len())?;
        let problem = if self.is_over {
            Some(ENDLESS.to_owned())
        } else {
            self.difference(&wanted)
        };
        if let Some(problem) = problem {
            self.differing += 1;
            self.first.get_or_insert((self.row, problem));
        }
        Ok(())
    }

    /// What is different in a row; the first one says which columns both sides have.
    fn difference(&mut self, wanted: &[u8]) -> Option<String> {
        if self.row == 1 {
            self.columns = SharedColumns::of(cells(wanted), &cells(&self.found));
        }
        let columns = &self.columns;
        if *wanted == self.found && columns.is_same {
            return None;
        }
        if self.found.is_empty() {
            let row = short(&text(wanted), CELL);
            return Some(format!(
                "the file ends before this line of the journal: {row}"
            ));
        }
        if columns.shared.is_empty() {
            return Some("no column of the file has a name that the journal gives".to_owned());
        }
        let (wanted, found) = (cells(wanted), cells(&self.found));
        if found.len() != columns.found {
            let (cells, columns) = (found.len(), columns.found);
            return Some(format!(
                "it has {cells} cells, and the first line has {columns}"
            ));
        }
        let mut shared = columns.shared.iter();
        let other = shared.find(|(_, place, at)| wanted.get(*place) != found.get(*at));
        match other {
            Some((name, place, at)) => Some(format!(
                "column {}: the file has “{}”, and the journal gives “{}”",
                short(name, CELL),
                short(&found[*at], CELL),
                short(&wanted[*place], CELL),
            )),
            None if columns.is_same => {
                Some("its quotes or its line end are not those of awale".to_owned())
            }
            None => None,
        }
    }

    /// The first different row, and the problem of the file; and what to note of its columns.
    fn finish(mut self) -> io::Result<(Option<(usize, String)>, SharedColumns)> {
        if !self.wanted.is_empty() {
            self.compare_row()?;
        }
        let rows = self.row;
        let mut more = 0;
        while !self.is_over {
            self.read_found(0)?;
            if self.found.is_empty() {
                break;
            }
            if more == 0 && self.first.is_none() {
                let message = if self.is_over {
                    ENDLESS.to_owned()
                } else {
                    let row = short(&text(&self.found), CELL);
                    format!("the journal gives no such line: {row}")
                };
                self.first = Some((rows + 1, message));
            }
            more += 1;
        }
        let others = (self.differing + more).saturating_sub(1);
        let first = self.first.map(|(row, message)| match others {
            0 => (row, message),
            1 => (row, format!("{message}; 1 more line differs")),
            _ => (row, format!("{message}; {others} more lines differ")),
        });
        Ok((first, self.columns))
    }
}

impl<R: BufRead> Write for Comparison<R> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for piece in bytes.split_inclusive(|&byte| byte == b'\n') {
            self.wanted.extend_from_slice(piece);
            if ends_row(&self.wanted, quotes_in(&self.wanted)) {
                self.compare_row()?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn quotes_in(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte == b'"').count()
}

/// Whether bytes with this many quotes are a whole row: a line end within quotes does not end it.
fn ends_row(bytes: &[u8], quotes: usize) -> bool {
    bytes.ends_with(b"\n") && quotes.is_multiple_of(2)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes.strip_suffix(b"\n").unwrap_or(bytes)).into_owned()
}

fn cells(line: &[u8]) -> Vec<String> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .from_reader(line);
    let mut row = csv::ByteRecord::new();
    // Any bytes are the cells of some row.
    if reader.read_byte_record(&mut row).is_err() {
        return vec![text(line)];
    }
    let cell = |cell: &[u8]| String::from_utf8_lossy(cell).into_owned();
    row.iter().map(cell).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(file: &str, made: &str) -> (Option<(usize, String)>, SharedColumns) {
        let mut comparison = Comparison::new(file.as_bytes());
        // In pieces with arbitrary boundaries.
        for piece in made.as_bytes().chunks(3) {
            comparison.write_all(piece).unwrap();
        }
        comparison.finish().unwrap()
    }

    #[test]
    fn the_first_difference_is_named_with_both_cells() {
        let made = "a,b\n1,x\n2,y\n3,z\n";
        assert_eq!(compared(made, made).0, None);
        for (file, line, words) in [
            (
                "a,b\n1,x\n2,Y\n3,z\n",
                3,
                "column b: the file has “Y”, and the journal gives “y”",
            ),
            (
                "b,a\nx,1\ny,3\nz,3\n",
                3,
                "column a: the file has “3”, and the journal gives “2”",
            ),
            (
                "a,b\n1,x\n3,z\n",
                3,
                "column a: the file has “3”, and the journal gives “2”; 1 more line differs",
            ),
            (
                "a,b\n1,x\n2,y\n",
                4,
                "ends before this line of the journal: 3,z",
            ),
            ("", 1, "ends before"),
            (
                "a,b\n1,x\n2,y\n3,z\n4,\u{1b}[2J\n5\n",
                5,
                "no such line: 4,\\u{1b}[2J; 1 more line differs",
            ),
            (
                "a,b\n1,x\n2,y,\n3,z\n",
                3,
                "3 cells, and the first line has 2",
            ),
            ("a,b\n1,x\n2\n3,z\n", 3, "1 cells, and the first line has 2"),
            ("a,b\n1,x\r\n2,y\n3,z\n", 2, "quotes or its line end"),
            ("a,b\n\"1\",x\n2,y\n3,z\n", 2, "quotes or its line end"),
            ("a,b\n1,x\n2,y\n3,z", 4, "quotes or its line end"),
            ("A,B\n1,x\n2,y\n3,z\n", 1, "no column of the file"),
        ] {
            let (at, message) = compared(file, made).0.unwrap_or_else(|| panic!("{file:?}"));
            assert_eq!(at, line, "{file:?}: {message}");
            assert!(message.contains(words), "{file:?}: {message}");
        }
    }

    #[test]
    fn columns_may_be_others_and_stand_elsewhere() {
        let made = "a,b\n1,\"x\ny\"\n2,z\n";
        for (file, missing, unknown) in [
            ("b,a\n\"x\ny\",1\nz,2\n", "", ""),
            ("a\n1\n2\n", "b", ""),
            ("a,c,b\n1,\"\n\",\"x\ny\"\n2,,z\n", "", "c"),
            ("a,B\n1,x\n2,z\n", "b", "B"),
        ] {
            let (problem, columns) = compared(file, made);
            assert_eq!(problem, None, "{file:?}");
            assert_eq!(columns.missing.join(" "), missing, "{file:?}");
            assert_eq!(columns.unknown.join(" "), unknown, "{file:?}");
        }
    }
}
