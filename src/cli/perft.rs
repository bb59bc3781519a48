//! `awale perft`: counts on standard output, with the total alone in the last line; times on
//! standard error.

use super::args::PerftArguments;
use super::exit::{Exit, Failure, output_failure, tell};
use super::rule_args;
use crate::rules::{self, Position};
use std::io::{self, Write as _};
use std::time::Instant;

pub fn perft(arguments: &PerftArguments) -> Result<Exit, Failure> {
    let rules = rule_args::rules(&arguments.rules)?;
    let position = match &arguments.position {
        None => Position::START,
        Some(text) => text
            .parse()
            .map_err(|error| Failure::usage(format!("--position {text:?}: {error}")))?,
    };
    let started = Instant::now();
    let parts = if arguments.divide {
        rules::divide(&rules, position, arguments.depth)
    } else {
        Vec::new()
    };
    let total = if arguments.divide && arguments.depth > 0 {
        parts.iter().map(|(_, count)| count).sum()
    } else {
        rules::perft(&rules, position, arguments.depth)
    };
    let seconds = started.elapsed().as_secs_f64();

    let mut out = io::stdout().lock();
    let mut print = || -> io::Result<()> {
        for (pit, count) in &parts {
            writeln!(out, "{pit} {count}")?;
        }
        writeln!(out, "{total}")?;
        out.flush()
    };
    print().map_err(|error| output_failure(&error))?;
    let rate = total as f64 / seconds.max(1e-9) / 1e6;
    tell(&format!(
        "{seconds:.3} s, {rate:.1} million leaves per second"
    ));
    Ok(Exit::Done)
}
