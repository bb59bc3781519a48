//! What was typed for `awale play`.

use super::rules::RuleArguments;
use super::time::time;
use crate::web::PageAddress;
use clap::Args;
use std::time::Duration;

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
