//! What comes of starting a bot.

use super::StatusChannel;
use crate::bot::control_group::ControlGroup;
use crate::bot::sandbox::level::Level;
use std::path::PathBuf;
use std::process::Child;

/// A process that has just been started.
#[derive(Debug)]
pub struct Started {
    pub child: Child,
    pub status_channel: StatusChannel,
    pub group: Option<ControlGroup>,
    /// A folder for temporary files that outlives the process.
    pub temporary: Option<PathBuf>,
    pub level: Level,
    pub freezer: Freezer,
}

/// How a bot that is not on turn is kept from thinking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freezer {
    /// It is not.
    None,
    /// Its control group is frozen.
    Group,
    /// Process 1 of its box stops all others.
    Inner,
    /// Its process group is stopped; whatever left that group goes on.
    Signal,
}
