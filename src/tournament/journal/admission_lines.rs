//! The lines of a journal about admissions and withdrawals.

use crate::record::{Admission, Examiner, Fault, FaultKind, Refusal, Withdrawal};
use serde::{Deserialize, Serialize};

/// The result of an entrant's examination.
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
    /// The number of disturbed admission games, if the host prevented the examination.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    disturbed: Option<u32>,
    /// Whether the next start examines it again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    may_pass: bool,
    /// The last fault of an entrant that is admitted although it was too late each time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    late: Option<String>,
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
            may_pass: matches!(refusal, Some(Refusal::Fault { may_pass: true, .. })),
            late: admission.late.clone(),
        }
    }

    /// The value of the line.
    pub fn admission(mut self) -> Result<Admission, String> {
        Ok(Admission {
            entrant: self.entrant.clone(),
            late: self.late.take(),
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
        Ok(Refusal::Fault {
            against,
            fault,
            may_pass: self.may_pass,
        })
    }
}

/// The withdrawal of an entrant.
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

    /// The value of the line.
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
