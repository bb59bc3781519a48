//! What a replay prints, and when it waits for its user.

use super::program::RunningBot;
use crate::cli::exit::{self, Failure};
use std::io::BufRead as _;

/// Prints a line.
///
/// # Errors
/// Standard output is closed, or its disk is full.
pub fn say(line: &str) -> Result<(), Failure> {
    exit::say(&format!("{line}\n")).map(drop)
}

/// Gives the user time to attach a debugger before the first request.
///
/// # Errors
/// The terminal cannot be read.
pub fn wait_for_a_debugger(program: &RunningBot) -> Result<(), Failure> {
    say(&format!(
        "process {}: attach a debugger to it, then press Enter here",
        program.process()
    ))?;
    let read = std::io::stdin().lock().skip_until(b'\n');
    let failed = |error| Failure::machine(format!("cannot read from the terminal: {error}"));
    read.map_err(failed).map(drop)
}
