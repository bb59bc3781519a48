//! What is known of a run before its games are checked.

use crate::tournament::{RunDocument, RunSettings};
use crate::verification::openings::OpeningBook;
use std::collections::BTreeSet;

/// What is known of a run before its games are checked.
#[derive(Debug)]
pub struct KnownPlan {
    /// The run.
    pub run: RunDocument,
    /// The openings for the comparison; `None` if the journal does not contain them.
    pub openings: Option<OpeningBook>,
    /// Entrants whose programs here differ from those that played.
    pub others: BTreeSet<String>,
    /// The settings in `plan.toml`, if its entrants are those of the journal.
    pub file_settings: Option<RunSettings>,
    /// Whether `plan.toml` gives the plan of the journal.
    pub file_fits: bool,
}
