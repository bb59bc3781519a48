//! Kills all descendants of this process, for a guardian without a namespace: as subreaper it
//! inherits whoever has lost its parent, so that nobody leaves its family.

use super::outside::reap;
use rustix::process::{Pid, PidfdFlags, Signal, getpid, pidfd_open, pidfd_send_signal};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::thread;
use std::time::{Duration, Instant};

/// How long is tried: longer than any killed process takes that the kernel lets die.
const PATIENCE: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(1);

/// Kills again and again until nobody is left.
pub(super) fn kill_all() {
    let end = Instant::now() + PATIENCE;
    while !reap(|_, _| {}) && Instant::now() < end {
        kill_once();
        thread::sleep(PAUSE);
    }
}

fn kill_once() {
    let found = descendants();
    let open = |pid: &i32| {
        let process = pidfd_open(Pid::from_raw(*pid)?, PidfdFlags::empty());
        Some((*pid, process.ok()?))
    };
    let held: Vec<_> = found.iter().filter_map(open).collect();
    // A number may have gone to a stranger before it was held. If it is one of ours now, then who
    // is held either is ours or is dead.
    let still = descendants();
    for (pid, process) in held {
        if still.contains(&pid) {
            let _ = pidfd_send_signal(&process, Signal::KILL);
        }
    }
}

fn descendants() -> BTreeSet<i32> {
    let mut children: BTreeMap<i32, Vec<i32>> = BTreeMap::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(pid) = name.to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        let line = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        // After the program's name, which may hold anything: the state, then the parent.
        let fields = line.rsplit_once(')').map_or("", |(_, fields)| fields);
        let parent = fields.split_whitespace().nth(1);
        if let Some(parent) = parent.and_then(|parent| parent.parse().ok()) {
            children.entry(parent).or_default().push(pid);
        }
    }
    let mut found = BTreeSet::new();
    let mut open = vec![getpid().as_raw_pid()];
    while let Some(parent) = open.pop() {
        for child in children.remove(&parent).unwrap_or_default() {
            found.insert(child);
            open.push(child);
        }
    }
    found
}
