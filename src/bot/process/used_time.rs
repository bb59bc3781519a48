//! CPU time between two readings of a clock.

use std::time::Duration;

/// The difference of two readings of a clock.
pub fn used(before: Option<Duration>, now: Option<Duration>) -> Option<Duration> {
    Some(now?.saturating_sub(before?))
}
