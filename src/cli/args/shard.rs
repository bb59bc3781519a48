//! The arguments of commands about shards: a run in parts, on many machines.

use crate::shard::Share;
use crate::shard::script::Carrier;
use clap::{ArgGroup, Args};
use std::path::PathBuf;

/// The pairs of a shard.
fn pairs(text: &str) -> Result<Share, String> {
    text.parse()
}

#[derive(Args, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[command(group = ArgGroup::new("which").required(true).args(["index", "pairs", "script", "write_plan"]))]
pub struct ShardArguments {
    /// The configuration, a TOML file
    #[arg(value_name = "CONFIG")]
    pub config: PathBuf,
    /// The plan of the run, as --write-plan or --script has written it: what is here must be what it
    /// says
    #[arg(long, value_name = "FILE")]
    pub plan: Option<PathBuf>,
    /// Play the part of this number, from 1 …
    #[arg(long, value_name = "I", requires = "of", requires = "output")]
    pub index: Option<u32>,
    /// … of so many parts
    #[arg(long, value_name = "N", requires = "index")]
    pub of: Option<u32>,
    /// Play these pairs of the schedule, as in 1..40
    #[arg(long, value_name = "A..B", value_parser = pairs, requires = "output")]
    pub pairs: Option<Share>,
    /// The journal that the shard leaves, as in 7.jsonl; evidence and logs go beside it, to 7.files
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write the plan to a new file, with the run's secret, and beside it for people, as in plan.json
    /// and plan.toml; play nothing
    #[arg(long, value_name = "FILE", conflicts_with_all = ["plan", "output"])]
    pub write_plan: Option<PathBuf>,
    /// Measure how long games take, and write the plan and the job scripts of slurm, hyperqueue or
    /// parallel into a new folder: --folder, or the run's folder with .shards
    #[arg(long, value_name = "CARRIER", value_parser = carrier, conflicts_with = "output")]
    pub script: Option<Carrier>,
    /// With --script: the folder of the shards, which all machines must see
    #[arg(long, value_name = "DIR", requires = "script")]
    pub folder: Option<PathBuf>,
    /// With --script: so many shards at a time, and no fewer of them (default: as many as there is
    /// room for; for a sequential test, 8)
    #[arg(long, value_name = "N", requires = "script")]
    pub together: Option<u32>,
    /// The sequential test of the table `sprt`, as awale sprt plays it (with --plan, the plan says it)
    #[arg(long)]
    pub sprt: bool,
    /// Games at a time in a shard (default: one for each physical core)
    #[arg(long, value_name = "N")]
    pub slots: Option<u32>,
    /// Override one key of the configuration, as in --set tournament.pairs=4 (repeatable)
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub sets: Vec<String>,
    /// Level of isolation: auto (the strongest there is), box, landlock or none
    #[arg(long, value_name = "LEVEL")]
    pub isolation: Option<String>,
    /// As root, run programs of others without isolation
    #[arg(long)]
    pub i_trust_these_bots: bool,
    /// Allow more slots than cores
    #[arg(long)]
    pub oversubscribe: bool,
    /// Show no progress
    #[arg(long)]
    pub quiet: bool,
}

fn carrier(text: &str) -> Result<Carrier, String> {
    let names = Carrier::ALL.map(Carrier::name).join(", ");
    Carrier::from_name(text).ok_or_else(|| format!("it is one of {names}"))
}

#[derive(Args, Debug)]
pub struct MergeArguments {
    /// The run's folder, a new one or one that has games of this plan
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Journals of shards, or folders of them
    #[arg(value_name = "SHARD", required = true)]
    pub shards: Vec<PathBuf>,
    /// The plan by which the shards were played (default: the run's, or plan.json beside the shards)
    #[arg(long, value_name = "FILE")]
    pub plan: Option<PathBuf>,
    /// Wait for the shards that are still to come, until the run is finished
    #[arg(long)]
    pub watch: bool,
    /// With --watch: end the jobs that are left once a sequential test is decided
    #[arg(long, requires = "watch")]
    pub cancel: bool,
}
