//! Processes that live on between their games: how many are started, and that nothing else changes.

use super::story::{SECRET, Said, Story, without_times};
use crate::support::awale_command::AWALE;
use crate::support::skip::{skip, test_name};
use std::fmt::Write as _;
use std::fs;
use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

/// A bot for `sh` that plays its first legal pit and writes a line to its log when it starts.
const TELLS_ITS_START: &str = include_str!("../bots/tells_its_start.sh");

const FIVE: [&str; 5] = ["ada", "bob", "cyd", "dan", "eve"];

fn five_shells(settings: &str) -> Story {
    let story = Story::new();
    let mut text = format!(
        "[tournament]\npairs = 2\nmax-plies = 6\nlogs = \"all\"\n{SECRET}\n{settings}\n\
         [admission]\nmode = \"off\"\n[clock]\nmove = \"20s\"\n"
    );
    for name in FIVE {
        let command = r#"["/bin/sh", "bot.sh"]"#;
        let _ = writeln!(text, "[[entrant]]\nname = \"{name}\"\ncommand = {command}");
    }
    story.write("bot.sh", TELLS_ITS_START).write("a.toml", text);
    story
}

fn tables(story: &Story, folder: &str) -> Vec<Vec<Vec<String>>> {
    let tables = ["standings.csv", "crosstable.csv", "games.csv"].iter();
    tables
        .map(|table| without_times(&story.path(folder).join(table)))
        .collect()
}

/// How many processes of bots a run has started.
fn starts(story: &Story, folder: &str) -> usize {
    let logs = fs::read_dir(story.path(folder).join("logs")).expect("logs");
    let logs = logs.map(|entry| fs::read_to_string(entry.expect("a file").path()));
    logs.map(|log| log.expect("text").matches("started").count())
        .sum()
}

#[test]
fn fewer_processes_are_started_and_the_tables_stay() {
    let story = five_shells("");
    let play = |folder: &str, kept: &str, slots: &str| {
        let kept = format!("tournament.processes-kept={kept}");
        let arguments = [
            "run", "a.toml", "--output", folder, "--slots", slots, "--set", &kept,
        ];
        let at = [
            "--oversubscribe",
            "--isolation",
            "none",
            "--i-trust-these-bots",
        ];
        story.ok(&[&arguments[..], &at].concat());
    };
    // The first pair of a round has two new players, each other pair at least one.
    play("none", "0", "1");
    assert_eq!(starts(&story, "none"), 2 * (2 + 3 + 2 + 1 + 1 + 2 + 1 + 1));
    play("all", "32", "1");
    assert_eq!(starts(&story, "all"), 5);
    // ada and bob meet all others, then cyd meets dan and eve: twice.
    play("four", "4", "1");
    let of_four = starts(&story, "four");
    assert!((6..=12).contains(&of_four), "{of_four}");
    play("slots", "32", "2");
    let of_slots = starts(&story, "slots");
    assert!((5..=10).contains(&of_slots), "{of_slots}");
    for folder in ["all", "four", "slots"] {
        assert_eq!(tables(&story, folder), tables(&story, "none"), "{folder}");
    }
}

/// In a box, or with what this host has.
#[test]
fn a_frozen_process_plays_again_whatever_freezes_it() {
    for level in ["auto", "landlock", "none"] {
        let story = five_shells("slots = 1");
        let at = format!("run a.toml --isolation {level} --i-trust-these-bots");
        let said = story.run(&at);
        if said.code == Some(2) && level == "landlock" {
            skip(&test_name(), "no Landlock here");
            continue;
        }
        said.with_code(0);
        assert_eq!(starts(&story, "results/a"), 5, "{level}");
        let journal = story.read("results/a/games.jsonl");
        assert_eq!(journal.matches("\"ending\":\"adjudicated\"").count(), 40);
    }
}

#[test]
fn each_game_has_its_process_where_that_is_wanted() {
    let story = five_shells("slots = 1\nrestart = \"each-game\"");
    let at = "run a.toml --isolation none --i-trust-these-bots";
    story.ok(at);
    assert_eq!(starts(&story, "results/a"), 2 * 40);
}

/// With `freeze = false` a process would compute while others play.
#[test]
fn what_nothing_stops_does_not_wait() {
    let story = five_shells("slots = 1\n[isolation]\nfreeze = false");
    let at = "run a.toml --isolation none --i-trust-these-bots";
    story.ok(at);
    assert_eq!(starts(&story, "results/a"), 26);
}

/// The order of play of a slot that keeps four of six entrants is not that of the schedule.
#[test]
fn a_killed_run_that_keeps_processes_resumes_to_the_same_tables() {
    let story = Story::new();
    let mut text = format!(
        "[tournament]\npairs = 3\nslots = 2\nprocesses-kept = 4\n{SECRET}\n\
         [isolation]\nlevel = \"none\"\n"
    );
    for number in 0..6 {
        let bot = ["random", "greedy"][number % 2];
        let command = format!(r#"["awale", "bot", "{bot}"]"#);
        let _ = writeln!(
            text,
            "[[entrant]]\nname = \"e{number}\"\ncommand = {command}"
        );
    }
    story.write("a.toml", text);
    let run = |folder: &'static str| ["run", "a.toml", "--oversubscribe", "--output", folder];
    story.ok(&run("whole"));
    for (folder, games) in [("a", 1), ("b", 11), ("c", 31), ("d", 70)] {
        let mut child = story.start(&run(folder));
        let played = || {
            let journal = fs::read_to_string(story.path(folder).join("games.jsonl"));
            journal.unwrap_or_default().matches("\"ending\"").count()
        };
        while played() < games && child.try_wait().expect("a child").is_none() {
            sleep(Duration::from_micros(200));
        }
        child.kill().expect("a kill");
        child.wait().expect("an end");
        story.ok(&run(folder));
        assert_eq!(
            tables(&story, folder),
            tables(&story, "whole"),
            "after {games}"
        );
    }
}

#[test]
fn few_descriptors_lower_the_number_and_are_told() {
    let story = five_shells("slots = 1");
    let limited = "ulimit -n 300; exec \"$0\" run a.toml --isolation none --i-trust-these-bots";
    let mut command = Command::new("sh");
    command
        .args(["-c", limited, AWALE])
        .current_dir(story.path("."));
    let said = Said::of(command.output().expect("a shell"));
    said.with_code(0)
        .err_has("each slot keeps 3 processes of bots instead of 5")
        .err_has("300 open files");
    assert!(starts(&story, "results/a") > 5);
}
