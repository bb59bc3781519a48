//! The arguments of commands that help to begin, or only calculate.

use super::RuleArguments;
use crate::course::STARTERS;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap_complete::Shell;
use std::path::PathBuf;

/// How `awale init` is used.
pub(super) const INIT_HELP: &str = "\
awale init spring.toml         a tournament
awale init --bot python ada    a bot in the folder ada

Files that exist are left as they are. Exit code: 0, 2 if a file exists already, 3 if a file \
cannot be written.";

#[derive(Args, Debug)]
pub struct InitArguments {
    /// The file of the configuration (default: tournament.toml), or the folder of the bot (default:
    /// my-bot)
    #[arg(value_name = "PATH")]
    pub path: Option<PathBuf>,
    /// Write a starter bot in this language
    #[arg(long, value_name = "LANGUAGE", value_parser = languages())]
    pub bot: Option<String>,
}

fn languages() -> PossibleValuesParser {
    let named = STARTERS.iter();
    let named = named.map(|it| PossibleValue::new(it.language).help(it.about));
    PossibleValuesParser::new(named)
}

#[derive(Args, Debug)]
pub struct SchemaArguments {
    /// Of an event that run --json and sprt --json print
    #[arg(long)]
    pub events: bool,
}

#[derive(Args, Debug)]
pub struct CompletionsArguments {
    /// The shell; its output belongs where the shell looks for completions
    #[arg(value_name = "SHELL", required_unless_present = "man")]
    pub shell: Option<Shell>,
    /// Write a manual page for each command into this folder instead
    #[arg(long, value_name = "DIR", conflicts_with = "shell")]
    pub man: Option<PathBuf>,
}

/// What `awale rate` reads.
pub(super) const RATE_HELP: &str = "\
CSV: the first line has the names of the columns. They are separated by commas, semicolons or tabs,
whichever gives the columns that are needed; capitals, spaces, _ and - in their names do not matter:
  players   south and north, or white and black; south and white move first
  result    (or score) 1-0, 0-1, 1/2-1/2; a half also as 0.5, 0,5 or ½; 1:0, 1/0; the score of the
            first player alone, as in 1, 0.5, 0; south, north, white, black, draw; * for a game that
            is not finished, which is left out
  start     (or fen, or opening) where the game began: games from one opening are one observation
  pair      a name for two games of one opening with sides swapped, unique in its table
  moves     what was played from there, so that games that repeat each other are found
  or        first, second, won, drawn, lost: the games of two players as sums

PGN, known by its first tag: White, Black and Result; FEN is where the game began, and so are moves
with the comment {book}; two games of one Round with sides swapped are a pair. Games of Aualé have
South and North, and seeds as their Result (25-23); awale export writes both.

The text is UTF-8, or UTF-16 with a byte order mark. What cannot be read is shown with its line, and nothing is rated.";

#[derive(Args, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct RateArguments {
    /// CSV files with the columns south, north and result, PGN files, or folders of runs; - reads
    /// standard input
    #[arg(value_name = "GAMES", required = true)]
    pub games: Vec<PathBuf>,
    /// Do not fit a first-move advantage
    #[arg(long)]
    pub no_advantage: bool,
    /// Give an entrant its Elo, as in --anchor greedy=1000, instead of a mean of 0 (repeatable)
    #[arg(long = "anchor", value_name = "NAME=ELO", allow_hyphen_values = true)]
    pub anchors: Vec<String>,
    /// Leave out the games that were played on this host, by the folders of runs (repeatable)
    #[arg(long = "without-host", value_name = "NAME")]
    pub without_hosts: Vec<String>,
    /// Compare all pairs of entrants, even above 500 entrants: differences and ranks
    #[arg(long)]
    pub all_pairs: bool,
    /// Print JSON with numbers at full precision
    #[arg(long, conflicts_with = "csv")]
    pub json: bool,
    /// Print the table of ratings as CSV
    #[arg(long)]
    pub csv: bool,
}

#[derive(Args, Debug)]
pub struct PairsNeededArguments {
    /// Number of entrants, champions included
    #[arg(long, value_name = "N", default_value_t = 2,
          value_parser = clap::value_parser!(u64).range(2..=10_000))]
    pub entrants: u64,
    /// Number of champions, which alone play all others in a gauntlet (0: a round robin)
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub champions: u64,
    /// Difference in Elo to detect between two entrants
    #[arg(long, value_name = "ELO", allow_hyphen_values = true, value_parser = difference)]
    pub detect: f64,
    /// Share of tournaments that must detect it, as in 0.9; 0.5, 0.8 and 0.95 are always shown
    #[arg(long, value_name = "P", value_parser = share)]
    pub power: Option<f64>,
    /// Share of draws between equals, 0 to 0.99
    #[arg(long, value_name = "P", default_value_t = 0.1)]
    pub draws: f64,
    /// Elo by which an opening helps one side, 0 to 1000
    #[arg(long, value_name = "ELO", default_value_t = 100.0)]
    pub opening_bias: f64,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// An Elo difference that somebody may look for.
fn difference(text: &str) -> Result<f64, String> {
    let number: f64 = text
        .parse()
        .map_err(|_| format!("{text:?} is not a number"))?;
    if (0.1..=2000.0).contains(&number) {
        Ok(number)
    } else {
        Err("a difference is 0.1 to 2000 Elo".to_owned())
    }
}

/// A share strictly between 0 and 1.
fn share(text: &str) -> Result<f64, String> {
    let number: f64 = text
        .parse()
        .map_err(|_| format!("{text:?} is not a number"))?;
    if number > 0.0 && number < 1.0 {
        Ok(number)
    } else {
        Err("a share of tournaments is above 0 and below 1, as in 0.9".to_owned())
    }
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
