//! What was typed, exactly as typed. Nothing here touches files or knows whether it makes sense.

use clap::{Args, Parser, Subcommand};

/// A tournament harness for bots that play awalé (oware).
#[derive(Debug, Parser)]
#[command(name = "awale", version, about, max_term_width = 100)]
pub(super) struct Arguments {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Count the sequences of legal plies from a position
    Perft(PerftArguments),
    /// Play moves on the rules: one JSON object per line in, one out
    Trace(RuleArguments),
}

/// Rules on a command line.
#[derive(Args, Debug)]
pub(super) struct RuleArguments {
    /// Rule set: awale, abapa, classique, commun, simple, abidjan, junior, awari
    #[arg(long, value_name = "PRESET", default_value = "awale")]
    pub(super) rules: String,
    /// Override one field of the rules, as in --set grand-slam=capture (repeatable)
    #[arg(long = "set", value_name = "FIELD=VALUE")]
    pub(super) sets: Vec<String>,
}

#[derive(Args, Debug)]
pub(super) struct PerftArguments {
    /// Plies of every sequence
    #[arg(long, value_name = "PLIES")]
    pub(super) depth: u32,
    /// Print the count below each first move too
    #[arg(long)]
    pub(super) divide: bool,
    /// Position to count from, as in 4-4-4-4-4-4-4-4-4-4-4-4-0-0-S (default: the start)
    #[arg(long, value_name = "POSITION")]
    pub(super) position: Option<String>,
    #[command(flatten)]
    pub(super) rules: RuleArguments,
}
