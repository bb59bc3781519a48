//! Limits that a process sets for itself, before it becomes a bot.

use rustix::process::{Resource, Rlimit, setrlimit};
use std::io;

/// Killed before anything else when the host's memory runs out.
pub const FIRST_TO_GO: &str = "1000";

/// Sets a limit for good.
pub fn set_limit(resource: Resource, limit: Option<u64>) -> io::Result<()> {
    let Some(limit) = limit else {
        return Ok(());
    };
    let both = Rlimit {
        current: Some(limit),
        maximum: Some(limit),
    };
    Ok(setrlimit(resource, both)?)
}
