//! Compares the tables in a folder with those that its journal gives, byte by byte.

use super::VerifyError;
use super::findings::{Check, FindingPlace, Findings, short};
use super::scan::Scan;
use crate::record::Exclusions;
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
    let inputs = tables::TableInputs {
        run,
        names: &run.plan.names(),
        exclusions,
        history: &earlier_standings(folder, &scan.earlier).map_err(|error| match error {
            TablesError::Folder(error) => VerifyError::from(error),
            TablesError::Records(error) => VerifyError::from(error),
        })?,
    };
    let (tables, _, compared) = tables::make(&scan.games, &inputs, &|name, fill| {
        compare_table(folder, name, fill)
    })?;
    for table in &compared {
        if let Some((place, message)) = &table.problem {
            findings.problem(Check::Tables, place.clone(), message);
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
        Err(error) => return Err(unreadable(name, error)),
    };
    let mut comparison = Comparison::new(BufReader::new(file));
    match fill(&mut comparison) {
        Ok(()) => {}
        Err(FillError::Source(error)) => return Err(error.into()),
        Err(FillError::Write(error)) => return Err(unreadable(name, error)),
    }
    let differences = comparison.finish().map_err(|it| unreadable(name, it))?;
    if let Some((line, message)) = differences {
        compared.has_problem(FindingPlace::line(name, line), &message);
    }
    Ok(compared)
}

fn unreadable(name: &str, error: io::Error) -> VerifyError {
    VerifyError::file(name, error)
}

/// Receives the expected bytes of a file and compares them with the file, line by line.
struct Comparison<R> {
    file: R,
    /// The expected line, as far as it was received.
    wanted: Vec<u8>,
    /// The line of the file.
    found: Vec<u8>,
    line: usize,
    /// The names of the columns.
    header: Vec<u8>,
    first: Option<(usize, String)>,
    differing: usize,
    /// Whether reading has stopped because a line may be endless.
    is_over: bool,
}

/// The problem of a line that may be endless.
const ENDLESS: &str = "it is much longer than what the journal gives there; the rest is not read";

impl<R: BufRead> Comparison<R> {
    const fn new(file: R) -> Self {
        Self {
            file,
            wanted: Vec::new(),
            found: Vec::new(),
            line: 0,
            header: Vec::new(),
            first: None,
            differing: 0,
            is_over: false,
        }
    }

    /// Reads a line of the file, but not much more than the expected line has.
    fn read_found(&mut self) -> io::Result<()> {
        let most = (self.wanted.len() + SURPLUS) as u64;
        self.found.clear();
        let mut rest = io::Read::take(&mut self.file, most);
        let read = rest.read_until(b'\n', &mut self.found)? as u64;
        self.is_over = read == most && !self.found.ends_with(b"\n");
        Ok(())
    }

    fn compare_line(&mut self) -> io::Result<()> {
        if self.is_over {
            self.wanted.clear();
            return Ok(());
        }
        self.line += 1;
        self.read_found()?;
        if self.is_over {
            self.differing += 1;
            self.first.get_or_insert((self.line, ENDLESS.to_owned()));
            self.wanted.clear();
            return Ok(());
        }
        if self.line == 1 {
            self.header.clone_from(&self.wanted);
        }
        if self.found != self.wanted {
            self.differing += 1;
            if self.first.is_none() {
                let mut message = difference(&self.header, &self.wanted, &self.found);
                if self.line == 1 && !self.found.is_empty() {
                    message += " (another version of awale may have other columns)";
                }
                self.first = Some((self.line, message));
            }
        }
        self.wanted.clear();
        Ok(())
    }

    /// The first different line, and the problem of the file.
    fn finish(mut self) -> io::Result<Option<(usize, String)>> {
        if !self.wanted.is_empty() {
            self.compare_line()?;
        }
        let lines = self.line;
        let mut more = 0;
        while !self.is_over {
            self.read_found()?;
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
                self.first = Some((lines + 1, message));
            }
            more += 1;
        }
        let others = (self.differing + more).saturating_sub(1);
        Ok(self.first.map(|(line, message)| match others {
            0 => (line, message),
            1 => (line, format!("{message}; 1 more line differs")),
            _ => (line, format!("{message}; {others} more lines differ")),
        }))
    }
}

impl<R: BufRead> Write for Comparison<R> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut rest = bytes;
        while let Some(end) = rest.iter().position(|&byte| byte == b'\n') {
            self.wanted.extend_from_slice(&rest[..=end]);
            rest = &rest[end + 1..];
            self.compare_line()?;
        }
        self.wanted.extend_from_slice(rest);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes.strip_suffix(b"\n").unwrap_or(bytes)).into_owned()
}

/// The first cell in which two lines differ.
fn difference(header: &[u8], wanted: &[u8], found: &[u8]) -> String {
    if found.is_empty() {
        let row = short(&text(wanted), CELL);
        return format!("the file ends before this line of the journal: {row}");
    }
    let (wanted_cells, found_cells) = (cells(wanted), cells(found));
    let columns = cells(header);
    let place = (0..wanted_cells.len().max(found_cells.len()))
        .find(|&index| wanted_cells.get(index) != found_cells.get(index));
    let Some(index) = place else {
        return "its quotes or its line end are not those of awale".to_owned();
    };
    let shown = |cells: &[String]| match cells.get(index) {
        Some(cell) => format!("“{}”", short(cell, CELL)),
        None => "no cell".to_owned(),
    };
    let column = columns.get(index).map_or("beyond the last", String::as_str);
    format!(
        "column {}: the file has {}, and the journal gives {}",
        short(column, CELL),
        shown(&found_cells),
        shown(&wanted_cells)
    )
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

    fn compare(file: &str, made: &str) -> Option<(usize, String)> {
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
        assert_eq!(compare(made, made), None);
        for (file, line, words) in [
            (
                "a,b\n1,x\n2,Y\n3,z\n",
                3,
                "column b: the file has “Y”, and the journal gives “y”",
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
                "column beyond the last: the file has “”",
            ),
            ("a,b\n1,x\n2\n3,z\n", 3, "the file has no cell"),
            ("a,b\n1,x\r\n2,y\n3,z\n", 2, "quotes or its line end"),
            ("a,b\n\"1\",x\n2,y\n3,z\n", 2, "quotes or its line end"),
            ("a,b\n1,x\n2,y\n3,z", 4, "quotes or its line end"),
            ("a,B\n1,x\n2,y\n3,z\n", 1, "other columns"),
        ] {
            let (at, message) = compare(file, made).unwrap_or_else(|| panic!("{file:?}"));
            assert_eq!(at, line, "{file:?}: {message}");
            assert!(message.contains(words), "{file:?}: {message}");
        }
    }
}
