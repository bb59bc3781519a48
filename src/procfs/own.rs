//! The mounts, the control groups and the session of this process, as the kernel shows them
//! (proc(5)).

use super::Stat;
use std::fs;

/// The text of `mountinfo`; empty without `/proc`.
pub fn own_mounts() -> String {
    fs::read_to_string("/proc/self/mountinfo").unwrap_or_default()
}

/// The text of `cgroup`; empty without `/proc`.
pub fn own_control_groups() -> String {
    fs::read_to_string("/proc/self/cgroup").unwrap_or_default()
}

/// Whether this process has a terminal or can get one, so that its children would have it too.
/// Only the leader of a session gets one for it (credentials(7)).
pub fn may_have_terminal() -> bool {
    let number = i32::try_from(std::process::id()).unwrap_or(0);
    let stat = Stat::of(number);
    let leads = |stat: &Stat| stat.session().is_none_or(|leader| leader == number);
    stat.is_none_or(|stat| stat.has_terminal() != Some(false) || leads(&stat))
}
