//! What was typed, exactly as typed. Nothing here touches files or knows whether it makes sense.

mod check;
mod folders;
mod init;
mod play;
mod replay_to_bot;
mod rules;
mod statistics;
mod time;

use crate::bot::Level;
use crate::log::VARIABLE;
use crate::web::PageAddress;
use clap::{ArgGroup, Args, Parser, Subcommand};
use std::path::PathBuf;
use std::time::Duration;
use tracing::level_filters::LevelFilter;

use statistics::RATE_HELP;

pub use check::CheckArguments;
use folders::REPLAY_HELP;
pub use folders::{
    FaultsArguments, RepairArguments, ReplayArguments, ReportArguments, TableArguments,
    VerifyArguments,
};
use init::INIT_HELP;
pub use init::{CompletionsArguments, InitArguments, SchemaArguments};
use play::PLAY_HELP;
pub use play::PersonArguments;
use replay_to_bot::REPLAY_TO_BOT_HELP;
pub use replay_to_bot::ReplayToBotArguments;
pub use rules::RuleArguments;
pub use statistics::{PairsNeededArguments, RateArguments};
use time::time;

/// A tournament harness for bots that play awalé (oware).
#[derive(Debug, Parser)]
#[command(name = "awale", version, about, max_term_width = 100)]
pub struct Arguments {
    /// Log to standard error what happens inside: error, warn, info, debug or trace
    #[arg(long, global = true, value_name = "LEVEL", env = VARIABLE, default_value = "off")]
    #[arg(
        hide_default_value = true,
        hide_env_values = true,
        display_order = 1000
    )]
    pub log: LevelFilter,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Write a first configuration, a class, or a starter bot
    #[command(after_help = INIT_HELP)]
    Init(InitArguments),
    /// Run or resume a tournament
    Run(RunArguments),
    /// Test whether a new bot is stronger than its base, in as few games as possible
    #[command(
        after_help = "Exit code: 0 passed (H1), 1 failed (H0), 4 inconclusive at max-pairs, 5 a \
                            bot was at fault too often, 2 if the command line or the \
                            configuration is wrong, 3 if the machine failed, 130 if interrupted. \
                            With --pairs and --counts: 0."
    )]
    Sprt(SprtArguments),
    /// Let two bots play against each other, without a configuration
    #[command(after_help = DUEL_HELP)]
    Duel(DuelArguments),
    /// Play against a bot, in the terminal or in the browser
    #[command(after_help = PLAY_HELP)]
    Play(PersonArguments),
    /// Replay the recorded requests of a fault, or of any game, to a bot, without a clock
    #[command(after_help = REPLAY_TO_BOT_HELP)]
    ReplayToBot(ReplayToBotArguments),
    /// Test which isolation works on this host, promise by promise
    Doctor(DoctorArguments),
    /// Rate the players of a table of games (CSV in any common form, or PGN)
    #[command(after_help = RATE_HELP)]
    Rate(RateArguments),
    /// Compute how many pairs a tournament needs to detect a difference in strength
    PairsNeeded(PairsNeededArguments),
    /// Rebuild the tables and the page of a run from its journal, even while the run plays
    Report(ReportArguments),
    /// Print the standings, who beat whom, and who is stronger; from the journal of any run
    #[command(
        after_help = "Exit code: 0, 2 if DIR is not a run's folder, 3 if the machine failed."
    )]
    Table(TableArguments),
    /// Show a game of a run on a board, ply by ply
    #[command(after_help = REPLAY_HELP)]
    Replay(ReplayArguments),
    /// Show the faults of a run and the entrants that were not admitted, each with its cause
    #[command(
        after_help = "Exit code: 0, 2 if DIR is not a run's folder or has no such entrant, 3 if \
                            the machine failed."
    )]
    Faults(FaultsArguments),
    /// Set the damaged lines of a run's journal aside, so that the run can go on
    #[command(
        after_help = "Exit code: 0 repaired, or nothing was damaged, 2 if DIR is not a run's \
                            folder, 3 if a line cannot be replaced or the machine failed."
    )]
    Repair(RepairArguments),
    /// Verify the folder of a run: replay every game and rebuild every table
    #[command(
        after_help = "Exit code: 0 if nothing is wrong, 1 if something is, 2 if DIR is not a run's \
                            folder, 3 if the machine failed, 130 if interrupted."
    )]
    Verify(VerifyArguments),
    /// Play as a house bot (random, greedy, minimax) on standard input and output
    Bot(BotArguments),
    /// Check in some fifty small steps whether a bot, or each entrant of a configuration, is
    /// correct
    #[command(
        after_help = "Exit code: 0 if every step holds, 1 if one does not, 2 if the command \
                            line or the configuration is wrong, 3 if the machine failed, 130 if \
                            interrupted."
    )]
    Check(CheckArguments),
    /// Print a JSON Schema of the configuration, for editors that complete and check, or of the
    /// events of --json
    Schema(SchemaArguments),
    /// Print the completions of a shell, or the manual pages
    Completions(CompletionsArguments),
    /// Count the sequences of legal plies from a position
    Perft(PerftArguments),
    /// Apply moves under the rules: one JSON object per line in, one out
    Trace(RuleArguments),
}

#[derive(Args, Debug)]
pub struct PerftArguments {
    /// Plies of every sequence, up to 1000
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(..=1000))]
    pub depth: u32,
    /// Print the count below each first move too
    #[arg(long)]
    pub divide: bool,
    /// Print a JSON object
    #[arg(long)]
    pub json: bool,
    /// Position to count from, as in 4-4-4-4-4-4-4-4-4-4-4-4-0-0-S (default: the start)
    #[arg(long, value_name = "POSITION")]
    pub position: Option<String>,
    #[command(flatten)]
    pub rules: RuleArguments,
}

#[derive(Args, Debug)]
pub struct RunArguments {
    /// The configuration, a TOML file; configs/default.toml explains every key
    #[arg(value_name = "CONFIG")]
    pub config: PathBuf,
    /// Pairs of each pairing (a pair is two games, sides swapped)
    #[arg(long, value_name = "N")]
    pub pairs: Option<u32>,
    /// Method for the Elo error bars: sandwich or bootstrap
    #[arg(long, value_name = "METHOD")]
    pub errors: Option<String>,
    /// If the plan has changed since the run's folder was played, play what is missing
    #[arg(long, conflicts_with = "fresh")]
    pub update: bool,
    #[command(flatten)]
    pub play: PlayArguments,
    /// Exit with 1 if a bot was at fault, withdrawn or not admitted (open pairs do so anyway)
    #[arg(long)]
    pub strict: bool,
}

/// What every command takes that plays a configuration.
#[derive(Args, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct PlayArguments {
    /// Games at a time (default: one for each physical core)
    #[arg(long, value_name = "N")]
    pub slots: Option<u32>,
    /// Seed of the openings and of the bots
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// The run's folder (default: results/ and the configuration's name; for two programs that are
    /// compared, a folder in it)
    #[arg(long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Begin anew: an earlier run's folder DIR becomes DIR.1, or the next free number
    #[arg(long, conflicts_with_all = ["dry_run", "dump_config"])]
    pub fresh: bool,
    /// Override one key of the configuration, as in --set tournament.pairs=4 (repeatable)
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub sets: Vec<String>,
    /// Level of isolation: auto (the strongest there is), box, landlock or none
    #[arg(long, value_name = "LEVEL")]
    pub isolation: Option<String>,
    /// Refuse to play with less isolation than this level
    #[arg(long, value_name = "LEVEL", value_parser = level)]
    pub require_isolation: Option<Level>,
    /// As root, run programs of others without isolation
    #[arg(long)]
    pub i_trust_these_bots: bool,
    /// Allow more slots than cores
    #[arg(long)]
    pub oversubscribe: bool,
    /// Print the first pairs, the number of games and an upper bound for the time; play nothing
    #[arg(long)]
    pub dry_run: bool,
    /// With --dry-run: print every pair of the schedule
    #[arg(long, requires = "dry_run")]
    pub list: bool,
    /// Print the resolved plan with every default filled in; play nothing
    #[arg(long)]
    pub dump_config: bool,
    /// Serve a page on which the run can be watched while it plays (without ADDRESS: at
    /// 127.0.0.1:8080)
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = "8080")]
    pub live: Option<PageAddress>,
    /// Show no progress and no table
    #[arg(long)]
    pub quiet: bool,
    /// Print events as JSON, one per line, instead of progress and table
    #[arg(long, conflicts_with = "quiet")]
    pub json: bool,
}

impl PlayArguments {
    /// Whether anything is played, and bots are started.
    pub const fn plays(&self) -> bool {
        !self.dry_run && !self.dump_config
    }
}

const DUEL_HELP: &str = "A bot is a house bot's name, as in \"minimax --depth 3\", or one string \
                         that is split as a shell splits words, as in \"python3 ada.py\".\n\nThe \
                         same duel goes on where it stopped; a larger --pairs adds to it.\n\nExit \
                         code: that of awale run.";

#[derive(Args, Debug)]
pub struct DuelArguments {
    /// One bot
    #[arg(value_name = "BOT")]
    pub one: String,
    /// The other one
    #[arg(value_name = "BOT")]
    pub other: String,
    /// Pairs of games; in a pair both bots play each side from one opening
    #[arg(long, value_name = "N", default_value_t = 25)]
    pub pairs: u32,
    #[command(flatten)]
    pub play: PlayArguments,
}

#[derive(Args, Debug)]
#[command(group = ArgGroup::new("what").required(true).args(["config", "new", "counts"]))]
pub struct SprtArguments {
    /// The configuration of two entrants, a TOML file; its table `sprt` says what is tested
    #[arg(value_name = "CONFIG")]
    pub config: Option<PathBuf>,
    /// The new bot: a house bot's name, or one string that is split as a shell splits words
    #[arg(long, value_name = "CMD", requires = "base")]
    pub new: Option<String>,
    /// The base that the new bot must beat
    #[arg(long, value_name = "CMD", requires = "new")]
    pub base: Option<String>,
    /// Compute from these counts and play nothing: pairs LL,LD,DD+WL,WD,WW from the new bot's view,
    /// or single games: losses,draws,wins
    #[arg(long, value_name = "N,N,N[,N,N]", value_delimiter = ',',
          allow_hyphen_values = true, value_parser = count,
          conflicts_with_all = ["sets", "slots", "seed", "output", "fresh", "dry_run",
                                "dump_config"])]
    pub counts: Vec<u64>,
    /// Elo of the hypothesis that fails the new bot
    #[arg(long, value_name = "ELO", allow_hyphen_values = true)]
    pub elo0: Option<f64>,
    /// Elo of the hypothesis that passes the new bot
    #[arg(long, value_name = "ELO", allow_hyphen_values = true)]
    pub elo1: Option<f64>,
    /// Probability that a bot worth elo0 passes
    #[arg(long, value_name = "P", allow_hyphen_values = true)]
    pub alpha: Option<f64>,
    /// Probability that a bot worth elo1 fails
    #[arg(long, value_name = "P", allow_hyphen_values = true)]
    pub beta: Option<f64>,
    /// Elo model: logistic or normalized
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// Pairs after which the test is inconclusive
    #[arg(long, value_name = "N")]
    pub max_pairs: Option<u32>,
    /// Print how many pairs the test is expected to take; play nothing
    #[arg(long, conflicts_with_all = ["counts", "pairs", "dry_run", "dump_config"])]
    pub pairs_needed: bool,
    /// Play exactly so many pairs instead, for an estimate with a narrow interval
    #[arg(long, value_name = "N",
          conflicts_with_all = ["counts", "max_pairs", "elo0", "elo1", "alpha", "beta", "model"])]
    pub pairs: Option<u32>,
    #[command(flatten)]
    pub play: PlayArguments,
}

impl SprtArguments {
    /// Whether anything is played, and bots are started.
    pub fn plays(&self) -> bool {
        self.counts.is_empty() && !self.pairs_needed && self.play.plays()
    }
}

#[derive(Args, Debug)]
pub struct DoctorArguments {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct BotArguments {
    /// random, greedy or minimax
    #[arg(value_name = "NAME")]
    pub name: String,
    /// minimax: plies to search, regardless of the clock
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub depth: Option<u32>,
    /// minimax: time for each move, as in 20ms, instead of what the game's clock allows
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub time: Option<Duration>,
    /// minimax: size of its table in MiB
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub table_mib: Option<u16>,
    /// Use this seed instead of the one of each game
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
}

impl BotArguments {
    /// Whether the depth alone decides how far `minimax` searches, and no clock is looked at.
    pub const fn is_fixed(&self) -> bool {
        self.depth.is_some() && self.time.is_none()
    }
}

/// A number of a list, around which somebody may have put spaces.
fn count(text: &str) -> Result<u64, String> {
    let count = text.trim().parse();
    count.map_err(|_| {
        format!(
            "'{}' is not a count: it takes whole numbers from 0",
            text.trim()
        )
    })
}

fn level(text: &str) -> Result<Level, String> {
    Level::from_name(text).ok_or_else(|| "a level is box, landlock or none".to_owned())
}
