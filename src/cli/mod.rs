//! The commands: the user's words in, exit codes out. This room may use every other room; no other
//! room uses it.
//!
//! ```text
//! args       the words as typed (clap)
//! log        the log on standard error
//! exit       exit codes, and the failure type that reaches `main`
//! config_report           errors of a configuration with their lines
//! rule_args  --rules and --set, for the commands that take only rules
//! init       awale init: a first configuration, a first bot
//! run        awale run: play or resume
//! duel       awale duel: two bots, without a configuration
//! play       awale play: a person against a bot
//! sprt       awale sprt: is the new version stronger?
//! replay_to_bot           awale replay-to-bot: sends the requests of a run to a bot again
//! check      awale check: is a bot correct?
//! rate       awale rate: the joint fit of a table of games
//! pairs_needed            awale pairs-needed: how many pairs show a difference
//! repair     awale repair: sets damaged lines of a journal aside
//! faults     awale faults: what went wrong in a run, for the authors of the bots
//! report     awale report: the tables of a run, made again from its journal
//! table      awale table: the same on the terminal alone
//! replay     awale replay: a game of a run on a board
//! board      a position as a drawn board
//! verify     awale verify: is a run's folder consistent?
//! match_json  the two-entrant summary for programs
//! doctor     awale doctor: which isolation holds here
//! house_bot  awale bot: the house players as bots
//! house_commands          their commands in configurations
//! schema     awale schema: a JSON Schema of the configuration
//! completions             awale completions: for shells, and manual pages
//! terminal_table          tables for a terminal
//! paint                   its colours
//! perft, trace            the rules on standard input and output
//! ```

mod args;
mod board;
mod check;
mod completions;
mod config_report;
mod doctor;
mod duel;
mod exit;
mod faults;
mod house_bot;
mod house_commands;
mod init;
mod log;
mod match_json;
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
mod sprt;
mod table;
mod terminal_table;
mod trace;
mod verify;

pub use exit::{Exit, Failure};

use crate::bot::init as bot_init;
use crate::isolation::probe;
use crate::isolation::supervisor::{self, CommandLine, Entered, Role};
use args::{Arguments, Command};
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
    match dispatch(arguments, line) {
        Ok(code) => code,
        Err(failure) => {
            failure.print();
            failure.exit().into()
        }
    }
}

/// The beginning of every command that starts bots.
fn supervise(line: CommandLine) -> Result<Entered, Failure> {
    supervisor::enter(line, exit::tell).map_err(Failure::machine)
}

fn dispatch(arguments: Arguments, line: CommandLine) -> Result<ExitCode, Failure> {
    let exit = match arguments.command {
        Command::Init(arguments) => init::init(&arguments),
        Command::Run(arguments) if arguments.play.plays() => match supervise(line)? {
            Entered::Inside(guard) => run::run(&arguments, &guard),
            Entered::Ended(code) => return Ok(ExitCode::from(code)),
        },
        Command::Run(arguments) => run::describe(&arguments),
        Command::Sprt(arguments) if arguments.plays() => match supervise(line)? {
            Entered::Inside(guard) => sprt::sprt(&arguments, &guard),
            Entered::Ended(code) => return Ok(ExitCode::from(code)),
        },
        Command::Sprt(arguments) => sprt::describe(&arguments),
        Command::Duel(arguments) if arguments.play.plays() => match supervise(line)? {
            Entered::Inside(guard) => duel::duel(&arguments, &guard),
            Entered::Ended(code) => return Ok(ExitCode::from(code)),
        },
        Command::Duel(arguments) => duel::describe(&arguments),
        Command::Play(arguments) => match supervise(line)? {
            Entered::Inside(guard) => play::play(&arguments, &guard),
            Entered::Ended(code) => return Ok(ExitCode::from(code)),
        },
        Command::ReplayToBot(arguments) => replay_to_bot::replay_to_bot(&arguments),
        Command::Check(arguments) => match supervise(line)? {
            Entered::Inside(guard) => check::check(&arguments, &guard),
            Entered::Ended(code) => return Ok(ExitCode::from(code)),
        },
        Command::Doctor(arguments) => match supervise(line)? {
            Entered::Inside(guard) => doctor::doctor(&arguments, &guard),
            Entered::Ended(code) => return Ok(ExitCode::from(code)),
        },
        Command::Rate(arguments) => rate::rate(&arguments),
        Command::PairsNeeded(arguments) => pairs_needed::pairs_needed(&arguments),
        Command::Repair(arguments) => repair::repair_folder(&arguments),
        Command::Faults(arguments) => faults::faults(&arguments),
        Command::Report(arguments) => report::report(&arguments),
        Command::Table(arguments) => table::table(&arguments),
        Command::Replay(arguments) => replay::replay(&arguments),
        Command::Verify(arguments) if arguments.replay.is_some() => match supervise(line)? {
            Entered::Inside(guard) => verify::verify(&arguments, Some(&guard)),
            Entered::Ended(code) => return Ok(ExitCode::from(code)),
        },
        Command::Verify(arguments) => verify::verify(&arguments, None),
        Command::Bot(arguments) => house_bot::bot(&arguments),
        Command::Schema(arguments) => schema::schema(&arguments),
        Command::Completions(arguments) => completions::completions(&arguments),
        Command::Perft(arguments) => perft::perft(&arguments),
        Command::Trace(arguments) => trace::trace(&arguments),
    };
    exit.map(ExitCode::from)
}
