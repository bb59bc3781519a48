//! Judges known games as a run would that plays nothing more: which ones do not count, and how many
//! there are. The code is the same as in a run.

use crate::tournament::examination::Gate;
use crate::tournament::plan::Plan;
use crate::tournament::play_order::PlayOrder;
use crate::tournament::progress::Progress;
use crate::tournament::run::outcome::RunOutcome;
use crate::tournament::run::work_queue::WorkQueue;
use crate::tournament::schedule::Schedule;

/// Judges the known games. Withdrawals in a journal are ignored: those that its games lead to are
/// found here.
pub fn judge(plan: &Plan, schedule: &Schedule, progress: Progress) -> RunOutcome {
    let mut work_queue = WorkQueue::new(
        plan,
        schedule,
        &Gate::default(),
        (1, PlayOrder::default()),
        progress,
    );
    // The caller compares the withdrawals in the journal with those found here.
    let _ = work_queue.begin();
    work_queue.outcome()
}
