//! Limits that a process sets for itself before it becomes a bot, and how soon the kernel kills it.

use rustix::process::{Resource, Rlimit, setrlimit};
use std::io;

/// Killed before anything else when the host's memory runs out.
pub const FIRST_TO_GO: &str = "1000";

/// The resources that a bot is limited in, by the words that say so.
pub const RESOURCES: [(&str, Resource); 4] = [
    ("processes", Resource::Nproc),
    ("files", Resource::Nofile),
    ("file-bytes", Resource::Fsize),
    ("stack-bytes", Resource::Stack),
];

/// Sets a limit for good.
pub fn set_limit((resource, limit): (Resource, u64)) -> io::Result<()> {
    let both = Rlimit {
        current: Some(limit),
        maximum: Some(limit),
    };
    Ok(setrlimit(resource, both)?)
}
