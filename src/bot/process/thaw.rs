//! Letting a family go on that was stopped by signals, where no control group freezes it.
//!
//! A child that is being forked while its parent is stopped and let go again may miss the second of
//! these signals and stay stopped from its birth: the kernel keeps the first for the child, and a
//! SIGCONT that nobody handles does not take it back (`__send_signal_locked`). Its parent may wait
//! for it for ever. So a family that is on turn, and does nothing, is let go once more.

use crate::bot::sandbox::{Freezer, Lifeline};
use rustix::process::{Pid, Signal, kill_process_group};

/// Whom to tell.
#[derive(Debug)]
pub(super) enum Thaw {
    /// The bot's process group.
    Group(Pid),
    /// Process 1 of its box.
    Inner(Lifeline),
}

impl Thaw {
    /// Nothing where no signal stops the family.
    pub(super) fn new(freezer: Freezer, group: Pid, lifeline: &Lifeline) -> Option<Self> {
        match freezer {
            Freezer::Signal => Some(Self::Group(group)),
            Freezer::Inner => lifeline.try_clone().ok().map(Self::Inner),
            Freezer::Group | Freezer::None => None,
        }
    }

    pub(super) fn send(&self) {
        match self {
            Self::Group(group) => drop(kill_process_group(*group, Signal::CONT)),
            Self::Inner(lifeline) => lifeline.thaw(),
        }
    }
}
