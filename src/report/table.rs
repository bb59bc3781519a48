//! A table is declared once, as a list of columns. Its CSV file, what the page reads of it, what a
//! terminal shows of it, and its part of `docs/tables.md` are made from this declaration.
//!
//! Every program can read the CSV: lines end with LF, cells are quoted where necessary, and no
//! hostile text becomes a formula.

use serde_json::{Map, Value};
use std::borrow::{Borrow, Cow};
use std::fmt::{Display, Write as _};
use std::io::{self, Write};

/// A column, or several adjacent ones that belong together.
pub struct Column<Row: 'static> {
    /// The names in the header of the file; none if the column is only shown to people.
    pub names: &'static [&'static str],
    /// The meaning, as `docs/tables.md` has it.
    pub about: &'static str,
    /// Adds a cell for each name.
    pub fill: fn(&Row, &mut RowCells),
    /// The columns of a terminal.
    pub shown: &'static [ShownColumn<Row>],
}

impl<Row> Column<Row> {
    /// A column of the file alone.
    pub const fn new(
        names: &'static [&'static str],
        about: &'static str,
        fill: fn(&Row, &mut RowCells),
    ) -> Self {
        Self {
            names,
            about,
            fill,
            shown: &[],
        }
    }

    /// A column that only people are shown.
    pub const fn for_people(shown: &'static [ShownColumn<Row>]) -> Self {
        Self {
            shown,
            ..Self::new(&[], "", |_, _| {})
        }
    }
}

/// A column of a table for people.
pub struct ShownColumn<Row> {
    title: &'static str,
    is_text: bool,
    spared: u8,
    is_optional: bool,
    cell: fn(&Row) -> String,
}

impl<Row> ShownColumn<Row> {
    /// A column of numbers.
    pub const fn number(title: &'static str, spared: u8, cell: fn(&Row) -> String) -> Self {
        Self {
            title,
            is_text: false,
            spared,
            is_optional: false,
            cell,
        }
    }

    /// A column of words.
    pub const fn text(title: &'static str, spared: u8, cell: fn(&Row) -> String) -> Self {
        Self {
            is_text: true,
            ..Self::number(title, spared, cell)
        }
    }

    /// The same, left out where all its cells are empty.
    #[must_use]
    pub const fn optional(self) -> Self {
        Self {
            is_optional: true,
            ..self
        }
    }
}

/// The title of a column for people, and how it is drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextColumn {
    /// The title.
    pub title: String,
    /// Whether its cells are words, which stand left, or numbers.
    pub is_text: bool,
    /// A narrow terminal leaves out the column with the lowest number first, and never one with 0.
    pub spared: u8,
}

/// A table for people, as cells; the caller decides how it is drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextTable {
    /// The heading, if there are several tables.
    pub heading: Option<String>,
    /// Its columns.
    pub columns: Vec<TextColumn>,
    /// Its rows, a cell for each column. No character in them can control a terminal.
    pub rows: Vec<Vec<String>>,
}

impl TextTable {
    /// The table for people of these rows.
    pub fn new<Row>(columns: &[Column<Row>], rows: &[Row]) -> Self {
        let shown = columns.iter().flat_map(|column| column.shown);
        let is_needed = |column: &&ShownColumn<Row>| {
            !column.is_optional || rows.iter().any(|row| !(column.cell)(row).is_empty())
        };
        let shown: Vec<_> = shown.filter(is_needed).collect();
        let head = |column: &&ShownColumn<Row>| TextColumn {
            title: column.title.to_owned(),
            is_text: column.is_text,
            spared: column.spared,
        };
        let cells = |row| shown.iter().map(|column| (column.cell)(row)).collect();
        Self {
            heading: None,
            columns: shown.iter().map(head).collect(),
            rows: rows.iter().map(cells).collect(),
        }
    }
}

/// The cells of a row, in the order of the columns.
#[derive(Debug, Default)]
pub struct RowCells {
    text: String,
    /// For each cell its end in `text`, and whether it is text, which may be hostile.
    ends: Vec<(usize, bool)>,
}

impl RowCells {
    /// A cell of text, which may be hostile.
    pub fn text(&mut self, text: &str) {
        self.text.push_str(text);
        self.ends.push((self.text.len(), true));
    }

    /// A numeric or empty cell: a minus sign stays the first character.
    pub fn number(&mut self, number: Option<impl Display>) {
        if let Some(number) = number {
            // Writing to a string cannot fail.
            let _ = write!(self.text, "{number}");
        }
        self.ends.push((self.text.len(), false));
    }

    /// The cells, and whether each is text.
    fn iter(&self) -> impl Iterator<Item = (&str, bool)> {
        let mut start = 0;
        self.ends.iter().map(move |&(end, is_text)| {
            let cell = &self.text[start..end];
            start = end;
            (cell, is_text)
        })
    }
}

/// A CSV table that is written row by row.
pub struct CsvTable<W: Write> {
    writer: csv::Writer<W>,
    cells: RowCells,
}

impl<W: Write> CsvTable<W> {
    /// Starts a table with the row of column names.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn new<N: AsRef<[u8]>>(out: W, names: impl IntoIterator<Item = N>) -> io::Result<Self> {
        let mut writer = csv::WriterBuilder::new()
            .terminator(csv::Terminator::Any(b'\n'))
            .from_writer(out);
        writer.write_record(names)?;
        Ok(Self {
            writer,
            cells: RowCells::default(),
        })
    }

    /// Writes a row, which must have as many cells as there are columns.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn row(&mut self, fill: impl FnOnce(&mut RowCells)) -> io::Result<()> {
        self.cells.text.clear();
        self.cells.ends.clear();
        fill(&mut self.cells);
        for (cell, is_text) in self.cells.iter() {
            let shown = if is_text {
                guarded(cell)
            } else {
                Cow::Borrowed(cell)
            };
            self.writer.write_field(shown.as_bytes())?;
        }
        Ok(self.writer.write_record(None::<&[u8]>)?)
    }

    /// Ends the table.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn finish(mut self) -> io::Result<()> {
        self.writer.flush()
    }

    /// Ends the table and returns the writer.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn into_inner(self) -> io::Result<W> {
        let inner = self.writer.into_inner();
        inner.map_err(csv::IntoInnerError::into_error)
    }
}

/// The names of all columns.
pub fn names<Row>(columns: &[Column<Row>]) -> impl Iterator<Item = &'static str> {
    columns.iter().flat_map(|column| column.names).copied()
}

/// Writes a table as CSV.
///
/// # Errors
/// Those of `out`.
pub fn write_csv<Row>(
    columns: &[Column<Row>],
    rows: impl IntoIterator<Item = impl Borrow<Row>>,
    out: impl Write,
) -> io::Result<()> {
    let mut csv = CsvTable::new(out, names(columns))?;
    for row in rows {
        csv.row(|cells| fill(columns, row.borrow(), cells))?;
    }
    csv.finish()
}

/// The columns as `docs/tables.md` explains them.
#[cfg(test)]
pub fn documented<Row>(columns: &[Column<Row>]) -> String {
    let named = columns.iter().filter(|column| !column.names.is_empty());
    let lines = named.map(|column| {
        let names: Vec<String> = column.names.iter().map(|it| format!("`{it}`")).collect();
        format!("| {} | {} |\n", names.join(", "), column.about)
    });
    "| column | meaning |\n|---|---|\n".to_owned() + &lines.collect::<String>()
}

/// Fills the cells of a row.
pub fn fill<Row>(columns: &[Column<Row>], row: &Row, cells: &mut RowCells) {
    for column in columns {
        (column.fill)(row, cells);
    }
}

/// A row as the page reads it: its cells by the names of the columns, with `null` for a number that
/// is not known.
pub fn json_row<Row>(columns: &[Column<Row>], row: &Row) -> Map<String, Value> {
    let mut cells = RowCells::default();
    fill(columns, row, &mut cells);
    let value = |(cell, is_text)| {
        if is_text {
            Value::from(cell)
        } else {
            serde_json::from_str(cell).unwrap_or(Value::Null)
        }
    };
    let named = names(columns).map(str::to_owned);
    named.zip(cells.iter().map(value)).collect()
}

/// At one of these characters at the beginning of a cell, a spreadsheet starts a formula, or skips
/// it and looks at the next one (OWASP, *CSV Injection*).
const FORMULA_STARTS: [char; 11] = ['=', '+', '-', '@', '＝', '＋', '－', '＠', '\t', '\r', '\n'];
/// Those of them that a separator within a cell does not stand for itself.
const FORMULAS: &[char] = FORMULA_STARTS.split_at(8).0;
/// Where a spreadsheet may begin a cell within one of ours.
const SEPARATORS: [char; 4] = [';', '\t', '\r', '\n'];

/// Text that no spreadsheet executes: an apostrophe is put before text that looks like a formula.
/// One more is put before text that looks like one behind apostrophes, so that different texts stay
/// different. The same holds behind each character at which a spreadsheet begins a cell if it does
/// not separate by commas, or does not join the lines of a quoted cell.
pub fn guarded(text: &str) -> Cow<'_, str> {
    let is_formula = text.trim_start_matches('\'').starts_with(FORMULA_STARTS);
    if !is_formula && !text.contains(SEPARATORS) {
        return Cow::Borrowed(text);
    }
    let mut guarded = String::from(if is_formula { "'" } else { "" });
    for (number, piece) in text.split_inclusive(SEPARATORS).enumerate() {
        let behind = piece.trim_start_matches(['\'', '"']);
        if number > 0 && behind.starts_with(FORMULAS) {
            guarded.push('\'');
        }
        guarded.push_str(piece);
    }
    Cow::Owned(guarded)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn csv(rows: &[[&str; 2]]) -> String {
        let mut out = Vec::new();
        let mut csv = CsvTable::new(&mut out, ["name", "other"]).unwrap();
        for row in rows {
            csv.row(|cells| row.iter().for_each(|cell| cells.text(cell)))
                .unwrap();
        }
        csv.finish().unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn what_looks_like_a_formula_is_text() {
        for (text, cell) in [
            ("=1+1", "'=1+1"),
            ("+1", "'+1"),
            ("-1", "'-1"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\tx", "'\tx"),
            ("\rx", "\"'\rx\""),
            ("\n=1", "\"'\n'=1\""),
            ("a;=1", "a;'=1"),
            ("a;'=1", "a;''=1"),
            ("a;\"=1", "\"a;'\"\"=1\""),
            ("a;b;@x", "a;b;'@x"),
            ("a\t-1", "a\t'-1"),
            ("a\r\n=1", "\"a\r\n'=1\""),
            (";+1", ";'+1"),
            ("a; b", "a; b"),
            ("'=1", "''=1"),
            ("=\"a\",b", "\"'=\"\"a\"\",b\""),
            ("'t Hooft", "'t Hooft"),
            ("a=1", "a=1"),
            ("é-1", "é-1"),
            ("", ""),
        ] {
            assert_eq!(
                csv(&[[text, "x"]]),
                format!("name,other\n{cell},x\n"),
                "{text:?}"
            );
        }
    }

    #[test]
    fn every_text_is_read_back_but_for_the_guard() {
        let texts = [
            "a,b",
            "a\"b",
            "a\nb",
            "a\r\nb",
            " a ",
            "",
            "#",
            "\u{202e}x",
            "''",
        ];
        for text in texts {
            let written = csv(&[[text, "x"]]);
            let mut reader = csv::Reader::from_reader(written.as_bytes());
            let row = reader.records().next().unwrap().unwrap();
            assert_eq!(&row[0], text);
        }
    }

    #[test]
    fn numbers_keep_their_sign() {
        let mut out = Vec::new();
        let mut csv = CsvTable::new(&mut out, ["elo", "error95"]).unwrap();
        csv.row(|cells| {
            cells.number(Some("-12.5"));
            cells.number(None::<u64>);
        })
        .unwrap();
        csv.finish().unwrap();
        assert_eq!(out, b"elo,error95\n-12.5,\n");
    }
}
