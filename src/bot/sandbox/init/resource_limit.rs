//! Limits that a process sets for itself before it becomes a bot, and its out-of-memory score.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::io;

/// The kernel kills such a process before all others when the host's memory runs out.
pub const FIRST_TO_GO: &str = "1000";

/// The limited resources, by their words in the specification.
pub const RESOURCES: [(&str, Resource); 4] = [
    ("processes", Resource::Nproc),
    ("files", Resource::Nofile),
    ("file-bytes", Resource::Fsize),
    ("stack-bytes", Resource::Stack),
];

/// Sets the soft and the hard limit, or the host's hard limit where that is smaller.
pub fn set_limit((resource, limit): (Resource, u64)) -> io::Result<()> {
    let limit = limit.min(getrlimit(resource).maximum.unwrap_or(u64::MAX));
    let both = Rlimit {
        current: Some(limit),
        maximum: Some(limit),
    };
    Ok(setrlimit(resource, both)?)
}
