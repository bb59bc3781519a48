//! The arguments of `awale replay-to-bot`.

use crate::rules::Side;
use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;

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
