//! The arguments of `awale endgame`.

use super::RuleArguments;
use clap::{Args, Subcommand};
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// How `awale endgame build` is used.
const BUILD_HELP: &str = "\
awale endgame build --seeds 12                  2.7 MB, half a second
awale endgame build --rules commun --seeds 20   226 MB, a minute

The file is kept in the user's cache folder, where every command finds it. A build that was stopped
goes on where it stopped.

Exit code: 0, 2 if endgames under these rules cannot be solved, 3 if the file cannot be written or
another process is building it, 130 if interrupted.";

/// How `awale endgame probe` is used.
const PROBE_HELP: &str = "\
awale endgame probe 2-0-0-0-0-2-1-2-4-0-0-0-0-0-S
awale endgame probe '2,0,0,0,0,2|1,2,4,0,0,0'      South to move, nothing in the stores

A value is the number of seeds that the side to move gains more than its opponent from here on, if
both play perfectly. The stores do not matter.

Exit code: 0, 2 if a position cannot be read or has too many seeds or there is no database, 3 if the
database is damaged.";

/// The most seeds on the board of a puzzle: all positions are solved first, in some seconds.
const MOST_PUZZLE_SEEDS: u8 = 13;

/// How `awale endgame puzzles` is used.
const PUZZLES_HELP: &str = "\
awale endgame puzzles --seeds 6..10 --count 50

A puzzle is a position in which exactly one move wins; both stores are equal. The same command always
finds the same puzzles. It needs no database.

Three files are written: puzzles.txt, which openings = { file = … } reads, puzzles.json, and
puzzles.html, a page on which one solves them.

Exit code: 0, 2 if endgames under these rules cannot be solved, 3 if a file cannot be written.";

#[derive(Args, Debug)]
pub struct EndgameArguments {
    #[command(subcommand)]
    pub command: EndgameCommand,
}

#[derive(Debug, Subcommand)]
pub enum EndgameCommand {
    /// Solve all positions of up to some number of seeds
    #[command(after_help = BUILD_HELP)]
    Build(BuildArguments),
    /// Print the value of positions, the best moves, and the value of each move
    #[command(after_help = PROBE_HELP)]
    Probe(ProbeArguments),
    /// Count wins, draws and losses of the side to move, as CSV
    Table(EndgameTableArguments),
    /// Verify a database: its checksums, and every value against those of its moves
    #[command(
        after_help = "Exit code: 0 if nothing is wrong, 1 if something is, 2 if there is no such \
                            database, 3 if it cannot be read, 130 if interrupted."
    )]
    Verify(EndgameVerifyArguments),
    /// Write positions in which exactly one move wins, and a page on which one solves them
    #[command(after_help = PUZZLES_HELP)]
    Puzzles(PuzzlesArguments),
}

#[derive(Args, Debug)]
pub struct BuildArguments {
    #[command(flatten)]
    pub rules: RuleArguments,
    /// The most seeds on the board
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=35))]
    pub seeds: u8,
    /// The file (default: in the user's cache folder)
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Threads that share the work (default: one for each processor)
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
}

/// Which database answers.
#[derive(Args, Debug)]
pub struct DatabaseArguments {
    #[command(flatten)]
    pub rules: RuleArguments,
    /// The database (default: that of the rules in the user's cache folder)
    #[arg(long, value_name = "FILE")]
    pub endgame: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub struct ProbeArguments {
    /// Positions with few seeds on the board
    #[arg(value_name = "POSITION", required = true)]
    pub positions: Vec<String>,
    #[command(flatten)]
    pub database: DatabaseArguments,
    /// Print JSON, one object for each position
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct EndgameTableArguments {
    #[command(flatten)]
    pub database: DatabaseArguments,
    /// The most seeds on the board (default: those of the database)
    #[arg(long, value_name = "N")]
    pub seeds: Option<u8>,
}

#[derive(Args, Debug)]
pub struct EndgameVerifyArguments {
    /// The database's file
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Threads that share the work (default: one for each processor)
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
}

#[derive(Args, Debug)]
pub struct PuzzlesArguments {
    #[command(flatten)]
    pub rules: RuleArguments,
    /// The seeds on the board, from 2 to 13: a number, or the fewest and the most
    #[arg(long, value_name = "N..M", default_value = "6..10", value_parser = seeds)]
    pub seeds: RangeInclusive<u8>,
    /// How many puzzles
    #[arg(long, value_name = "N", default_value_t = 50,
          value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub count: u16,
    /// The folder of the files
    #[arg(long, value_name = "DIR", default_value = "puzzles")]
    pub output: PathBuf,
}

/// `6..10`, or `8` for one number.
fn seeds(text: &str) -> Result<RangeInclusive<u8>, String> {
    let (fewest, most) = text.split_once("..").unwrap_or((text, text));
    let numbers = fewest.parse().ok().zip(most.parse().ok());
    let range = numbers.map(|(fewest, most): (u8, u8)| fewest..=most);
    range
        .filter(|it| !it.is_empty() && *it.start() >= 2 && *it.end() <= MOST_PUZZLE_SEEDS)
        .ok_or_else(|| {
            format!(
                "seeds are a range between 2 and {MOST_PUZZLE_SEEDS}, as in 6..10, or one number"
            )
        })
}
