//! The log: what a developer of this program wants to know, and a user does not. It is off unless
//! [`VARIABLE`] or `--log` names a level; `cli` listens and writes it to standard error.
//!
//! Events and spans are those of `tracing`. This file adds one thing: an error that the program can
//! do without is not dropped silently, but told at the level `debug`.

use std::fmt::Display;
use std::panic::Location;
use tracing::debug;

/// The environment variable that names the level, for this process and those that it becomes.
pub const VARIABLE: &str = "AWALE_LOG";

/// What is done with an error that changes nothing for the caller.
pub trait LogError {
    /// Tells the log what could not be done.
    #[track_caller]
    fn log_error(self, attempt: &str);
}

impl<T, E: Display> LogError for Result<T, E> {
    fn log_error(self, attempt: &str) {
        if let Err(error) = self {
            debug!("cannot {attempt}: {error} ({})", Location::caller());
        }
    }
}
