//! What was typed for `awale check`.

use super::rules::RuleArguments;
use super::time::time;
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Args, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub struct CheckArguments {
    /// A house bot (random, greedy, minimax), or one string that is split as a shell splits words,
    /// as in "python3 ada.py"; or a configuration file, NAME.toml: then every entrant, as a run
    /// would start it
    #[arg(value_name = "BOT")]
    pub bot: String,
    /// Time limit of each move, as in 100ms (default: 100ms)
    #[arg(long = "move", value_name = "TIME", value_parser = time)]
    pub move_limit: Option<Duration>,
    /// Time for starting, until hello is answered (default: 10s)
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub start_up: Option<Duration>,
    /// Time for each answer to new-game (default: 1s)
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub new_game: Option<Duration>,
    /// Take only this step and the steps that it needs, by number or name (repeatable, or with
    /// commas)
    #[arg(long, value_name = "STEP", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Level of isolation: auto (the strongest there is), box, landlock or none (default: that of
    /// the configuration, or auto)
    #[arg(long, value_name = "LEVEL")]
    pub isolation: Option<String>,
    /// Examine slams of other rules too, not only those of the rules that are given
    #[arg(long)]
    pub all_rules: bool,
    /// Keep the lines of passed steps on a terminal too, as through a pipe
    #[arg(long)]
    pub all: bool,
    /// Exit with 1 on notes too
    #[arg(long)]
    pub strict: bool,
    /// Print the report as JSON
    #[arg(long)]
    pub json: bool,
    #[arg(
        long,
        value_name = "FILE",
        help = "Write the report as JUnit's XML too, for graders and build servers"
    )]
    pub junit: Option<PathBuf>,
    /// With a configuration: write a row for each entrant as CSV too
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// With a configuration: check this entrant only (repeatable)
    #[arg(long, value_name = "NAME")]
    pub entrant: Vec<String>,
    /// With a configuration: as root, run programs of others without isolation
    #[arg(long)]
    pub i_trust_these_bots: bool,
    #[command(flatten)]
    pub rules: RuleArguments,
}
