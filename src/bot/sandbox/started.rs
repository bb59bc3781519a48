//! The result of starting a bot.

use super::StatusChannel;
use crate::bot::control_group::ControlGroup;
use crate::bot::sandbox::level::Level;
use std::path::PathBuf;
use std::process::Child;

/// A process that was just started.
#[derive(Debug)]
pub struct Started {
    pub child: Child,
    pub status_channel: StatusChannel,
    pub group: Option<ControlGroup>,
    /// A folder for temporary files. The caller removes it after the process has ended.
    pub temporary: Option<PathBuf>,
    pub level: Level,
    pub freezer: Freezer,
}

/// How a bot that is not on turn is kept from computing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freezer {
    /// Nothing stops it.
    None,
    /// The kernel freezes its control group.
    Group,
    /// Process 1 of its box stops all others.
    Inner,
    /// A signal stops its process group; processes that left that group are not stopped.
    Signal,
}
