//! The arguments of `awale openings`.

use super::RuleArguments;
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// How `awale openings make` is used.
const MAKE_HELP: &str = "\
awale openings make --count 1000 --plies 8 --balanced 4 --output book.txt

Random openings, each with another position, that minimax (8 plies deep) expects to end with at most \
so many seeds between the two stores. openings = { file = \"book.txt\" } plays them. The same command \
always writes the same file.

Exit code: 0, 2 if there are too few such openings, 3 if the file cannot be written.";

#[derive(Args, Debug)]
pub struct OpeningsArguments {
    #[command(subcommand)]
    pub command: OpeningsCommand,
}

#[derive(Debug, Subcommand)]
pub enum OpeningsCommand {
    /// Write a list of openings that are even
    #[command(after_help = MAKE_HELP)]
    Make(MakeOpeningsArguments),
}

#[derive(Args, Debug)]
pub struct MakeOpeningsArguments {
    /// The number of openings
    #[arg(long, value_name = "N", default_value_t = 1000,
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub count: u32,
    /// The plies of each, an even number
    #[arg(long, value_name = "PLIES", default_value_t = 8,
          value_parser = clap::value_parser!(u32).range(0..=200))]
    pub plies: u32,
    /// The most seeds by which one side is ahead at the end
    #[arg(long, value_name = "SEEDS", default_value_t = 4,
          value_parser = clap::value_parser!(u8).range(0..=48))]
    pub balanced: u8,
    /// Draws other openings
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    #[command(flatten)]
    pub rules: RuleArguments,
    /// Threads that search (default: as many as the machine has)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub threads: Option<u16>,
    /// Write into this file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}
