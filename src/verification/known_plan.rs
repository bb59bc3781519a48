//! What is known of a run before its games are looked at.

use crate::tournament::{RunDocument, RunSettings};
use crate::verification::openings::OpeningBook;
use std::collections::BTreeSet;

/// What is known of a run before its games are looked at.
#[derive(Debug)]
pub struct KnownPlan {
    /// The run.
    pub run: RunDocument,
    /// What the openings of games are compared with; `None` if the journal does not say it.
    pub openings: Option<OpeningBook>,
    /// Entrants whose programs here are not those that played.
    pub others: BTreeSet<String>,
    /// What of `plan.toml` changes no game, if its entrants are those of the journal.
    pub file_settings: Option<RunSettings>,
    /// Whether `plan.toml` gives the plan of the journal.
    pub file_fits: bool,
}
