//! Times on a command line.

use std::time::Duration;

pub fn time(text: &str) -> Result<Duration, String> {
    crate::text::parse_time(text)
        .filter(|time| !time.is_zero())
        .ok_or_else(|| "a time is a number with a unit, as in 20ms, 1.5s or 2m".to_owned())
}
