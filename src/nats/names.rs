//! The subjects, streams and the bucket of a run.

use crate::tournament::Plan;

/// Digits of the name of a run.
const LENGTH: usize = 16;
/// Where a worker asks who has work.
pub const OFFERS: &str = "awale.offers";

/// The names of a run, which begin with its own: hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    run: String,
}

impl Names {
    /// Those of a run. `None` if that cannot be the name of one.
    pub fn of(run: &str) -> Option<Self> {
        let is_name = run.len() == LENGTH && run.bytes().all(|it| it.is_ascii_hexdigit());
        is_name.then(|| Self {
            run: run.to_owned(),
        })
    }

    /// Those of the run of a plan.
    pub fn of_run(plan: &Plan) -> Self {
        let run = plan.hash()[..LENGTH].to_owned();
        Self { run }
    }

    /// The run.
    pub fn run(&self) -> &str {
        &self.run
    }

    /// Where workers say what they are.
    pub fn hello(&self) -> String {
        format!("awale.{}.hello", self.run)
    }

    /// The subject of batches.
    pub fn batches(&self) -> String {
        format!("awale.{}.batches", self.run)
    }

    /// The subject of the games of the pair at this place of the schedule.
    pub fn result(&self, place: usize) -> String {
        format!("awale.{}.result.{place}", self.run)
    }

    /// The subjects of all pairs.
    pub fn results(&self) -> String {
        format!("awale.{}.result.*", self.run)
    }

    /// The stream of batches.
    pub fn batch_stream(&self) -> String {
        format!("awale-{}-batches", self.run)
    }

    /// The stream of played pairs.
    pub fn result_stream(&self) -> String {
        format!("awale-{}-results", self.run)
    }

    /// The bucket of files.
    pub fn bucket(&self) -> String {
        format!("awale-{}", self.run)
    }
}
