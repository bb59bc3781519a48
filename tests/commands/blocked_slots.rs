//! A bot that the kernel does not let die, and so blocks its slot, through the real binary: held by
//! a freezer of version 1 that is not the run's, where SIGKILL waits until the thaw.
//!
//! Tests run in the order of their names. These wait for 45 s, so they must not be the last.

use super::story::{Said, Story};
use crate::support::frozen_process::Frozen;
use crate::support::skip::{skip, test_name};
use rustix::process::Pid;
use std::fs;
use std::process::Child;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A run that takes longer to end hangs.
const HANGS: Duration = Duration::from_secs(600);

/// Waits until something is there.
#[track_caller]
fn until<T>(what: &str, mut find: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + HANGS;
    loop {
        if let Some(found) = find() {
            return found;
        }
        assert!(Instant::now() < end, "not so after {HANGS:?}: {what}");
        sleep(Duration::from_millis(5));
    }
}

/// The Python whose last words are these: on some hosts the command is a script that becomes it,
/// and bears its name for a moment.
fn python_with(words: &str) -> Option<Pid> {
    let entries = fs::read_dir("/proc").expect("/proc").flatten();
    let is_meant = |pid: &i32| {
        let program = fs::read_link(format!("/proc/{pid}/exe")).unwrap_or_default();
        let name = program.file_name().unwrap_or_default().to_string_lossy();
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        name.starts_with("python") && line.trim_end().ends_with(words)
    };
    let mut pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.find(is_meant).and_then(Pid::from_raw)
}

const BOT: &str = "
import sys, time
for line in sys.stdin:
    if '\"turn\"' in line:
        time.sleep(0.02)
        print('{\"type\":\"move\",\"pit\":%s}' % line.split('\"legal\":[')[1][0], flush=True)
    elif '\"hello\"' in line or '\"new-game\"' in line:
        print('{\"type\":\"ready\"}', flush=True)
";

fn story(mark: &str) -> Story {
    let story = Story::new();
    story.write("bot.py", BOT).write(
        "a.toml",
        format!(
            "[tournament]\npairs = 3\nslots = 1\n[clock]\nmove = \"1s\"\n\
             [admission]\nmode = \"off\"\n[isolation]\nlevel = \"none\"\nfreeze = false\n\
             [[entrant]]\nname = \"ada\"\ncommand = [\"python3\", \"bot.py\", \"{mark}\"]\n\
             [[entrant]]\nname = \"bob\"\ncommand = [\"awale\", \"bot\", \"random\"]\n"
        ),
    );
    story
}

const RUN: [&str; 5] = [
    "run",
    "a.toml",
    "--oversubscribe",
    "--i-trust-these-bots",
    "--quiet",
];

#[test]
fn a_run_without_a_slot_ends_and_goes_on_later() {
    let mark = format!("mark-{}", std::process::id());
    let story = story(&mark);
    let mut run: Child = story.start(&RUN);
    let bot = until("the bot runs", || python_with(&mark));
    sleep(Duration::from_millis(100));
    let Some(frozen) = Frozen::with(bot.as_raw_pid()) else {
        run.kill().expect("a child");
        run.wait().expect("its end");
        return skip(
            &test_name(),
            "no freezer of version 1 that this user may write",
        );
    };
    let ended = until("the run ends", || run.try_wait().expect("a child"));
    assert_eq!(ended.code(), Some(3));
    Said::of(run.wait_with_output().expect("an end"))
        .err_has("no slot is left to play on: processes of ada do not end")
        .err_has("(1 process does not end after SIGKILL, state D)")
        .err_has("run the same command again:\n  ")
        .err_has("run a.toml --oversubscribe --i-trust-these-bots")
        .err_has(&format!(
            "does not let them end: {} (python3, state D)",
            bot.as_raw_pid()
        ));
    // It takes its SIGKILL now, and the group goes with it.
    drop(frozen);
    story.ok(&RUN);
    story.ok("verify results/a");
}
