//! A bot that takes what all programs of its user share, so that other bots cannot be started.

use super::boxes::{FIRST_LEGAL_LOOP, await_boxes, bubblewrap};
use super::story::{Said, Story, as_user};
use crate::support::awale_command::AWALE;
use std::process::Command;

/// Users of whom no other test has processes.
const OF_DESCRIPTORS: &str = "64187";
const OF_PROCESSES: &str = "64188";
/// Sends copies of a descriptor to itself and never receives them: the kernel counts descriptors
/// on their way for each user.
const FLYING_DESCRIPTORS: &str = r#"
import array, os, socket, sys
ends = socket.socketpair()
null = os.open("/dev/null", os.O_RDONLY)
copies = array.array("i", [null] * 250)
try:
    while True:
        rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, copies)
        ends[0].sendmsg([b"x"], [rights], socket.MSG_DONTWAIT)
except OSError:
    pass
"#;

/// Nobody runs into the clock, however busy the machine is.
const RUN: [&str; 9] = [
    "run",
    "configs/classroom.toml",
    "--quiet",
    "--oversubscribe",
    "--pairs=1",
    "--set=class.house-pairs=1",
    "--output=run",
    "--set=clock.margin=30s",
    "--set=tournament.start-up=60s",
];

/// The shipped classroom with this bot, laid out for an ordinary user.
fn classroom(user: &str, villain: &str) -> Story {
    let story = Story::new();
    let root = env!("CARGO_MANIFEST_DIR");
    for folder in ["bots", "configs"] {
        let copied = Command::new("cp")
            .args(["-r", &format!("{root}/{folder}")])
            .arg(story.path(""))
            .status();
        assert!(copied.expect("coreutils").success());
    }
    std::fs::create_dir(story.path("bots/villain")).unwrap();
    let entrant = "\n[[entrant]]\nname = \"villain\"\ncommand = [\"python3\", \"bot.py\"]\n\
                   dir = \"../bots/villain\"\n";
    let configuration = story.read("configs/classroom.toml") + entrant;
    let bot = format!("{villain}{FIRST_LEGAL_LOOP}");
    story
        .write("configs/classroom.toml", configuration)
        .write("bots/villain/bot.py", bot);
    story.give_to(user);
    story
}

#[test]
fn descriptors_on_their_way_keep_no_other_bot_from_its_start() {
    if bubblewrap().is_none() {
        return;
    }
    for slots in ["1", "2"] {
        let story = classroom(OF_DESCRIPTORS, FLYING_DESCRIPTORS);
        let Some(mut command) = as_user(OF_DESCRIPTORS, AWALE) else {
            return;
        };
        command
            .current_dir(story.path(""))
            .args(RUN)
            .args(["--slots", slots]);
        let said = Said::of(command.output().expect("awale starts")).with_code(0);
        let games = story.read("run/games.csv");
        // Four programs and five yardsticks: 36 pairings.
        assert_eq!(games.lines().count() - 1, 72, "{games}{}", said.stderr);
        let faults = story.read("run/faults.csv");
        assert_eq!(faults.lines().count(), 1, "{faults}");
        let noise = story.read("run/noise.csv");
        assert!(
            !noise.contains("box") && !noise.contains("start"),
            "{noise}"
        );
        await_boxes(&story, 0);
    }
}

/// Starts processes that sleep, until the kernel refuses another one.
const PROCESSES: &str = r"
import os, sys, time
while True:
    try:
        if os.fork() == 0:
            time.sleep(3600)
            os._exit(0)
    except OSError:
        break
";

/// The kernel counts processes for each user, and the limit of this one is small.
#[test]
fn a_bot_whose_end_lets_others_start_again_and_again_is_at_fault() {
    if bubblewrap().is_none() {
        return;
    }
    let story = classroom(OF_PROCESSES, PROCESSES);
    let Some(setpriv) = as_user(OF_PROCESSES, AWALE) else {
        return;
    };
    let mut command = Command::new("prlimit");
    command
        .arg("--nproc=70")
        .arg(setpriv.get_program())
        .args(setpriv.get_args());
    // In an examination it would keep only itself from its start.
    let more = ["--set=admission.mode=off", "--slots", "1"];
    command.current_dir(story.path("")).args(RUN).args(more);
    let said = Said::of(command.output().expect("prlimit of util-linux")).with_code(0);
    let faults = story.read("run/faults.csv");
    let rows: Vec<&str> = faults.lines().skip(1).collect();
    assert!(!rows.is_empty(), "{}", said.stderr);
    let is_his = |row: &&str| row.contains("villain") && row.contains("blocks-starts");
    assert!(rows.iter().all(is_his), "{faults}");
    assert!(!said.stderr.contains("is open"), "{}", said.stderr);
    await_boxes(&story, 0);
}
