//! How often a waiting thread is woken.

use std::time::Duration;

/// The time between two wake-ups of a waiting thread, each of which measures its own delay.
pub const TICK: Duration = Duration::from_millis(10);
