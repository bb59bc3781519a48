//! `notes.csv` of a class: programs that are alike.

use super::class::{class, hand_in, run};
use super::story::FIRST_LEGAL;
use std::collections::BTreeSet;

/// Another program that plays the first legal pit.
const OTHER: &str = r#"
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "turn":
        print(json.dumps({"type": "move", "pit": message["legal"][0]}), flush=True)
    elif message["type"] in ("hello", "new-game"):
        print(json.dumps({"type": "ready"}), flush=True)
"#;

#[test]
fn programs_that_are_alike_are_noted() {
    let story = class();
    let config = story.read("class.toml");
    story.write(
        "class.toml",
        config.replace("house-pairs = 1", "house-pairs = 5"),
    );
    let spaced = FIRST_LEGAL
        .replace("    ", "\t")
        .replacen('\n', "\n\n# by me\n", 1);
    hand_in(&story, "ada/bot.sh", FIRST_LEGAL);
    hand_in(&story, "ben/bot.sh", &spaced);
    hand_in(
        &story,
        "cy/main.py",
        include_str!("../../bots/python/bot.py"),
    );
    hand_in(&story, "dee/main.py", OTHER);
    run(&story, &[])
        .with_code(0)
        .out_has("evidence, never a verdict");
    let notes = |story: &super::story::Story| -> BTreeSet<[String; 3]> {
        let rows = story.rows("results/class/notes.csv").into_iter();
        rows.filter(|row| row["note"] != "over-limit" && row["note"] != "off-turn")
            .map(|row| ["entrant", "note", "with"].map(|it| row[it].clone()))
            .collect()
    };
    let expected = |rows: &[[&str; 3]]| -> BTreeSet<[String; 3]> {
        rows.iter().map(|row| row.map(str::to_owned)).collect()
    };
    let alike = [
        ["ada", "same-but-spacing", "ben"],
        ["ben", "same-but-spacing", "ada"],
        ["cy", "starter", "python"],
        ["ada", "same-moves", "dee"],
        ["ben", "same-moves", "dee"],
        ["dee", "same-moves", "ada"],
        ["dee", "same-moves", "ben"],
    ];
    assert_eq!(notes(&story), expected(&alike));
    for row in story.rows("results/class/notes.csv") {
        if row["note"] == "same-moves" {
            let words: Vec<&str> = row["detail"].split(' ').collect();
            assert_eq!(words[4], words[6], "{row:?}");
        }
    }
    // What ben hands in now is what dee had.
    hand_in(&story, "dee/main.py", &OTHER.replace("[0]", "[-1]"));
    run(&story, &["--update"]).with_code(0);
    hand_in(&story, "ben/main.py", OTHER);
    std::fs::remove_file(story.path("submissions/ben/bot.sh")).expect("a file");
    run(&story, &["--update"]).with_code(0);
    let last = [
        ["ada", "earlier-program", "ben"],
        ["ben", "earlier-program", "dee"],
        ["cy", "starter", "python"],
        ["ada", "same-moves", "ben"],
        ["ben", "same-moves", "ada"],
    ];
    assert_eq!(notes(&story), expected(&last));
    story.ok("verify results/class");
}
