//! Why a bot has not answered.

use crate::referee::Stop;
use std::time::Duration;

/// The kernel books what a hypervisor stole at its next tick, which comes 100 times a second at
/// least: so long after a pause its time is known.
pub const BOOKING: Duration = Duration::from_millis(20);

/// Why no line came.
pub enum TalkError {
    /// The process ended or closed a pipe; how it ended is not known yet.
    Ended,
    /// The referee can be told at once.
    Stop(Stop),
}
