//! Ends a bot's whole family.

use rustix::process::{Pid, Signal, kill_process_group};
use std::process::Child;

/// Kills a process group, and its first process too, which may have moved to another group.
pub fn kill(child: &mut Child, group: Pid) {
    let _ = kill_process_group(group, Signal::KILL);
    let _ = child.kill();
}
