//! A run in shards: each plays some of its pairs, on any machine and at any time, and leaves a journal
//! of its own. The run's folder takes their games; its journal stays the only truth.
//!
//! ```text
//! plan.json ──▶ shard 1 ──▶ 1.jsonl, 1.files/ ──┐
//!           ──▶ shard 2 ──▶ 2.jsonl, 2.files/ ──┼─ each game checked, once ──▶ games.jsonl ──▶ tables
//!           ──▶ …                               ┘
//! ```
//!
//! ```text
//! share       which pairs a shard plays
//! plan_file   the plan as a file: no shard resolves anything anew
//! shard_file  what a shard leaves
//! check       whether a game of another machine is possible
//! collector   takes the games of shards into a run
//! script      the job scripts of Slurm, HyperQueue and GNU parallel
//! ```
//!
//! A shard may be killed, played twice or twice at once, come late or never: a game that is there
//! counts once, and one that is missing is asked for again. A shard is hostile: what it says of a game
//! is compared with the schedule, the openings, the rules and the clocks before it counts.

mod check;
mod collector;
mod plan_file;
pub mod script;
mod shard_file;
mod share;

pub use check::GameCheck;
pub use collector::{Collector, ConcludeError, Taken};
pub use plan_file::{Agreement, PlanFileError, agreement, read_plan, write_plan};
pub use shard_file::{JOURNALS, ShardFile, files_beside};
pub use share::{Share, open_pairs, ranges};
