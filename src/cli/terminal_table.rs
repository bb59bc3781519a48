//! Tables as a terminal shows them.

use super::paint::Paint;
use crate::report::{Endgames, Tables, TextColumn, TextTable};
use comfy_table::{
    Cell, CellAlignment, ContentArrangement, ContentLineStyle, LineStyle, Table, TableStyle,
};
use std::io::{self, Write as _};
use textwrap::{Options, WordSplitter, fill};

/// A terminal that is narrower breaks lines by itself.
const LEAST_COLUMNS: usize = 20;
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
    let (columns, paint) = (terminal_columns(), Paint::for_standard_output());
    let mut shown = tables.standings_tables();
    shown.extend(tables.endgames().and_then(Endgames::table));
    let shown = fitted(shown, columns);
    writeln!(out, "{}", painted(&drawn(&shown), &shown, paint))?;
    for line in tables.match_lines() {
        writeln!(out, "{}", wrapped(&line, columns))?;
    }
    print_notes(&mut out, notes)?;
    out.flush()
}

/// Prints notes below a result: between words broken to the width of a terminal, and dim there.
///
/// # Errors
/// Those of standard output.
pub fn print_notes(out: &mut impl io::Write, notes: &[String]) -> io::Result<()> {
    let (columns, paint) = (terminal_columns(), Paint::for_standard_output());
    let mut notes = notes.iter().map(|note| wrapped(note, columns));
    notes.try_for_each(|note| writeln!(out, "{}", paint.dim(&note)))
}

/// A text whose lines are broken between words; later lines are indented.
pub fn wrapped(text: &str, columns: Option<usize>) -> String {
    let Some(columns) = columns else {
        return text.to_owned();
    };
    let options = Options::new(columns.max(LEAST_COLUMNS))
        .subsequent_indent("  ")
        .break_words(false)
        .word_splitter(WordSplitter::NoHyphenation);
    fill(text, options)
}

/// Tables with bold titles, and rows of entrants with faults in red.
fn painted(text: &str, tables: &[TextTable], paint: Paint) -> String {
    let has_fault = |line: &str| {
        let faults = tables.iter().flat_map(|table| {
            let place = table.columns.iter().position(|it| it.title == "faults");
            let cells = table.rows.iter().filter_map(move |row| row.get(place?));
            cells.filter(|cell| !cell.is_empty())
        });
        faults
            .into_iter()
            .any(|cell| line.trim_end().contains(cell.as_str()))
    };
    let mut is_title = true;
    let lines = text.lines().map(|line| {
        let is_rule = line.starts_with('─');
        let shown = match () {
            () if is_rule => paint.dim(line),
            () if is_title => paint.bold(line),
            () if has_fault(line) => paint.red(line),
            () => line.to_owned(),
        };
        // Until the rule there are headings; after an empty line comes another table.
        is_title = (is_title && !is_rule) || line.is_empty();
        shown
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The width of the terminal on standard output, if it is one.
pub fn terminal_columns() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(io::stdout()).ok()?;
    (size.ws_col > 0).then(|| size.ws_col.into())
}

/// The same tables without the columns that do not fit into this width. A table that is still too
/// wide stays so.
pub fn fitted(mut tables: Vec<TextTable>, columns: Option<usize>) -> Vec<TextTable> {
    let Some(columns) = columns else {
        return tables;
    };
    for table in &mut tables {
        if width(table) > columns {
            for place in (0..table.columns.len()).rev() {
                if table.rows.iter().all(|row| row[place].is_empty()) {
                    remove_column(table, place);
                }
            }
        }
        while width(table) > columns
            && let Some(place) = first_spared(table)
        {
            remove_column(table, place);
        }
    }
    tables
}

/// The place of the column that a narrow terminal does without first.
fn first_spared(table: &TextTable) -> Option<usize> {
    let columns = table.columns.iter().enumerate();
    let spared = columns.filter(|(_, column)| column.spared > 0);
    spared
        .min_by_key(|(_, column)| column.spared)
        .map(|(place, _)| place)
}

fn remove_column(table: &mut TextTable, place: usize) {
    table.columns.remove(place);
    for row in &mut table.rows {
        row.remove(place);
    }
}

fn width(table: &TextTable) -> usize {
    let lines = draw(table);
    let first = lines.lines().find(|line| line.starts_with('─'));
    first.map_or(0, |line| line.chars().count())
}

/// All tables in Markdown, each under its heading.
pub fn markdown(tables: &[TextTable]) -> String {
    let line = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|cell| plain_markdown(cell)).collect();
        format!("| {} |", cells.join(" | "))
    };
    let texts = tables.iter().map(|table| {
        let rule = vec!["---".to_owned(); table.columns.len()];
        let titles: Vec<String> = table.columns.iter().map(|it| it.title.clone()).collect();
        let heading = table.heading.iter().map(|it| format!("**{it}**\n"));
        let rows = table.rows.iter().map(|row| line(row));
        let lines = heading.chain([line(&titles), line(&rule)]).chain(rows);
        lines.collect::<Vec<_>>().join("\n")
    });
    texts.collect::<Vec<_>>().join("\n\n")
}

/// Text that Markdown shows as it is: names are those of strangers, and could be pictures or links.
fn plain_markdown(text: &str) -> String {
    let mut plain = String::new();
    for character in text.chars() {
        if "\\|<>[]()!&*_`~#".contains(character) {
            plain.push('\\');
        }
        plain.push(character);
    }
    plain
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
    let columns = &text.columns;
    let titles = columns.iter().map(|it| aligned(it, it.title.clone()));
    let mut table = Table::new();
    table
        .load_style(STYLE)
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_header(titles);
    for row in &text.rows {
        let cells = columns.iter().zip(row);
        table.add_row(cells.map(|(column, text)| aligned(column, text.clone())));
    }
    for column in table.column_iter_mut() {
        column.set_padding((0, 1));
    }
    table.trim_fmt()
}

/// A cell of this column: words to the left, numbers to the right.
fn aligned(column: &TextColumn, text: String) -> Cell {
    let alignment = if column.is_text {
        CellAlignment::Left
    } else {
        CellAlignment::Right
    };
    Cell::new_owned(text).set_alignment(alignment)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column((title, spared): (&str, u8)) -> TextColumn {
        TextColumn {
            title: title.to_owned(),
            is_text: title == "entrant",
            spared,
        }
    }

    fn table(heading: Option<&str>) -> TextTable {
        let row = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
        TextTable {
            heading: heading.map(str::to_owned),
            columns: ["#", "entrant", "Elo"]
                .map(|title| column((title, 0)))
                .to_vec(),
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
    fn a_narrow_terminal_gives_up_times_and_results_first() {
        let columns = [
            ("#", 0),
            ("entrant", 0),
            ("Elo", 0),
            ("games", 8),
            ("won", 7),
            ("mean time", 3),
            ("max time", 2),
        ];
        let wide = TextTable {
            heading: None,
            columns: columns.map(column).to_vec(),
            rows: vec![columns.map(|_| "0123456789".to_owned()).to_vec()],
        };
        let all = columns.map(|(title, _)| title).join(" ");
        let kept = |columns| {
            let table = &fitted(vec![wide.clone()], columns)[0];
            let titles: Vec<&str> = table.columns.iter().map(|it| it.title.as_str()).collect();
            titles.join(" ")
        };
        assert_eq!(kept(None), all);
        assert_eq!(kept(Some(100)), all);
        assert_eq!(kept(Some(75)), "# entrant Elo games won mean time");
        assert_eq!(kept(Some(60)), "# entrant Elo games won");
        assert_eq!(kept(Some(10)), "# entrant Elo");
        for row in &fitted(vec![wide.clone()], Some(60))[0].rows {
            assert_eq!(row.len(), 5);
        }
    }

    #[test]
    fn notes_are_broken_between_words() {
        let note = "Errors rest on 20 openings: see results/a-long-folder/noise.csv, or not.";
        assert_eq!(wrapped(note, None), note);
        assert_eq!(
            wrapped(note, Some(30)),
            "Errors rest on 20 openings:\n  see\n  results/a-long-folder/noise.csv,\n  or not."
        );
    }

    #[test]
    fn cells_of_markdown_stay_cells() {
        let mut table = table(Some("Pool 1"));
        table.rows[0][1] = "a|da".to_owned();
        table.rows[1][1] = "![x](//e.co) <b>\\|".to_owned();
        let shown = "**Pool 1**\n\n| \\# | entrant | Elo |\n| --- | --- | --- |\n\
                     | 1 | a\\|da | 312.4 |\n\
                     | 10 | \\!\\[x\\]\\(//e.co\\) \\<b\\>\\\\\\| | -20.0 |";
        assert_eq!(markdown(&[table]), shown);
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
