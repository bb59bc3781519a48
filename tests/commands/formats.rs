//! Tournaments whose rounds follow from results, through the real binary.

use super::story::{SECRET, Story};
use super::verify::Lines;
use std::fs;

const FORMATS: [&str; 4] = [
    "format = \"swiss\"\nrounds = 3",
    "format = \"knockout\"",
    "stages = [{ format = \"groups\", groups = 2, advance = 3 }, { format = \"knockout\" }]",
    "until = { error95 = 60, max-pairs = 8 }",
];

/// Every entrant has a fixed depth, so each game is the same whenever it is played.
fn config(format: &str) -> String {
    let mut text = format!("[tournament]\n{SECRET}\npairs = 1\nslots = 2\n{format}\n");
    for depth in 1..=5 {
        let entrant = format!(
            "[[entrant]]\nname = \"b{depth}\"\n\
             command = [\"awale\", \"bot\", \"minimax\", \"--depth\", \"{depth}\"]\n"
        );
        text.push_str(&entrant);
    }
    text
}

#[test]
fn a_journal_that_was_cut_anywhere_becomes_the_same_tournament() {
    for format in FORMATS {
        let story = Story::new();
        story.write("t.toml", config(format));
        story.ok("run t.toml --output whole");
        story.ok("verify whole").out_has("\nclean: ");
        let journal = story.read("whole/games.jsonl");
        let lines: Vec<&str> = journal.split_inclusive('\n').collect();
        let rounds = lines
            .iter()
            .filter(|line| line.contains("\"kind\":\"round\""));
        assert!(rounds.count() > 1, "{format}");
        // As after kill -9: some lines, and a part of the next one.
        for (name, kept) in [
            ("early", 2),
            ("middle", lines.len() / 2),
            ("late", lines.len() - 1),
        ] {
            let torn = &lines[kept][..lines[kept].len() / 2];
            let text: String = lines[..kept].iter().copied().chain([torn]).collect();
            fs::create_dir(story.path(name)).expect("a folder");
            story.write(&format!("{name}/games.jsonl"), text);
            story.ok(format!("run t.toml --output {name} --slots 1"));
            story.ok(format!("verify {name}")).out_has("\nclean: ");
            for table in ["rounds.csv", "places.csv", "bracket.csv"] {
                let [there, here] = ["whole", name].map(|it| {
                    let path = story.path(&format!("{it}/{table}"));
                    fs::read_to_string(path).unwrap_or_default()
                });
                assert_eq!(there, here, "{format}, {name}, {table}");
                assert_eq!(
                    there.is_empty(),
                    table == "bracket.csv" && !is_knockout(format)
                );
            }
        }
    }
}

fn is_knockout(format: &str) -> bool {
    format.contains("knockout")
}

#[test]
fn a_round_that_results_do_not_decide_is_found() {
    let story = Story::new();
    story.write("t.toml", config(FORMATS[0]));
    story.ok("run t.toml --output run");
    let mut lines = Lines::of(&story);
    let round = lines
        .0
        .iter_mut()
        .find(|line| line["kind"] == "round" && line["number"] == 2);
    let round = round.expect("a second round");
    let bye = round["byes"][0].clone();
    let played = round["matches"][0]["entrants"][0].clone();
    round["byes"][0] = played;
    round["matches"][0]["entrants"][0] = bye;
    lines.write(&story);
    story.ends(1, "verify run").out_has(
        "round 2 (\"round 2\") is not the one that the results of the rounds before it decide",
    );
}

#[test]
fn other_machines_get_no_pairs_that_results_decide() {
    let story = Story::new();
    story.write("t.toml", config(FORMATS[1]));
    story
        .ends(2, "shard t.toml --write-plan plan.json")
        .err_has("results decide who meets whom in this plan");
}
