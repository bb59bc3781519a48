//! The arguments of commands about one bot.

use super::{RuleArguments, time};
use crate::rules::Side;
use crate::web::PageAddress;
use clap::{Args, ValueEnum};
use std::ffi::OsString;
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
    /// With a configuration: write what each author has to know to a folder of this one
    #[arg(long, value_name = "DIR")]
    pub feedback: Option<PathBuf>,
    /// With a configuration: check this entrant only (repeatable)
    #[arg(long, value_name = "NAME")]
    pub entrant: Vec<String>,
    /// With a configuration: as root, run programs of others without isolation
    #[arg(long)]
    pub i_trust_these_bots: bool,
    #[command(flatten)]
    pub rules: RuleArguments,
}

/// How `awale play` is used.
pub(super) const PLAY_HELP: &str = "\
awale play \"minimax --depth 6\"             in the terminal
awale play \"python3 ada.py\" --north        the bot moves first
awale play greedy --web                    in the browser

You play a pit by its letter. u takes your last move back, h asks for a hint, n begins a new game, \
q ends. After a move that was taken back, the bot is started anew and told of the position.

Exit code: 0, 2 if the command line is wrong or there is no such bot, 3 if the machine failed, 130 \
if interrupted.";

#[derive(Args, Debug)]
pub struct PersonArguments {
    /// A house bot (random, greedy, minimax), or one string that is split as a shell splits words,
    /// as in "python3 ada.py"
    #[arg(value_name = "BOT")]
    pub bot: String,
    /// Play North: the bot moves first
    #[arg(long)]
    pub north: bool,
    /// Play on a page in the browser (without ADDRESS: at 127.0.0.1:8080); of this machine alone
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = "8080")]
    pub web: Option<PageAddress>,
    /// Begin with these moves, as in Ab
    #[arg(long, value_name = "MOVES")]
    pub moves: Option<String>,
    /// Time limit of each move of the bot, as in 2s
    #[arg(long = "move", value_name = "TIME", value_parser = time, default_value = "5s")]
    pub move_limit: Duration,
    /// Seed that the bot is given (default: another one each time)
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Level of isolation: auto (the strongest there is), box, landlock or none
    #[arg(long, value_name = "LEVEL", default_value = "auto")]
    pub isolation: String,
    #[command(flatten)]
    pub rules: RuleArguments,
}

pub(super) const REPLAY_TO_BOT_HELP: &str = "\
Examples:
  awale replay-to-bot results/spring/faults/ada~greedy.3.1 -- ./mybot
  awale replay-to-bot results/spring --game ada~greedy.3.1 --side south -- ./mybot

Exit code: 0 if the bot answers as recorded, 1 if not, 2 if there is no such folder or game, or \
the program cannot be started, 3 if the machine failed.";

#[derive(Args, Debug)]
pub struct ReplayToBotArguments {
    /// The evidence: a folder in faults/ of a run; with --game the folder of the run
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Replay this game, by its id, from the journal
    #[arg(long, value_name = "ID", requires = "side")]
    pub game: Option<String>,
    /// Whose requests to replay: south or north
    #[arg(long, value_name = "SIDE", requires = "game", value_parser = side)]
    pub side: Option<Side>,
    /// For debuggers: print the process number, wait for Enter before the first request, and wait
    /// for the bot without end
    #[arg(long, requires = "command")]
    pub hold: bool,
    /// Run the recorded bot with your rights, outside of any box
    #[arg(long, conflicts_with_all = ["command", "game"])]
    pub i_trust_this_bot: bool,
    /// The bot, with its arguments; with --i-trust-this-bot the recorded command
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

fn side(text: &str) -> Result<Side, String> {
    let mut sides = Side::BOTH.into_iter();
    let side = sides.find(|side| side.name() == text);
    side.ok_or_else(|| "the sides are south and north".to_owned())
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
    /// minimax: play endgames perfectly, by this database of awale endgame build (without FILE: by
    /// the one in the user's cache folder)
    #[arg(long, value_name = "FILE", num_args = 0..=1)]
    #[expect(
        clippy::option_option,
        reason = "the option may come without its value"
    )]
    pub endgame: Option<Option<PathBuf>>,
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

pub const ADAPTER_HELP: &str = "A bot is named uci:./engine or codingame:./engine wherever a command \
                                names one; that starts this adapter. Exit code: that of the program, \
                                or its signal; 2 if it cannot be started.";

#[derive(Args, Debug)]
pub struct AdapterArguments {
    /// The program's protocol
    #[arg(value_name = "PROTOCOL")]
    pub protocol: AdapterProtocol,
    /// The program, with its arguments
    #[arg(last = true, required = true, value_name = "PROGRAM")]
    pub program: Vec<OsString>,
}

/// The protocol of a program behind an adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AdapterProtocol {
    /// The UCI dialect of oware engines
    Uci,
    /// The lines of CodinGame's Oware
    Codingame,
}
