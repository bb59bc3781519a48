//! `awale export`, and `awale rate` on what it writes, through the real binary.

use super::story::{Story, has, lacks};
use awale::record::GameRecord;
use awale::report::Sample;
use serde_json::Value;
use std::collections::BTreeMap;

/// A bot that says hostile things with its moves.
const TALKER: &str = r#"
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked["type"] in ("hello", "new-game"):
        print('{"type":"ready"}', flush=True)
    elif asked["type"] == "turn":
        info = {"score": -1.5, "depth": 3, "comment": "} 1-0 \u202e\u001b[2J"}
        answer = {"type": "move", "pit": asked["legal"][0], "info": info}
        print(json.dumps(answer), flush=True)
"#;

const RUN: &str = r#"
[tournament]
name = 'of "spring" \ 1'
pairs = 4
slots = 2
[isolation]
level = "none"
[clock]
move = "10s"
[[entrant]]
name = '''the "one" \ [x] {y}'''
command = ["awale", "bot", "greedy"]
[[entrant]]
name = "Éva 明"
command = ["awale", "bot", "random"]
[[entrant]]
name = "talker"
command = ["python3", "talker.py"]
"#;

fn a_run() -> Story {
    let story = Story::new();
    let secret = format!("[tournament]\nsecret = \"{}\"", "0b".repeat(32));
    story.write("talker.py", TALKER);
    story.write("run.toml", RUN.replace("[tournament]", &secret));
    story.ok("run run.toml --output run --i-trust-these-bots");
    story
}

/// The records of the journal, by their ids.
fn records(story: &Story) -> BTreeMap<String, Value> {
    let lines = story.read("run/games.jsonl");
    let games = lines.lines().filter_map(|line| {
        let (json, _) = line.rsplit_once('}')?;
        let line: Value = serde_json::from_str(&format!("{json}}}")).ok()?;
        (line["kind"] == "game").then(|| (line["id"].as_str().unwrap_or_default().to_owned(), line))
    });
    games.collect()
}

#[test]
fn exported_games_are_rated_like_the_run() {
    let story = a_run();
    let expected = story.ok("rate run --json").stdout;
    for form in ["ogn", "pgn", "csv"] {
        for flags in ["", " --comments"] {
            if form == "csv" && !flags.is_empty() {
                continue;
            }
            let said = story.ok(format!(
                "export run --format {form}{flags} --output out/games.{form}"
            ));
            assert_eq!(said.stdout, "");
            has(&said.stderr, "24 games exported");
            lacks(&said.stderr, "left out");
            let rated = story.ok(format!("rate out/games.{form} --json"));
            assert_eq!(rated.stdout, expected, "{form}{flags}");
        }
    }
    let ogn = story.ok("export run --format ogn --comments").stdout;
    assert_eq!(ogn, story.read("out/games.ogn"));
    has(
        &ogn,
        "[Variant \"awale\"]\n[Event \"of \\\"spring\\\" \\\\ 1\"]\n",
    );
    has(&ogn, "{-1.50/3 0.");
    lacks(&ogn, "\u{1b}");
    // The games of a pair by their ids.
    let id = story.rows("run/games.csv")[0]["id"].clone();
    let one = story.ok(["export", "run", "--format", "ogn", "--game", &id].as_slice());
    has(
        &one.stderr,
        "1 game exported; left out: 23 that do not count or were",
    );
    assert!(
        ogn.replace("{-1.50/3 ", "{")
            .starts_with(&one.stdout[..200])
    );
}

#[test]
fn lines_of_json_are_the_records() {
    let story = a_run();
    let rows = story.rows("run/games.csv");
    let jsonl = story.ok("export run --format jsonl").stdout;
    let journal = records(&story);
    assert_eq!((jsonl.lines().count(), journal.len()), (24, 24));
    for (line, row) in jsonl.lines().zip(&rows) {
        assert!(!line.contains(['\u{1b}', '\u{202e}']), "{line}");
        let mut game: Value = serde_json::from_str(line).expect("JSON");
        let record: GameRecord = serde_json::from_str(line).expect("a record");
        assert_eq!(record.id.to_string(), row["id"]);
        let result = game.as_object_mut().expect("an object").remove("result");
        assert_eq!(result, Some(Value::from(row["result"].as_str())));
        let known = &journal[&row["id"]];
        for (key, value) in game.as_object().expect("an object") {
            assert_eq!(value, &known[key], "{key}");
        }
    }
    let csv = story.ok("export run --format csv").stdout;
    assert_eq!(csv, story.read("run/games.csv"));

    let samples = story.ok("export run --format csv --samples").stdout;
    let mut reader = csv::Reader::from_reader(samples.as_bytes());
    let of_csv: Vec<Sample> = reader
        .deserialize()
        .map(|row| row.expect("a sample"))
        .collect();
    let lines = story.ok("export run --format jsonl --samples").stdout;
    let lines = lines
        .lines()
        .map(|line| serde_json::from_str(line).expect("a sample"));
    assert_eq!(of_csv, lines.collect::<Vec<Sample>>());
    let plies: usize = rows
        .iter()
        .map(|row| row["plies"].parse::<usize>().expect("a number"))
        .sum();
    assert_eq!(of_csv.len(), plies);
    let scores = of_csv.iter().filter_map(|sample| sample.score);
    assert!(
        scores.clone().any(|score| (score + 1.5).abs() < 1e-9),
        "the talker's"
    );
}

#[test]
fn an_exported_game_is_an_opening() {
    let story = a_run();
    story.ok("export run --format pgn --output games.pgn");
    let secret = format!("[tournament]\nsecret = \"{}\"", "0c".repeat(32));
    let other = RUN.replace("[tournament]", &secret).replace(
        "pairs = 4",
        "pairs = 4\nopenings = { file = \"games.pgn\", order = \"file\", start = 3 }",
    );
    story.write("talker.py", TALKER);
    story.write("other.toml", other);
    story.ok("run other.toml --output other --i-trust-these-bots");
    let mut starts: Vec<String> = Vec::new();
    for row in story.rows("run/games.csv") {
        if !starts.contains(&row["start"]) {
            starts.push(row["start"].clone());
        }
    }
    for row in story.rows("other/games.csv") {
        let round: usize = row["pair"]
            .rsplit_once('.')
            .expect("a round")
            .1
            .parse()
            .expect("it");
        let opening = (round - 1 + 2) % starts.len();
        assert_eq!(row["start"], starts[opening], "{row:?}");
        assert_eq!(row["opening"], (opening + 1).to_string());
    }
}

#[test]
fn what_cannot_be_exported_is_told() {
    let story = a_run();
    for (words, said) in [
        (
            "export run --format csv --comments",
            "--comments belongs to",
        ),
        (
            "export run --format pgn --samples",
            "--samples are written as",
        ),
        (
            "export run --format pgn --game x.1.1",
            "no game \"x.1.1\" counts",
        ),
        (
            "export run --format pgn --output run",
            "not the name of a file",
        ),
        ("export nowhere --format pgn", "nowhere"),
    ] {
        story.ends(2, words).err_has(said);
    }
}

/// Sums of games say as much as the games, but who moved first.
#[test]
fn sums_of_games_are_rated() {
    let story = Story::new();
    story.write(
        "sums.csv",
        "first,second,won,drawn,lost\na,b,6,2,2\nc,b,5,0,5\n",
    );
    let mut games = "south,north,result\n".to_owned();
    for (south, north, result, count) in [
        ("a", "b", "1-0", 6),
        ("a", "b", "1/2-1/2", 2),
        ("b", "a", "1-0", 2),
        ("b", "c", "0-1", 5),
        ("c", "b", "0-1", 5),
    ] {
        games += &format!("{south},{north},{result}\n").repeat(count);
    }
    story.write("games.csv", games);
    let value =
        |words: &str| -> Value { serde_json::from_str(&story.ok(words).stdout).expect("JSON") };
    let (sums, games) = (
        value("rate sums.csv --json"),
        value("rate games.csv --no-advantage --json"),
    );
    assert_eq!(sums["errors"], games["errors"]);
    for index in 0..3 {
        let [sums, games] = [&sums, &games].map(|it| &it["entrants"][index]);
        assert_eq!(
            ["name", "wins", "draws", "losses"].map(|key| &sums[key]),
            ["name", "wins", "draws", "losses"].map(|key| &games[key])
        );
        for key in ["elo", "error95"] {
            let [sums, games] = [sums, games].map(|it| it[key].as_f64().expect("a number"));
            assert!((sums - games).abs() < 1e-6, "{key}: {sums}, {games}");
        }
    }
    assert_eq!(sums["advantage"], Value::Null);
    story
        .ok("rate sums.csv")
        .out_has("no first-move advantage is fitted");
    for (row, said) in [
        (
            "a,b,1,x,2",
            "sums.csv:2: column 4: \"x\" is not a number of games",
        ),
        ("a,a,1,1,1", "sums.csv:2: \"a\" plays itself"),
        ("a,b,10000000,1,0", "sums.csv:2: more than 10000000 games"),
    ] {
        story.write("sums.csv", format!("first,second,won,drawn,lost\n{row}\n"));
        story.ends(2, "rate sums.csv").err_has(said);
    }
}

/// A test from one opening: bots that vary are tested, those that repeat themselves are not.
#[test]
fn a_test_from_the_start_position_says_what_its_evidence_is() {
    let story = Story::new();
    let secret = "0d".repeat(32);
    story.write("talker.py", TALKER);
    let greedy = "[\"awale\", \"bot\", \"greedy\"]";
    let random = "[\"awale\", \"bot\", \"random\"]";
    let talker = "[\"python3\", \"talker.py\"]";
    for (name, new, base, code, said) in [
        (
            "varies",
            greedy,
            random,
            0,
            "from 1 opening: the test says nothing of other openings",
        ),
        (
            "repeats",
            talker,
            talker,
            4,
            "The evidence is 2 different games among 24 games, from 1 opening",
        ),
    ] {
        let config = format!(
            "[tournament]\nsecret = \"{secret}\"\nopenings = {{ plies = 0 }}\nslots = 2\n\
             [isolation]\nlevel = \"none\"\n[clock]\nmove = \"10s\"\n\
             [sprt]\nrepeat-openings = true\nmax-pairs = 12\nelo1 = 400\n\
             [[entrant]]\nname = \"new\"\ncommand = {new}\n\
             [[entrant]]\nname = \"base\"\ncommand = {base}\n"
        );
        story.write("test.toml", config);
        let said_of_test = story.ends(
            code,
            format!("sprt test.toml --output {name} --i-trust-these-bots"),
        );
        said_of_test.out_has(said);
    }
}
