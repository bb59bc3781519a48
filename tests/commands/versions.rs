//! `--keep-versions`: the earlier program of a changed entrant stays in the tournament.

use super::class::{class, hand_in, run};
use super::story::{FIRST_LEGAL, Story, has, tables};
use std::fs;

/// Plays another legal pit than [`FIRST_LEGAL`], and says which version it is.
fn last_legal(version: &str) -> String {
    let last = "legal=${line#*'\"legal\":['}; legal=${legal%%]*}; legal=${legal##*,}";
    let script = FIRST_LEGAL.replacen("legal=${line#*'\"legal\":['}", last, 1);
    format!("# {version}\n{script}")
}

/// The names in the standings, in alphabetical order.
fn entrants(story: &Story) -> Vec<String> {
    let rows = story.rows("results/class/standings.csv").into_iter();
    let mut names: Vec<String> = rows.map(|row| row["entrant"].clone()).collect();
    names.sort();
    names
}

/// The only name that is not in this list.
fn new_name(story: &Story, known: &[String]) -> String {
    let names = entrants(story);
    let mut new = names.into_iter().filter(|name| !known.contains(name));
    let name = new.next().expect("a new entrant");
    assert_eq!(new.next(), None);
    name
}

#[test]
fn the_earlier_program_stays_and_plays() {
    let story = class();
    hand_in(&story, "ada/bot.sh", FIRST_LEGAL);
    hand_in(&story, "ben/bot.sh", FIRST_LEGAL);
    run(&story, &["--keep-versions"]).with_code(0);
    let first = entrants(&story);
    assert_eq!(first, ["ada", "ben", "greedy", "minimax-2"]);
    // Nothing has changed: there is no earlier version.
    run(&story, &["--keep-versions"]).with_code(0);
    assert_eq!(entrants(&story), first);
    hand_in(&story, "ada/bot.sh", &last_legal("two"));
    let said = run(&story, &["--keep-versions", "--update"]).with_code(0);
    let version = new_name(&story, &first);
    let (of, digits) = version.split_once('@').expect("a version");
    assert_eq!((of, digits.len()), ("ada", 4));
    for line in [
        format!("{version} is new: 8 games to play"),
        "ada changed".to_owned(),
    ] {
        has(&said.stderr, &line);
    }
    // It is the program of the first evening, in a folder of the run.
    let kept = story.read(&format!("results/class/versions/{version}/bot.sh"));
    assert_eq!(kept, FIRST_LEGAL);
    story.ok("verify results/class");
    // It is in the run from now on, also without the flag, and is not graded.
    let before = tables(&story.path("results/class"));
    run(&story, &[]).with_code(0);
    assert_eq!(tables(&story.path("results/class")), before);
    let grades = story.read("results/class/grades.csv");
    assert!(
        grades.contains("\nada,") && !grades.contains('@'),
        "{grades}"
    );
    assert!(!story.path("results/class/feedback").join(&version).exists());
    // Its author may read its name.
    let games = story.read("results/class/feedback/ada/games.csv");
    assert!(games.contains(&version), "{games}");
    let games = story.read("results/class/feedback/ben/games.csv");
    assert!(!games.contains("ada"), "{games}");
    // Back to the first program: the second one is an earlier version now, the first stays one.
    hand_in(&story, "ada/bot.sh", FIRST_LEGAL);
    let second = entrants(&story);
    run(&story, &["--keep-versions", "--update"]).with_code(0);
    let other = new_name(&story, &second);
    assert!(other.starts_with("ada@") && other != version, "{other}");
    let kept = story.read(&format!("results/class/versions/{other}/bot.sh"));
    assert_eq!(kept, last_legal("two"));
    story.ok("verify results/class");
    // Its folder is taken away: it leaves, like every entrant.
    fs::remove_dir_all(story.path("results/class/versions").join(&other)).unwrap();
    run(&story, &["--update"]).with_code(0);
    assert_eq!(entrants(&story), second);
}

#[test]
fn what_was_never_copied_or_admitted_is_not_kept() {
    let story = class();
    hand_in(&story, "ada/bot.sh", FIRST_LEGAL);
    hand_in(&story, "ben/bot.sh", "exit 3");
    run(&story, &[]).with_code(0);
    hand_in(&story, "ada/bot.sh", &last_legal("two"));
    hand_in(&story, "ben/bot.sh", FIRST_LEGAL);
    let said = run(&story, &["--keep-versions", "--update"]).with_code(0);
    has(
        &said.stderr,
        "the earlier version of ada is not kept: its folder was not copied",
    );
    assert!(!said.stderr.contains("version of ben"), "{}", said.stderr);
    assert_eq!(entrants(&story), ["ada", "ben", "greedy", "minimax-2"]);
}

#[test]
fn an_update_that_is_refused_leaves_no_version() {
    let story = class();
    hand_in(&story, "ada/bot.sh", FIRST_LEGAL);
    run(&story, &["--keep-versions"]).with_code(0);
    hand_in(&story, "ada/bot.sh", &last_legal("two"));
    let said = run(&story, &["--keep-versions"]).with_code(2);
    has(&said.stderr, "is new: 6 games to play");
    // The first program again: nothing has changed, and there is nothing to update.
    hand_in(&story, "ada/bot.sh", FIRST_LEGAL);
    run(&story, &["--keep-versions"]).with_code(0);
    assert_eq!(entrants(&story), ["ada", "greedy", "minimax-2"]);
}
