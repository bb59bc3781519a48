//! The definition of a run in a line of a journal, the first one or a revision, and whether a run
//! of another plan can go on there.

use super::line::PlanLine;
use crate::tournament::document::{RunDocument, hash_of};
use crate::tournament::journal::plan_difference::PlanDifference;
use crate::tournament::plan::Plan;

/// The definition of a run in a journal.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedPlan {
    /// Its line in the journal, from 1.
    pub line: usize,
    /// The plan's hash.
    pub hash: String,
    /// Whether the hash matches the definition.
    pub hash_fits: bool,
    /// What decided the games; after the last line, with its last settings.
    pub run: Box<RunDocument>,
}

impl RecordedPlan {
    /// The definition in this line, which has this number.
    pub(super) fn new(line: PlanLine, number: usize) -> Result<Self, String> {
        let plan = Plan::of_document(&line.plan, &line.settings)?;
        let settings = line.settings;
        Ok(Self {
            line: number,
            hash_fits: hash_of(&line.plan) == line.sha256,
            hash: line.sha256,
            run: Box::new(RunDocument { plan, settings }),
        })
    }

    /// The run before another plan follows in the same journal.
    ///
    /// # Errors
    /// What forbids that plan there.
    pub(super) fn followed_by(&self, later: &Self) -> Result<RunDocument, &'static str> {
        check_update(&self.run.plan, &later.run.plan)
            .map_err(|_| "a second plan, which no run of the first one has")?;
        Ok(RunDocument::clone(&self.run))
    }

    /// The run, if its plan is another one than this. A test with more pairs than before has the
    /// same plan.
    pub fn other_than(&self, plan: &Plan) -> Option<RunDocument> {
        let is_same = self.run.plan.differences(plan).is_empty();
        (!is_same).then(|| RunDocument::clone(&self.run))
    }
}

/// Checks that a run can change from one plan to another. A sequential test has one plan, and the
/// secret is that of all games.
///
/// # Errors
/// Names the keys that differ.
pub fn check_update(earlier: &Plan, later: &Plan) -> Result<(), PlanDifference> {
    let is_test = earlier.test.is_some() || later.test.is_some();
    let differences = earlier.differences(later);
    if is_test || earlier.secret != later.secret {
        return Err(PlanDifference { differences });
    }
    Ok(())
}
