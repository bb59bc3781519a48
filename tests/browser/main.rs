//! `report.html` in a real browser: a run with a bot that writes markup wherever it can, its page
//! opened in Chromium, sorted, filtered and replayed, and every board compared with the rules.
//! `report.mjs` is what the reader does. The test needs python3, node, Chromium, and
//! `npm ci --prefix tests/browser`, and says what it lacks.
//!
//! `AWALE_SCREENSHOTS=DIR` keeps a picture of each view there.

#[path = "../support/awale_command.rs"]
mod awale_command;

use awale::rules::{Game, Pit, Position, Preset};
use awale_command::awale;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A bot that crashes in every second game, and whose every text is markup.
const EVE: &str = r#"
import json, sys
games = 0
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        ready = {"type": "ready", "name": "<b onclick=alert(1)>", "version": "</title>"}
        print(json.dumps(ready), flush=True)
    elif message["type"] == "new-game":
        print('{"type":"ready"}', flush=True)
    elif message["type"] == "turn":
        if message["turn"] in (4, 5) and message["board"][0] % 2 == 0:
            error = "<script>alert('EVES-ERROR')</script></pre><img src=x onerror=alert(5)>"
            print(error, file=sys.stderr, flush=True)
            sys.exit(3)
        comment = "</script><script>alert('EVES-INFO')</script>"
        score = [1.5, 1.7976931348623157e308, -1.7976931348623157e308][message["turn"] // 2 % 3]
        info = {"score": score, "comment": comment, "pv": "javascript:alert(4)", "note": "\u202e"}
        print(json.dumps({"type": "move", "pit": message["legal"][0], "info": info}), flush=True)
"#;

/// A bot that is at fault in no game.
const ADA: &str = r#"
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] in ("hello", "new-game"):
        print('{"type":"ready"}', flush=True)
    elif message["type"] == "turn":
        info = {"score": -message["turn"], "comment": "ADAS-INFO"}
        print(json.dumps({"type": "move", "pit": message["legal"][-1], "info": info}), flush=True)
"#;

const EVES_NAME: &str = "<img src=x onerror=alert(6)>";

const CONFIG: &str = r#"
[tournament]
name = "<svg onload=alert(2)>"
secret = "5e0f3b7c5e0f3b7c5e0f3b7c5e0f3b7c5e0f3b7c5e0f3b7c5e0f3b7c5e0f3b7c"
pairs = 2
[clock]
move = "20s"
[isolation]
level = "none"
[admission]
mode = "off"
[[entrant]]
name = "<img src=x onerror=alert(6)>"
command = ["python3", "eve.py"]
[[entrant]]
name = "ada"
command = ["python3", "ada.py"]
[[entrant]]
name = "minimax"
command = ["awale", "bot", "minimax", "--depth", "2"]
[[entrant]]
name = "greedy"
command = ["awale", "bot", "greedy"]
"#;

fn program(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let mut found = names.iter().flat_map(|name| {
        let files = folders.iter().map(move |folder| folder.join(name));
        files.filter(|file| file.is_file())
    });
    found.next()
}

/// Chromium, or what is missing here.
fn chromium(script: &Path) -> Result<PathBuf, &'static str> {
    for needed in ["python3", "node"] {
        program(&[needed]).ok_or(needed)?;
    }
    if !script
        .with_file_name("node_modules/playwright-core")
        .is_dir()
    {
        return Err("playwright-core: npm ci --prefix tests/browser");
    }
    program(&["chromium", "chromium-browser", "google-chrome"]).ok_or("chromium")
}

fn run(folder: &Path, arguments: &[&str]) {
    let output = awale(arguments).current_dir(folder).output();
    let output = output.expect("awale starts");
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// The games of the table, each with its positions by the rules.
fn games(results: &Path) -> Vec<Value> {
    let mut reader = csv::Reader::from_path(results.join("games.csv")).expect("games.csv");
    let rows = reader.deserialize::<BTreeMap<String, String>>();
    rows.map(|row| {
        let row = row.expect("a row");
        let start: Position = row["start"].parse().expect("a position");
        let mut game = Game::new(Preset::Awale.rules(), start);
        let mut positions = vec![start.to_string()];
        for letter in row["moves"].chars() {
            let pit = Pit::from_letter(letter).expect("a pit");
            game.play(pit).expect("a legal move");
            positions.push(game.position().to_string());
        }
        json!({
            "id": row["id"], "south": row["south"], "north": row["north"],
            "result": row["result"], "ending": row["ending"], "positions": positions,
            "fault_side": row["fault_side"],
        })
    })
    .collect()
}

/// The number of games that each entrant lost by a fault.
fn faults(games: &[Value]) -> BTreeMap<String, u64> {
    let mut faults = BTreeMap::new();
    for game in games {
        for side in ["south", "north"] {
            let name = game[side].as_str().expect("a name").to_owned();
            let is_guilty = game["fault_side"] == side;
            *faults.entry(name).or_default() += u64::from(is_guilty);
        }
    }
    faults
}

#[test]
fn a_reader_finds_everything_and_nothing_runs() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser/report.mjs");
    let chromium = match chromium(&script) {
        Ok(chromium) => chromium,
        Err(missing) => {
            eprintln!("skipped: report.html in a browser: no {missing}");
            return;
        }
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    for (name, text) in [("eve.py", EVE), ("ada.py", ADA), ("page.toml", CONFIG)] {
        fs::write(folder.join(name), text).expect("a file");
    }
    run(folder, &["run", "page.toml", "--i-trust-these-bots"]);
    run(folder, &["report", "results/page", "--entrant", "ada"]);
    let results = folder.join("results/page");
    fs::rename(results.join("report-ada.html"), results.join("own.html")).expect("ada's page");
    let games = games(&results);
    let faults = faults(&games);
    assert!(faults[EVES_NAME] > 0, "the bot that crashes has crashed");
    let is_faulty = |game: &&Value| game["fault_side"] != "";
    let faulty = games
        .iter()
        .filter(is_faulty)
        .map(|game| game["id"].clone());
    let expected = json!({
        "games": games, "faults": faults, "own": "ada",
        "hostile_games": faulty.take(2).collect::<Vec<Value>>(),
        "hostile": [
            EVES_NAME, "\\u{202e}", "<svg onload=alert(2)>", "javascript:alert(4)",
            "</script><script>alert('EVES-INFO')</script>",
            "<script>alert('EVES-ERROR')</script></pre><img src=x onerror=alert(5)>",
        ],
        "secrets": ["EVES-INFO", "EVES-ERROR"],
        "shown": ["ADAS-INFO"],
    });
    let path = results.join("expected.json");
    fs::write(path, expected.to_string()).expect("a file");
    let mut reader = Command::new("node");
    reader.arg(&script).arg(&results);
    reader.args(std::env::var_os("AWALE_SCREENSHOTS"));
    reader.env("CHROMIUM", chromium).stdin(Stdio::null());
    let said = reader.output().expect("node starts");
    assert!(
        said.status.success(),
        "{}{}",
        String::from_utf8_lossy(&said.stdout),
        String::from_utf8_lossy(&said.stderr)
    );
}
