//! A run and what follows from its games: what feedback and the page are made from.

use super::game_store::GameStore;
use super::repair::repair_note;
use crate::record::Exclusions;
use crate::report::{HostNoise, Tables};
use crate::tournament::{JournalState, RunDocument, TestProgress};
use std::path::Path;

/// A run with its counted games.
#[derive(Clone, Copy)]
pub struct RunResults<'a> {
    /// The run.
    pub run: &'a RunDocument,
    /// Its games.
    pub games: &'a GameStore,
    /// What does not count.
    pub exclusions: &'a Exclusions,
    /// Whether all of its games were played.
    pub complete: bool,
    /// Its tables.
    pub tables: &'a Tables<'a>,
    /// The run's folder, which has the evidence.
    pub folder: &'a Path,
    /// The state of its sequential test, if it is one.
    pub test: Option<&'a TestProgress>,
    /// The log-likelihood ratio before the first pair, and after each that counts.
    pub test_path: &'a [f64],
}

/// What readers of the tables should know: what the tables say of themselves, how the host
/// disturbed games, and what was set aside of the journal.
pub fn notes_for_readers(
    tables: &Tables<'_>,
    noise: &HostNoise,
    journal: &JournalState,
) -> Vec<String> {
    let mut notes = tables.notes();
    notes.extend(noise.sentence());
    notes.extend(repair_note(journal.set_aside()));
    notes
}
