//! Control groups that systemd gives to ordinary users: where there is no systemd, by the command
//! line that it would get.

use super::story::{Story, as_ordinary_user};
use crate::support::skip::{skip, test_name};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// Notes its words, and does what the real one would do with them, or not.
fn systemd_run(notes: &Path, works: bool) -> String {
    let notes = notes.display();
    let run = if works {
        "while [ \"$1\" != -- ]; do shift; done; shift; exec \"$@\""
    } else {
        "echo 'Failed to connect to bus' >&2; exit 1"
    };
    format!("#!/bin/sh\necho \"$*\" >>{notes}\n{run}\n")
}

#[test]
fn an_ordinary_user_gets_a_scope_where_systemd_gives_one() {
    for works in [true, false] {
        let story = Story::new();
        let place = story.path("");
        let notes = story.path("notes");
        fs::write(story.path("systemd-run"), systemd_run(&notes, works)).expect("a script");
        story.copy_awale();
        fs::write(&notes, "").expect("a file");
        for (name, mode) in [("", 0o777), ("systemd-run", 0o755), ("notes", 0o666)] {
            let mode = fs::Permissions::from_mode(mode);
            fs::set_permissions(story.path(name), mode).expect("a mode");
        }
        let Some(mut command) = as_ordinary_user(story.path("awale")) else {
            return;
        };
        let said = command
            .args(["doctor", "--json"])
            .env("PATH", format!("{}:/usr/bin:/bin", place.display()))
            .env("HOME", &place)
            .output()
            .expect("awale starts");
        let diagnosis: serde_json::Value =
            serde_json::from_slice(&said.stdout).expect("a diagnosis");
        if diagnosis["control_groups"] != serde_json::json!([]) {
            let reason = "this user makes control groups without help";
            return skip(&test_name(), reason);
        }
        let scope = "--user --scope --quiet -p Delegate=yes --";
        let again = format!("{scope} {} doctor --json", story.path("awale").display());
        let notes = fs::read_to_string(&notes).expect("notes");
        let asked: Vec<&str> = notes.lines().collect();
        let tried = format!("{scope} true");
        let expected = if works {
            vec![&*tried, &again]
        } else {
            vec![&*tried]
        };
        assert_eq!(asked, expected);
        let told = String::from_utf8_lossy(&said.stderr);
        let line = "control groups come from systemd-run --user --scope -p Delegate=yes";
        assert_eq!(told.contains(line), works, "{told}");
    }
}
