//! The arguments of commands that play a configuration.

use super::level;
use crate::bot::Level;
use crate::course::check_label;
use crate::web::PageAddress;
use clap::{ArgGroup, Args};
use std::path::PathBuf;
use std::time::Duration;

/// The label of a week.
fn label(text: &str) -> Result<String, String> {
    check_label(text).map(|()| text.to_owned())
}

#[derive(Args, Debug)]
pub struct RunArguments {
    /// The configuration, a TOML file; configs/default.toml explains every key
    #[arg(value_name = "CONFIG")]
    pub config: PathBuf,
    /// Pairs of each pairing (a pair is two games, sides swapped)
    #[arg(long, value_name = "N")]
    pub pairs: Option<u32>,
    /// The plan of the run, as awale shard --write-plan has written it: what is here must be what it
    /// says
    #[arg(long, value_name = "FILE", conflicts_with = "pairs")]
    pub plan: Option<PathBuf>,
    /// If the plan has changed since the run's folder was played, play what is missing
    #[arg(long, conflicts_with = "fresh")]
    pub update: bool,
    /// Of a class: play more pairs where luck has decided about points
    #[arg(long, conflicts_with_all = ["fresh", "dry_run", "dump_config"])]
    pub decide: bool,
    /// Of a class: when all is played, keep its pages, grades and feedback for ever as
    /// weeks/LABEL in the run's folder
    #[arg(long, value_name = "LABEL", value_parser = label)]
    pub label: Option<String>,
    #[command(flatten)]
    pub play: PlayArguments,
    /// Exit with 1 if a bot was at fault, withdrawn or not admitted (open pairs do so anyway)
    #[arg(long)]
    pub strict: bool,
}

/// What every command takes that plays a configuration.
#[derive(Args, Clone, Debug, Default)]
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
    /// After this time no game begins, as after Ctrl-C.
    #[arg(skip)]
    pub stop_after: Option<Duration>,
}

impl PlayArguments {
    /// Whether anything is played, and bots are started.
    pub const fn plays(&self) -> bool {
        !self.dry_run && !self.dump_config
    }
}

pub(super) const DUEL_HELP: &str = "\
A BOT is a house bot's name, as in \"minimax --depth 3\", or one string that is split as a shell \
splits words, as in \"python3 ada.py\". A name may stand before it: letters, digits, -, _ and . up \
to the first =, as in

  awale duel new=\"python3 new.py\" old=\"python3 old.py\"

Bots without a name are told apart by their files, or by the first word that differs.

The same duel goes on where it stopped; a larger --pairs adds to it.

Exit code: that of awale run.";

#[derive(Args, Debug)]
pub struct DuelArguments {
    /// One bot, with or without a name
    #[arg(value_name = "[NAME=]BOT")]
    pub one: String,
    /// The other one
    #[arg(value_name = "[NAME=]BOT")]
    pub other: String,
    /// Pairs of games; in a pair both bots play each side from one opening
    #[arg(long, value_name = "N", default_value_t = 25)]
    pub pairs: u32,
    #[command(flatten)]
    pub play: PlayArguments,
}

#[derive(Args, Debug)]
#[command(group = ArgGroup::new("what").required(true).multiple(true)
    .args(["config", "new", "counts", "ledger"]))]
pub struct SprtArguments {
    /// The configuration of two entrants, a TOML file; its table `sprt` says what is tested
    #[arg(value_name = "CONFIG", conflicts_with_all = ["new", "counts"])]
    pub config: Option<PathBuf>,
    /// The new bot: a house bot's name, or one string that is split as a shell splits words
    #[arg(long, value_name = "CMD", requires = "base", conflicts_with = "counts")]
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
    /// Enter the test into this CSV file of tests, which share a false discovery rate of 5 %;
    /// without bots: print it
    #[arg(long, value_name = "FILE",
          conflicts_with_all = ["counts", "pairs", "pairs_needed", "dry_run", "dump_config"])]
    pub ledger: Option<PathBuf>,
    #[command(flatten)]
    pub play: PlayArguments,
}

impl SprtArguments {
    /// The test of a configuration, with nothing else typed.
    #[cfg(feature = "nats")]
    pub fn of_config(config: PathBuf, play: PlayArguments) -> Self {
        Self {
            config: Some(config),
            new: None,
            base: None,
            counts: Vec::new(),
            elo0: None,
            elo1: None,
            alpha: None,
            beta: None,
            model: None,
            max_pairs: None,
            pairs_needed: false,
            pairs: None,
            ledger: None,
            play,
        }
    }

    /// Whether anything is played, and bots are started.
    pub fn plays(&self) -> bool {
        self.has_bots() && !self.pairs_needed && self.play.plays()
    }

    /// Whether there are bots, and not only counts or a ledger.
    pub const fn has_bots(&self) -> bool {
        self.config.is_some() || self.new.is_some()
    }
}

#[derive(Args, Debug)]
pub struct TuneArguments {
    /// The template: a configuration with one entrant and the table `tune`; docs/tuning.md has an
    /// example
    #[arg(value_name = "TEMPLATE")]
    pub template: PathBuf,
    /// Games at a time (default: one for each physical core)
    #[arg(long, value_name = "N")]
    pub slots: Option<u32>,
    /// The folder of the tuning (default: results/ and the template's name)
    #[arg(long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Level of isolation: auto (the strongest there is), box, landlock or none
    #[arg(long, value_name = "LEVEL")]
    pub isolation: Option<String>,
    /// As root, run programs of others without isolation
    #[arg(long)]
    pub i_trust_these_bots: bool,
    /// Allow more slots than cores
    #[arg(long)]
    pub oversubscribe: bool,
}

impl TuneArguments {
    /// The arguments of each run of the tuning, without its folder.
    pub fn play(&self) -> PlayArguments {
        PlayArguments {
            slots: self.slots,
            isolation: self.isolation.clone(),
            i_trust_these_bots: self.i_trust_these_bots,
            oversubscribe: self.oversubscribe,
            ..PlayArguments::default()
        }
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
