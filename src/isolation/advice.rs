//! Advice on how to get a stronger level.

use super::mechanism::bubblewrap;
use super::self_test::SelfTest;
use crate::bot::Level;
use std::fs;

/// Settings of the kernel that forbid users to create namespaces: the file, the value that forbids
/// it, and what to do.
const SWITCHES: [(&str, &str, &str); 3] = [
    (
        "kernel/unprivileged_userns_clone",
        "0",
        "user namespaces are for root only: sysctl kernel.unprivileged_userns_clone=1",
    ),
    (
        "user/max_user_namespaces",
        "0",
        "user namespaces are switched off: sysctl user.max_user_namespaces=10000",
    ),
    (
        "kernel/apparmor_restrict_unprivileged_userns",
        "1",
        "AppArmor keeps programs from user namespaces: install the profile bwrap-userns-restrict \
         (package apparmor-profiles), or sysctl kernel.apparmor_restrict_unprivileged_userns=0",
    ),
];

/// Advice on levels that do not hold, a line each.
pub fn advice(self_tests: &[SelfTest]) -> Vec<String> {
    let setting = |name: &str| fs::read_to_string(format!("/proc/sys/{name}")).ok();
    let has_bubblewrap = bubblewrap().is_some();
    advise(self_tests, has_bubblewrap, setting)
}

fn advise(
    self_tests: &[SelfTest],
    has_bubblewrap: bool,
    setting: impl Fn(&str) -> Option<String>,
) -> Vec<String> {
    let holds = |level| {
        self_tests
            .iter()
            .any(|self_test| self_test.level == level && self_test.holds())
    };
    let tried = |level| self_tests.iter().any(|self_test| self_test.level == level);
    let mut lines = Vec::new();
    if tried(Level::Box) && !holds(Level::Box) {
        if !has_bubblewrap {
            lines.push(
                "for box: install bubblewrap (Debian, Ubuntu, Fedora, Arch: package bubblewrap)"
                    .to_owned(),
            );
        }
        let switched = SWITCHES
            .iter()
            .filter(|(name, value, _)| setting(name).is_some_and(|found| found.trim() == *value));
        let before = lines.len();
        lines.extend(switched.map(|(_, _, what)| format!("for box: {what}")));
        if has_bubblewrap && lines.len() == before {
            lines.push(
                "for box: see whether `bwrap --ro-bind / / --unshare-all true` works; in a \
                 container, allow user namespaces and mounts; a bwrap that is a script or changed \
                 by hand is none"
                    .to_owned(),
            );
        }
    }
    if tried(Level::Landlock) && !holds(Level::Landlock) {
        lines.push(
            "for landlock: a kernel of 5.13 or later with CONFIG_SECURITY_LANDLOCK, and landlock \
             in its list of modules (boot with lsm=landlock,…)"
                .to_owned(),
        );
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_names_what_stands_in_the_way() {
        let failed = [SelfTest::failed(Level::Box, "no")];
        let cases: [(bool, &str, &str, &str); 5] = [
            (false, "", "", "install bubblewrap"),
            (true, "", "", "see whether"),
            (
                true,
                "kernel/unprivileged_userns_clone",
                "0\n",
                "kernel.unprivileged_userns_clone=1",
            ),
            (
                true,
                "user/max_user_namespaces",
                "0\n",
                "user.max_user_namespaces",
            ),
            (
                true,
                "kernel/apparmor_restrict_unprivileged_userns",
                "1\n",
                "AppArmor",
            ),
        ];
        for (has_bubblewrap, name, value, words) in cases {
            let setting = |asked: &str| (asked == name).then(|| value.to_owned());
            let lines = advise(&failed, has_bubblewrap, setting);
            assert_eq!(lines.len(), 1, "{lines:?}");
            assert!(lines[0].contains(words), "{words:?} in {lines:?}");
        }
        assert_eq!(advise(&[], false, |_| None), Vec::<String>::new());
        let landlock = advise(&[SelfTest::failed(Level::Landlock, "no")], true, |_| None);
        assert!(landlock[0].contains("CONFIG_SECURITY_LANDLOCK"));
    }
}
