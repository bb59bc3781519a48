//! `awale endgame`: databases of perfect play with few seeds on the board.
//!
//! ```text
//! work    threads, a progress line, and Ctrl-C for what takes long
//! build   solves positions and writes their file
//! probe   the values of positions
//! table   wins, draws and losses by seeds
//! verify  checks a file
//! puzzles positions in which exactly one move wins
//! ```

mod build;
mod probe;
mod puzzles;
mod table;
mod verify;
mod work;

use super::args::{DatabaseArguments, EndgameArguments, EndgameCommand};
use super::exit::{Exit, Failure};
use super::rule_args;
use crate::endgame_file::{EndgameDatabase, EndgameFileError, build_command, find};
use crate::engine::endgame::MOST_SEEDS;
use crate::rules::RuleSet;
use std::fmt::Display;
use std::io::ErrorKind::NotFound;

pub fn endgame(arguments: &EndgameArguments) -> Result<Exit, Failure> {
    match &arguments.command {
        EndgameCommand::Build(it) => build::build(it),
        EndgameCommand::Probe(it) => probe::probe(it),
        EndgameCommand::Table(it) => table::table(it),
        EndgameCommand::Verify(it) => verify::verify(it),
        EndgameCommand::Puzzles(it) => puzzles::puzzles(it),
    }
}

/// The database that the arguments name, and their rules.
fn database(arguments: &DatabaseArguments) -> Result<(EndgameDatabase, RuleSet), Failure> {
    let rules = rule_args::rules(&arguments.rules)?;
    let database = match &arguments.endgame {
        Some(path) => EndgameDatabase::open_checked(path, &rules),
        None => find(&rules),
    };
    Ok((database?, rules))
}

/// What is wrong where a database has too few seeds, and what to do.
fn too_few(what: impl Display, database: &EndgameDatabase, rules: &RuleSet, seeds: u8) -> Failure {
    if seeds > MOST_SEEDS {
        return Failure::usage(format!("{what}, and databases end at {MOST_SEEDS}"));
    }
    Failure::usage(format!(
        "{what}, and {} goes up to {} seeds: build more with `{}`",
        database.path().display(),
        database.seeds(),
        build_command(rules, seeds)
    ))
}

impl From<EndgameFileError> for Failure {
    fn from(error: EndgameFileError) -> Self {
        match error {
            EndgameFileError::Rules { .. }
            | EndgameFileError::NoCache
            | EndgameFileError::Missing { .. }
            | EndgameFileError::Unfinished { .. }
            | EndgameFileError::Fewer { .. }
            | EndgameFileError::OtherValues { .. }
            | EndgameFileError::Format { .. }
            | EndgameFileError::OtherRules { .. } => Self::usage(error),
            EndgameFileError::Read { error: ref it, .. } if it.kind() == NotFound => {
                Self::usage(error)
            }
            EndgameFileError::Stopped => {
                Self::Interrupted("the same command goes on from what is finished")
            }
            EndgameFileError::Read { .. }
            | EndgameFileError::Damaged { .. }
            | EndgameFileError::InWork { .. }
            | EndgameFileError::Write { .. } => Self::machine(error),
        }
    }
}
