//! Writes `report.html` of a run, or the page of one entrant alone, from the journal and the
//! evidence of faults. A page that is there already is recognised by a digest of all that it is
//! made from.

use super::fault_rows::fault_rows;
use super::folder_error::{FillError, FolderError};
use super::page_ahead::PageAhead;
use super::page_facts::{PageInputs, facts};
use super::page_games::{PageGames, summary_text};
use super::page_origin::is_made;
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
    // The page of one entrant says nothing of what others wrote, and nobody looks for it.
    let origin = match inputs.own {
        None => Some(games.origin(inputs)?),
        Some(_) => None,
    };
    games.read(inputs)?;
    write_games(games, origin.as_deref(), inputs, target)
}

/// Writes the page of the run to a folder unless it is there already. `ahead` are its games, if
/// they were packed while the journal was read.
///
/// # Errors
/// Those of [`write_report`].
pub fn renew_report(
    inputs: &PageInputs<'_>,
    ahead: Option<PageAhead>,
    target: &Path,
) -> Result<(), FolderError> {
    let names = inputs.results.run.plan.names();
    let mut games = PageGames::find(inputs, &names);
    let origin = games.origin(inputs)?;
    if open_target(target).is_ok_and(|target| is_made(&target, REPORT, &origin)) {
        return Ok(());
    }
    let is_taken = ahead.map_or(Ok(false), |ahead| games.take_ahead(ahead, inputs));
    let is_taken = is_taken.map_err(|error| inputs.source.journal_error("compress", error))?;
    if !is_taken {
        games.read(inputs)?;
    }
    write_games(games, Some(&origin), inputs, target)
}

fn name_of(inputs: &PageInputs<'_>) -> String {
    inputs.own.map_or_else(|| REPORT.to_owned(), page_of)
}

fn write_games(
    games: PageGames,
    origin: Option<&str>,
    inputs: &PageInputs<'_>,
    target: &Path,
) -> Result<(), FolderError> {
    let PageGames {
        columns,
        packed,
        times,
        info_dropped,
        ..
    } = games;
    let faults = fault_rows(inputs.results.games, inputs.results.exclusions);
    let facts = facts(inputs, columns.len(), info_dropped);
    let summary = PageSummary::new(inputs.results.tables, facts, &faults, &times);
    write_file(&open_target(target)?, &name_of(inputs), |file| {
        let blocks = packed.finish()?;
        let out = io::BufWriter::new(&mut *file);
        write_page(origin, &summary, &columns, &blocks, out).map_err(FillError::from)
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
