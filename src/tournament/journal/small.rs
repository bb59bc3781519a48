//! The lines of a journal that are no games: admissions and withdrawals.

use crate::record::{Admission, Examiner, Fault, FaultKind, Refusal, Withdrawal};
use serde::{Deserialize, Serialize};

/// How an entrant's examination ended.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct AdmissionLine {
    entrant: String,
    admitted: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    against: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fault: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fault_time_us: Option<u64>,
}

impl AdmissionLine {
    pub(super) fn new(admission: &Admission) -> Self {
        let refusal = admission.refusal.as_ref();
        Self {
            entrant: admission.entrant.clone(),
            admitted: refusal.is_none(),
            against: refusal.map(|it| it.against.name().to_owned()),
            fault: refusal.map(|it| it.fault.kind.name().to_owned()),
            detail: refusal.map(|it| it.fault.detail.clone()),
            fault_time_us: refusal.and_then(|it| it.fault.time_us),
        }
    }

    /// What the line says.
    pub(super) fn admission(self) -> Result<Admission, String> {
        let refusal = if self.admitted {
            None
        } else {
            let known = |name: Option<String>| name.unwrap_or_default();
            let (against, kind) = (known(self.against), known(self.fault));
            Some(Refusal {
                against: Examiner::from_name(&against)
                    .ok_or_else(|| format!("nobody is admitted by {against:?}"))?,
                fault: Fault {
                    kind: FaultKind::from_name(&kind)
                        .ok_or_else(|| format!("no fault is named {kind:?}"))?,
                    detail: known(self.detail),
                    time_us: self.fault_time_us,
                },
            })
        };
        Ok(Admission {
            entrant: self.entrant,
            refusal,
        })
    }
}

/// An entrant that plays no further.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct WithdrawalLine {
    entrant: String,
    after: String,
    faults: u32,
    games: u32,
}

impl WithdrawalLine {
    pub(super) fn new(withdrawal: &Withdrawal) -> Self {
        Self {
            entrant: withdrawal.entrant.clone(),
            after: withdrawal.after.to_string(),
            faults: withdrawal.faults,
            games: withdrawal.games,
        }
    }

    /// What the line says.
    pub(super) fn withdrawal(self) -> Result<Withdrawal, String> {
        Ok(Withdrawal {
            after: self
                .after
                .parse()
                .map_err(|()| format!("no game is named {:?}", self.after))?,
            entrant: self.entrant,
            faults: self.faults,
            games: self.games,
        })
    }
}
