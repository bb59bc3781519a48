//! How often the kernel counts CPU time.

use std::time::Duration;

/// How often a thread that waits is woken to see how late it is.
pub const TICK: Duration = Duration::from_millis(10);
