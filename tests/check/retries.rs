//! What fails on time alone is tried again, and said so: a host that was slow for a moment turns
//! no step red, and a bot that hangs is not acquitted by a new process.

use super::{Report, SHORT, all_at_once, check, small_bot};
use crate::support::skip::is_here;
use std::path::Path;

/// Hangs once, when this happens, and never again: the first time leaves a mark. It wakes up now and
/// then, because a bot that only sleeps is not tried again.
fn hangs_once(folder: &Path, name: &str, when: &str) -> String {
    let mark = folder.join(format!("{name}.mark"));
    let mark = mark.display();
    let hang = format!(
        "import os, time\n    if {when} and not os.path.exists(r'{mark}'):\n        \
         open(r'{mark}', 'w').close(); any(time.sleep(0.1) for _ in range(600))\n    \
         kind = message[\"type\"]"
    );
    small_bot(folder, name, &[("kind = message[\"type\"]", &hang)])
}

/// When a bot hangs, and in which step that is.
const MOMENTS: [(&str, &str); 4] = [
    ("message['type'] == 'hello'", "hello"),
    ("message['type'] == 'turn'", "first-move"),
    ("message['type'] == 'turn' and games == 2", "second-game"),
    ("message['type'] == 'quit'", "quit"),
];

pub fn a_moment_of_the_hosts_turns_nothing_red() {
    if !is_here("python3") {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    all_at_once(
        &MOMENTS,
        |(when, _)| (*when).to_owned(),
        |(when, id)| {
            let bot = hangs_once(folder.path(), id, when);
            let report = Report::of(&bot, &[&SHORT[..], &["--only", id]].concat());
            let step = report.step(id);
            let earlier = step["earlier"][0].as_str().unwrap_or_default();
            let is_told = earlier.contains("no answer") || earlier.contains("went on running");
            if report.code == Some(0) && step["tries"] != 1 && is_told {
                Ok(())
            } else {
                Err(format!("{:?} {step:#}", report.code))
            }
        },
    );
}

pub fn people_are_told_of_every_try() {
    if !is_here("python3") {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let bot = hangs_once(folder.path(), "told", "message['type'] == 'hello'");
    let output = check(&[&[&bot, "--only", "hello"], &SHORT[..]].concat());
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{shown}");
    for line in [
        " 2 ok   answers hello with ready (small)\n",
        "\n          again tried 2 times: ",
        "\n          try 1 timeout: no answer after ",
        "\nonly slow at first, and right when tried again: step 2;",
    ] {
        assert!(shown.contains(line), "{line:?} is not in\n{shown}");
    }
}
