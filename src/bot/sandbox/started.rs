//! What comes of starting a bot.

use super::{Level, StatusChannel};
use crate::bot::control_group::ControlGroup;
use std::path::PathBuf;
use std::process::Child;

/// A process that has just been started.
#[derive(Debug)]
pub(in crate::bot) struct Started {
    pub(in crate::bot) child: Child,
    pub(in crate::bot) lifeline: StatusChannel,
    pub(in crate::bot) group: Option<ControlGroup>,
    /// A folder for temporary files that outlives the process.
    pub(in crate::bot) temporary: Option<PathBuf>,
    pub(in crate::bot) level: Level,
    pub(in crate::bot) freezer: Freezer,
}

/// How a bot that is not on turn is kept from thinking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::bot) enum Freezer {
    /// It is not.
    None,
    /// Its control group is frozen.
    Group,
    /// Process 1 of its box stops all others.
    Inner,
    /// Its process group is stopped; whatever left that group goes on.
    Signal,
}
