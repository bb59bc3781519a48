//! `awale report`: the tables of a run, made again from its journal alone.

use super::story::{SECRET, Story};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

const TABLES: [&str; 7] = [
    "standings.csv",
    "crosstable.csv",
    "los.csv",
    "openings.csv",
    "games.csv",
    "faults.csv",
    "noise.csv",
];

fn config(pairs: u32, depth: u32) -> String {
    let entrant = |name: &str, bot: &str| {
        format!("[[entrant]]\nname = {name:?}\ncommand = [\"awale\", \"bot\", {bot}]\n")
    };
    let entrants = [
        entrant("ada", "\"greedy\""),
        entrant("bob", "\"random\""),
        entrant("cyd", &format!("\"minimax\", \"--depth\", \"{depth}\"")),
    ];
    format!(
        "[tournament]\n{SECRET}\npairs = {pairs}\nslots = 1\nanchor = {{ ada = 1000 }}\n\
         [clock]\nmove = \"10s\"\n{}",
        entrants.concat()
    )
}

fn tables(story: &Story, folder: &str) -> Vec<String> {
    let read = |table: &&str| story.read(&format!("{folder}/{table}"));
    TABLES.iter().map(read).collect()
}

#[test]
fn a_journal_alone_makes_every_table_again() {
    let story = Story::new();
    story.write("t.toml", config(3, 2));
    let run = story.ok("run t.toml --output run");
    let made = tables(&story, "run");
    // Neither the plan nor the configuration is asked.
    for file in TABLES.iter().chain(&["plan.toml"]) {
        fs::remove_file(story.path(&format!("run/{file}"))).expect("a file");
    }
    fs::remove_file(story.path("t.toml")).expect("a configuration");
    let said = story.ok("report run");
    assert_eq!(tables(&story, "run"), made);
    assert_eq!(said.stdout, run.stdout, "it says what the run said");
    story.ok("report run --output there/new");
    assert_eq!(tables(&story, "there/new"), made);
    assert!(!story.path("there/new/games.jsonl").exists());
    // Tables beside another run's journal would contradict it.
    story.ok("report run --output there/../run");
    fs::write(story.path("there/games.jsonl"), "").expect("a file");
    story
        .ends(2, "report run --output there")
        .err_has("there is the folder of another run")
        .err_has("--output");
}

#[test]
fn the_last_settings_of_a_run_are_those_of_its_tables() {
    let story = Story::new();
    story.write("t.toml", config(2, 1));
    story.ok("run t.toml --output run");
    story.write("t.toml", config(2, 1).replace("ada = 1000", "bob = 500"));
    story.ok("run t.toml --output run");
    let made = tables(&story, "run");
    assert!(made[0].contains(",500.0,"), "{}", made[0]);
    story.ok("report run --output again");
    assert_eq!(tables(&story, "again"), made);
}

/// A torn last line is what a run leaves that is writing just then.
#[test]
fn a_run_that_goes_on_is_reported_elsewhere() {
    let story = Story::new();
    story.write("t.toml", config(400, 6));
    let mut run = story.start("run t.toml --output run --quiet");
    let journal = story.path("run/games.jsonl");
    let has_games = |journal: &Path| {
        let text = fs::read_to_string(journal).unwrap_or_default();
        text.lines()
            .filter(|line| line.contains("\"kind\":\"game\""))
            .count()
            >= 4
    };
    let begun = Instant::now();
    while !has_games(&journal) {
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "no game is played"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
    story
        .ends(3, "report run")
        .err_has("another awale is playing in run")
        .err_has("--output");
    story
        .ok("report run --output so-far")
        .out_has("The run is not finished: ")
        .out_has(" of 2400 games.");
    let games = story.read("so-far/games.csv");
    assert!(games.lines().count() > 4, "{games}");
    run.kill().expect("a run");
    run.wait().expect("its end");
    // Killed in the middle of a line, or not: the rest is reported.
    let mut text = fs::read(&journal).expect("a journal");
    text.extend_from_slice(b"{\"sum\":\"00");
    fs::write(&journal, text).expect("a journal");
    story.ok("report run").out_has("The run is not finished");
    assert!(story.read("run/games.csv").lines().count() >= games.lines().count());
}

#[test]
fn what_cannot_be_reported_is_said() {
    let story = Story::new();
    story.ends(2, "report nowhere").err_has("nowhere");
    story.write("t.toml", config(2, 1));
    story.ok("run t.toml --output run");
    let text = story.read("run/games.jsonl");
    story.write(
        "run/games.jsonl",
        text.replacen("\"moves\"", "\"movez\"", 1),
    );
    story
        .ends(3, "report run")
        .err_has("games.jsonl: line ")
        .err_has("of the journal is damaged");
    story.write("run/games.jsonl", &text);
    story.write("file", "");
    story
        .ends(3, "report run --output file/below")
        .err_has("cannot create the folder file/below");
}
