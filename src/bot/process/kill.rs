//! Ends a bot's whole family.

use rustix::process::{Pid, Signal, kill_process_group};
use std::process::Child;

/// Kills a group and, since it may have gone to another, its first process.
pub fn kill(child: &mut Child, group: Pid) {
    let _ = kill_process_group(group, Signal::KILL);
    let _ = child.kill();
}
