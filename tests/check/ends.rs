//! A bot that ends in a step: its author sees the whole traceback, and one cause once.

use super::{HONEST, check, small_bot};
use crate::support::skip::is_here;
use serde_json::Value;
use std::path::Path;

/// A bot that ends in mid-game, with a message that a terminal would obey.
fn crasher(folder: &Path) -> String {
    let turn = "pit = message[\"legal\"][0]";
    let crash = format!(
        "{turn}\n        if message[\"turn\"] > 3:\n            \
         raise IndexError(\"no such pit \\x1b[2J\")"
    );
    assert!(HONEST.contains(turn));
    let file = folder.join("crasher.py");
    std::fs::write(&file, HONEST.replace(turn, &crash)).expect("a file");
    format!("python3 -I -S '{}'", file.display())
}

/// A correct engine of the rules that are given need not know those of other tournaments.
#[test]
fn only_the_rules_that_are_given_are_examined() {
    if !is_here("python3") {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let new_game = "games += 1";
    let knows = format!(
        "{new_game}; assert message[\"rules\"][\"grand-slam\"] == \"forbidden\", \"what slam?\""
    );
    let bot = small_bot(
        folder.path(),
        "knows one slam",
        &[(new_game, knows.as_str())],
    );
    let slams = [
        "--only",
        "slam-no-capture,slam-forbidden",
        "--rules",
        "commun",
    ];
    let output = check(&[&bot, slams[0], slams[1], slams[2], slams[3]]);
    let shown = String::from_utf8(output.stdout).expect("UTF-8");
    assert_eq!(output.status.code(), Some(0), "{shown}");
    assert!(
        shown.contains("these rules have another slam; --all-rules"),
        "{shown}"
    );
    let output = check(&[&bot, slams[0], slams[1], slams[2], slams[3], "--all-rules"]);
    let shown = String::from_utf8(output.stdout).expect("UTF-8");
    assert_eq!(output.status.code(), Some(1), "{shown}");
    // What to do about a crash, and not about the slam in which it happened.
    assert!(shown.contains("AssertionError: what slam?"), "{shown}");
    assert!(shown.contains("fix   run the command by hand"), "{shown}");
}

#[test]
fn a_crash_in_mid_game_shows_its_traceback_and_one_cause_once() {
    if !is_here("python3") {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let bot = crasher(folder.path());
    let games = ["--only", "13,16"];
    let output = check(&[&bot, games[0], games[1]]);
    assert_eq!(output.status.code(), Some(1));
    let shown = String::from_utf8(output.stdout).expect("UTF-8");
    let what = r"crash: exited with code 1: IndexError: no such pit \u{1b}[2J (";
    for words in [
        "wrote on standard error\n            Traceback (most recent call last):\n",
        "            IndexError: no such pit \\u{1b}[2J\n",
        &format!("          what  {what}"),
        "          what  the same as step 13: crash: exited with code 1",
    ] {
        assert!(shown.contains(words), "no {words:?} in\n{shown}");
    }
    assert_eq!(shown.matches("Traceback").count(), 1, "{shown}");
    assert!(!shown.contains('\u{1b}'));
    assert!(
        !shown.contains("hint"),
        "what happened says it all: {shown}"
    );

    let output = check(&[&bot, "--json", games[0], games[1]]);
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let steps = report["steps"].as_array().expect("a list");
    let failed: Vec<&Value> = steps.iter().filter(|it| it["status"] == "failed").collect();
    let [first, second] = failed.as_slice() else {
        panic!("{report}")
    };
    for step in [first, second] {
        assert!(step["detail"].as_str().expect("text").starts_with(what));
        let lines = step["standard_error"].as_array().expect("a list");
        assert_eq!(
            lines.first().and_then(Value::as_str),
            Some("Traceback (most recent call last):")
        );
        assert_eq!(step["standard_error_left_out"], 0);
    }
    assert_eq!(
        (&first["same_as"], &second["same_as"]),
        (&Value::Null, &first["number"])
    );
}
