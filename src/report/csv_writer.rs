//! Writes CSV that every program can read: lines end with LF, cells are quoted where necessary, and
//! no hostile text becomes a formula.

use std::borrow::Cow;
use std::fmt::{Display, Write as _};
use std::io::{self, Write};

/// At one of these characters at the beginning of a cell, a spreadsheet starts a formula, or skips
/// it and looks at the next one (OWASP, *CSV Injection*).
const FORMULA_STARTS: [char; 11] = ['=', '+', '-', '@', '＝', '＋', '－', '＠', '\t', '\r', '\n'];
/// Those of them that a separator within a cell does not stand for itself.
const FORMULAS: &[char] = FORMULA_STARTS.split_at(8).0;
/// Where a spreadsheet may begin a cell within one of ours.
const SEPARATORS: [char; 4] = [';', '\t', '\r', '\n'];

/// A CSV table that is written cell by cell.
pub struct CsvWriter<W: Write> {
    writer: csv::Writer<W>,
    /// The number that is written.
    number: String,
}

impl<W: Write> CsvWriter<W> {
    /// Starts a table with the row of column names.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn new(out: W, columns: &[&str]) -> io::Result<Self> {
        let mut writer = csv::WriterBuilder::new()
            .terminator(csv::Terminator::Any(b'\n'))
            .from_writer(out);
        writer.write_record(columns)?;
        let number = String::new();
        Ok(Self { writer, number })
    }

    /// A cell of text, which may be hostile.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn text(&mut self, text: &str) -> io::Result<()> {
        Ok(self.writer.write_field(guarded(text).as_bytes())?)
    }

    /// A numeric or empty cell: a minus sign stays the first character.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn number(&mut self, number: Option<impl Display>) -> io::Result<()> {
        self.number.clear();
        if let Some(number) = number {
            // Writing to a string cannot fail.
            let _ = write!(self.number, "{number}");
        }
        Ok(self.writer.write_field(&self.number)?)
    }

    /// Ends a row, which must have as many cells as there are columns.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn end_row(&mut self) -> io::Result<()> {
        Ok(self.writer.write_record(None::<&[u8]>)?)
    }

    /// Ends the table and returns the writer.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn into_inner(self) -> io::Result<W> {
        let inner = self.writer.into_inner();
        inner.map_err(csv::IntoInnerError::into_error)
    }

    /// Ends the table.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn finish(mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// Text that no spreadsheet executes: an apostrophe is put before text that looks like a formula.
/// One more is put before text that looks like one behind apostrophes, so that different texts stay
/// different. The same holds behind each character at which a spreadsheet begins a cell if it does
/// not separate by commas, or does not join the lines of a quoted cell.
fn guarded(text: &str) -> Cow<'_, str> {
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
        let mut csv = CsvWriter::new(&mut out, &["name", "other"]).unwrap();
        for row in rows {
            for cell in row {
                csv.text(cell).unwrap();
            }
            csv.end_row().unwrap();
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
        let mut csv = CsvWriter::new(&mut out, &["elo", "error95"]).unwrap();
        csv.number(Some("-12.5")).unwrap();
        csv.number(None::<u64>).unwrap();
        csv.end_row().unwrap();
        csv.finish().unwrap();
        assert_eq!(out, b"elo,error95\n-12.5,\n");
    }
}
