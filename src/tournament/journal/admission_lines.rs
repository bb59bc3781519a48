//! The lines of a journal that are not games: admissions and withdrawals.

use crate::record::{Admission, Examiner, Fault, FaultKind, Refusal, Withdrawal};
use serde::{Deserialize, Serialize};

/// How an entrant's examination ended.
#[derive(Debug, Deserialize, Serialize)]
pub struct AdmissionLine {
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
    /// Admission games that the host disturbed, of an entrant that it did not let be examined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    disturbed: Option<u32>,
}

impl AdmissionLine {
    pub fn new(admission: &Admission) -> Self {
        let refusal = admission.refusal.as_ref();
        Self {
            entrant: admission.entrant.clone(),
            admitted: refusal.is_none(),
            against: refusal.map(|it| it.against().name().to_owned()),
            fault: refusal
                .and_then(Refusal::fault)
                .map(|it| it.kind.name().to_owned()),
            detail: refusal.map(|it| it.detail().to_owned()),
            fault_time_us: refusal.and_then(Refusal::fault).and_then(|it| it.time_us),
            disturbed: match refusal {
                Some(Refusal::Disturbed { games, .. }) => Some(*games),
                _ => None,
            },
        }
    }

    /// What the line says.
    pub fn admission(self) -> Result<Admission, String> {
        Ok(Admission {
            entrant: self.entrant.clone(),
            refusal: if self.admitted {
                None
            } else {
                Some(self.refusal()?)
            },
        })
    }

    fn refusal(self) -> Result<Refusal, String> {
        let against = self.against.unwrap_or_default();
        let against = Examiner::from_name(&against)
            .ok_or_else(|| format!("no entrant is admitted by {against:?}"))?;
        let detail = self.detail.unwrap_or_default();
        if let Some(games) = self.disturbed {
            return Ok(Refusal::Disturbed {
                against,
                games,
                cause: detail,
            });
        }
        let kind = self.fault.unwrap_or_default();
        let kind =
            FaultKind::from_name(&kind).ok_or_else(|| format!("no fault is named {kind:?}"))?;
        let fault = Fault {
            time_us: self.fault_time_us,
            ..Fault::new(kind, detail)
        };
        Ok(Refusal::Fault { against, fault })
    }
}

/// An entrant that plays no further.
#[derive(Debug, Deserialize, Serialize)]
pub struct WithdrawalLine {
    entrant: String,
    after: String,
    faults: u32,
    games: u32,
}

impl WithdrawalLine {
    pub fn new(withdrawal: &Withdrawal) -> Self {
        Self {
            entrant: withdrawal.entrant.clone(),
            after: withdrawal.after.to_string(),
            faults: withdrawal.faults,
            games: withdrawal.games,
        }
    }

    /// What the line says.
    pub fn withdrawal(self) -> Result<Withdrawal, String> {
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
