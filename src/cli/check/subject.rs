//! The subject of an examination, for the heads of all reports.

use crate::bot::Level;
use crate::conformance::ExaminationTerms;
use serde_json::Value;
use std::collections::BTreeSet;
use std::time::Duration;

/// The limit of each move, unless a clock or the user sets another one.
pub const MOVE_LIMIT: Duration = Duration::from_millis(100);

/// The subject of an examination, for the head of a report.
pub struct Subject<'a> {
    /// The bot as it was typed.
    pub bot: &'a str,
    pub terms: ExaminationTerms,
    /// The level of its isolation.
    pub level: Level,
    /// The fields of the rules that differ from the preset.
    pub overrides: Vec<(String, Value)>,
    /// The steps that are taken, if not all.
    pub only: Option<BTreeSet<&'static str>>,
    /// Whether a note counts as a failure.
    pub is_strict: bool,
}
