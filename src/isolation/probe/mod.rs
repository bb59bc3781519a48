//! `awale __probe`: a program that wants out of its sandbox and says how far it came. It is started
//! like a bot, by the live test of the isolation, and no other way.
//!
//! ```text
//! questions  what it is asked, a line each, and what it answers  (both ends know them)
//! attempts   one function for each thing that it tries
//! children   the processes that it starts: they sleep, tick or look for a way out, and end alone
//! ```
//!
//! It may be let loose on a host without any sandbox, and must do no harm there: it makes empty
//! files under a name of its own, talks only to what the test has planted, asks whether processes
//! are there and sends them nothing, and all that it starts or takes is bounded in number, size
//! and time by itself.

mod attempts;
mod children;
mod questions;

pub use children::COMMAND;
pub use questions::{ProbeAnswer, ProbeQuestion};

use std::ffi::OsString;
use std::io::{BufRead as _, Write as _};
use std::process::ExitCode;
/// The part that answers questions.
pub const SERVE: &str = "serve";

/// Plays the part in `words`, the arguments after [`COMMAND`]: its name and the mark of the test,
/// by which the host knows each process of it.
pub fn main(words: &[OsString]) -> ExitCode {
    let mut words = words.iter().map(|word| word.to_str());
    let (Some(Some(part)), Some(Some(mark))) = (words.next(), words.next()) else {
        return ExitCode::from(2);
    };
    if part != SERVE {
        return children::play(part, mark);
    }
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let Some(question) = line.ok().and_then(|line| serde_json::from_str(&line).ok()) else {
            return ExitCode::from(2);
        };
        let answer = attempts::attempt(&question, mark);
        let answer = serde_json::to_string(&answer).expect("an answer is JSON");
        if writeln!(out, "{answer}")
            .and_then(|()| out.flush())
            .is_err()
        {
            break;
        }
    }
    ExitCode::SUCCESS
}
