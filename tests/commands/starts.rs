//! How the folders of a class are started: every starter as a student hands it in, under each name
//! that is accepted; a start of the organiser's in place of a built-in one; and what an author is
//! told of a program that cannot run.

use super::class::{hand_in, run};
use super::story::{SECRET, Story};
use crate::support::skip::is_here;
use std::fs;
use std::process::Command;

const CLASS: &str = r#"
format = "gauntlet"
champions = ["random"]
pairs = 1
[clock]
move = "2s"
[class]
submissions = "submissions"
house = ["random", "greedy"]
house-pairs = 1
"#;

/// A language, the program that it needs, the file that says so, and another name of it.
const LANGUAGES: [(&str, &str, &str, Option<&str>); 7] = [
    ("python", "python3", "main.py", Some("bot.py")),
    ("javascript", "node", "bot.js", Some("main.js")),
    ("c", "cc", "main.c", Some("bot.c")),
    ("cpp", "c++", "main.cpp", Some("bot.cpp")),
    ("java", "javac", "Bot.java", Some("Main.java")),
    ("rust", "cargo", "Cargo.toml", None),
    ("go", "go", "main.go", Some("bot.go")),
];

fn class(more: &str) -> Story {
    let story = Story::new();
    fs::create_dir(story.path("submissions")).expect("a folder");
    story.write("class.toml", format!("[tournament]\n{SECRET}{CLASS}{more}"));
    story
}

/// The standings have these entrants besides `random`, and each has played all of its games.
#[track_caller]
fn have_played(story: &Story, names: &[String]) {
    let rows = story.rows("results/class/standings.csv");
    for name in names {
        let row = rows.iter().find(|row| row["entrant"] == *name);
        let row = row.unwrap_or_else(|| panic!("no row of {name}"));
        assert_eq!((&*row["status"], &*row["games"]), ("", "2"), "{name}");
        let faults = [
            "timeout",
            "illegal_move",
            "bad_output",
            "crash",
            "start_failure",
        ];
        assert!(faults.iter().all(|it| row[*it] == "0"), "{name}: {row:?}");
    }
}

#[test]
fn each_starter_is_admitted_as_it_is_handed_out() {
    let story = class("");
    let mut names = Vec::new();
    for (language, program, file, other) in LANGUAGES {
        if !is_here(program) {
            continue;
        }
        // With all that a student has beside it.
        story.ok(format!("init --bot {language} submissions/{language}"));
        names.push(language.to_owned());
        if let Some(other) = other {
            let text = story.read(&format!("submissions/{language}/{file}"));
            let text = text.replace("class Bot ", "class Main ");
            hand_in(&story, &format!("{language}-2/{other}"), &text);
            names.push(format!("{language}-2"));
        }
    }
    let said = run(&story, &[]).with_code(0);
    assert!(!said.stderr.contains("not admitted"), "{}", said.stderr);
    have_played(&story, &names);
}

/// A bot that only runs with the Python of the class.
const NEEDS_THE_ENVIRONMENT: &str = "import sys
assert sys.prefix.endswith('/course/venv'), sys.prefix
";

/// A start with a shared virtual environment, which begins at `folder`.
const SHARED: &str = r#"
[isolation]
level = "none"
[[start]]
name = "python"
file = "main.py"
command = ["course/venv/bin/python", "main.py"]
"#;

#[test]
fn a_start_of_the_organisers_replaces_one_alone() {
    if !is_here("python3") {
        return;
    }
    let story = class(SHARED);
    story.ok("init --bot python submissions/ada");
    let starter = story.read("submissions/ada/main.py");
    let text = format!("{NEEDS_THE_ENVIRONMENT}{starter}");
    story.write("submissions/ada/main.py", text);
    // The other built-in start of this name is replaced, too.
    hand_in(&story, "ben/bot.py", &starter);
    let mut names = vec!["ada".to_owned()];
    if is_here("node") {
        story.ok("init --bot javascript submissions/cleo");
        names.push("cleo".to_owned());
    }
    run(&story, &[])
        .with_code(2)
        .err_has("there is no program ")
        .err_has("/course/venv/bin/python; ")
        .err_has("in a [[start]] a relative path begins at ");
    assert!(!story.path("results").exists(), "nothing was played");
    let mut python = Command::new("python3");
    python.args(["-m", "venv", "--without-pip", "course/venv"]);
    let made = python.current_dir(story.path("")).status();
    assert!(made.expect("python3 starts").success());
    let said = run(&story, &[]).with_code(0);
    said.err_has("ben is not admitted: start-failure: it has \"bot.py\": is it main.py?");
    have_played(&story, &names);
    // The identity does not depend on where the whole class lies.
    let plan = story.read("results/class/plan.toml");
    assert!(plan.contains("[\"../../course/venv/bin/python\", \"main.py\"]"));
}

/// It prints a number as a text: the compiler warns, and the bot crashes.
const WARNED: &str = r#"#include <stdio.h>
int main(void) {
    char line[100000];
    while (fgets(line, sizeof line, stdin)) printf("%s\n", 5);
    return 0;
}
"#;

#[test]
fn a_crash_comes_with_the_warning_of_its_build() {
    if !is_here("cc") {
        return;
    }
    let story = class("");
    hand_in(&story, "ada/main.c", WARNED);
    let said = run(&story, &[]).with_code(0);
    said.err_has("ada is not admitted: start-failure: ")
        .err_has("; its build had warned: main.c:4:");
}

#[test]
fn a_java_class_in_a_package_is_explained() {
    if !is_here("javac") {
        return;
    }
    let story = class("");
    story.ok("init --bot java submissions/ada");
    let text = story.read("submissions/ada/Bot.java");
    story.write("submissions/ada/Bot.java", format!("package ada;\n{text}"));
    run(&story, &[])
        .with_code(0)
        .err_has("ada is not admitted: start-failure: ");
    let feedback = story.read("results/class/feedback/ada/feedback.txt");
    let words = feedback.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains("begins with a `package` line: take it out"),
        "{feedback}"
    );
}

/// practice.py lies beside most bots, and is none.
#[test]
fn the_hand_out_is_not_taken_for_a_bot() {
    let story = class("");
    hand_in(&story, "ada/practice.py", "");
    hand_in(&story, "ada/notes.txt", "");
    let said = run(&story, &[]).with_code(0);
    said.err_has("ada is not admitted: start-failure: no file says how it is started");
}
