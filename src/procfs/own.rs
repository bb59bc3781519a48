//! The mounts and the control groups of this process, as the kernel writes them (proc(5)).

use std::fs;

/// The text of `mountinfo`; empty without `/proc`.
pub fn own_mounts() -> String {
    fs::read_to_string("/proc/self/mountinfo").unwrap_or_default()
}

/// The text of `cgroup`; empty without `/proc`.
pub fn own_control_groups() -> String {
    fs::read_to_string("/proc/self/cgroup").unwrap_or_default()
}
