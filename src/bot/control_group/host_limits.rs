//! What the control groups around this program allow all of its processes together, and how many
//! processes they have refused. In a container these are the container's limits. Groups above the
//! mount or the namespace of control groups cannot be seen.

use super::control_file::read_count;
use super::hierarchy::hierarchies;
use std::fs;
use std::path::PathBuf;

/// The limits of the groups around this program: the lowest of its own and of all groups above it,
/// and `None` where there is none.
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
