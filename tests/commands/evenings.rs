//! A class of 30 folders in seven languages (`tests/data/class`), handed in on three evenings: each
//! plays only what changed, and ends with the tables of a run that began with all of it.

use super::class::run;
use super::story::{SECRET, Story, tables};
use crate::support::skip::is_here;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const CLASS: &str = r#"
format = "gauntlet"
champions = ["random", "greedy"]
pairs = 1
slots = 2
start-up = "10s"
[admission]
mode = "on"
[clock]
move = "2s"
[class]
submissions = "submissions"
house = ["random", "greedy"]
house-pairs = 1
counts = "latest"
points = [{ check = 20 }, { beats = "random", share = 0.5, points = 30 }]
"#;

/// What is handed in on each evening.
const EVENINGS: [&str; 3] = ["first", "second", "third"];
/// The games of an entrant: a pair against each champion.
const GAMES_EACH: usize = 4;

/// A row of `expected.csv`.
struct Expected {
    evening: usize,
    entrant: String,
    needs: String,
    words: String,
}

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/class")
}

/// The rows whose programs this machine has; the others are named.
fn expected() -> Vec<Expected> {
    let mut reader = csv::Reader::from_path(data().join("expected.csv")).expect("the table");
    let rows = reader.records().map(|row| {
        let row = row.expect("a row");
        Expected {
            evening: row[0].parse().expect("a number"),
            entrant: row[1].to_owned(),
            needs: row[2].to_owned(),
            words: row[3].to_owned(),
        }
    });
    let mut rows: Vec<Expected> = rows.collect();
    assert!(rows.len() > 30, "a row for each folder");
    rows.retain(|row| is_here(&row.needs));
    rows
}

/// Hands in the folders of an evening whose programs are here.
fn hand_in(story: &Story, evening: &str, rows: &[Expected]) {
    for entry in fs::read_dir(data().join(evening)).expect("an evening") {
        let source = entry.expect("an entry").path();
        let name = source.file_name().unwrap().to_str().unwrap().to_owned();
        if !rows.iter().any(|row| row.entrant == name) {
            continue;
        }
        let folder = story.path(&format!("submissions/{name}"));
        if folder.exists() {
            fs::remove_dir_all(&folder).expect("the earlier folder");
        }
        if !source.join("GONE").exists() {
            copy(&source, &folder);
        }
    }
}

fn copy(source: &Path, folder: &Path) {
    fs::create_dir_all(folder).expect("a folder");
    for entry in fs::read_dir(source).expect("a folder") {
        let path = entry.expect("an entry").path();
        let to = folder.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &to);
        } else if path.ends_with("STARTER") {
            let text = fs::read_to_string(&path).expect("two names");
            let (starter, name) = text.trim().split_once(' ').expect("two names");
            let starter = data().join("../../../bots").join(starter);
            fs::copy(starter, folder.join(name)).expect("a starter bot");
        } else {
            fs::copy(&path, to).expect("a file");
        }
    }
}

/// The words that the feedback of each entrant has after an evening.
fn words_after(rows: &[Expected], evening: usize) -> BTreeMap<&str, &str> {
    let known = rows.iter().filter(|row| row.evening <= evening);
    known
        .map(|row| (row.entrant.as_str(), row.words.as_str()))
        .collect()
}

/// Whether an entrant plays after an evening. A program that is late is admitted, however late.
fn plays(words: &str) -> bool {
    let late = "it computed all the time";
    words == "Admitted." || words.starts_with("illegal-move") || words == late
}

/// The games with a result in the journal, of every revision.
fn games_played(story: &Story) -> usize {
    let journal = story.read("results/class/games.jsonl");
    let lines = journal
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("a line"));
    lines
        .filter(|line| line["kind"] == "game" && line["ending"].get("void").is_none())
        .count()
}

/// The reason of a bot that was late says how many ms it had: no two runs measure the same.
fn without_measured_times(tables: Vec<Vec<Vec<String>>>) -> Vec<Vec<Vec<String>>> {
    let cell = |cell: String| match cell.split_once("too late: ") {
        Some((before, _)) => format!("{before}too late"),
        None => cell,
    };
    let row = |row: Vec<String>| row.into_iter().map(cell).collect();
    let table = |table: Vec<Vec<String>>| table.into_iter().map(row).collect();
    tables.into_iter().map(table).collect()
}

#[test]
fn each_evening_plays_what_changed_and_names_every_cause() {
    let rows = expected();
    let story = Story::new();
    fs::create_dir(story.path("submissions")).expect("a folder");
    story.write("class.toml", format!("[tournament]\n{SECRET}{CLASS}"));
    // The two champions meet each other.
    let mut games = GAMES_EACH / 2;
    for (number, evening) in (1..).zip(EVENINGS) {
        hand_in(&story, evening, &rows);
        run(&story, &["--update"]).with_code(0);
        let now = words_after(&rows, number);
        let handed_in = |name: &str| data().join(evening).join(name).is_dir();
        for (name, words) in &now {
            let is_gone = !story.path(&format!("submissions/{name}")).exists();
            // Basil hands in the first evening's bot again: its games count again.
            let is_known = number == 3 && *name == "basil";
            if plays(words) && handed_in(name) && !is_gone && !is_known {
                games += GAMES_EACH;
            }
            if !is_gone {
                let feedback = format!("results/class/feedback/{name}/feedback.txt");
                let text = story.read(&feedback);
                assert!(text.contains(words), "no {words:?} in:\n{text}");
                let is_admitted = text.contains("\nAdmitted.\n");
                assert_eq!(is_admitted, plays(words), "{text}");
            }
        }
        assert_eq!(games_played(&story), games, "after the {evening} evening");
        story.ok("verify results/class");
        if number == EVENINGS.len() || std::env::var_os("AWALE_FULL").is_some() {
            let fresh = format!("fresh-{evening}");
            run(&story, &["--output", &fresh]).with_code(0);
            let folders = ["results/class", &fresh].map(|it| story.path(it));
            let [updated, anew] = folders.map(|folder| without_measured_times(tables(&folder)));
            assert_eq!(updated, anew, "after the {evening} evening");
        }
    }
    let history = story.read("results/class/history.csv");
    assert!(
        history.lines().any(|line| line.starts_with("3,")),
        "{history}"
    );
}
