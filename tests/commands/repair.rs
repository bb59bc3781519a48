//! `awale repair`: a journal with damaged lines goes on without them.

use super::story::{FIRST_LEGAL, SECRET, Story, tables};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

const CONFIG: &str = r#"
[tournament]
pairs = 2
slots = 1
max-faults = { count = 2 }
[clock]
move = "10s"
[admission]
mode = "off"
[isolation]
level = "none"
[[entrant]]
name = "ben"
command = ["awale", "bot", "greedy"]
[[entrant]]
name = "cyd"
command = ["awale", "bot", "minimax", "--depth", "1"]
[[entrant]]
name = "ada"
command = ["sh", "-c", "exit 3"]
"#;

const RUN: [&str; 3] = ["run", "class.toml", "--i-trust-these-bots"];

/// A finished run in which `ada` was withdrawn.
fn played() -> Story {
    let story = Story::new();
    let config = CONFIG.replace("[tournament]", &format!("[tournament]\n{SECRET}"));
    story.write("class.toml", config);
    story.ok(&RUN).out_has("ada was withdrawn");
    story
}

fn journal(story: &Story) -> Vec<String> {
    let text = story.read("results/class/games.jsonl");
    text.lines().map(str::to_owned).collect()
}

/// Changes a digit in the middle of a line, as a bad disk may.
fn damage(story: &Story, line: usize) -> String {
    let mut lines = journal(story);
    let middle = lines[line].len() / 2;
    let place = lines[line][middle..].find(|c: char| c.is_ascii_digit());
    let place = middle + place.expect("a digit");
    let digit = if &lines[line][place..=place] == "1" {
        "2"
    } else {
        "1"
    };
    lines[line].replace_range(place..=place, digit);
    let damaged = lines[line].clone();
    story.write("results/class/games.jsonl", lines.join("\n") + "\n");
    damaged
}

fn line_of(story: &Story, kind: &str) -> usize {
    let kind = format!("\"kind\":\"{kind}\"");
    let lines = journal(story);
    lines
        .iter()
        .position(|line| line.contains(&kind))
        .expect("such a line")
}

#[test]
fn a_damaged_game_is_set_aside_and_played_again() {
    let story = played();
    let (whole, before) = (tables(&story.path("results/class")), journal(&story));
    let line = line_of(&story, "game");
    let damaged = damage(&story, line);
    let number = (line + 1).to_string();
    story.ends(3, &RUN).err_has("`awale repair`");
    story
        .ends(1, "verify results/class")
        .out_has("`awale repair` sets the damaged lines aside");
    story
        .ok("repair results/class")
        .out_has(&format!("line {number}: "));
    let aside = story.read("results/class/damaged-lines.txt");
    assert!(aside.contains(&damaged), "{aside}");
    // Withdrawals follow from all games, so they are decided anew.
    assert!(aside.contains("the withdrawal of"), "{aside}");
    assert_eq!(journal(&story).len(), before.len() - 2 + 1);
    story
        .ok(&RUN)
        .out_has("2 lines of the journal were damaged, or followed from one that was");
    assert_eq!(tables(&story.path("results/class")), whole);
    story
        .ok("verify results/class --strict")
        .out_has("set aside by `awale repair`");
    story.ok("report results/class").out_has("set aside");
    story
        .ok("repair results/class")
        .out_has("nothing was changed");
}

/// An editor or a copy in text mode adds these, and nothing of what the lines say is lost.
#[test]
fn what_was_added_to_a_journal_is_taken_out() {
    let story = played();
    let sound = story.read("results/class/games.jsonl");
    let with_returns = sound.replace('\n', "\r\n");
    for (text, told) in [
        (format!("{sound}\n"), "it is empty"),
        (format!("{sound} \t\n\n"), "2 lines are mended"),
        (format!("\n{sound}"), "line 1: it is empty"),
        (with_returns.clone(), "a carriage return after it"),
        (format!("\u{feff}{sound}"), "a byte order mark before it"),
        (
            format!("\u{feff}{with_returns}"),
            "are mended, nothing is lost",
        ),
        (format!("  {sound}"), "spaces around it"),
    ] {
        story.write("results/class/games.jsonl", &text);
        story.ends(3, &RUN).err_has("`awale repair`");
        story.ok("repair results/class").out_has(told);
        assert_eq!(story.read("results/class/games.jsonl"), sound, "{text:?}");
        story.ok(&RUN);
    }
    assert!(!story.path("results/class/damaged-lines.txt").exists());
    let verify = "verify results/class --strict";
    story.ok(verify);
}

/// Carriage returns and a digit that a disk has changed: the withdrawal goes with the game.
#[test]
fn a_repair_mends_lines_and_sets_others_aside() {
    let story = played();
    let whole = tables(&story.path("results/class"));
    damage(&story, line_of(&story, "game"));
    let text = story.read("results/class/games.jsonl");
    story.write("results/class/games.jsonl", text.replace('\n', "\r\n"));
    story
        .ok("repair results/class")
        .out_has("2 lines are set aside");
    let lines = journal(&story);
    assert!(!lines.concat().contains("\"kind\":\"withdrawal\""));
    assert!(!story.read("results/class/games.jsonl").contains('\r'));
    story.ok(&RUN);
    assert_eq!(tables(&story.path("results/class")), whole);
}

/// The last block of a file may be there twice after a power failure or a copy.
#[test]
fn a_last_line_that_is_there_twice_counts_once() {
    for kind in ["game", "withdrawal"] {
        let story = played();
        let lines = journal(&story);
        let line = line_of(&story, kind);
        let whole = lines[..=line].join("\n") + "\n";
        story.write(
            "results/class/games.jsonl",
            format!("{whole}{}\n", lines[line]),
        );
        story.ok(&RUN);
        let verify = "verify results/class --strict";
        story.ok(verify);
    }
}

/// A crash before anything was played leaves a part of the first line.
#[test]
fn a_first_line_that_is_cut_begins_a_new_run() {
    let story = played();
    let whole = tables(&story.path("results/class"));
    let text = story.read("results/class/games.jsonl");
    story.write("results/class/games.jsonl", &text[..40]);
    story
        .ok(&RUN)
        .err_has("was cut short by a crash; its 40 bytes were dropped");
    assert_eq!(tables(&story.path("results/class")), whole);
    let verify = "verify results/class --strict";
    story.ok(verify);
}

/// The journal has the run's secret: nobody else may read it, nor what was set aside of it.
#[test]
fn a_second_repair_keeps_what_the_first_has_set_aside() {
    let story = played();
    let mut aside: Vec<String> = Vec::new();
    for repair in 1..=2 {
        aside.push(damage(&story, line_of(&story, "game")));
        story.ok("repair results/class");
        let kept = story.read("results/class/damaged-lines.txt");
        assert!(aside.iter().all(|line| kept.contains(line)), "{kept}");
        let repairs = journal(&story)
            .concat()
            .matches("\"kind\":\"repair\"")
            .count();
        assert_eq!(repairs, repair);
        for name in ["games.jsonl", "damaged-lines.txt"] {
            let file = fs::metadata(story.path("results/class").join(name)).expect("a file");
            assert_eq!(file.permissions().mode() & 0o777, 0o600, "{name}");
        }
        story.ok(&RUN);
    }
    let verify = "verify results/class --strict";
    story.ok(verify);
}

#[test]
fn a_damaged_plan_cannot_be_replaced() {
    let story = played();
    damage(&story, 0);
    let before = journal(&story);
    story
        .ends(3, "repair results/class")
        .err_has("line 1 of the journal is damaged")
        .err_has("Restore the file from a copy");
    assert_eq!(journal(&story), before);
    assert!(!story.path("results/class/damaged-lines.txt").exists());
}

/// The games after a changed plan would count as those of the plan before.
#[test]
fn a_damaged_revision_cannot_be_replaced() {
    let story = played();
    story.write("ada.sh", FIRST_LEGAL);
    let config = story.read("class.toml");
    story.write(
        "class.toml",
        config.replace("\"-c\", \"exit 3\"", "\"ada.sh\""),
    );
    story.ok(&[&RUN[..], &["--update"]].concat());
    let revision = journal(&story)
        .iter()
        .rposition(|it| it.contains("\"kind\":\"plan\""));
    damage(&story, revision.expect("a plan"));
    story
        .ends(3, "repair results/class")
        .err_has("as a plan it would decide what the other lines mean");
}

#[test]
fn only_the_folder_of_a_run_is_repaired() {
    let story = Story::new();
    fs::create_dir(story.path("empty")).expect("a folder");
    story
        .ends(2, "repair empty")
        .err_has("not the folder of a run");
    story.ends(2, "repair nowhere").err_has("nowhere");
    assert!(!story.path("empty/games.jsonl").exists());
}
