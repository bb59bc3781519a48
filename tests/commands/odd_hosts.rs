//! Hosts on which something that a run needs changes, is missing or is closed: the program's own
//! file, folders for temporary files, `/proc`. A run goes on, or says what is wrong and what to do.

use super::boxes::boxes_work;
use super::story::{FIRST_LEGAL, Said, Story};
use crate::support::skip::{skip, test_name};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// Two house bots, whose processes begin anew for each game.
const HOUSE: &str = "[tournament]\npairs = 8\nslots = 1\nmax-plies = 8\nrestart = \"each-game\"\n\
    [admission]\nmode = \"off\"\n[isolation]\nlevel = \"LEVEL\"\n\
    [[entrant]]\nname = \"greedy\"\ncommand = [\"awale\", \"bot\", \"greedy\"]\n\
    [[entrant]]\nname = \"random\"\ncommand = [\"awale\", \"bot\", \"random\"]\n";

/// A bot that is a file of its own against a house bot.
const STRANGER: &str = "[tournament]\npairs = 1\nslots = 1\nmax-plies = 8\n\
    [clock]\nmove = \"5s\"\n\
    [[entrant]]\nname = \"ada\"\ncommand = [\"./bot\"]\ndir = \"sub\"\n\
    [[entrant]]\nname = \"random\"\ncommand = [\"awale\", \"bot\", \"random\"]\n";

/// An upgrade removes the file of the program, and another one takes its place: the run plays on
/// with what it began with, and starts nothing of the new file.
#[test]
fn a_run_plays_on_when_its_program_is_replaced() {
    for level in ["none", "landlock", "box"] {
        if level == "box" && !boxes_work() {
            continue;
        }
        let story = Story::new();
        story.copy_awale();
        story.write("a.toml", HOUSE.replace("LEVEL", level));
        let new = format!("#!/bin/sh\ntouch {}\n", story.path("started").display());
        story.write("new", new);
        let runs = fs::Permissions::from_mode(0o755);
        fs::set_permissions(story.path("new"), runs).expect("a program");
        let mut run = Command::new(story.path("awale"));
        run.args(["run", "a.toml", "--quiet"])
            .current_dir(story.path(""));
        run.stderr(Stdio::piped()).stdout(Stdio::piped());
        let mut run = run.spawn().expect("awale starts");
        let journal = || fs::read_to_string(story.path("results/a/games.jsonl"));
        let games = |text: &str| text.matches(r#""kind":"game""#).count();
        while !journal().is_ok_and(|text| games(&text) > 0) {
            assert_eq!(run.try_wait().expect("a child"), None, "{level}");
            sleep(Duration::from_millis(2));
        }
        fs::rename(story.path("new"), story.path("awale")).expect("an upgrade");
        Said::of(run.wait_with_output().expect("an end")).with_code(0);
        let journal = journal().expect("a journal");
        assert_eq!(games(&journal), 16, "{level}");
        assert!(!journal.contains("void"), "{level}: {journal}");
        assert!(!story.path("started").exists(), "{level}");
    }
}

/// A story in mounts of its own, which only root makes: `mount` changes them, and `$PWD/awale` is
/// the program, so that a mount over its folder does not cover it.
fn in_mounts(script: &str) -> Option<Said> {
    let story = Story::new();
    story.copy_awale();
    fs::create_dir(story.path("sub")).expect("a folder");
    story
        .write("sub/bot", format!("#!/bin/sh\n{FIRST_LEGAL}"))
        .write("a.toml", STRANGER);
    for (name, mode) in [("", 0o755), ("sub/bot", 0o755)] {
        let mode = fs::Permissions::from_mode(mode);
        fs::set_permissions(story.path(name), mode).expect("permissions");
    }
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-ec", script]);
    command.env_remove("TMPDIR").current_dir(story.path(""));
    let output = command.stdin(Stdio::null()).output();
    let said = output.ok().map(Said::of);
    let said = said.filter(|said| !said.stderr.starts_with("unshare:"));
    if said.is_none() {
        skip(&test_name(), "only root has mounts of its own here");
    }
    said
}

/// Programs of bots cannot be started from such a folder: another one is taken.
#[test]
fn a_folder_that_starts_no_program_is_not_used() {
    let cases = [
        ("mount -t tmpfs -o noexec t /tmp", "/tmp is mounted noexec"),
        ("mount -t tmpfs -o ro t /tmp", "/tmp cannot be written"),
        (
            "export TMPDIR=/missing",
            "/missing cannot be used: No such file",
        ),
        ("export TMPDIR=$PWD/a.toml", "a.toml cannot be written"),
        ("export TMPDIR=$(printf '/b\\255d')", "is not UTF-8"),
    ];
    for (change, flaw) in cases {
        // A mount may cover the story.
        let script = format!(
            "mount --bind . /mnt; {change}; cd /mnt; \
             exec ./awale run a.toml --quiet --isolation landlock --output r"
        );
        let Some(said) = in_mounts(&script) else {
            return;
        };
        if said.stderr.contains("does not hold on this host") {
            return skip(&test_name(), "no Landlock");
        }
        said.with_code(0)
            .err_has("warning: temporary files are in /var/tmp: ")
            .err_has(flaw);
    }
}

/// What stands in the way of all of them is said, and what to do.
#[test]
fn what_no_run_can_do_without_is_named() {
    let cases = [
        (
            "for f in /tmp /var/tmp /dev/shm; do mount -t tmpfs -o noexec t $f; done; cd /mnt",
            "TMPDIR=",
        ),
        ("umount -l /proc; cd /mnt", "mount -t proc proc /proc"),
    ];
    for (change, expected) in cases {
        let script =
            format!("mount --bind . /mnt; {change}; exec ./awale run a.toml --quiet --output r");
        let Some(said) = in_mounts(&script) else {
            return;
        };
        said.with_code(3).err_has(expected);
    }
}

/// In a chroot no path leads to the program that runs.
#[test]
fn bots_play_in_a_chroot() {
    let script = "mkdir root; mount --rbind / root; \
                  exec chroot root sh -c \"cd $PWD && exec ./awale run a.toml --quiet\"";
    let Some(said) = in_mounts(script) else {
        return;
    };
    // Nothing isolates strangers here, and root plays none without.
    if said.code == Some(2) && said.stderr.contains("--i-trust-these-bots") {
        return skip(&test_name(), "no Landlock");
    }
    said.with_code(0);
}
