//! `awale rate` through the real binary: tables of other programs, and the table of a run.

use super::story::Story;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// White, Black, result, round and opening of some games; the openings of two rounds are shared.
const GAMES: [[&str; 5]; 9] = [
    ["ada", "Bob; \"the 2nd\"", "1-0", "1", "p1"],
    ["Bob; \"the 2nd\"", "ada", "1/2-1/2", "1", "p1"],
    ["Éva 明", "ada", "0-1", "2", "p2"],
    ["ada", "Éva 明", "0-1", "2", "p2"],
    ["Bob; \"the 2nd\"", "Éva 明", "1-0", "3", "p3"],
    ["Éva 明", "Bob; \"the 2nd\"", "1-0", "3", "p3"],
    ["ada", "Éva 明", "1-0", "4", "p1"],
    ["Éva 明", "ada", "1/2-1/2", "4", "p1"],
    ["ada", "Bob; \"the 2nd\"", "*", "5", "p4"],
];

/// The games as PGN.
fn pgn() -> String {
    let mut text = "% from a tool of ours\n\n".to_owned();
    for [white, black, result, round, start] in GAMES {
        let [white, black] = [white, black].map(|name| name.replace('"', "\\\""));
        let _ = write!(
            text,
            "[Event \"Club [A]\"]\n[Site \"?\"]\n[Date \"2026.01.31\"]\n[Round \"{round}\"]\n\
             [White \"{white}\"]\n[Black \"{black}\"]\n[Result \"{result}\"]\n[SetUp \"1\"]\n\
             [FEN \"{start}\"]\n\n1. Aa {{0-1}} Bb $1 2. Cc (2. Dd 0-1) Ee {result}\n\n"
        );
    }
    text
}

/// The games as CSV.
fn csv(separator: u8, header: [&str; 5], result: impl Fn(&str) -> String) -> String {
    let mut writer = csv::WriterBuilder::new()
        .delimiter(separator)
        .from_writer(Vec::new());
    writer.write_record(header).expect("a header");
    for [white, black, text, round, start] in GAMES {
        let row = [white, black, &result(text), round, start];
        writer.write_record(row).expect("a row");
    }
    String::from_utf8(writer.into_inner().expect("memory")).expect("a text")
}

fn in_utf16(text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(unit).collect()
}

#[test]
fn the_same_games_give_the_same_in_every_dialect() {
    let story = Story::new();
    let header = ["south", "north", "result", "pair", "start"];
    let plain = csv(b',', header, str::to_owned);
    story.write("plain.csv", &plain);
    let expected = story.ok("rate plain.csv --json");
    let fit: Value = serde_json::from_str(&expected.stdout).expect("JSON");
    assert_eq!(fit["unfinished"], 1);
    assert_eq!(
        (&fit["errors"]["games"], &fit["errors"]["pairs"]),
        (&8.into(), &4.into())
    );
    assert_eq!(fit["errors"]["clusters"], 3);
    let names: Vec<&Value> = fit["entrants"].as_array().expect("a list").iter().collect();
    assert_eq!(names[2]["name"], "Éva 明");
    assert_eq!(
        (&names[2]["wins"], &names[2]["draws"]),
        (&2.into(), &1.into())
    );
    let white = ["White", "Black", "Result", "Pair", "FEN"];
    let decimal = |it: &str| it.replace("1/2", "0,5").replace('-', " - ");
    let half = |it: &str| it.replace("1/2", "½").replace('-', "–");
    let first = |it: &str| it.split('-').next().expect("a score").to_owned();
    let players = ["WHITE", "black", "Score", "pair", "opening"];
    let semicolons = csv(b';', white, decimal);
    let tabs = csv(b'\t', players, half);
    let score = csv(b';', ["south", "north", "score", "pair", "start"], first);
    for (file, bytes) in [
        (
            "semicolons.csv",
            semicolons.replace('\n', "\r\n").into_bytes(),
        ),
        ("tabs.tsv", tabs.clone().into_bytes()),
        ("score.csv", score.into_bytes()),
        (
            "utf16le.txt",
            in_utf16(&format!("\u{feff}{tabs}"), u16::to_le_bytes),
        ),
        (
            "utf16be.csv",
            in_utf16(&format!("\u{feff}{plain}"), u16::to_be_bytes),
        ),
        // PGN is known by what is in it.
        ("games.pgn", without_moves(&pgn()).into_bytes()),
        (
            "games.csv",
            in_utf16(
                &format!("\u{feff}{}", without_moves(&pgn())),
                u16::to_le_bytes,
            ),
        ),
    ] {
        story.write(file, &bytes);
        let found = story.ok(format!("rate {file} --json"));
        assert_eq!(found.stdout, expected.stdout, "{file}");
        let piped = story.run_with_input(&["rate", "-", "--json"], &bytes);
        assert_eq!(piped.with_code(0).stdout, expected.stdout, "{file}");
    }
    story
        .ok("rate games.pgn")
        .out_has("1 game that was not finished (*) or has a player ? is left out.")
        .out_has("come from 3 openings");
}

/// Games without their moves.
fn without_moves(pgn: &str) -> String {
    let lines = pgn.lines().map(|line| match line.strip_prefix("1. Aa") {
        Some(_) => line.rsplit(' ').next().expect("a result"),
        None => line,
    });
    lines.map(|line| line.to_owned() + "\n").collect()
}

/// Every game of the PGN file has the same moves: those from one opening repeat each other.
#[test]
fn games_of_pgn_that_repeat_each_other_are_told() {
    let story = Story::new();
    story.write("once.pgn", pgn());
    let fit = |file| -> Value {
        let said = story.ok(format!("rate {file} --json"));
        serde_json::from_str(&said.stdout).expect("JSON")
    };
    assert_eq!(fit("once.pgn")["errors"]["duplicate_games"], 0);
    story.write(
        "twice.pgn",
        pgn().replace("[Round \"", "[Round \"9.") + &pgn(),
    );
    assert_eq!(fit("twice.pgn")["errors"]["duplicate_games"], 8);
    story
        .ok("rate twice.pgn")
        .out_has("8 of 16 games repeat another to the move");
}

/// Openings that pairings share by chance: four of eight for each.
const RUN: &str = r#"
[tournament]
pairs = 4
slots = 2
openings = { file = "openings.txt" }
[clock]
move = "10s"
[[entrant]]
name = "zoe"
command = ["awale", "bot", "greedy"]
[[entrant]]
name = "random"
command = ["awale", "bot", "random"]
[[entrant]]
name = "greedy"
command = ["awale", "bot", "greedy"]
[[entrant]]
name = "dora"
command = ["awale", "bot", "random"]
"#;

/// A number as a table shows it: in tenths, or empty if it is not known.
fn is_the_same(value: &Value, cell: &str) -> bool {
    match value.as_f64() {
        None => cell.is_empty(),
        Some(number) => {
            let cell: f64 = cell.parse().expect("a number");
            (number - cell).abs() < 0.05 + 1e-9
        }
    }
}

/// What `rate` says of every two entrants is in `los.csv`, which has each of them twice.
fn differences_are_the_same(story: &Story, fit: &Value) {
    let rows = story.rows("run/los.csv");
    let differences = fit["differences"].as_array().expect("a list");
    assert_eq!(rows.len(), 2 * differences.len());
    for difference in differences {
        let row = rows
            .iter()
            .find(|row| difference["a"] == row["entrant"] && difference["b"] == row["opponent"])
            .expect("a row");
        for (key, column) in [("elo", "difference"), ("error95", "error95")] {
            let is_equal = is_the_same(&difference[key], &row[column]);
            assert!(is_equal, "{difference}, {row:?}");
        }
        assert_eq!(
            difference["extreme"].as_str().unwrap_or_default(),
            row["bound"]
        );
    }
}

#[test]
fn the_games_of_a_run_give_its_standings() {
    let story = Story::new();
    story.write(
        "openings.txt",
        "AaDd\nAbCe\nAbEa\nAbFf\nAcEd\nAdAf\nAdCc\nAdFc\n",
    );
    // Two bots of each strength: no entrant wins all its games, so all are in one pool.
    let secret = format!("[tournament]\nsecret = \"{}\"", "0a".repeat(32));
    story.write("run.toml", RUN.replace("[tournament]", &secret));
    let run = story.ok("run run.toml --output run");
    // Openings are shared, but not by all pairings.
    let mut pairings: BTreeMap<String, BTreeSet<[String; 2]>> = BTreeMap::new();
    for game in story.rows("run/games.csv") {
        let mut players = ["south", "north"].map(|seat| game[seat].clone());
        players.sort();
        let of_opening = pairings.entry(game["start"].clone()).or_default();
        of_opening.insert(players);
    }
    let shared: Vec<usize> = pairings.values().map(BTreeSet::len).collect();
    assert!(shared.iter().any(|count| *count > 1) && shared.iter().any(|count| *count < 6));

    let said = story.ok("rate run/games.csv --json");
    let fit: Value = serde_json::from_str(&said.stdout).expect("JSON");
    assert_eq!(fit["errors"]["clusters"], pairings.len());
    let entrants = fit["entrants"].as_array().expect("a list");
    let mut with_errors = 0;
    for row in story.rows("run/standings.csv") {
        let name = row["entrant"].as_str();
        let rated = entrants
            .iter()
            .find(|it| it["name"] == name)
            .expect("an entrant");
        for (key, column) in [("elo", "elo"), ("error95", "error95")] {
            let cell = row[column].as_str();
            assert!(is_the_same(&rated[key], cell), "{name}: {rated}, {row:?}");
        }
        let bound = rated["extreme"].as_str().unwrap_or_default();
        assert_eq!(bound, row["bound"]);
        for (key, column) in [("games", "games"), ("wins", "wins"), ("draws", "draws")] {
            assert_eq!(rated[key].to_string(), row[column]);
        }
        with_errors += u32::from(!row["error95"].is_empty());
    }
    assert!(with_errors >= 2, "{}", run.stdout);
    differences_are_the_same(&story, &fit);
    // So do the sentences under the table.
    let words = story.ok("rate run/games.csv").stdout;
    for start in ["The margins come from ", "Moving first is worth "] {
        let line = |text: &str| {
            let mut lines = text.lines().filter(|line| line.starts_with(start));
            lines.next().map(str::to_owned)
        };
        assert!(line(&words).is_some(), "{words}");
        assert_eq!(line(&words), line(&run.stdout), "{}", run.stdout);
    }
}

/// Some of the games, with or without what tells of openings, as CSV.
fn some(games: &[[&str; 5]], has_openings: bool) -> String {
    let mut text = "south,north,result,pair,start\n".to_owned();
    for [south, north, result, pair, start] in games {
        let start = if has_openings { start } else { "" };
        let south = south.replace('"', "\"\"");
        let north = north.replace('"', "\"\"");
        let _ = writeln!(text, "\"{south}\",\"{north}\",{result},{pair},{start}");
    }
    text
}

/// Players and openings of one name are the same in all files, pairs are not.
#[test]
fn several_files_are_one_table() {
    let story = Story::new();
    story.write("all.csv", some(&GAMES, true));
    story.write("one.csv", some(&GAMES[..3], true));
    story.write("other.csv", some(&GAMES[3..], true));
    let all = story.ok("rate all.csv --json");
    let parts = story.run("rate one.csv other.csv --json");
    let value = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
    let (all, parts) = (value(&all.stdout), value(&parts.with_code(0).stdout));
    assert_eq!(all["entrants"], parts["entrants"]);
    assert_eq!(all["errors"]["clusters"], parts["errors"]["clusters"]);
    // The same rounds twice: in two files they are other pairs.
    story.write("first.csv", some(&GAMES[..2], false));
    story.write("second.csv", some(&GAMES[..2], false));
    let twice = story.run("rate first.csv second.csv --json");
    let twice = value(&twice.with_code(0).stdout);
    assert_eq!(twice["errors"]["games"], 4, "{twice}");
    assert_eq!(twice["errors"]["clusters"], 2, "{twice}");
    story
        .ends(2, "rate first.csv missing.csv")
        .err_has("missing.csv");
}

#[test]
fn ratings_are_a_table_for_spreadsheets_too() {
    let story = Story::new();
    let games = some(&GAMES, true).replace("ada", "=1+1");
    story.write("games.csv", games);
    let said = story.run("rate games.csv --json");
    let json: Value = serde_json::from_str(&said.with_code(0).stdout).expect("JSON");
    let said = story.run("rate games.csv --csv");
    let said = said.with_code(0).stdout;
    let mut reader = csv::Reader::from_reader(said.as_bytes());
    let rows: Vec<BTreeMap<String, String>> = reader
        .deserialize()
        .collect::<Result<_, _>>()
        .expect("rows");
    assert_eq!(rows.len(), 3);
    for row in rows {
        let name = row["entrant"].strip_prefix('\'').unwrap_or(&row["entrant"]);
        assert_eq!(row["entrant"].starts_with('\''), name == "=1+1");
        let entrants = json["entrants"].as_array().expect("entrants");
        let rated = entrants
            .iter()
            .find(|it| it["name"] == name)
            .expect("the same names");
        let elo: f64 = row["elo"].parse().expect("an Elo");
        assert!((elo - rated["elo"].as_f64().expect("an Elo")).abs() <= 0.05 + 1e-9);
        for (column, key) in [("games", "games"), ("wins", "wins"), ("draws", "draws")] {
            assert_eq!(row[column], rated[key].to_string(), "{row:?}");
        }
        let [wins, draws, games] =
            ["wins", "draws", "games"].map(|column| row[column].parse::<f64>().expect("a number"));
        let share: f64 = row["score"].parse().expect("a share");
        assert!((share - (wins + draws / 2.0) / games).abs() <= 0.000_05 + 1e-9);
    }
}

/// The tables of a folder may be older than its journal, or another person's.
#[test]
fn the_journal_of_a_folder_is_rated() {
    let story = Story::new();
    let config = "[tournament]\npairs = 2\n[[entrant]]\nname = \"random\"\n\
                  command = [\"awale\", \"bot\", \"random\"]\n[[entrant]]\nname = \"greedy\"\n\
                  command = [\"awale\", \"bot\", \"greedy\"]\n";
    story.write("t.toml", config);
    story.ok("run t.toml --output run");
    let expected = story.ok("rate run/games.csv --json");
    story.write("run/games.csv", "south,north,result\nx,y,1-0\n");
    let said = story.ok("rate run --json");
    assert_eq!(said.stdout, expected.stdout);
}
