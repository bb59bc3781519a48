//! The arguments of `awale endgame`.

use super::RuleArguments;
use clap::{Args, Subcommand};
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
