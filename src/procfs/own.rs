//! The mounts, the control groups and the session of this process, as the kernel shows them
//! (proc(5)).

use super::Stat;
use std::fs;

/// The text of `mountinfo`; empty without `/proc`. Mounts of others can have any names.
pub fn own_mounts() -> String {
    own_file("mountinfo")
}

/// The text of `cgroup`; empty without `/proc`.
pub fn own_control_groups() -> String {
    own_file("cgroup")
}

fn own_file(name: &str) -> String {
    let text = fs::read(format!("/proc/self/{name}")).unwrap_or_default();
    String::from_utf8_lossy(&text).into_owned()
}

/// Whether this process has a terminal or can get one, so that its children would have it too.
/// Only the leader of a session gets one for it (credentials(7)).
pub fn may_have_terminal() -> bool {
    Stat::of_this_process().is_none_or(|stat| may_have_terminal_by(&stat))
}

fn may_have_terminal_by(stat: &Stat) -> bool {
    let leads = || stat.session().is_none() || stat.session() == stat.number();
    stat.has_terminal() != Some(false) || leads()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_member_of_a_session_without_terminal_can_get_none() {
        for (line, may) in [
            ("12 (sh) S 1 12 9 0 -1", false),
            // The leader is outside the namespace.
            ("12 (sh) S 1 12 0 0 -1", false),
            ("12 (sh) S 1 12 9 34816 12", true),
            ("12 (sh) S 1 12 12 0 -1", true),
            ("12 (sh) S 1 12", true),
        ] {
            let stat = Stat::parse(line.as_bytes().to_vec()).unwrap();
            assert_eq!(may_have_terminal_by(&stat), may, "{line}");
        }
    }
}
