//! The arguments of `awale league`.

use crate::text::parse_time;
use crate::web::PageAddress;
use clap::{Args, Subcommand};
use std::path::PathBuf;
use std::time::Duration;

/// How `awale league` is used.
pub(super) const LEAGUE_HELP: &str = "\
awale league add spring greedy                       makes the folder at the first time
awale league add spring ada=\"python3 bots/ada.py\"
awale league play spring --for 10m                   what tells most; goes on where it stopped
awale league table spring

A bot is typed as for awale duel. It stays where it is: if its files change, it is another program, and
plays anew. Its folder belongs to it.

Exit code: that of awale run; 0 if the time of --for is over.";

fn time(text: &str) -> Result<Duration, String> {
    parse_time(text)
        .filter(|it| !it.is_zero())
        .ok_or_else(|| "it takes a time with its unit, as in 90s, 10m or 2h".to_owned())
}

#[derive(Args, Debug)]
pub struct LeagueArguments {
    #[command(subcommand)]
    pub command: LeagueCommand,
}

#[derive(Debug, Subcommand)]
pub enum LeagueCommand {
    /// Add a bot; the first one makes the league
    Add {
        /// The league's folder
        #[arg(value_name = "DIR")]
        folder: PathBuf,
        /// The bot, perhaps with its name: greedy, ada="python3 ada.py"
        #[arg(value_name = "BOT")]
        bot: String,
    },
    /// Take a bot out; its games no longer count
    Remove {
        /// The league's folder
        #[arg(value_name = "DIR")]
        folder: PathBuf,
        /// Its name
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Play what tells most, until the table is exact enough
    Play(LeaguePlayArguments),
    /// Print the standings, who beat whom, and who is stronger
    Table {
        /// The league's folder
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
}

#[derive(Args, Debug)]
pub struct LeaguePlayArguments {
    /// The league's folder
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Begin no game after this time, as in 10m
    #[arg(long = "for", value_name = "TIME", value_parser = time)]
    pub time: Option<Duration>,
    /// Games at a time (default: one for each physical core)
    #[arg(long, value_name = "N")]
    pub slots: Option<u32>,
    /// Level of isolation: auto (the strongest there is), box, landlock or none
    #[arg(long, value_name = "LEVEL")]
    pub isolation: Option<String>,
    /// As root, run programs of others without isolation
    #[arg(long)]
    pub i_trust_these_bots: bool,
    /// Serve a page on which the league can be watched (without ADDRESS: at 127.0.0.1:8080)
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = "8080")]
    pub live: Option<PageAddress>,
    /// Show no progress and no table
    #[arg(long)]
    pub quiet: bool,
}
