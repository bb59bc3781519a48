//! What is examined, for the heads of all reports.

use crate::bot::Level;
use crate::conformance::ExaminationTerms;
use std::collections::BTreeSet;

/// What was examined, for the head of a report.
pub struct Subject<'a> {
    /// The bot as it was typed.
    pub bot: &'a str,
    pub terms: ExaminationTerms,
    /// How far it is kept from the host.
    pub level: Level,
    /// The fields of the rules that are not the preset's.
    pub overrides: Vec<(&'static str, String)>,
    /// The steps that are taken, if not all.
    pub only: Option<BTreeSet<&'static str>>,
    /// Whether a note counts as a failure.
    pub is_strict: bool,
}
