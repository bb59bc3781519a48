//! The entrants that are examined before the first game: all except house bots.

use crate::config::resolved::ResolvedEntrant;
use crate::record::{Examiner, Fault, FaultKind, Refusal};
use crate::tournament::{AdmissionMode, EntrantIndex, Gate};

/// House bots are admitted without an examination: this program was tested with them. An invalid
/// submission is refused in every mode.
pub fn gate(mode: AdmissionMode, entrants: &[ResolvedEntrant]) -> Gate {
    let programs = || entrants.iter().map(|entrant| &entrant.program);
    let strangers = programs().zip(0..);
    let strangers = strangers.filter(|(it, _)| !it.is_house_bot && it.unfit.is_none());
    let candidates = strangers.map(|(_, index)| EntrantIndex(index));
    let unfit = programs().zip(0..).filter_map(|(program, index)| {
        let reason = program.unfit.clone()?;
        let refusal = Refusal::Fault {
            against: Examiner::Itself,
            fault: Fault::new(FaultKind::StartFailure, reason),
            may_pass: false,
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
