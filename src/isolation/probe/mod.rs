//! `awale __probe`: a program that tries to break out of its sandbox and reports how far it came.
//! Only the self-test of the isolation starts it, in the same way as a bot.
//!
//! ```text
//! questions  the questions, a line each, and the answers  (shared by both ends)
//! attempts   one function for each attempt
//! children   the processes that it starts: they sleep, tick or try to escape, and then end
//! ```
//!
//! It may run on a host without any sandbox, and must do no harm there. It creates empty files
//! under a name of its own, talks only to listeners that the test has planted, and asks whether
//! processes exist without sending them a signal. Everything that it starts or allocates is bounded
//! in number, size and time. It has no log: standard error is the one of a bot.

mod attempts;
mod children;
mod questions;

pub use attempts::OWN_FILE;
pub use children::COMMAND;
pub use questions::{ProbeAnswer, ProbeQuestion};

use std::ffi::OsString;
use std::io::{BufRead as _, Write as _};
use std::process::ExitCode;
/// The role that answers questions.
pub const SERVE: &str = "serve";

/// Plays the role in `words`, the arguments after [`COMMAND`]: its name and the mark of the test,
/// by which the host recognises its processes.
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
