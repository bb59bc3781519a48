//! `[admission]`: which entrants are examined before the first game, and the effect of a failure.

use crate::tournament::AdmissionMode;

/// Every mode by its name in a configuration.
pub const MODES: [(&str, AdmissionMode); 3] = [
    ("on", AdmissionMode::On),
    ("off", AdmissionMode::Off),
    ("required", AdmissionMode::Required),
];

pub fn name(mode: AdmissionMode) -> &'static str {
    let named = MODES.iter().find(|(_, it)| *it == mode);
    named.expect("every mode has a name").0
}
