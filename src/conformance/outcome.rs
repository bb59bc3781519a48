//! What came out of a step, and of all of them.

use crate::bot::Utterance;
use crate::conformance::steps::Step;
use std::time::Duration;

/// What came out of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepVerdict {
    /// It holds; with what there is to say.
    Passed(String),
    /// It holds, or nothing demands it, but the author may want to know. Hostile text.
    Note(String),
    /// It does not hold. Hostile text.
    Failed {
        /// What happened.
        what: String,
        /// What it looks like, if that can be told.
        hint: Option<String>,
        /// Whether nothing but time is against the bot: then the host may be to blame.
        by_time: bool,
    },
    /// It says nothing, because this step did not hold.
    Skipped(&'static str),
    /// It does not arise under these rules. Says why.
    Absent(String),
}

impl StepVerdict {
    /// The name in JSON.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Passed(_) => "passed",
            Self::Note(_) => "note",
            Self::Failed { .. } => "failed",
            Self::Skipped(_) => "skipped",
            Self::Absent(_) => "not-applicable",
        }
    }

    /// What there is to say of it.
    pub fn detail(&self) -> String {
        match self {
            Self::Passed(text) | Self::Note(text) | Self::Absent(text) => text.clone(),
            Self::Failed { what, .. } => what.clone(),
            Self::Skipped(need) => format!("depends on {need}"),
        }
    }

    /// Whether steps that need this one say something.
    pub const fn carries(&self) -> bool {
        !matches!(self, Self::Failed { .. } | Self::Skipped(_))
    }
}

/// A step that was taken, or not.
#[derive(Debug)]
pub struct StepReport {
    /// From 1, in the order of the steps.
    pub number: usize,
    /// What was done.
    pub step: &'static Step,
    /// What came of it.
    pub verdict: StepVerdict,
    /// What went wrong in the tries before, each of which failed on time alone.
    pub earlier: Vec<String>,
    /// What was said with the bot during the last try.
    pub transcript: Vec<Utterance>,
    /// What the step took, with all its tries.
    pub time: Duration,
}

/// How many steps came out how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepCounts {
    /// Steps that hold.
    pub passed: usize,
    /// Steps with something that the author should know.
    pub notes: usize,
    /// Steps that do not hold.
    pub failed: usize,
    /// Steps that need one that failed.
    pub skipped: usize,
    /// Steps that do not concern these rules.
    pub absent: usize,
}

impl StepCounts {
    /// Of these steps.
    pub fn of(reports: &[StepReport]) -> Self {
        let mut counts = Self::default();
        for report in reports {
            *match report.verdict {
                StepVerdict::Passed(_) => &mut counts.passed,
                StepVerdict::Note(_) => &mut counts.notes,
                StepVerdict::Failed { .. } => &mut counts.failed,
                StepVerdict::Skipped(_) => &mut counts.skipped,
                StepVerdict::Absent(_) => &mut counts.absent,
            } += 1;
        }
        counts
    }

    /// Whether every step held that could be asked for; strictly, without a note.
    pub const fn all_hold(self, strictly: bool) -> bool {
        self.failed == 0 && self.skipped == 0 && !(strictly && self.notes > 0)
    }
}
