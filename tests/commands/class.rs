//! A class: every folder of the submissions is an entrant, and one broken folder stops no other.

use super::story::{FIRST_LEGAL, SECRET, Said, Story, tables};
use std::fs;
use std::os::unix::fs::symlink;

/// A class whose submissions are scripts for `sh`.
pub const CLASS: &str = r#"
slots = 2
pairs = 1
[isolation]
level = "none"
[clock]
move = "10s"
[class]
submissions = "submissions"
house = ["greedy", "minimax-2"]
[[start]]
name = "shell"
file = "bot.sh"
command = ["sh", "bot.sh"]
[[start]]
name = "other"
file = "other.sh"
command = ["sh", "other.sh"]
[[start]]
name = "absent"
file = "main.absent"
command = ["no-such-program", "main.absent"]
"#;

/// A file of a student.
pub fn hand_in(story: &Story, path: &str, text: &str) {
    let path = story.path(&format!("submissions/{path}"));
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, text).expect("a file");
}

fn class() -> Story {
    let story = Story::new();
    fs::create_dir(story.path("submissions")).expect("a folder");
    story.write("class.toml", format!("[tournament]\n{SECRET}{CLASS}"));
    story
}

fn run(story: &Story, more: &[&str]) -> Said {
    let arguments = ["run", "class.toml", "--i-trust-these-bots"];
    story.run(&[&arguments, more].concat())
}

/// The names and states in the standings.
fn standings(story: &Story) -> Vec<(String, String)> {
    let mut reader = csv::Reader::from_path(story.path("results/class/standings.csv")).unwrap();
    let header = reader.headers().unwrap().clone();
    let column = |name: &str| header.iter().position(|it| it == name).unwrap();
    let (name, state) = (column("entrant"), column("status"));
    let rows = reader.records().map(|row| {
        let row = row.unwrap();
        (row[name].to_owned(), row[state].to_owned())
    });
    let mut rows: Vec<_> = rows.collect();
    rows.sort();
    rows
}

/// Folders of every kind: some are entrants, and some of those can be started.
fn hand_in_all_kinds(story: &Story) {
    for (path, text) in [
        ("ada/bot.sh", FIRST_LEGAL),
        ("ben/other.sh", FIRST_LEGAL),
        // Both files: the first start of the configuration, or the one that its author chooses.
        ("cy/bot.sh", "exit 3"),
        ("cy/other.sh", FIRST_LEGAL),
        ("cy/awale.toml", "start = \"other\"\n"),
        ("nested/inner/bot.sh", FIRST_LEGAL),
        ("spelled/Bot.sh", FIRST_LEGAL),
        ("chosen/bot.sh", FIRST_LEGAL),
        ("chosen/awale.toml", "command = [\"sh\", \"-c\", \"id\"]\n"),
        ("long/bot.sh", FIRST_LEGAL),
        ("long/awale.toml", &"#".repeat(4097)),
        ("linked/bot.sh", FIRST_LEGAL),
        ("absent/main.absent", ""),
        // None of these is an entrant.
        (".git/config", ""),
        ("=cmd/bot.sh", FIRST_LEGAL),
        ("greedy/bot.sh", FIRST_LEGAL),
        ("late.zip", ""),
    ] {
        hand_in(story, path, text);
    }
    fs::create_dir(story.path("submissions/empty")).unwrap();
    symlink("/etc/passwd", story.path("submissions/linked/awale.toml")).unwrap();
}

#[test]
fn each_folder_is_an_entrant_and_a_broken_one_stops_no_other() {
    let story = class();
    hand_in_all_kinds(&story);
    let said = run(&story, &[]).with_code(0);
    for line in [
        "warning: \"late.zip\" in \"submissions\" belongs to no entrant",
        "the folder \"=cmd\" in `submissions` is left out",
        "the folder \"greedy\" in `submissions` is left out: another entrant has this name",
        "nested is not admitted: start-failure: its bot.sh is in the folder \"inner\": move",
        "spelled is not admitted: start-failure: it has \"Bot.sh\": is it bot.sh?",
        "chosen is not admitted: start-failure: its awale.toml cannot contain \"command\"",
        "long is not admitted: start-failure: its folder ",
        "\"awale.toml\" has more than 4096 bytes",
        "absent is not admitted: start-failure: no program \"no-such-program\" in PATH",
        "empty is not admitted: start-failure: it is empty; no file says how it is started",
    ] {
        assert!(
            said.stderr.contains(line),
            "no {line:?} in:\n{}",
            said.stderr
        );
    }
    let out = "not-admitted".to_owned();
    let admitted =
        |name: &&str| ["ada", "ben", "cy", "greedy", "linked", "minimax-2"].contains(name);
    let names = [
        "absent",
        "ada",
        "ben",
        "chosen",
        "cy",
        "empty",
        "greedy",
        "linked",
        "long",
        "minimax-2",
        "nested",
        "spelled",
    ];
    let state = |name: &&str| {
        if admitted(name) {
            String::new()
        } else {
            out.clone()
        }
    };
    let expected: Vec<_> = names
        .iter()
        .map(|it| ((*it).to_owned(), state(it)))
        .collect();
    assert_eq!(standings(&story), expected);
    story.run(&["verify", "results/class"]).with_code(0);
    // Whether anybody was refused is for a script to ask.
    run(&story, &["--strict"]).with_code(1);
}

#[test]
fn a_second_evening_plays_only_what_was_handed_in_anew() {
    let story = class();
    hand_in(&story, "ada/bot.sh", FIRST_LEGAL);
    hand_in(&story, "ben/Bot.sh", FIRST_LEGAL);
    run(&story, &[]).with_code(0).err_has("ben is not admitted");
    // ada, greedy and minimax-2 have met; ben's games follow.
    hand_in(&story, "ben/bot.sh", FIRST_LEGAL);
    let said = run(&story, &[]).with_code(2);
    assert!(said.stderr.contains("ben"), "{}", said.stderr);
    run(&story, &["--update"]).with_code(0);
    let journal = story.read("results/class/games.jsonl");
    let games = journal
        .lines()
        .filter(|it| it.contains("\"kind\":\"game\""));
    // Six pairings of four entrants, two games each: none twice.
    assert_eq!(games.count(), 12);
    run(&story, &["--output", "fresh"]).with_code(0);
    assert_eq!(
        tables(&story.path("results/class")),
        tables(&story.path("fresh"))
    );
    story.run(&["verify", "results/class"]).with_code(0);
}

#[test]
fn mistakes_in_a_class_are_named() {
    for (from, to, said) in [
        (
            "\"submissions\"",
            "\"submission\"",
            "cannot list the submissions in ",
        ),
        (
            "\"greedy\", ",
            "\"gredy\", ",
            "cannot contain \"gredy\"; it takes \"random\"",
        ),
        ("minimax-2", "minimax-x", "\"minimax-3\" with a depth"),
        ("file = \"bot.sh\"\n", "", "this [[start]] has no `file`"),
        (
            "house =",
            "yardsticks =",
            "unknown key `yardsticks` in [class]",
        ),
    ] {
        let story = class();
        let config = story.read("class.toml").replacen(from, to, 1);
        story.write("class.toml", config);
        run(&story, &[]).with_code(2).err_has(said);
    }
}
