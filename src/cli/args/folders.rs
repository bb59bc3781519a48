//! The arguments of commands that read the folder of a run.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// How `awale replay` is used.
pub(super) const REPLAY_HELP: &str = "\
On a terminal, Enter goes on, b goes back, a number goes to that ply, q ends. Elsewhere all \
positions are printed.

Exit code: 0, 2 if DIR is not a run's folder or has no such game, 3 if the machine failed.";

#[derive(Args, Debug)]
pub struct ReportArguments {
    /// The run's folder, as in results/spring
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Write the tables into this folder instead of the run's; required while the run plays
    #[arg(long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Also write a page for this entrant alone, without what others wrote; repeat it for several
    #[arg(long, value_name = "NAME")]
    pub entrant: Vec<String>,
}

#[derive(Args, Debug)]
pub struct TableArguments {
    /// The run's folder, as in results/spring
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Print the standings as CSV
    #[arg(long, conflicts_with = "md")]
    pub csv: bool,
    /// Print all three tables as Markdown
    #[arg(long)]
    pub md: bool,
}

#[derive(Args, Debug)]
pub struct ReplayArguments {
    /// The run's folder, as in results/spring, or the folder of an author's feedback
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// The game's id, as in games.csv
    #[arg(value_name = "GAME")]
    pub game: String,
    /// Print only the position after this many plies
    #[arg(long, value_name = "N")]
    pub ply: Option<usize>,
}

/// How `awale export` is used.
pub(super) const EXPORT_HELP: &str = "\
Games that count are written in the order of the schedule; what is left out is said. docs/export.md \
describes the forms.

Exit code: 0, 2 if DIR is not a run's folder or has no such game, 3 if the machine failed.";

/// The form of exported games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// The notation of the program Aualé: tags South and North, the seeds as the result
    Ogn,
    /// The notation of chess: tags White and Black, for programs that read tags
    Pgn,
    /// A JSON object per line: the record of a game, or a position
    Jsonl,
    /// A row per game, as in games.csv, or per position
    Csv,
}

#[derive(Args, Debug)]
pub struct ExportGamesArguments {
    /// The run's folder, as in results/spring; the run may still be playing
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// The form of the games
    #[arg(long, value_name = "FORM", value_enum)]
    pub format: ExportFormat,
    /// Write the bot's score and depth, and the time, after each move (ogn and pgn)
    #[arg(long)]
    pub comments: bool,
    /// Write the positions before all moves instead of the games, for training (jsonl and csv)
    #[arg(long)]
    pub samples: bool,
    /// Write this game only, by its id in games.csv (repeatable)
    #[arg(long = "game", value_name = "GAME")]
    pub games: Vec<String>,
    /// Write into this file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub struct AnalyseArguments {
    /// The run's folder, as in results/spring
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// The game's id, as in games.csv
    #[arg(value_name = "GAME")]
    pub game: String,
    /// Positions that minimax searches for each estimate
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: u64,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct FaultsArguments {
    /// The run's folder, as in results/spring; the run may still be playing
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Show the faults of this entrant only
    #[arg(long, value_name = "NAME")]
    pub entrant: Option<String>,
    /// Print the rows of faults.csv instead
    #[arg(long)]
    pub csv: bool,
}

#[derive(Args, Debug)]
pub struct RepairArguments {
    /// The run's folder, as in results/spring
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}

#[derive(Args, Debug)]
pub struct VerifyArguments {
    /// The run's folder, as in results/spring
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Replay so many games between deterministic bots, drawn at random, and compare them move by
    /// move
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub replay: Option<u32>,
    /// Seed of the draw (default: from the journal, so that the draw can be repeated)
    #[arg(long, value_name = "N", requires = "replay")]
    pub seed: Option<u64>,
    /// Run programs of the folder where this host has no box for them
    #[arg(long, requires = "replay")]
    pub i_trust_these_bots: bool,
    /// Exit with 1 on warnings too
    #[arg(long)]
    pub strict: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}
