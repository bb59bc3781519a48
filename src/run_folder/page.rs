//! Writes `report.html` of a run, or the page of one entrant alone, from the journal and the
//! evidence of faults.

use super::fault_rows::fault_rows;
use super::folder_error::{FillError, FolderError};
use super::page_facts::{PageInputs, facts};
use super::page_games::{PageGames, summary_text};
use super::shown_game::json_text;
use super::whole_file::{open_target, write_file};
use crate::report::{PageSummary, write_page};
use crate::tournament::label;
use std::io;
use std::path::Path;

/// The page of the run.
pub const REPORT: &str = "report.html";

/// What a page shows, as JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageData {
    /// Everything but the games.
    pub summary: String,
    /// What is known of every game at once.
    pub columns: String,
}

/// The name of the page of one entrant.
pub fn page_of(entrant: &str) -> String {
    format!("report-{}.html", label(entrant))
}

/// Writes the page to a folder, whole or not at all.
///
/// # Errors
/// The disk's; the journal cannot be read.
pub fn write_report(inputs: &PageInputs<'_>, target: &Path) -> Result<(), FolderError> {
    let names = inputs.results.run.plan.names();
    let mut games = PageGames::find(inputs, &names);
    games.read(inputs)?;
    let PageGames {
        columns,
        packed,
        times,
        info_dropped,
        ..
    } = games;
    let faults = fault_rows(inputs.results.games, &inputs.results.outcome.exclusions);
    let facts = facts(inputs, columns.len(), info_dropped);
    let summary = PageSummary::new(inputs.results.tables, facts, &faults, &times);
    let name = inputs.own.map_or_else(|| REPORT.to_owned(), page_of);
    write_file(&open_target(target)?, &name, |file| {
        let blocks = packed.finish()?;
        let out = io::BufWriter::new(&mut *file);
        write_page(&summary, &columns, &blocks, out).map_err(FillError::from)
    })
}

/// The same as data, without the moves of the games and the times of single plies.
pub fn page_data(inputs: &PageInputs<'_>) -> PageData {
    let names = inputs.results.run.plan.names();
    let columns = PageGames::find(inputs, &names).columns;
    PageData {
        summary: summary_text(inputs, columns.len()),
        columns: json_text(&columns),
    }
}
