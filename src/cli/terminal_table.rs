//! Tables as a terminal shows them.

use super::paint::Paint;
use crate::report::{ENTRANT_TITLE, Endgames, Tables, TextColumn, TextTable, shortened_apart};
use comfy_table::{
    Cell, CellAlignment, ContentArrangement, ContentLineStyle, LineStyle, Table, TableStyle,
};
use std::io::{self, Write as _};
use textwrap::core::display_width;
use textwrap::{Options, WordSplitter, fill};

/// A terminal that is narrower breaks lines by itself.
const LEAST_COLUMNS: usize = 20;
/// Spaces after a column.
const SPACE: usize = 2;
/// The widths of a name: at most; in a table that is too wide; and in a terminal too narrow for it.
const LONGEST_NAME: usize = 64;
const READABLE_NAME: usize = 24;
const SHORTEST_NAME: usize = 8;
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

/// The same tables with names that are not too long, and fitted into this width: a table that is
/// wider loses empty columns, then ends of long names, then the columns that it can spare, the
/// right one of equals first, and then more of its names.
pub fn fitted(mut tables: Vec<TextTable>, columns: Option<usize>) -> Vec<TextTable> {
    for table in &mut tables {
        shorten_names(table, LONGEST_NAME);
        let Some(columns) = columns.map(|it| it.max(LEAST_COLUMNS)) else {
            continue;
        };
        table.heading = table
            .heading
            .as_deref()
            .map(|it| wrapped(it, Some(columns)));
        if width(table) > columns {
            for place in (0..table.columns.len()).rev() {
                if table.rows.iter().all(|row| row[place].is_empty()) {
                    remove_column(table, place);
                }
            }
        }
        fit_names(table, columns, READABLE_NAME);
        let mut total = width(table);
        while total > columns
            && let Some(place) = first_spared(table)
        {
            total -= column_width(table, place);
            remove_column(table, place);
        }
        fit_names(table, columns, SHORTEST_NAME);
    }
    tables
}

/// Shortens names as far as the table is too wide, but not below this width.
fn fit_names(table: &mut TextTable, columns: usize, least: usize) {
    let excess = width(table).saturating_sub(columns);
    if let Some(place) = name_column(table).filter(|_| excess > 0) {
        let now = column_width(table, place) - SPACE;
        shorten_names(table, now.saturating_sub(excess).max(least));
    }
}

fn shorten_names(table: &mut TextTable, columns: usize) {
    let Some(place) = name_column(table) else {
        return;
    };
    let names: Vec<&str> = table.rows.iter().map(|row| row[place].as_str()).collect();
    let short = shortened_apart(&names, columns);
    for (row, name) in table.rows.iter_mut().zip(short) {
        row[place] = name;
    }
}

fn name_column(table: &TextTable) -> Option<usize> {
    let mut columns = table.columns.iter();
    columns.position(|column| column.title == ENTRANT_TITLE)
}

/// The place of the column that a narrow terminal does without first.
fn first_spared(table: &TextTable) -> Option<usize> {
    let columns = table.columns.iter().enumerate();
    let spared = columns.filter(|(_, column)| column.spared > 0);
    spared
        .rev()
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
    let columns = (0..table.columns.len()).map(|place| column_width(table, place));
    // After the last column there is one space less.
    columns.sum::<usize>().saturating_sub(SPACE / 2)
}

/// The width of a column as it is drawn, with the spaces after it.
fn column_width(table: &TextTable, place: usize) -> usize {
    let cells = table.rows.iter().map(|row| &row[place]);
    let cells = cells.chain([&table.columns[place].title]);
    cells.map(|cell| display_width(cell)).max().unwrap_or(0) + SPACE
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
            is_text: title == ENTRANT_TITLE,
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
    fn widths_are_those_that_are_drawn() {
        let mut tables = vec![table(None), table(None)];
        tables[1].rows[0][1] = "ａda … µé ±1 ½".to_owned();
        for table in tables {
            let line = draw(&table).lines().nth(1).expect("a rule").to_owned();
            assert_eq!(width(&table), line.chars().count(), "{line}");
        }
    }

    #[test]
    fn a_hundred_entrants_fit() {
        let numbers: Vec<String> = (1..=100).map(|it| it.to_string()).collect();
        let mut columns = vec![column(("#", 0)), column((ENTRANT_TITLE, 0))];
        columns.extend(numbers.iter().map(|it| column((it, 1))));
        let row = |number: &String| {
            let name = format!("A very long name of a student, in group {number}, of spring");
            let mut row = vec![number.clone(), name];
            row.extend(numbers.iter().map(|_| ">99".to_owned()));
            row
        };
        let wide = TextTable {
            heading: Some("Probability that the row is stronger".to_owned()),
            columns,
            rows: numbers.iter().map(row).collect(),
        };
        for (columns, kept) in [(Some(20), 0), (Some(80), 10), (Some(200), 34), (None, 100)] {
            let tables = fitted(vec![wide.clone()], columns);
            assert_eq!(tables[0].columns.len() - 2, kept);
            let shown = drawn(&tables);
            let most = shown.lines().map(display_width).max().expect("lines");
            assert!(columns.is_none_or(|it| most <= it), "{most} of {columns:?}");
            let mut names: Vec<&String> = tables[0].rows.iter().map(|row| &row[1]).collect();
            names.sort();
            names.dedup();
            assert_eq!(names.len(), 100, "{names:?}");
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
