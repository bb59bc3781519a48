//! Stopping a family by signals and letting it go on, where no control group freezes it.
//!
//! A child that is being forked while its parent is stopped and let go again may miss the second of
//! these signals and stay stopped from its birth: the kernel keeps the first for the child, and a
//! SIGCONT without a handler does not take it back (`__send_signal_locked`). Its parent may wait
//! for it for ever. So a family that is on turn, and does nothing, is let go once more.

use crate::bot::sandbox::{Freezer, StatusChannel};
use rustix::process::{Pid, Signal, kill_process_group};
use std::sync::Arc;

/// The process that is told.
#[derive(Debug)]
pub enum SignalFreezer {
    /// The bot's process group. Whatever left that group goes on.
    Group(Pid),
    /// Process 1 of its box, which tells all others.
    Inner(Arc<StatusChannel>),
}

impl SignalFreezer {
    /// Nothing where the family is not stopped by signals.
    pub fn new(freezer: Freezer, group: Pid, status_channel: &Arc<StatusChannel>) -> Option<Self> {
        match freezer {
            Freezer::Signal => Some(Self::Group(group)),
            Freezer::Inner => Some(Self::Inner(Arc::clone(status_channel))),
            Freezer::Group | Freezer::None => None,
        }
    }

    pub fn freeze(&self) {
        match self {
            Self::Group(group) => drop(kill_process_group(*group, Signal::STOP)),
            Self::Inner(status_channel) => status_channel.freeze(),
        }
    }

    pub fn thaw(&self) {
        match self {
            Self::Group(group) => drop(kill_process_group(*group, Signal::CONT)),
            Self::Inner(status_channel) => status_channel.thaw(),
        }
    }
}
