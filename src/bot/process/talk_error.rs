//! Why a bot has not answered.

use crate::referee::Stop;
use std::time::Duration;

/// The kernel books stolen time at its next tick, at least 100 times a second: after this pause the
/// time is known.
pub const BOOKING: Duration = Duration::from_millis(20);

/// Why no line was read.
pub enum TalkError {
    /// The process ended or closed a pipe; the referee does not know yet how it ended.
    Ended,
    /// A verdict that needs no further look.
    Stop(Stop),
}
