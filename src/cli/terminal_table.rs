//! Tables as a terminal shows them.

use crate::report::{Tables, TextTable};
use comfy_table::{
    Cell, CellAlignment, ContentArrangement, ContentLineStyle, LineStyle, Table, TableStyle,
};
use std::io::{self, Write as _};

/// A line under the header, and nothing else.
const STYLE: TableStyle = TableStyle::new()
    .header_lines(ContentLineStyle::none())
    .header_separator(LineStyle::none().fill('─').junction('─'))
    .content_lines(ContentLineStyle::none());

/// Prints the tables of a run to standard output, and notes below them.
///
/// # Errors
/// Those of standard output.
pub fn print_tables(tables: &Tables<'_>, notes: &[String]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{}", drawn(&tables.standings_tables()))?;
    let lines = tables.match_lines();
    for line in lines.iter().chain(notes) {
        writeln!(out, "{line}")?;
    }
    out.flush()
}

/// All tables, each under its heading, with an empty line between two.
pub fn drawn(tables: &[TextTable]) -> String {
    let texts = tables.iter().map(|table| match &table.heading {
        Some(heading) => format!("{heading}\n{}", draw(table)),
        None => draw(table),
    });
    texts.collect::<Vec<_>>().join("\n\n")
}

fn draw(text: &TextTable) -> String {
    let titles = &text.titles;
    let mut table = Table::new();
    table
        .load_style(STYLE)
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_header(titles.iter().map(|&title| aligned(title, title.to_owned())));
    for row in &text.rows {
        let cells = titles.iter().zip(row);
        table.add_row(cells.map(|(title, text)| aligned(title, text.clone())));
    }
    for column in table.column_iter_mut() {
        column.set_padding((0, 1));
    }
    table.trim_fmt()
}

/// A cell of the column of this title: words to the left, numbers to the right.
fn aligned(title: &str, text: String) -> Cell {
    let alignment = if matches!(title, "entrant" | "faults" | "status") {
        CellAlignment::Left
    } else {
        CellAlignment::Right
    };
    Cell::new_owned(text).set_alignment(alignment)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(heading: Option<&str>) -> TextTable {
        let row = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
        TextTable {
            heading: heading.map(str::to_owned),
            titles: vec!["#", "entrant", "Elo"],
            rows: vec![row(["1", "ada", "312.4"]), row(["10", "明", "-20.0"])],
        }
    }

    #[test]
    fn words_stand_left_and_numbers_right() {
        let shown = drawn(&[table(None)]);
        let expected = [
            " #  entrant    Elo",
            " 1  ada      312.4",
            "10  明       -20.0",
        ];
        let lines: Vec<&str> = shown.lines().map(str::trim_end).collect();
        assert_eq!(lines[0], expected[0]);
        assert!(lines[1].chars().all(|it| it == '─'), "{shown}");
        assert_eq!(lines[2..], expected[1..]);
    }

    #[test]
    fn several_tables_have_headings() {
        let shown = drawn(&[table(Some("Pool 1")), table(Some("Pool 2"))]);
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(
            (lines[0], lines[4], lines[5], lines.len()),
            ("Pool 1", lines[4], "", 11)
        );
        assert_eq!(lines[6], "Pool 2");
    }
}
