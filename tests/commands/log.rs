//! The log on standard error.

use super::story::Story;
use std::fs;

/// Clears the screen, and turns the direction of the text.
const FOLDER: &str = "\u{1b}[2J\u{202e}bots";

/// Bots in a folder whose name would clear the screen.
fn story() -> Story {
    let story = Story::new();
    let folder = story.path(FOLDER);
    fs::create_dir(&folder).expect("a folder");
    let configuration = "
        [tournament]
        pairs = 1
        slots = 1
        [isolation]
        level = \"none\"
        [[entrant]]
        name = \"greedy\"
        command = [\"awale\", \"bot\", \"greedy\"]
        dir = \"\\u001b[2J\\u202ebots\"
        [[entrant]]
        name = \"random\"
        command = [\"awale\", \"bot\", \"random\"]";
    story.write("spring.toml", configuration);
    story
}

const RUN: [&str; 4] = ["run", "spring.toml", "--quiet", "--i-trust-these-bots"];

#[test]
fn what_happens_inside_is_logged_if_it_is_asked_for() {
    let story = story();
    let silent = story.run(&RUN).with_code(0);
    assert!(!silent.stderr.contains("DEBUG"), "{}", silent.stderr);
    fs::remove_dir_all(story.path("results")).expect("the results");
    let output = story.command(&RUN).env("AWALE_LOG", "debug").output();
    let by_variable = String::from_utf8(output.expect("awale starts").stderr).expect("UTF-8");
    fs::remove_dir_all(story.path("results")).expect("the results");
    let by_option = story.run(&[&RUN[..], &["--log", "debug"]].concat()).stderr;
    for log in [by_variable, by_option] {
        let spans = "run{folder=results/spring}:slot{slot=0}:game{game=greedy~random.1.1}";
        let mut lines = log.lines();
        let started = lines.find(|line| line.contains(spans) && line.contains("started awale in"));
        let started = started.unwrap_or_else(|| panic!("{log}"));
        assert!(
            started.contains("DEBUG") && started.contains(r"[2J\u{202e}bots"),
            "{log}"
        );
        assert!(!log.contains('\u{1b}'), "{log}");
    }
}

#[test]
fn a_level_that_does_not_exist_is_refused() {
    let story = story();
    let said = story
        .run(&[&RUN[..], &["--log", "loud"]].concat())
        .with_code(2);
    assert!(
        said.stderr.contains("\"debug\", \"trace\""),
        "{}",
        said.stderr
    );
}
