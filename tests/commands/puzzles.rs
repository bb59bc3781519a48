//! `awale endgame puzzles`: openings, JSON and a page, the same ones each time.

use super::story::{Story, has};
use awale::rules::{Position, Preset};
use serde_json::Value;

const CONFIG: &str = r#"
[tournament]
openings = { file = "puzzles/puzzles.txt" }
[[entrant]]
name = "greedy"
command = ["awale", "bot", "greedy"]
[[entrant]]
name = "random"
command = ["awale", "bot", "random"]
"#;

#[test]
fn puzzles_are_openings_json_and_a_page() {
    let story = Story::new();
    let arguments = ["endgame", "puzzles", "--seeds", "4..6", "--count", "9"];
    let said = story.run(&arguments).with_code(0);
    let files = "puzzles/puzzles.txt\npuzzles/puzzles.json\npuzzles/puzzles.html\n";
    assert_eq!(said.stdout, files);
    let data: Value = serde_json::from_str(&story.read("puzzles/puzzles.json")).expect("JSON");
    assert_eq!((&data["v"], &data["rules"]), (&1.into(), &"awale".into()));
    let puzzles = data["puzzles"].as_array().expect("puzzles");
    let position = |puzzle: &Value| puzzle["position"].as_str().expect("a text").to_owned();
    let positions: Vec<String> = puzzles.iter().map(position).collect();
    assert_eq!(positions.len(), 9);
    for text in &positions {
        let position: Position = text.parse().expect("a position");
        assert!((4..=6).contains(&position.seeds_on_board()), "{text}");
        let [south, north] = position.stores();
        assert_eq!(south, north, "{text}");
    }
    let openings = story.read("puzzles/puzzles.txt");
    let openings: Vec<&str> = openings.lines().filter(|it| !it.starts_with('#')).collect();
    assert_eq!(openings, positions);
    let page = story.read("puzzles/puzzles.html");
    has(&page, &positions[8]);
    story.write("puzzles.toml", CONFIG);
    story
        .run(&["run", "puzzles.toml", "--dry-run"])
        .with_code(0);
    // The same again, in another folder.
    let again = [&arguments[..], &["--output", "again"]].concat();
    story.run(&again).with_code(0);
    assert_eq!(story.read("again/puzzles.html"), page);
}

#[test]
fn rules_and_numbers_that_make_no_puzzles_are_named() {
    let story = Story::new();
    for (arguments, text) in [
        (
            &["--rules", "abapa"][..],
            "cannot make puzzles for these rules: with repetition",
        ),
        (
            &["--seeds", "9..6"],
            "seeds are a range between 2 and 13, as in 6..10, or one number",
        ),
        (&["--seeds", "14"], "seeds are a range between 2 and 13"),
        (&["--seeds", "many"], "seeds are a range between 2 and 13"),
        (
            &["--seeds", "2"],
            "no position with so few seeds has exactly one winning move",
        ),
        (&["--count", "0"], "0 is not in 1..=1000"),
    ] {
        let said = story.run(&[&["endgame", "puzzles"], arguments].concat());
        has(&said.with_code(2).stderr, text);
    }
    let rules = Preset::Awale.rules();
    let said = story.run(&["endgame", "puzzles", "--seeds", "3", "--count", "900"]);
    let said = said.with_code(0);
    let found = story.read("puzzles/puzzles.txt");
    let found = found.lines().filter(|it| !it.starts_with('#'));
    let found: Vec<Position> = found.map(|it| it.parse().expect("a position")).collect();
    assert!(found.iter().all(|it| rules.legal_moves(*it).len() > 1));
    let there_are = format!("there are no more than {} puzzle", found.len());
    has(&said.stderr, &there_are);
}
