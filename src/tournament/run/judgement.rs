//! What a run that knows this much, and plays nothing, says of its games: which do not count, and
//! how many there are to be. The same code decides as in a run that plays.

use crate::record::Exclusions;
use crate::tournament::examination::Gate;
use crate::tournament::plan::Plan;
use crate::tournament::progress::Progress;
use crate::tournament::run::work_queue::WorkQueue;
use crate::tournament::schedule::Schedule;

/// What follows from the games that are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judgement {
    /// What does not count.
    pub exclusions: Exclusions,
    /// Games that count or, as far as is known, will.
    pub games: usize,
    /// Whether every game is played that is to be.
    pub complete: bool,
}

/// Judges what is known. Withdrawals of which a journal speaks are not believed: those that its
/// games lead to are found.
pub fn judge(plan: &Plan, schedule: &Schedule, progress: Progress) -> Judgement {
    let mut work_queue = WorkQueue::new(plan, schedule, &Gate::default(), 1, progress);
    // Whether what was announced is founded is for the caller to compare with what is found.
    let _ = work_queue.begin();
    Judgement {
        exclusions: work_queue.exclusions(),
        games: work_queue.games(),
        complete: work_queue.is_complete(),
    }
}
