//! `awale init` and `awale class new`: what they write works unedited.

use super::story::Story;
use crate::support::skip::is_here;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// Language, program that it needs, what builds it, and its command.
const BOTS: [(&str, &str, &[&str], &str); 7] = [
    ("python", "python3", &[], "python3 main.py"),
    ("javascript", "node", &[], "node bot.js"),
    (
        "c",
        "cc",
        &["cc", "-std=gnu11", "-Wall", "-O2", "-o", "bot", "main.c"],
        "./bot",
    ),
    (
        "cpp",
        "c++",
        &["c++", "-std=c++17", "-Wall", "-O2", "-o", "bot", "main.cpp"],
        "./bot",
    ),
    (
        "java",
        "javac",
        &["javac", "Bot.java"],
        "java -Xmx256m -XX:+UseSerialGC Bot",
    ),
    (
        "rust",
        "cargo",
        &["cargo", "build", "--release"],
        "target/release/my-bot",
    ),
    (
        "go",
        "go",
        &["go", "build", "-o", "bot", "main.go"],
        "./bot",
    ),
];

fn build(words: &[&str], folder: &Path) {
    let Some((program, arguments)) = words.split_first() else {
        return;
    };
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null());
    // Where the tests put their own programs is of no concern to a student.
    command.env_remove("CARGO_TARGET_DIR");
    let output = command.output().expect("the compiler starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words:?}: {said}");
}

/// practice.py lies beside the starter, and plays it to the end of each game.
fn practises(folder: &Path, options: &[&str], command: &str) {
    if !is_here("python3") {
        return;
    }
    assert!(folder.join("play.html").is_file());
    let mut practice = Command::new("python3");
    practice.args(options).args(command.split(' '));
    let output = practice
        .current_dir(folder)
        .output()
        .expect("python3 starts");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.ends_with("faults  none\n"), "{command}:\n{said}");
}

/// Each starter plays, built and started as `init` says; `check` has taken it through all steps.
#[test]
fn starter_bots_play_unedited() {
    let story = Story::new();
    for (language, program, words, command) in BOTS {
        if !is_here(program) {
            continue;
        }
        let said = story.ok(format!("init --bot {language} {language}"));
        let told = words.join(" ");
        assert!(said.stderr.contains(&format!("  {told}\n")) || told.is_empty());
        assert!(said.stderr.contains(command), "{}", said.stderr);
        let folder = story.path(language);
        build(words, &folder);
        let practice = [
            "practice.py",
            "--quiet",
            "--games",
            "1",
            "--move-limit",
            "2000",
            "--",
        ];
        practises(&folder, &practice, command);
        let mut check = story.command(format!(
            "check '{command}' --isolation none --move 2s --only game-south"
        ));
        let output = check.current_dir(&folder).output().expect("awale starts");
        let report = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{language}:\n{report}");
    }
}

#[test]
fn a_tournament_is_played_as_it_was_written() {
    let story = Story::new();
    story
        .ok("init spring.toml")
        .err_has("  awale run spring.toml\n");
    let flags = ["--pairs", "1", "--isolation", "none"];
    story
        .ok(&[&["run", "spring.toml"][..], &flags].concat())
        .err_has("2 games in ");
    let before = story.read("spring.toml");
    let refused = story.ends(2, "init spring.toml");
    refused.err_has("spring.toml exists already, and is left as it is");
    assert_eq!(before, story.read("spring.toml"));
}

#[test]
fn a_class_waits_for_its_submissions() {
    let story = Story::new();
    story
        .ok(&["class", "new", "Übung 1"])
        .err_has("ubung-1 is a course with 0 people in its roster");
    let flags = [
        "--pairs",
        "1",
        "--set",
        "class.house-pairs=1",
        "--isolation",
        "none",
        "--i-trust-these-bots",
    ];
    let run = [&["run", "ubung-1/class.toml"][..], &flags].concat();
    story.ok(&run).err_has("nobody has handed in anything yet");
    if is_here("python3") {
        story.write("ubung-1/roster.csv", "folder,alias\nada,sea otter\n");
        let bot = "init --bot python ubung-1/submissions/ada";
        story.ok(bot);
        story.ok(&[&run[..], &["--update"]].concat());
        assert!(
            story
                .read("results/class/grades.csv")
                .contains("sea otter,")
        );
    }
}

#[test]
fn nothing_is_written_to_a_wrong_place() {
    let story = Story::new();
    story.write("file", "");
    for (arguments, code, said) in [
        (
            ["spring.txt"].as_slice(),
            2,
            "ends with .toml, as in spring.toml",
        ),
        (&[".toml"], 2, "ends with .toml"),
        (&["a\u{1b}b.toml"], 2, "its name is a word of letters"),
        (&["file/spring.toml"], 3, "cannot make file: "),
        (
            &["--bot", "cobol"],
            2,
            "[possible values: python, javascript,",
        ),
    ] {
        let arguments = [&["init"], arguments].concat();
        let refused = story.ends(code, &arguments).err_has(said);
        assert!(!refused.stderr.contains('\u{1b}'), "{}", refused.stderr);
    }
    assert_eq!(fs::read_dir(story.path("")).unwrap().count(), 1);
}
