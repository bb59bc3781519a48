//! The result of a step, and of all of them.

use crate::bot::ConversationEntry;
use crate::conformance::steps::Step;
use crate::record::FaultKind;
use std::time::Duration;

/// The verdict on a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepVerdict {
    /// It passed; with remarks.
    Passed(String),
    /// It passed, or no rule requires it, but the author may want to know. Hostile text.
    Note(String),
    /// No rule requires it, and it counts nowhere, but the bot would play better. Hostile text.
    Advice(String),
    /// It failed. Hostile text.
    Failed {
        /// What happened.
        what: String,
        /// The likely mistake, if it is recognised.
        hint: Option<String>,
        /// What to do about the fault, if one ended the step: that of the step is about its own
        /// subject.
        fix: Option<&'static str>,
        /// Whether only time is against the bot.
        lateness: Lateness,
    },
    /// It was skipped, because this step failed.
    Skipped(&'static str),
    /// It does not apply under these rules, for this reason.
    Absent(String),
}

/// Whether only time is against a bot whose step failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lateness {
    /// It did something wrong, or more time would not help.
    NotLate,
    /// It was late, and the host may be the cause.
    PerhapsByHost,
    /// It was late, and slept nearly all of the time: the host is not the cause.
    Slept,
}

impl StepVerdict {
    /// A failure that the step explains.
    pub const fn failed(what: String, lateness: Lateness) -> Self {
        Self::Failed {
            what,
            hint: None,
            fix: None,
            lateness,
        }
    }

    /// The name in JSON.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Passed(_) => "passed",
            Self::Note(_) => "note",
            Self::Advice(_) => "advice",
            Self::Failed { .. } => "failed",
            Self::Skipped(_) => "skipped",
            Self::Absent(_) => "not-applicable",
        }
    }

    /// The text of the verdict.
    pub fn detail(&self) -> String {
        match self {
            Self::Passed(text) | Self::Note(text) | Self::Advice(text) | Self::Absent(text) => {
                text.clone()
            }
            Self::Failed { what, .. } => what.clone(),
            Self::Skipped(need) => format!("depends on {need}"),
        }
    }

    /// Whether only time is against the bot.
    pub const fn is_late(&self) -> bool {
        matches!(
            self,
            Self::Failed {
                lateness: Lateness::PerhapsByHost | Lateness::Slept,
                ..
            }
        )
    }

    /// Whether steps that need this one can be taken.
    pub const fn carries(&self) -> bool {
        !matches!(self, Self::Failed { .. } | Self::Skipped(_))
    }
}

/// The report on a step.
#[derive(Debug)]
pub struct StepReport {
    /// From 1, in the order of the steps.
    pub number: usize,
    /// The step.
    pub step: &'static Step,
    /// Its verdict.
    pub verdict: StepVerdict,
    /// The failures of earlier attempts, each only because of time.
    pub earlier: Vec<String>,
    /// The conversation with the bot in the last attempt.
    pub transcript: Vec<ConversationEntry>,
    /// If it failed, the last bytes that the bot wrote to standard error in that attempt. Hostile
    /// text.
    pub standard_error: Vec<u8>,
    /// The number of an earlier step in which the bot ended by the same cause.
    pub same_as: Option<usize>,
    /// The time of the step with all attempts.
    pub time: Duration,
}

impl StepReport {
    /// What to do about a failure or a note.
    pub const fn fix(&self) -> &'static str {
        match self.verdict {
            StepVerdict::Failed { fix: Some(fix), .. } => fix,
            _ => self.step.fix,
        }
    }

    /// What happened in a step in which the bot ended: that can be said once for several steps.
    pub fn end(&self) -> Option<&str> {
        let ends = [
            FaultKind::Crash,
            FaultKind::StartFailure,
            FaultKind::MemoryLimit,
        ];
        match &self.verdict {
            StepVerdict::Failed { what, .. } => {
                let is_end = ends.iter().any(|kind| what.starts_with(kind.name()));
                is_end.then_some(what)
            }
            _ => None,
        }
    }
}

/// The numbers of verdicts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepCounts {
    /// Steps that passed.
    pub passed: usize,
    /// Steps with something that the author should know.
    pub notes: usize,
    /// Steps with advice.
    pub advice: usize,
    /// Steps that failed.
    pub failed: usize,
    /// Steps that were skipped because another one failed.
    pub skipped: usize,
    /// Steps that do not apply under these rules.
    pub absent: usize,
}

impl StepCounts {
    /// Counts the verdicts of these steps.
    pub fn of(reports: &[StepReport]) -> Self {
        let mut counts = Self::default();
        for report in reports {
            *match report.verdict {
                StepVerdict::Passed(_) => &mut counts.passed,
                StepVerdict::Note(_) => &mut counts.notes,
                StepVerdict::Advice(_) => &mut counts.advice,
                StepVerdict::Failed { .. } => &mut counts.failed,
                StepVerdict::Skipped(_) => &mut counts.skipped,
                StepVerdict::Absent(_) => &mut counts.absent,
            } += 1;
        }
        counts
    }

    /// Whether every step that applies passed; if `strictly`, without a note.
    pub const fn all_hold(self, strictly: bool) -> bool {
        self.failed == 0 && self.skipped == 0 && !(strictly && self.notes > 0)
    }
}
