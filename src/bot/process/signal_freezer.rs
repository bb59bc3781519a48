//! Stops a family by signals and continues it, where no control group freezes it.
//!
//! A child that is forked while its parent is stopped and continued can miss the SIGCONT and stay
//! stopped from its birth: the kernel keeps the SIGSTOP pending for the child, and a SIGCONT
//! without a handler does not remove it (`__send_signal_locked`). The parent may wait for that
//! child forever. So the referee continues a family once more if it is on turn and does nothing.

use crate::bot::sandbox::{Freezer, StatusChannel};
use crate::log::LogError as _;
use crate::procfs::{family, thread_states};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process_group};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long the referee waits for running threads to stop. Longer than that only those run that are
/// in a long system call.
const LONGEST_STOP: Duration = Duration::from_millis(5);
/// The pause between two looks.
const PAUSE: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 100_000,
};

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
            Self::Group(group) => signal(*group, Signal::STOP),
            Self::Inner(status_channel) => status_channel.freeze(),
        }
    }

    pub fn thaw(&self) {
        match self {
            Self::Group(group) => signal(*group, Signal::CONT),
            Self::Inner(status_channel) => status_channel.thaw(),
        }
    }
}

fn signal(group: Pid, signal: Signal) {
    kill_process_group(group, signal).log_error("stop or continue a bot");
}

/// Waits, in bounded time, until no thread of the family of this process runs or the process has
/// ended; false if a thread still runs. A signal reaches a thread only once a processor heeds it.
/// The caller's thread sleeps meanwhile, because the bot may need its processor in order to stop.
pub fn await_stop(started: i32, holders: usize, exit: impl AsFd) -> bool {
    let runs = |process: i32| thread_states(process).contains(&'R');
    let end = Instant::now() + LONGEST_STOP;
    while family(started).into_iter().skip(holders).any(runs) {
        if Instant::now() >= end {
            return false;
        }
        let _ = poll(&mut [PollFd::new(&exit, PollFlags::IN)], Some(&PAUSE));
    }
    true
}
