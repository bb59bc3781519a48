//! Judges known games as a run would that plays nothing more: which ones do not count, and how many
//! there are. The code is the same as in a run.

use crate::record::Exclusions;
use crate::tournament::examination::Gate;
use crate::tournament::plan::Plan;
use crate::tournament::play_order::PlayOrder;
use crate::tournament::progress::Progress;
use crate::tournament::run::work_queue::WorkQueue;
use crate::tournament::schedule::Schedule;
use crate::tournament::sequential::TestProgress;

/// The consequences of the known games.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judgement {
    /// What does not count.
    pub exclusions: Exclusions,
    /// The number of games that count or, as far as is known, will count.
    pub games: usize,
    /// Whether all necessary games were played.
    pub complete: bool,
    /// The state of the sequential test, if there is one.
    pub test: Option<TestProgress>,
    /// The log-likelihood ratio before the first pair, and after each that counts; empty without a
    /// sequential test.
    pub test_path: Vec<f64>,
}

/// Judges the known games. Withdrawals in a journal are ignored: those that its games lead to are
/// found here.
pub fn judge(plan: &Plan, schedule: &Schedule, progress: Progress) -> Judgement {
    let mut work_queue = WorkQueue::new(
        plan,
        schedule,
        &Gate::default(),
        (1, PlayOrder::default()),
        progress,
    );
    // The caller compares the withdrawals in the journal with those found here.
    let _ = work_queue.begin();
    Judgement {
        exclusions: work_queue.exclusions(),
        games: work_queue.games(),
        complete: work_queue.is_complete(),
        test: work_queue.test(),
        test_path: work_queue.test_path(),
    }
}
