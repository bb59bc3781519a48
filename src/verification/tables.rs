//! Compares the tables in a folder with those that its journal gives, byte by byte. In older
//! formats, columns that did not exist or followed another rule are excluded and named.

use super::findings::{Check, FindingPlace, Findings, short};
use super::scan::Scan;
use super::{VerifyError, older};
use crate::record::Exclusions;
use crate::run_folder::tables::{self, Filling, TablesError};
use crate::run_folder::{FillError, RunFolder, earlier_standings};
use crate::tournament::{RecordedPlan, RunDocument};
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
    (run, recorded): (&RunDocument, Option<&RecordedPlan>),
    exclusions: &Exclusions,
    findings: &mut Findings,
) -> Result<u64, VerifyError> {
    let inputs = tables::TableInputs {
        plan: &run.plan,
        names: &run.plan.names(),
        exclusions,
        model: &run.rating_model(),
        grading: run.settings.grading.as_ref(),
        history: &earlier_standings(folder, &scan.earlier).map_err(|error| match error {
            TablesError::Folder(error) => VerifyError::from(error),
            TablesError::Records(error) => VerifyError::from(error),
        })?,
    };
    let (tables, _, compared) = tables::make(&scan.games, &inputs, &|name, fill| {
        compare_table(folder, recorded, name, fill)
    })?;
    let mut left_out: Vec<String> = Vec::new();
    for table in &compared {
        left_out.extend_from_slice(&table.left_out);
        if let Some((place, message)) = &table.problem {
            findings.problem(Check::Tables, place.clone(), message);
        }
    }
    let names: Vec<&str> = compared.iter().map(|it| it.name.as_str()).collect();
    findings.done(Check::Tables, names.join(", "));
    if let Some(recorded) = recorded.filter(|_| !left_out.is_empty()) {
        let message = format!(
            "the journal has format {}, which did not know what is in these columns or filled \
             them by another rule: they are not compared, all others are: {}",
            recorded.format,
            left_out.join("; ")
        );
        findings.note(Check::Tables, &message);
    }
    Ok(tables.games())
}

/// How a table compares with its file.
#[derive(Default)]
struct ComparedTable {
    name: String,
    /// What is excluded, in words.
    left_out: Vec<String>,
    problem: Option<(FindingPlace, String)>,
}

impl ComparedTable {
    fn has_problem(&mut self, place: FindingPlace, message: &str) {
        self.problem = Some((place, message.to_owned()));
    }
}

fn compare_table(
    folder: &RunFolder,
    recorded: Option<&RecordedPlan>,
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
            if older::may_be_missing(recorded, name) {
                compared.left_out.push(format!("all of {name}"));
                return Ok(compared);
            }
            let message = "it is missing: a run writes it when it ends or is interrupted, and \
                           `awale run` does so again";
            compared.has_problem(FindingPlace::file(name), message);
            return Ok(compared);
        }
        Err(error) => return Err(unreadable(name, error)),
    };
    let mut comparison = Comparison::new(BufReader::new(file));
    if let Some(recorded) = recorded.filter(|it| older::is_older(Some(it))) {
        comparison.older = Some((recorded.format, name.to_owned()));
    }
    match fill(&mut comparison) {
        Ok(()) => {}
        Err(FillError::Source(error)) => return Err(error.into()),
        Err(FillError::Write(error)) => return Err(unreadable(name, error)),
    }
    compared.left_out.append(&mut comparison.left_out);
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
    /// The format of an older journal and the table's name: some of its columns are excluded.
    older: Option<(u32, String)>,
    /// The indices of the excluded columns: in the expected table, and in the file.
    dropped: [Vec<usize>; 2],
    /// The indices of numbers that can be bounds, which are excluded then, and of the column that
    /// says so: in both tables.
    bounds: [Option<(usize, usize)>; 2],
    /// What is excluded, in words.
    left_out: Vec<String>,
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
            older: None,
            dropped: [Vec::new(), Vec::new()],
            bounds: [None, None],
            left_out: Vec::new(),
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
            self.choose_columns();
        }
        let lines = [&mut self.wanted, &mut self.found].into_iter();
        for (line, (dropped, bounds)) in lines.zip(self.dropped.iter().zip(self.bounds)) {
            if let Some(places) = bounds.filter(|_| self.line > 1) {
                leave_out_bound(line, places);
            }
            leave_out(line, dropped);
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

    /// Finds the excluded columns by their names in the first line.
    fn choose_columns(&mut self) {
        let Some((format, table)) = &self.older else {
            return;
        };
        let [made, found] = [&self.wanted, &self.found].map(|line| cells(line));
        let mut names = older::left_out(*format, table, &made, &found);
        if older::has_older_bounds(*format) {
            self.bounds = [&made, &found].map(|columns| older::bounds(table, columns));
        }
        self.dropped = [made, found].map(|columns| {
            let columns = (0..).zip(columns);
            let dropped = columns.filter(|(_, column)| names.contains(column));
            dropped.map(|(place, _)| place).collect()
        });
        if let [Some((number, _)), Some(_)] = self.bounds
            && let Some(column) = cells(&self.wanted).get(number)
            && !names.contains(column)
        {
            names.insert(0, format!("{column} where it is a bound"));
        }
        if !names.is_empty() {
            self.left_out = vec![format!("{} of {table}", names.join(", "))];
        }
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

/// Removes cells from a line.
fn leave_out(line: &mut Vec<u8>, places: &[usize]) {
    if places.is_empty() || line.is_empty() {
        return;
    }
    let mut row = cells(line);
    for &place in places.iter().rev() {
        if place < row.len() {
            row.remove(place);
        }
    }
    rewrite(line, &row);
}

/// Clears the cell of a number if the cell beside it says that the number is a bound.
fn leave_out_bound(line: &mut Vec<u8>, (number, sense): (usize, usize)) {
    let mut row = cells(line);
    let is_bound = row.get(sense).is_some_and(|sense| !sense.is_empty());
    if let Some(cell) = row.get_mut(number).filter(|_| is_bound) {
        cell.clear();
        rewrite(line, &row);
    }
}

fn rewrite(line: &mut Vec<u8>, row: &[String]) {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let written = writer.write_record(row).map_err(drop);
    if let Ok(text) = written.and_then(|()| writer.into_inner().map_err(drop)) {
        *line = text;
    }
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
        compare_as(None, file, made)
    }

    fn compare_as(table: Option<&str>, file: &str, made: &str) -> Option<(usize, String)> {
        let mut comparison = Comparison::new(file.as_bytes());
        comparison.older = table.map(|table| (2, table.to_owned()));
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

    #[test]
    fn bounds_of_an_older_format_followed_another_rule() {
        let made = "entrant,elo,bound,relative_to\na,10.0,,mean\nb,50.0,>,mean\n";
        for (file, words) in [
            (made, None),
            (
                "entrant,elo,bound,relative_to\na,10.0,,mean\nb,99.0,>,mean\n",
                None,
            ),
            (
                "entrant,elo,bound,relative_to\na,11.0,,mean\nb,50.0,>,mean\n",
                Some("column elo"),
            ),
            (
                "entrant,elo,bound,relative_to\na,10.0,,mean\nb,50.0,<,mean\n",
                Some("column bound"),
            ),
            (
                "entrant,elo,bound,relative_to\na,10.0,,mean\nb,50.0,,mean\n",
                Some("column elo"),
            ),
        ] {
            let told = compare_as(Some("standings.csv"), file, made);
            let message = told.map(|(_, message)| message);
            let as_expected = match (&message, words) {
                (Some(message), Some(words)) => message.contains(words),
                (message, words) => message.is_none() && words.is_none(),
            };
            assert!(as_expected, "{file:?}: {message:?}");
        }
        let changed = "entrant,elo,bound,relative_to\na,10.0,,mean\nb,99.0,>,mean\n";
        assert!(compare_as(None, changed, made).is_some(), "of today");
    }

    #[test]
    fn a_table_of_an_older_format_lacks_what_came_later_and_nothing_else() {
        let made = "rank,voids_on_turn,entrant,busy_off_turn\n1,0,\"a,b\",7\n2,0,c,0\n";
        for (file, words) in [
            ("rank,entrant\n1,\"a,b\"\n2,c\n", None),
            ("rank,entrant,voids_on_turn\n1,\"a,b\",5\n2,c,\n", None),
            (
                "rank,entrant\n1,\"a,b\"\n2,d\n",
                Some("column entrant: the file has “d”"),
            ),
            ("rank,entrant\n1,\"a,b\"\n", Some("the file ends before")),
            ("rank,entrant\n1,\"a,b\"\n2,c\n3,d\n", Some("no such line")),
            ("rank\n1\n2\n", Some("column entrant: the file has no cell")),
            ("rank,name\n1,\"a,b\"\n2,c\n", Some("column entrant")),
            ("rank,entrant\n1,\"a,b\",7\n2,c\n", Some("beyond the last")),
        ] {
            let told = compare_as(Some("standings.csv"), file, made);
            match (&told, words) {
                (None, None) => {}
                (Some((_, told)), Some(words)) => assert!(told.contains(words), "{told}"),
                _ => panic!("{file:?}: {told:?}"),
            }
        }
        // In another table, or in a folder of the present format, every column counts.
        let file = "rank,entrant\n1,\"a,b\"\n2,c\n";
        assert!(compare_as(Some("games.csv"), file, made).is_some());
        assert!(compare_as(None, file, made).is_some());
    }
}
