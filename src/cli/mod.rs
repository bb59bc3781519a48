//! The commands: words of the user in, exit codes out. Knows every room; no room knows it.
//!
//! ```text
//! args       what was typed, exactly as typed (clap)
//! exit       exit codes and the one kind of failure that reaches `main`
//! rule_args  --rules and --set, for the commands that take only rules
//! perft, trace            the rules on standard input and output
//! ```

mod args;
mod exit;
mod perft;
mod rule_args;
mod trace;

pub use exit::{Exit, Failure};

use args::{Arguments, Command};
use clap::Parser as _;
use std::process::ExitCode;

/// Runs the program with the arguments of the process. Errors are printed here and nowhere else.
pub fn main() -> ExitCode {
    // clap prints usage errors itself and exits with 2, as this program does everywhere.
    let outcome = dispatch(Arguments::parse());
    match outcome {
        Ok(exit) => exit.into(),
        Err(failure) => {
            failure.print();
            failure.exit().into()
        }
    }
}

fn dispatch(arguments: Arguments) -> Result<Exit, Failure> {
    match arguments.command {
        Command::Perft(arguments) => perft::perft(&arguments),
        Command::Trace(arguments) => trace::trace(&arguments),
    }
}
