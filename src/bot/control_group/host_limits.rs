//! What the control groups around this program allow all of its processes together, how many
//! processes they have refused, and how long a quota kept all of them from the processors. In a
//! container these are the container's limits. Groups above the mount or the namespace of control
//! groups cannot be seen.

use crate::bot::control_group::hierarchy::{count_in, hierarchies, read_count, throttling_files};
use std::fs::{self, File};
use std::os::unix::fs::FileExt as _;
use std::path::PathBuf;
use std::time::Duration;

/// The limits of the groups around this program: the lowest of its own and of all groups above it;
/// `None` means no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HostLimits {
    /// Bytes of memory.
    pub memory_bytes: Option<u64>,
    /// Processes and threads.
    pub processes: Option<u64>,
}

impl HostLimits {
    /// Those of this process.
    pub fn of_this_process() -> Self {
        Self::of(&own_places())
    }

    /// Those of groups in these folders.
    pub(super) fn of(places: &[PathBuf]) -> Self {
        // A group without a limit has the word `max` (version 2), or a number above all others.
        let least = |names: &[&str]| {
            let files = places
                .iter()
                .flat_map(|place| names.iter().map(|name| place.join(name)));
            let numbers =
                files.filter_map(|file| fs::read_to_string(file).ok()?.trim().parse().ok());
            numbers.min()
        };
        Self {
            memory_bytes: least(&["memory.limit_in_bytes", "memory.max"]),
            processes: least(&["pids.max"]),
        }
    }
}

/// The groups of this process and all groups above them.
pub fn own_places() -> Vec<PathBuf> {
    let found = hierarchies().into_iter();
    found.flat_map(|hierarchy| hierarchy.places).collect()
}

/// How many processes and threads the limits of groups in these folders have refused so far.
pub fn refused_by(places: &[PathBuf]) -> u64 {
    // From Linux 6.11 on `pids.events` of version 2 includes the groups below; before, and with
    // version 1, it counts the members that were refused by this limit or one above.
    let refused = places.iter().filter_map(|place| {
        let local = read_count(&place.join("pids.events.local"), "max");
        local.or_else(|| read_count(&place.join("pids.events"), "max"))
    });
    refused.sum()
}

/// The quotas that apply to this process.
#[derive(Debug)]
pub struct Throttling(Vec<File>);

impl Throttling {
    /// The quotas of this process, whose groups must not change afterwards.
    pub fn of_this_process() -> Self {
        let has_quota = |file: &File| read(file).is_some_and(|(periods, _)| periods > 0);
        Self(throttling_files().into_iter().filter(has_quota).collect())
    }

    /// How long the groups were throttled so far. Only differences have a meaning.
    pub fn total(&self) -> Duration {
        let times = self.0.iter().filter_map(read);
        times.map(|(_, time)| time).sum()
    }
}

fn read(file: &File) -> Option<(u64, Duration)> {
    let mut text = [0; 1024];
    let length = file.read_at(&mut text, 0).ok()?;
    parse(std::str::from_utf8(&text[..length]).ok()?)
}

/// The number of quota periods, and the throttled time: `throttled_time` in ns with version 1,
/// `throttled_usec` in µs with version 2.
fn parse(text: &str) -> Option<(u64, Duration)> {
    let number = |name: &str| count_in(text, name);
    let of_one = || number("throttled_time").map(Duration::from_nanos);
    let of_two = || number("throttled_usec").map(Duration::from_micros);
    Some((number("nr_periods")?, of_one().or_else(of_two)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_versions_are_understood() {
        let one = "nr_periods 7\nnr_throttled 2\nthrottled_time 3000000\n";
        let two = "usage_usec 5\nnr_periods 0\nnr_throttled 0\nthrottled_usec 4000\n";
        assert_eq!(parse(one), Some((7, Duration::from_millis(3))));
        assert_eq!(parse(two), Some((0, Duration::from_millis(4))));
        assert_eq!(parse("usage_usec 5\n"), None);
        assert!(Throttling::of_this_process().total() < Duration::MAX);
    }
}
