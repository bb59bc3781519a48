//! Ends a bot's whole family.

use crate::bot::sandbox::Started;
use rustix::process::{Pid, Signal, kill_process_group};
use std::process::Child;

/// Kills a process group, and its first process too, which may have moved to another group.
pub fn kill(child: &mut Child, group: Pid) {
    let _ = kill_process_group(group, Signal::KILL);
    let _ = child.kill();
}

/// Ends a process that was started and is not used, and waits until it has ended.
pub fn end_unused(started: &mut Started) {
    started.status_channel.cut();
    let group = Pid::from_child(&started.child);
    kill(&mut started.child, group);
    let _ = started.child.wait();
}
