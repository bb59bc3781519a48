//! CPU time between two readings of a clock.

use std::time::Duration;

/// What was used between two readings of a clock.
pub fn used(before: Option<Duration>, now: Option<Duration>) -> Option<Duration> {
    Some(now?.saturating_sub(before?))
}
