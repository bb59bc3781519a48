//! `awale table`: the standings, who beat whom, and who is stronger, from the journal of any run.
//! On a terminal no line is wider than it; elsewhere, as through a pipe, no column is left out.

use super::args::TableArguments;
use super::exit::{Exit, Failure, output_failure, say, say_data};
use super::terminal_table::{drawn, fitted, markdown, terminal_columns, wrapped};
use crate::course::Grades;
use crate::endgame_file::EndgameFileError;
use crate::report::{ENTRANT_TITLE, Endgames, Tables, TextColumn, TextTable};
use crate::run_folder::{RecordedRun, earlier_standings, notes_for_readers, tables};
use crate::text::printable;
use crate::verification;
use std::collections::BTreeMap;

/// How soon a narrow terminal does without a column of a matrix, and the columns before these.
const MATRIX: u8 = 1;
const MATRIX_HEAD: usize = 2;

/// Prints the tables; writes no file. The run may still be playing.
///
/// # Errors
/// There is no such run, or its journal is damaged or too old.
pub fn table(arguments: &TableArguments) -> Result<Exit, Failure> {
    let folder = verification::open(&arguments.folder)?;
    let RecordedRun {
        run,
        games,
        outcome,
        ..
    } = RecordedRun::read(&folder)?;
    let found = tables::find_analyst(&run.plan.rules);
    let analyst = found.as_ref().ok().and_then(Option::as_ref);
    let inputs = tables::TableInputs {
        run: &run,
        names: &run.plan.names(),
        exclusions: &outcome.exclusions,
        history: &earlier_standings(&folder, &games.state().earlier)?,
        analyst,
    };
    let (tables, noise) =
        tables::count(games.store(), &inputs).map_err(tables::TablesError::from)?;
    if arguments.csv {
        let mut text = Vec::new();
        let made = tables.standings_csv(&mut text);
        made.map_err(|error| output_failure(&error))?;
        say_data(&text)
    } else {
        let mut notes = notes_for_readers(&tables, &noise, games.state());
        let grades = Grades::of(&run, &tables);
        notes.extend(grades.iter().flat_map(|it| it.notes(tables.standings())));
        notes.extend(found.err().and_then(|error| about_database(&error)));
        say(&shown(&tables, &notes, arguments.md))
    }
}

/// Why there is no accuracy, if that can be changed.
fn about_database(error: &EndgameFileError) -> Option<String> {
    match error {
        EndgameFileError::Rules { .. } => None,
        EndgameFileError::Missing { command, .. } => Some(format!(
            "The accuracy of moves in endgames needs a database: `{command}` makes it."
        )),
        error => Some(format!(
            "The accuracy of moves in endgames is not known: {error}"
        )),
    }
}

fn shown(tables: &Tables<'_>, notes: &[String], is_markdown: bool) -> String {
    let mut all = tables.standings_tables();
    let ranked: Vec<&str> = tables
        .standings()
        .rows()
        .iter()
        .map(|row| row.entrant.as_str())
        .collect();
    let scores = tables.crosstable().rows.iter().map(|row| {
        let games = row.results.games();
        let share = (games > 0).then(|| row.results.points() / games as f64);
        ((row.entrant.as_str(), row.opponent.as_str()), share)
    });
    let heading = "Points of the row against the column, in %";
    all.push(matrix(heading, &ranked, &scores.collect(), |share| {
        format!("{:.0}", 100.0 * share)
    }));
    let superiority: Vec<_> = tables.superiority().collect();
    let los = superiority
        .iter()
        .map(|row| ((row.entrant.as_str(), row.opponent.as_str()), row.los));
    let heading = "Probability that the row is stronger than the column, in %";
    all.push(matrix(heading, &ranked, &los.collect(), per_cent));
    all.extend(tables.endgames().and_then(Endgames::table));
    let columns = terminal_columns().filter(|_| !is_markdown);
    let all = fitted(all, columns);
    let mut text = if is_markdown {
        markdown(&all)
    } else {
        drawn(&all)
    };
    text.push('\n');
    for note in notes.iter().chain(&cut_columns(&all, ranked.len())) {
        if is_markdown {
            text.push('\n');
            text.push_str(note);
        } else {
            text.push_str(&wrapped(note, columns));
        }
        text.push('\n');
    }
    text
}

/// How to see the columns of the matrices that were left out.
fn cut_columns(tables: &[TextTable], entrants: usize) -> Option<String> {
    let is_matrix = |it: &&TextTable| it.columns.last().is_some_and(|it| it.spared == MATRIX);
    let kept = tables.iter().filter(is_matrix).map(|it| it.columns.len());
    let kept = kept.min().unwrap_or(MATRIX_HEAD) - MATRIX_HEAD;
    (kept < entrants).then(|| {
        format!(
            "Columns {} to {entrants} do not fit into this width: `awale table DIR | less -S` \
             shows them, and crosstable.csv and los.csv have them.",
            kept + 1
        )
    })
}

/// A probability in per cent, never shown as certain.
fn per_cent(probability: f64) -> String {
    match (100.0 * probability).round() {
        shown if shown >= 100.0 => ">99".to_owned(),
        shown if shown <= 0.0 => "<1".to_owned(),
        shown => format!("{shown:.0}"),
    }
}

/// A table with a row and a column for each entrant, in the order of the standings.
fn matrix(
    heading: &str,
    names: &[&str],
    shares: &BTreeMap<(&str, &str), Option<f64>>,
    cell: impl Fn(f64) -> String,
) -> TextTable {
    let column = |title: String, is_text, spared| TextColumn {
        title,
        is_text,
        spared,
    };
    let mut columns = vec![
        column("#".to_owned(), false, 0),
        column(ENTRANT_TITLE.to_owned(), true, 0),
    ];
    assert_eq!(columns.len(), MATRIX_HEAD, "a number and a name");
    columns.extend((1..=names.len()).map(|number| column(number.to_string(), false, MATRIX)));
    let rows = (1..).zip(names).map(|(number, name): (usize, &&str)| {
        let mut row = vec![number.to_string(), printable(name)];
        row.extend(names.iter().map(|other| {
            let share = shares.get(&(*name, *other)).copied().flatten();
            share.map_or(String::new(), &cell)
        }));
        row
    });
    TextTable {
        heading: Some(heading.to_owned()),
        columns,
        rows: rows.collect(),
    }
}
