//! The words of the status channel, which tell the referee how a bot started and ended.

use std::io::{self, Write};

/// Begins the reason why a bot could not be started: the system's error number (0 without one),
/// what was attempted, and the error in words.
pub const NOT_STARTED: &str = "not-started";

/// The attempt for which the bot is responsible; for all earlier ones the host is.
pub const START: &str = "start it";

/// Process 1 of a box sends this word once the bot runs.
pub const STARTED: &str = "started";

/// This word precedes an exit code.
pub const EXITED: &str = "exited";

/// This word precedes a signal number.
pub const SIGNALLED: &str = "signalled";

/// Tells the referee why the bot does not run; returns the error.
pub fn report(mut status: impl Write, attempt: &str, error: io::Error) -> io::Error {
    let errno = error.raw_os_error().unwrap_or_default();
    let _ = writeln!(status, "{NOT_STARTED} {errno} {attempt}: {error}");
    error
}
