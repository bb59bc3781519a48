//! A run and what follows from its games: what feedback and the page are made from.

use super::game_store::GameStore;
use super::repair::repair_note;
use crate::report::{HostNoise, Tables};
use crate::tournament::{JournalState, RunDocument, RunOutcome};
use std::path::Path;

/// A run with its counted games.
#[derive(Clone, Copy)]
pub struct RunResults<'a> {
    /// The run.
    pub run: &'a RunDocument,
    /// Its games.
    pub games: &'a GameStore,
    /// What counts of them.
    pub outcome: &'a RunOutcome,
    /// Its tables.
    pub tables: &'a Tables<'a>,
    /// The run's folder, which has the evidence.
    pub folder: &'a Path,
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
