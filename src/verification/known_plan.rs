//! What is known of a run before its games are checked.

use crate::tournament::{Openings, RunDocument, RunSettings};
use std::collections::BTreeSet;

/// What is known of a run before its games are checked.
#[derive(Debug)]
pub struct KnownPlan {
    /// The run.
    pub run: RunDocument,
    /// The openings for the comparison; `None` if every line of play ends within one.
    pub openings: Option<Openings>,
    /// Entrants whose programs here differ from those that played.
    pub others: BTreeSet<String>,
    /// The settings in `plan.toml`, if its entrants are those of the journal.
    pub file_settings: Option<RunSettings>,
    /// Whether `plan.toml` gives the plan of the journal.
    pub file_fits: bool,
}
