//! Stops a family by signals and continues it, where no control group freezes it.
//!
//! A child that is forked while its parent is stopped and continued can miss the SIGCONT and stay
//! stopped from its birth: the kernel keeps the SIGSTOP pending for the child, and a SIGCONT
//! without a handler does not remove it (`__send_signal_locked`). The parent may wait for that
//! child forever. So the referee continues a family once more if it is on turn and does nothing.

use crate::bot::sandbox::{Freezer, StatusChannel};
use rustix::process::{Pid, Signal, kill_process_group};
use std::sync::Arc;

/// The receiver of the signals.
#[derive(Debug)]
pub enum SignalFreezer {
    /// The bot's process group. Processes that have left the group are not stopped.
    Group(Pid),
    /// Process 1 of the bot's box, which passes the signal to all others.
    Inner(Arc<StatusChannel>),
}

impl SignalFreezer {
    /// `None` where the family is not stopped by signals.
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
