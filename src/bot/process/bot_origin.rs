//! Where a process comes from, for messages about its end.

use crate::bot::sandbox::SandboxedBot;
use std::path::PathBuf;

/// What messages about the end of a process need of its bot.
#[derive(Debug)]
pub struct BotOrigin {
    /// The program and its folder, for messages.
    pub place: String,
    /// The program on the host.
    pub program: PathBuf,
    /// Its folder, as the program sees it.
    pub directory: PathBuf,
    /// Its limit of memory, in bytes.
    pub memory_limit: u64,
}

impl BotOrigin {
    pub fn of(sandboxed_bot: &SandboxedBot) -> Self {
        Self {
            place: sandboxed_bot.place().to_owned(),
            program: sandboxed_bot.program().to_owned(),
            directory: sandboxed_bot.directory().to_owned(),
            memory_limit: sandboxed_bot.limits().memory_bytes,
        }
    }
}
