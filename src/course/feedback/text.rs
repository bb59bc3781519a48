//! `feedback.txt`: the content as plain text.

use super::content::{Block, Content, Section, Table};
use crate::report::shortened;
use std::fmt::Write as _;

/// The width of names in tables, in columns.
const NAME_COLUMNS: usize = 24;

/// The text. Every line is safe for a terminal.
pub fn feedback_text(content: &Content) -> String {
    let title = &content.title;
    let mut text = format!("{title}\n{}\n", "=".repeat(title.chars().count()));
    for section in &content.sections {
        section_text(&mut text, section);
    }
    text
}

fn section_text(text: &mut String, section: &Section) {
    text.push('\n');
    if !section.heading.is_empty() {
        let line = "-".repeat(section.heading.chars().count());
        let _ = writeln!(text, "{}\n{line}", section.heading);
    }
    let mut indent = "";
    for block in &section.blocks {
        if let Block::Item { .. } | Block::Points { .. } = block {
            indent = "";
        }
        block_text(text, indent, block);
        if let Block::Item { .. } | Block::Points { .. } = block {
            indent = "  ";
        }
    }
}

fn block_text(text: &mut String, indent: &str, block: &Block) {
    match block {
        Block::Item { text: line } | Block::Sentence { text: line } => {
            let _ = writeln!(text, "{indent}{line}");
        }
        Block::Points {
            text: line,
            missing,
            ..
        } => {
            let _ = writeln!(text, "{line}");
            if let Some(missing) = missing {
                let _ = writeln!(text, "  {missing}");
            }
        }
        Block::Table(table) => table_text(text, table),
        Block::Output { about, text: lines } => {
            let _ = writeln!(text, "{indent}{about}:");
            for line in lines.lines() {
                let _ = writeln!(text, "{}", format!("{indent}  | {line}").trim_end());
            }
        }
        Block::Command { about, command } => {
            let _ = writeln!(text, "{indent}{about}: {command}");
        }
        // The command beside it shows the game.
        Block::Board(_) => {}
    }
}

/// The rows with their columns in line: names to the left, all else to the right.
fn table_text(text: &mut String, table: &Table) {
    let head: Vec<String> = table.columns.iter().map(|&it| it.to_owned()).collect();
    let rows: Vec<Vec<String>> = [&head].into_iter().chain(&table.rows).cloned().collect();
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.max().unwrap_or(0)
    };
    for (number, row) in rows.iter().enumerate() {
        let is_own = table.own.is_some_and(|own| own + 1 == number);
        let name = shortened(&row[0], NAME_COLUMNS);
        let mut line = format!("{}{name:<NAME_COLUMNS$}", if is_own { '>' } else { ' ' });
        for (column, cell) in row.iter().enumerate().skip(1) {
            let width = width(column);
            let _ = write!(line, "  {cell:>width$}");
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
}
