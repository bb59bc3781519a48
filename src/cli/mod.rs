//! The commands: the user's words in, exit codes out. This room may use every other room; no other
//! room uses it.
//!
//! ```text
//! args       the words as typed (clap)
//! log        the log on standard error
//! exit       exit codes, and the failure type that reaches `main`, with the lines of a
//!            configuration that it is about
//! rule_args  --rules and --set, for the commands that take only rules
//! init       awale init: a first configuration, a first bot
//! class      awale class: the folder of a course
//! run        awale run: play or resume
//! shard      awale shard: a part of a run, on any machine
//! merge      awale merge: the games of shards become a run's
//! serve      awale serve: a run whose pairs other machines play
//! worker     awale worker: plays pairs of such a run
//! league     awale league: a folder of bots that come and go
//! duel       awale duel: two bots, without a configuration
//! play       awale play: a person against a bot
//! sprt       awale sprt: is the new version stronger?
//! tune       awale tune: better values for the parameters of a bot
//! replay_to_bot           awale replay-to-bot: sends the requests of a run to a bot again
//! check      awale check: is a bot correct?
//! rate       awale rate: the joint fit of a table of games
//! pairs_needed            awale pairs-needed: how many pairs show a difference
//! repair     awale repair: sets damaged lines of a journal aside
//! entrant_named  the entrant that a user names
//! export     awale export: the games of a run for other programs
//! output_file  the file that --output names
//! faults     awale faults: what went wrong in a run, for the authors of the bots
//! report     awale report: the tables of a run, made again from its journal
//! table      awale table: the same on the terminal alone
//! replay     awale replay: a game of a run on a board
//! analyse    awale analyse: what each move of a game was worth
//! board      a position as a drawn board
//! verify     awale verify: is a run's folder consistent?
//! match_json  the two-entrant summary for programs
//! doctor     awale doctor: which isolation holds here
//! house_bot  awale bot: the house players as bots
//! adapter    awale adapter: programs that speak other protocols as bots
//! endgame    awale endgame: databases of perfect play
//! openings   awale openings: lists of even openings
//! schema     awale schema: a JSON Schema of the configuration
//! completions             awale completions: for shells, and manual pages
//! terminal_table          tables for a terminal
//! paint                   its colours
//! perft, trace            the rules on standard input and output
//! ```

mod adapter;
mod analyse;
mod args;
mod board;
mod check;
mod class;
mod completions;
mod doctor;
mod duel;
mod endgame;
mod entrant_named;
mod exit;
mod export;
mod faults;
mod house_bot;
mod init;
mod league;
mod log;
mod match_json;
mod merge;
mod openings;
mod output_file;
mod paint;
mod pairs_needed;
mod perft;
mod play;
mod rate;
mod repair;
mod replay;
mod replay_to_bot;
mod report;
mod rule_args;
mod run;
mod schema;
#[cfg(feature = "nats")]
mod serve;
mod shard;
mod sprt;
mod table;
mod terminal_table;
mod trace;
mod tune;
mod verify;
#[cfg(feature = "nats")]
mod worker;

pub use exit::{Exit, Failure};

use crate::bot::{ADAPTER, init as bot_init};
use crate::isolation::probe;
use crate::isolation::supervisor::{self, CommandLine, Entered, Guard, Role};
use args::{Arguments, Command, LeagueArguments, LeagueCommand};
use clap::Parser as _;
use std::process::ExitCode;

/// Runs the program with the arguments of the process. Only this function prints errors.
pub fn main() -> ExitCode {
    supervisor::unblock_signals();
    // The hidden commands that start bots need nothing of clap.
    let mut words = std::env::args_os().skip(1);
    match words.next() {
        Some(word) if word == bot_init::COMMAND => {
            return bot_init::main(words.collect(), std::env::vars_os().collect());
        }
        Some(word) if word == probe::COMMAND => {
            return probe::main(&words.collect::<Vec<_>>());
        }
        _ => {}
    }
    // The kernel names a process after the file that it executes, which is a link for our own ones.
    let _ = rustix::thread::set_name(c"awale");
    let line = CommandLine::own();
    if matches!(line.role, Role::Gate { .. } | Role::FirstProcess { .. }) {
        log::begin(log::inherited_level());
    }
    if let Some(code) = supervisor::between(&line) {
        return code;
    }
    // clap prints usage errors itself and exits with 2, like this program.
    let arguments = Arguments::parse_from(&line.words);
    log::begin(arguments.log);
    // This copy is in boxes of bots that must not play with our search.
    let is_adapter = std::env::current_exe().is_ok_and(|it| it.ends_with(ADAPTER));
    if is_adapter && !matches!(arguments.command, Command::Adapter(_)) {
        exit::tell("error: this copy of awale is an adapter and nothing else");
        return Exit::Usage.into();
    }
    match dispatch(&arguments, line) {
        Ok(code) => code,
        Err(failure) => {
            failure.print();
            failure.exit().into()
        }
    }
}

/// Runs a command that starts bots.
fn supervised(
    line: CommandLine,
    command: impl FnOnce(&Guard) -> Result<Exit, Failure>,
) -> Result<ExitCode, Failure> {
    match supervisor::enter(line, exit::tell).map_err(Failure::machine)? {
        Entered::Inside(guard) => command(&guard).map(ExitCode::from),
        Entered::Ended(code) => Ok(ExitCode::from(code)),
    }
}

fn dispatch(arguments: &Arguments, line: CommandLine) -> Result<ExitCode, Failure> {
    let exit = match &arguments.command {
        Command::Run(it) if it.play.plays() => {
            return supervised(line, |guard| run::run(it, guard, None));
        }
        Command::Sprt(it) if it.plays() => {
            return supervised(line, |guard| sprt::sprt(it, guard, None));
        }
        Command::Tune(it) => return supervised(line, |guard| tune::tune(it, guard)),
        #[cfg(feature = "nats")]
        Command::Serve(it) => return supervised(line, |guard| serve::serve(it, guard)),
        #[cfg(feature = "nats")]
        Command::Worker(it) => return supervised(line, |guard| worker::worker(it, guard)),
        Command::Duel(it) if it.play.plays() => {
            return supervised(line, |guard| duel::duel(it, guard));
        }
        Command::League(LeagueArguments {
            command: LeagueCommand::Play(it),
        }) => return supervised(line, |guard| league::play(it, guard)),
        Command::League(it) => league::league(&it.command),
        Command::Shard(it) if it.write_plan.is_none() => {
            return supervised(line, |guard| shard::shard(it, guard));
        }
        Command::Play(it) => return supervised(line, |guard| play::play(it, guard)),
        Command::Check(it) => return supervised(line, |guard| check::check(it, guard)),
        Command::Doctor(it) => return supervised(line, |guard| doctor::doctor(it, guard)),
        Command::Verify(it) if it.replay.is_some() => {
            return supervised(line, |guard| verify::verify(it, Some(guard)));
        }
        Command::Shard(it) => shard::write(it),
        Command::Merge(it) => merge::merge(it),
        Command::Init(it) => init::init(it),
        Command::Class(it) => class::class(it),
        Command::Run(it) => run::describe(it),
        Command::Sprt(it) => sprt::describe(it),
        Command::Duel(it) => duel::describe(it),
        Command::ReplayToBot(it) => replay_to_bot::replay_to_bot(it),
        Command::Rate(it) => rate::rate(it),
        Command::PairsNeeded(it) => pairs_needed::pairs_needed(it),
        Command::Repair(it) => repair::repair_folder(it),
        Command::Export(it) => export::export(it),
        Command::Faults(it) => faults::faults(it),
        Command::Report(it) => report::report(it),
        Command::Table(it) => table::table(it),
        Command::Replay(it) => replay::replay(it),
        Command::Analyse(it) => analyse::analyse(it),
        Command::Verify(it) => verify::verify(it, None),
        Command::Bot(it) => house_bot::bot(it),
        Command::Adapter(it) => adapter::adapter(it),
        Command::Schema(it) => schema::schema(it),
        Command::Completions(it) => completions::completions(it),
        Command::Endgame(it) => endgame::endgame(it),
        Command::Openings(it) => openings::openings(it),
        Command::Perft(it) => perft::perft(it),
        Command::Trace(it) => trace::trace(it),
    };
    exit.map(ExitCode::from)
}
