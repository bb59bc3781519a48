//! `[admission]`: who is examined before the first game, and what follows from failing.

use super::program::Program;
use crate::record::{Examiner, Fault, FaultKind, Refusal};
use crate::tournament::{EntrantIndex, Gate};

/// What an entrant must do before it may play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AdmissionMode {
    /// Play two games without a fault, or be left out.
    On,
    /// Nothing.
    Off,
    /// Play two games without a fault, or nobody plays.
    Required,
}

impl AdmissionMode {
    pub(super) const NAMES: [(&'static str, Self); 3] = [
        ("on", Self::On),
        ("off", Self::Off),
        ("required", Self::Required),
    ];

    pub(super) fn name(self) -> &'static str {
        let named = Self::NAMES.iter().find(|(_, mode)| *mode == self);
        named.expect("every mode has a name").0
    }
}

/// Our own bots are admitted without: this very program was tested with them. What cannot be let in
/// is refused in every mode.
pub(super) fn gate(mode: AdmissionMode, programs: &[Program]) -> Gate {
    let strangers = programs.iter().zip(0..);
    let strangers = strangers.filter(|(it, _)| !it.is_house_bot && it.unfit.is_none());
    let candidates = strangers.map(|(_, index)| EntrantIndex(index));
    let unfit = programs.iter().zip(0..).filter_map(|(program, index)| {
        let reason = program.unfit.clone()?;
        let refusal = Refusal::Fault {
            against: Examiner::Itself,
            fault: Fault::new(FaultKind::StartFailure, reason),
        };
        Some((EntrantIndex(index), refusal))
    });
    Gate {
        candidates: match mode {
            AdmissionMode::Off => Vec::new(),
            AdmissionMode::On | AdmissionMode::Required => candidates.collect(),
        },
        required: mode == AdmissionMode::Required,
        unfit: unfit.collect(),
    }
}

/// What of it decides games: left out where there is none, as before there could be one.
pub(super) fn circumstance(mode: AdmissionMode) -> Option<(&'static str, String)> {
    (mode != AdmissionMode::Off).then(|| ("admission.mode", mode.name().to_owned()))
}
