//! The words on the status channel, by which the referee learns how a bot started and ended.

use std::io::{self, Write};

/// The word before the reason why a bot could not be started, on the status channel: the number of
/// the system's error (0 if it is none), what was attempted, and the error's words.
pub const NOT_STARTED: &str = "not-started";

/// The attempt that is the bot's own: everything before it is the host's.
pub const START: &str = "start it";

/// The word that process 1 of a box says once the bot runs.
pub const STARTED: &str = "started";

/// The word before an exit code.
pub const EXITED: &str = "exited";

/// The word before a signal's number.
pub const SIGNALLED: &str = "signalled";

/// Tells the referee why the bot does not run; returns the error.
pub fn report(mut status: impl Write, attempt: &str, error: io::Error) -> io::Error {
    let errno = error.raw_os_error().unwrap_or_default();
    let _ = writeln!(status, "{NOT_STARTED} {errno} {attempt}: {error}");
    error
}
