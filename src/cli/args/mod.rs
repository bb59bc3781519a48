//! What was typed, exactly as typed. Nothing here touches files or knows whether it makes sense.
//!
//! ```text
//! run      commands that play a configuration
//! bots     commands about one bot
//! folders  commands that read the folder of a run
//! class    awale class
//! shard    awale shard and awale merge
//! endgame  awale endgame
//! openings awale openings
//! live     awale serve and awale worker
//! tools    all others
//! ```

mod bots;
mod class;
mod endgame;
mod folders;
mod league;
#[cfg(feature = "nats")]
mod live;
mod openings;
mod run;
mod shard;
mod tools;

use crate::bot::Level;
use crate::log::VARIABLE;
use clap::{Args, Parser, Subcommand};
use std::time::Duration;
use tracing::level_filters::LevelFilter;

use bots::{ADAPTER_HELP, PLAY_HELP, REPLAY_TO_BOT_HELP};
pub use bots::{
    AdapterArguments, AdapterProtocol, BotArguments, CheckArguments, DoctorArguments,
    PersonArguments, ReplayToBotArguments,
};
pub use class::{
    ClassArguments, ClassCommand, ExportArguments, ImportArguments, NewCourseArguments,
};
pub use endgame::{
    BuildArguments, DatabaseArguments, EndgameArguments, EndgameCommand, EndgameTableArguments,
    EndgameVerifyArguments, ProbeArguments, PuzzlesArguments,
};
pub use folders::{
    AnalyseArguments, ExportFormat, ExportGamesArguments, FaultsArguments, RepairArguments,
    ReplayArguments, ReportArguments, TableArguments, VerifyArguments,
};
use folders::{EXPORT_HELP, REPLAY_HELP};
use league::LEAGUE_HELP;
pub use league::{LeagueArguments, LeagueCommand, LeaguePlayArguments};
#[cfg(feature = "nats")]
pub use live::{ServeArguments, WorkerArguments};
pub use openings::{MakeOpeningsArguments, OpeningsArguments, OpeningsCommand};
use run::DUEL_HELP;
pub use run::{DuelArguments, PlayArguments, RunArguments, SprtArguments, TuneArguments};
pub use shard::{MergeArguments, ShardArguments};
pub use tools::{
    CompletionsArguments, InitArguments, PairsNeededArguments, PerftArguments, RateArguments,
    SchemaArguments,
};
use tools::{INIT_HELP, RATE_HELP};

/// A tournament harness for bots that play awalé (oware).
#[derive(Debug, Parser)]
#[command(name = "awale", version, about, max_term_width = 100)]
pub struct Arguments {
    /// Log to standard error what happens inside: error, warn, info, debug or trace
    #[arg(long, global = true, value_name = "LEVEL", env = VARIABLE, default_value = "off")]
    #[arg(
        hide_default_value = true,
        hide_env_values = true,
        display_order = 1000
    )]
    pub log: LevelFilter,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Write a first configuration, or a starter bot
    #[command(after_help = INIT_HELP)]
    Init(InitArguments),
    /// Make the folder of a course: configuration, roster, and a hand-out for students
    Class(ClassArguments),
    /// Run or resume a tournament
    Run(RunArguments),
    /// Play a part of a run on any machine, or write the job scripts of a cluster
    #[command(
        after_help = "Exit code: 0 if every pair of the shard has its games, 1 if some stay \
                            open, 2 if the command line or the configuration is wrong or is not \
                            that of the plan, 3 if the machine failed, 130 if interrupted."
    )]
    Shard(ShardArguments),
    /// Take the games of shards into the folder of their run, and write its tables
    #[command(
        after_help = "Exit code: 0 if the run is finished, 1 if pairs are missing or something \
                            was refused, 2 if DIR cannot be that run's, 3 if the machine failed, 130 \
                            if interrupted."
    )]
    Merge(MergeArguments),
    /// Run or resume a tournament whose pairs are played by workers, on any machines
    #[cfg(feature = "nats")]
    #[command(
        after_help = "Exit code: that of awale run, or with --sprt that of awale sprt; 3 if the \
                            NATS server fails."
    )]
    Serve(ServeArguments),
    /// Play pairs of a run that awale serve has, as many as come, until it is over
    #[cfg(feature = "nats")]
    #[command(
        after_help = "Exit code: 0 if the run is over, 1 if this machine gets no more work, 2 if \
                            the command line is wrong, 3 if the machine or the server failed, 130 \
                            if interrupted."
    )]
    Worker(WorkerArguments),
    /// Test whether a new bot is stronger than its base, in as few games as possible
    #[command(
        after_help = "Exit code: 0 passed (H1), 1 failed (H0), 4 inconclusive at max-pairs, 5 a \
                            bot was at fault too often, 2 if the command line or the \
                            configuration is wrong, 3 if the machine failed, 130 if interrupted. \
                            With --pairs and --counts: 0. A ledger \
                            changes no exit code."
    )]
    Sprt(SprtArguments),
    /// Keep a folder of bots that come and go, and play what tells most of their strength
    #[command(after_help = LEAGUE_HELP)]
    League(LeagueArguments),
    /// Find better values for the parameters of a bot, and test them
    #[command(
        after_help = "Exit code: that of the test at the end (awale sprt), 0 if the values end \
                            where they began; 1 if pairs stay open, 2 if the template is wrong, 3 \
                            if the machine failed, 130 if interrupted: the same command goes on."
    )]
    Tune(TuneArguments),
    /// Let two bots play against each other, without a configuration
    #[command(after_help = DUEL_HELP)]
    Duel(DuelArguments),
    /// Play against a bot, in the terminal or in the browser
    #[command(after_help = PLAY_HELP)]
    Play(PersonArguments),
    /// Replay the recorded requests of a fault, or of any game, to a bot, without a clock
    #[command(after_help = REPLAY_TO_BOT_HELP)]
    ReplayToBot(ReplayToBotArguments),
    /// Test which isolation works on this host, promise by promise
    Doctor(DoctorArguments),
    /// Rate the players of a table of games (CSV in any common form, or PGN)
    #[command(after_help = RATE_HELP)]
    Rate(RateArguments),
    /// Compute how many pairs a tournament needs to detect a difference in strength
    PairsNeeded(PairsNeededArguments),
    /// Rebuild the tables and the page of a run from its journal, even while the run plays
    Report(ReportArguments),
    /// Print the standings, who beat whom, and who is stronger; from the journal of any run
    #[command(
        after_help = "Exit code: 0, 2 if DIR is not a run's folder, 3 if the machine failed."
    )]
    Table(TableArguments),
    /// Show a game of a run on a board, ply by ply
    #[command(after_help = REPLAY_HELP)]
    Replay(ReplayArguments),
    /// Show what each move of a game was worth: the seeds that it lost, and the better move
    #[command(
        after_help = "Exit code: 0, 2 if DIR is not a run's folder or has no such game, 3 if the \
                            machine failed."
    )]
    Analyse(AnalyseArguments),
    /// Write the games of a run for other programs: OGN, PGN, JSON lines or CSV
    #[command(after_help = EXPORT_HELP)]
    Export(ExportGamesArguments),
    /// Show the faults of a run and the entrants that were not admitted, each with its cause
    #[command(
        after_help = "Exit code: 0, 2 if DIR is not a run's folder or has no such entrant, 3 if \
                            the machine failed."
    )]
    Faults(FaultsArguments),
    /// Set the damaged lines of a run's journal aside, so that the run can go on
    #[command(
        after_help = "Exit code: 0 repaired, or nothing was damaged, 2 if DIR is not a run's \
                            folder, 3 if a line cannot be replaced or the machine failed."
    )]
    Repair(RepairArguments),
    /// Verify the folder of a run: replay every game and rebuild every table
    #[command(
        after_help = "Exit code: 0 if nothing is wrong, 1 if something is, 2 if DIR is not a run's \
                            folder, 3 if the machine failed, 130 if interrupted."
    )]
    Verify(VerifyArguments),
    /// Play as a house bot (random, greedy, minimax) on standard input and output
    Bot(BotArguments),
    /// Let a program play that speaks another protocol
    #[command(after_help = ADAPTER_HELP)]
    Adapter(AdapterArguments),
    /// Check in some fifty small steps whether a bot, or each entrant of a configuration, is
    /// correct
    #[command(
        after_help = "Exit code: 0 if every step holds, 1 if one does not, 2 if the command \
                            line or the configuration is wrong, 3 if the machine failed, 130 if \
                            interrupted."
    )]
    Check(CheckArguments),
    /// Print a JSON Schema of the configuration, for editors that complete and check, or of the
    /// events of --json
    Schema(SchemaArguments),
    /// Print the completions of a shell, or the manual pages
    Completions(CompletionsArguments),
    /// Solve positions of few seeds, and ask for their values
    Endgame(EndgameArguments),
    /// Make lists of openings
    Openings(OpeningsArguments),
    /// Count the sequences of legal plies from a position
    Perft(PerftArguments),
    /// Apply moves under the rules: one JSON object per line in, one out
    Trace(RuleArguments),
}

/// Rules on a command line.
#[derive(Args, Debug)]
pub struct RuleArguments {
    /// Rule set: awale, abapa, classique, commun, simple, abidjan, junior, awari, codingame
    #[arg(long, value_name = "PRESET", default_value = "awale")]
    pub rules: String,
    /// Override one field of the rules, as in --set grand-slam=capture (repeatable)
    #[arg(long = "set", value_name = "FIELD=VALUE")]
    pub sets: Vec<String>,
}

fn time(text: &str) -> Result<Duration, String> {
    crate::text::parse_time(text)
        .filter(|time| !time.is_zero())
        .ok_or_else(|| "a time is a number with a unit, as in 20ms, 1.5s or 2m".to_owned())
}

fn level(text: &str) -> Result<Level, String> {
    Level::from_name(text).ok_or_else(|| "a level is box, landlock or none".to_owned())
}
