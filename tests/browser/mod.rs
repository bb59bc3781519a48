//! `report.html` in a real browser: a run with a bot that writes markup wherever it can, its page
//! opened in Chromium, sorted, filtered and replayed, and every board compared with the rules; and
//! the same page while the run plays. `report.mjs` and `live.mjs` are what the reader does, `play.mjs`
//! is a person who plays, `practice.mjs` one who plays on the file that needs no server, `puzzles.mjs`
//! one who solves puzzles, `feedback.mjs` an author, `class.mjs` everybody of a class, and
//! `rounds.mjs` a reader of a knockout and of a Swiss tournament; `chromium.mjs` and
//! `accessible.mjs` serve them. The tests need python3, node, Chromium, and `npm ci --prefix
//! tests/browser`, and say what they lack.
//!
//! `AWALE_SCREENSHOTS=DIR` keeps a picture of each view there.

use crate::support::awale_command::awale;
use crate::support::skip::{is_here, skip, test_name};
use awale::engine::endgame::{EndgameValues, SolvedRules};
use awale::rules::{Game, Pit, Position, Preset, Side};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A bot that crashes in every second game, and whose every text is markup.
const EVE: &str = include_str!("eve.py");

/// A bot that is at fault in no game.
const ADA: &str = include_str!("ada.py");

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

/// What a reader does, and Chromium; `None` if something is missing here.
fn reader(name: &str) -> Option<(PathBuf, PathBuf)> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/browser")
        .join(name);
    let driver = script.with_file_name("node_modules/playwright-core");
    let chromium = program(&["chromium", "chromium-browser", "google-chrome"]);
    if !driver.is_dir() {
        skip(
            &test_name(),
            "no playwright-core: npm ci --prefix tests/browser",
        );
    } else if chromium.is_none() {
        skip(&test_name(), "no chromium");
    } else if is_here("python3") && is_here("node") {
        return chromium.map(|chromium| (script, chromium));
    }
    None
}

fn run(folder: &Path, arguments: &[&str]) {
    let mut command = awale(arguments);
    command.env("XDG_CACHE_HOME", folder.join("cache"));
    let output = command.current_dir(folder).output();
    let output = output.expect("awale starts");
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// The most seeds of positions whose worth the page knows.
const SOLVED_SEEDS: &str = "10";

/// The games of the table, each with its positions by the rules, and their worth.
fn games(results: &Path) -> Vec<Value> {
    let mut reader = csv::Reader::from_path(results.join("games.csv")).expect("games.csv");
    let rows = reader.deserialize::<BTreeMap<String, String>>();
    let rules = SolvedRules::of(&Preset::Awale.rules()).expect("solvable");
    let values = EndgameValues::solve(rules, SOLVED_SEEDS.parse().expect("a number"));
    rows.map(|row| {
        let row = row.expect("a row");
        let start: Position = row["start"].parse().expect("a position");
        let mut game = Game::new(Preset::Awale.rules(), start);
        let mut positions = vec![start.to_string()];
        let mut worth = vec![worth_of(&values, start)];
        for letter in row["moves"].chars() {
            let pit = Pit::from_letter(letter).expect("a pit");
            game.play(pit).expect("a legal move");
            positions.push(game.position().to_string());
            worth.push(worth_of(&values, game.position()));
        }
        json!({
            "moves": row["moves"], "worth": worth,
            "id": row["id"], "south": row["south"], "north": row["north"],
            "result": row["result"], "ending": row["ending"], "positions": positions,
            "fault_side": row["fault_side"],
        })
    })
    .collect()
}

/// By how many seeds South is ahead in the end with perfect play, and the letters of the best moves;
/// nothing with too many seeds on the board.
fn worth_of(values: &EndgameValues, position: Position) -> Value {
    let Some(value) = values.value(position) else {
        return Value::Null;
    };
    let [south, north] = position.stores().map(u8::cast_signed);
    let value = match position.to_move() {
        Side::South => value,
        Side::North => -value,
    };
    let best = values.best_moves(position).expect("few seeds");
    let best: String = best.iter().map(Pit::letter).collect();
    json!({ "ahead": south - north + value, "best": best })
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
    let Some((script, chromium)) = reader("report.mjs") else {
        return;
    };
    let folder = tournament();
    let folder = folder.path();
    run(folder, &["endgame", "build", "--seeds", SOLVED_SEEDS]);
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
            "<b onclick=alert(1)> v</title>",
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
    reader.arg(&script).arg(&results).env("CHROMIUM", chromium);
    read(reader);
}

/// A folder with the configuration and its bots.
fn tournament() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in [("eve.py", EVE), ("ada.py", ADA), ("page.toml", CONFIG)] {
        fs::write(folder.path().join(name), text).expect("a file");
    }
    folder
}

/// Lets a reader read, and returns what it prints.
fn read(mut reader: Command) -> String {
    reader.args(std::env::var_os("AWALE_SCREENSHOTS"));
    let said = reader.stdin(Stdio::null()).output().expect("node starts");
    let printed = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(
        said.status.success(),
        "{printed}{}",
        String::from_utf8_lossy(&said.stderr)
    );
    printed
}

/// A run that does not outlive its test.
struct Playing(Child);

impl Drop for Playing {
    fn drop(&mut self) {
        // After its end there is nothing to kill.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn those_who_watch_a_run_see_what_is_played() {
    let Some((script, chromium)) = reader("live.mjs") else {
        return;
    };
    let folder = tournament();
    // Longer than anybody will watch.
    let slow = CONFIG.replace(r#""--depth", "2""#, r#""--depth", "11""#);
    fs::write(folder.path().join("page.toml"), slow).expect("a file");
    let arguments = [
        "run",
        "page.toml",
        "--i-trust-these-bots",
        "--pairs",
        "2000",
    ];
    let run = awale(&[&arguments[..], &["--live", "0"]].concat())
        .current_dir(folder.path())
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn();
    let mut run = Playing(run.expect("awale starts"));
    let run = &mut run.0;
    let mut lines = BufReader::new(run.stderr.take().expect("a pipe")).lines();
    let url = lines.by_ref().find_map(|line| {
        let line = line.expect("a line of text");
        line.strip_prefix("watch it at ").map(str::to_owned)
    });
    let url = url.expect("the run says where its page is");
    // A full pipe would stop the run.
    let rest = std::thread::spawn(move || lines.map_while(Result::ok).count());
    let mut reader = Command::new("node");
    reader.arg(&script).args([url, run.id().to_string()]);
    reader.env("CHROMIUM", chromium);
    let seen = read(reader);
    let ended = run.wait().expect("awale ends");
    assert_eq!(ended.code(), Some(130));
    rest.join().expect("the rest of its lines");
    let seen: Vec<Value> = serde_json::from_str(&seen).expect("the replays as JSON");
    assert_eq!(seen.len(), 3);
    let games = games(&folder.path().join("results/page"));
    for replay in seen {
        let game = games.iter().find(|game| game["id"] == replay["id"]);
        let game = game.expect("a game of the run");
        assert_eq!(replay["positions"], game["positions"], "{}", replay["id"]);
    }
}

#[test]
fn a_person_plays_on_the_page() {
    let Some((script, chromium)) = reader("play.mjs") else {
        return;
    };
    let bot = "minimax --depth 5";
    let run = awale(&["play", bot, "--seed", "3", "--web", "0"])
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn();
    let mut run = Playing(run.expect("awale starts"));
    let mut lines = BufReader::new(run.0.stderr.take().expect("a pipe")).lines();
    let url = lines.by_ref().find_map(|line| {
        let line = line.expect("a line of text");
        let url = line.strip_prefix("play at ")?;
        url.split_whitespace().next().map(str::to_owned)
    });
    let mut person = Command::new("node");
    person
        .arg(&script)
        .arg(url.expect("the address of the page"));
    person.env("CHROMIUM", chromium);
    let seen: Vec<Value> = serde_json::from_str(&read(person)).expect("JSON");
    for played in seen {
        let mut game = Game::new(Preset::Awale.rules(), Position::START);
        for letter in played["moves"].as_str().expect("moves").chars() {
            let pit = Pit::from_letter(letter).expect("a pit");
            game.play(pit).expect("a legal move");
        }
        let ending = game.ending().expect("the game is over");
        assert_eq!(played["position"], game.position().to_string());
        let remark = played["remark"].as_str().expect("a remark");
        let [south, north] = ending.stores;
        let won = match south.cmp(&north) {
            std::cmp::Ordering::Greater => {
                format!("you win, {south} to {north} ({})", ending.reason)
            }
            std::cmp::Ordering::Equal => format!("a draw, {south} to {north} ({})", ending.reason),
            std::cmp::Ordering::Less => {
                format!("{bot} wins, {north} to {south} ({})", ending.reason)
            }
        };
        assert!(remark.ends_with(&won), "{remark}: {won}");
    }
}

/// The games that a person plays on the page without a server follow the rules of awale.
#[test]
fn a_pupil_plays_on_the_file() {
    let Some((script, chromium)) = reader("practice.mjs") else {
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    run(folder.path(), &["init", "--bot", "python", "bot"]);
    let mut pupil = Command::new("node");
    pupil.arg(&script).arg(folder.path().join("bot/play.html"));
    pupil.env("CHROMIUM", chromium);
    let games: Vec<Value> = serde_json::from_str(&read(pupil)).expect("JSON");
    assert_eq!(games.len(), 6);
    for game in games {
        let positions = game["positions"].as_array().expect("positions").iter();
        let positions: Vec<&str> = positions.map(|it| it.as_str().expect("text")).collect();
        let side = usize::from(game["side"] == 1);
        is_played_by_the_rules(&positions, side);
        let end: Position = positions[positions.len() - 1].parse().expect("a position");
        let remark = game["remark"].as_str().expect("a remark");
        let own = if side == 0 { Side::South } else { Side::North };
        let says = |text: &str| assert!(remark.contains(text), "{end}: {remark}");
        match end.stores()[own.index()].cmp(&end.stores()[1 - own.index()]) {
            // Only seeds that are left on the board could change it.
            std::cmp::Ordering::Greater if end.stores()[own.index()] > 24 => says("You win, "),
            std::cmp::Ordering::Less if end.stores()[1 - own.index()] > 24 => says(" wins, "),
            _ => says(" to "),
        }
    }
}

/// Who follows the hints solves every puzzle, in as many moves as the file says, and each of the
/// moves that the page calls wrong is one that does not win.
#[test]
fn a_pupil_solves_puzzles() {
    let Some((script, chromium)) = reader("puzzles.mjs") else {
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let arguments = ["endgame", "puzzles", "--seeds", "5..7", "--count", "16"];
    run(folder.path(), &arguments);
    let puzzles = folder.path().join("puzzles");
    let mut pupil = Command::new("node");
    pupil.arg(&script).arg(puzzles.join("puzzles.html"));
    pupil.env("CHROMIUM", chromium);
    let solved: Vec<Value> = serde_json::from_str(&read(pupil)).expect("JSON");
    let data = fs::read_to_string(puzzles.join("puzzles.json")).expect("the puzzles");
    let data: Value = serde_json::from_str(&data).expect("JSON");
    let data = data["puzzles"].as_array().expect("puzzles");
    assert_eq!((solved.len(), data.len()), (16, 16));
    let rules = Preset::Awale.rules();
    let values = EndgameValues::solve(SolvedRules::of(&rules).expect("solvable"), 7);
    for (solved, puzzle) in solved.iter().zip(data) {
        assert_eq!(solved["start"], puzzle["position"]);
        let start: Position = text(&solved["start"]).parse().expect("a position");
        let wins = |letter: &str| {
            let pit = letter.chars().next().and_then(Pit::from_letter);
            values.value_of_move(start, pit.expect("a pit")) > Some(0)
        };
        let wrong = solved["wrong"].as_array().expect("moves");
        assert_eq!(wrong.len(), rules.legal_moves(start).len() - 1);
        assert!(wrong.iter().all(|it| !wins(text(it))), "{solved}");
        let moves = solved["moves"].as_array().expect("moves");
        assert!(wins(text(&moves[0])), "{solved}");
        let plies = puzzle["plies"].as_u64().expect("a number");
        assert_eq!(moves.len() as u64, plies.div_ceil(2), "{solved}");
        assert!(text(&solved["remark"]).contains("Solved!"), "{solved}");
    }
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

/// Each position follows from the one before by a move of the person and the answer to it.
fn is_played_by_the_rules(positions: &[&str], side: usize) {
    let rules = Preset::Awale.rules();
    let after = |position: Position| {
        let game = Game::new(rules, position);
        let moves = game.legal_moves().iter().collect::<Vec<_>>().into_iter();
        moves.map(move |pit| rules.play_unchecked(position, pit).position)
    };
    let parsed = positions.iter().map(|it| it.parse::<Position>());
    let parsed: Vec<Position> = parsed.collect::<Result<_, _>>().expect("positions");
    if side == 1 {
        assert!(after(Position::START).any(|it| it == parsed[0]));
    } else {
        assert_eq!(parsed[0], Position::START);
    }
    for pair in parsed.windows(2) {
        let own = after(pair[0]).collect::<Vec<_>>();
        let answered = own.iter().flat_map(|it| after(*it)).any(|it| it == pair[1]);
        assert!(
            answered || own.contains(&pair[1]),
            "{} {}",
            pair[0],
            pair[1]
        );
    }
}

/// An author reads what a program was told and wrote, whatever that is, and plays the games.
#[test]
fn an_author_reads_the_feedback() {
    let Some((script, chromium)) = reader("feedback.mjs") else {
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let eve = folder.path().join("submissions/eve");
    fs::create_dir_all(&eve).expect("a folder");
    fs::write(eve.join("main.py"), EVE).expect("a file");
    fs::write(folder.path().join("class.toml"), CLASS).expect("a file");
    run(
        folder.path(),
        &["run", "class.toml", "--i-trust-these-bots"],
    );
    let own = folder.path().join("results/class/feedback/eve");
    let page = fs::read_to_string(own.join("feedback.html")).expect("the page");
    let games = shown_games(&page);
    assert!(games.len() > 1, "{games:?}");
    let texts = [
        "eve in class",
        "admitted: 20 of 20",
        "a score of 1 earns",
        "<script>alert('EVES-ERROR')</script></pre><img",
    ];
    let expected = json!({ "games": games, "texts": texts });
    fs::write(own.join("expected.json"), expected.to_string()).expect("a file");
    let mut author = Command::new("node");
    author.arg(&script).arg(&own).env("CHROMIUM", chromium);
    read(author);
}

/// A class of five whose names are hidden: aliases, real names, and who has written each program.
const HIDDEN: [(&str, &str, &str); 5] = [
    ("brave otter", "Ada Example", ADA),
    ("calm heron", "Ben <b>Example</b>", ADA),
    ("constructor", "Cy Example", EVE),
    ("équipe bleue", "Dee Example", ADA),
    ("quiet lynx", "Eve Example", "raise SystemExit(3)\n"),
];

/// Everybody of a class finds oneself on the page, and the organiser finds everybody.
#[test]
fn a_class_reads_its_page_and_its_organiser_the_other() {
    let Some((script, chromium)) = reader("class.mjs") else {
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut roster = "folder,alias,name\n".to_owned();
    for (number, (alias, name, program)) in HIDDEN.iter().enumerate() {
        let own = folder.path().join(format!("submissions/s{number}"));
        fs::create_dir_all(&own).expect("a folder");
        fs::write(own.join("main.py"), program).expect("a file");
        roster.extend(["s", &number.to_string(), ",", alias, ",", name, "\n"]);
    }
    fs::write(folder.path().join("roster.csv"), roster).expect("a file");
    let config = CLASS.replace("mode = \"off\"", "mode = \"on\"");
    let config = config.replace("[class]\n", "[class]\nnames = \"pseudonyms\"\n");
    fs::write(folder.path().join("class.toml"), config).expect("a file");
    for label in ["week-1", "week-2"] {
        run(
            folder.path(),
            &[
                "run",
                "class.toml",
                "--i-trust-these-bots",
                "--label",
                label,
            ],
        );
    }
    let results = folder.path().join("results/class");
    let aliases = HIDDEN.map(|it| it.0);
    let names = HIDDEN.map(|it| it.1);
    let everybody = [&aliases[..], &["not yet playing (2)"]].concat();
    let organiser = [&names[..], &["same-program", "Evidence, never a verdict."]].concat();
    let expected =
        json!({ "everybody": everybody, "organiser": organiser, "entrant": "brave otter" });
    fs::write(results.join("expected.json"), expected.to_string()).expect("a file");
    let mut class = Command::new("node");
    class.arg(&script).arg(&results).env("CHROMIUM", chromium);
    read(class);
}

/// A class of one.
const CLASS: &str = r#"
[tournament]
secret = "5e0f3b7c5e0f3b7c5e0f3b7c5e0f3b7c5e0f3b7c5e0f3b7c5e0f3b7c5e0f3b7c"
pairs = 2
[clock]
move = "20s"
[isolation]
level = "none"
[admission]
mode = "off"
[class]
submissions = "submissions"
house = ["greedy", "minimax-2"]
house-pairs = 2
points = [{ check = 20 }, { beats = "greedy", from = 0.9, to = 1.0, points = 30 }]
"#;

/// The positions of each game on a board of a page of feedback, by the rules.
fn shown_games(page: &str) -> Vec<Vec<String>> {
    let begin = "<script type=\"application/json\" id=\"summary\">";
    let json = page.split_once(begin).expect("the content").1;
    let json = json.split_once("</script>").expect("its end").0;
    let content: Value = serde_json::from_str(json).expect("JSON");
    let sections = content["sections"].as_array().expect("sections").iter();
    let blocks = sections.flat_map(|it| it["blocks"].as_array().expect("blocks"));
    let boards = blocks.filter(|it| it["kind"] == "board");
    let played = |board: &Value| {
        let start = board["start"].as_str().expect("a position").parse();
        let mut game = Game::new(Preset::Awale.rules(), start.expect("a position"));
        let mut positions = vec![game.position().to_string()];
        for letter in board["moves"].as_str().expect("moves").chars() {
            let pit = Pit::from_letter(letter).expect("a pit");
            game.play(pit).expect("a legal move");
            positions.push(game.position().to_string());
        }
        positions
    };
    boards.map(played).collect()
}

/// Tournaments whose rounds follow from results: the beginning of each configuration.
const KNOCKOUT: &str = "format = \"knockout\"\nmost-pairs = 2\n";
const SWISS: &str = "format = \"swiss\"\nrounds = 3\n";

/// Five house bots, one of which has markup as its name.
fn rounds_config(format: &str) -> String {
    let bot = |name: &str, bot: &str| {
        format!("[[entrant]]\nname = \"{name}\"\ncommand = [\"awale\", \"bot\", {bot}]\n")
    };
    let bots = [
        bot(EVES_NAME, "\"minimax\", \"--depth\", \"1\""),
        bot("minimax-2", "\"minimax\", \"--depth\", \"2\""),
        bot("greedy", "\"greedy\""),
        bot("random", "\"random\""),
        bot("minimax-3", "\"minimax\", \"--depth\", \"3\""),
    ];
    let (head, _) = CONFIG.split_once("[[entrant]]").expect("entrants");
    let head = head.replace("pairs = 2\n", &format!("pairs = 1\n{format}"));
    head + &bots.concat()
}

/// A knockout has a bracket with one winner, a Swiss tournament has places; both have rounds.
#[test]
fn a_reader_finds_the_bracket_the_rounds_and_the_places() {
    let Some((script, chromium)) = reader("rounds.mjs") else {
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let rows = |path: PathBuf| {
        let mut table = csv::Reader::from_path(path).expect("a table");
        let rows = table.deserialize::<BTreeMap<String, String>>();
        rows.collect::<Result<Vec<_>, _>>().expect("rows")
    };
    for (name, format) in [("knockout", KNOCKOUT), ("swiss", SWISS)] {
        let file = format!("{name}.toml");
        fs::write(folder.path().join(&file), rounds_config(format)).expect("a file");
        run(folder.path(), &["run", &file, "--i-trust-these-bots"]);
        let results = folder.path().join("results").join(name);
        let bracket = results.join("bracket.csv");
        let bracket = if bracket.exists() {
            rows(bracket)
        } else {
            Vec::new()
        };
        let expected = json!({
            "bracket": bracket,
            "rounds": rows(results.join("rounds.csv")),
            "places": rows(results.join("places.csv")),
            "hostile": EVES_NAME,
        });
        fs::write(results.join("expected.json"), expected.to_string()).expect("a file");
    }
    let mut reader = Command::new("node");
    reader.arg(&script).arg(folder.path().join("results"));
    reader.env("CHROMIUM", chromium);
    read(reader);
}
