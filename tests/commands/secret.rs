//! The secret of a run: what is drawn with it, where it is kept, and that no other output has it;
//! ids of games in blind tournaments; the time for `new-game`.

use super::story::{SPY, Said, Story, without_times};
use crate::support::awale_command::AWALE;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

const SECRET: &str = "00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee";
/// The secret as a flag says it.
const SET: &str =
    "tournament.secret=00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee";

const HOUSE: &str = r#"
[tournament]
pairs = 6
slots = 2
[clock]
move = "10s"
[[entrant]]
name = "random"
command = ["awale", "bot", "random"]
[[entrant]]
name = "greedy"
command = ["awale", "bot", "greedy"]
"#;

const TABLES: [&str; 4] = ["standings.csv", "crosstable.csv", "games.csv", "los.csv"];

fn house() -> Story {
    let story = Story::new();
    story.write("house.toml", HOUSE);
    story
}

fn tables(story: &Story, folder: &str) -> Vec<Vec<Vec<String>>> {
    let table = |table: &&str| without_times(&story.path(folder).join(table));
    TABLES.iter().map(table).collect()
}

/// The secret that the journal of a folder has.
fn kept(story: &Story, folder: &str) -> String {
    let journal = story.read(&format!("{folder}/games.jsonl"));
    let first: Value = serde_json::from_str(journal.lines().next().expect("a plan")).expect("JSON");
    first["plan"]["secret"]
        .as_str()
        .expect("a secret")
        .to_owned()
}

/// Every file below a folder.
fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    let below = |entry: fs::DirEntry| match entry.path() {
        path if path.is_dir() => files(&path),
        path => vec![path],
    };
    entries.flat_map(below).collect()
}

#[test]
fn the_same_plan_and_secret_give_the_same_tables() {
    let story = house();
    let run = |folder: &str, sets: &[&str]| {
        let mut arguments = vec!["run", "house.toml", "--output", folder];
        arguments.extend(sets.iter().flat_map(|set| ["--set", set]));
        story.ok(&arguments);
        tables(&story, folder)
    };
    let one = run("one", &[SET]);
    assert_eq!(run("two", &[SET]), one);
    // Left out later, it is the one that the folder keeps.
    assert_eq!(run("two", &[]), one);
    assert_eq!(kept(&story, "one"), SECRET);
    // Written in the file, in capitals, it is the same one.
    let typed = format!("[tournament]\nsecret = {:?}", SECRET.to_uppercase());
    story.write("house.toml", HOUSE.replace("[tournament]", &typed));
    assert_eq!(run("three", &[]), one);
    // The seed varies everything as before.
    assert_ne!(run("four", &["tournament.seed=2"])[2], one[2]);
    story.write("house.toml", HOUSE);
    let drawn = ["five", "six"].map(|folder| run(folder, &[]));
    assert_ne!(drawn[0][2], drawn[1][2]);
    assert_ne!(kept(&story, "five"), kept(&story, "six"));
    // A plan is a configuration, its secret included.
    let plan = story.path("five/plan.toml");
    let plan = plan.to_str().expect("a path in UTF-8");
    story.ok(format!("run {plan} --output seven"));
    assert_eq!(tables(&story, "seven"), drawn[0]);
    for folder in ["one", "five", "seven"] {
        story.ok(format!("verify {folder}"));
    }
}

#[test]
fn a_killed_run_goes_on_with_its_secret() {
    let story = house();
    let arguments = "run house.toml --json --output killed";
    let mut child = story.start(arguments);
    let mut events = BufReader::new(child.stdout.take().expect("its events")).lines();
    let is_game = |line: std::io::Result<String>| line.expect("a line").contains("\"game\"");
    assert!(events.any(is_game));
    child.kill().expect("a kill");
    child.wait().expect("an end");
    let secret = kept(&story, "killed");
    // What would be played is shown with it, and without a word of it.
    let shown = story.ok("run house.toml --dry-run --output killed");
    assert!(!shown.stdout.contains("drawn when the run begins"));
    let said = story.ok(arguments);
    assert_eq!(kept(&story, "killed"), secret);
    for text in [&shown.stdout, &shown.stderr, &said.stdout, &said.stderr] {
        assert!(!text.contains(&secret), "{text}");
    }
    let set = format!("tournament.secret={secret}");
    story.ok(format!("run house.toml --set {set} --output whole"));
    assert_eq!(tables(&story, "killed"), tables(&story, "whole"));
    // The openings that were shown are those that were played.
    let games = without_times(&story.path("killed/games.csv"));
    let column = games[0].iter().position(|name| name == "opening_moves");
    let column = column.expect("a column");
    for row in &games[1..] {
        assert!(shown.stdout.contains(&format!("({})", row[column])));
    }
}

#[test]
fn another_secret_is_another_plan() {
    let story = house();
    story.ok("run house.toml --output run");
    let own = kept(&story, "run");
    let said = story
        .ends(2, format!("run house.toml --output run --set {SET}"))
        .err_has("tournament.secret: there ")
        .err_has("(short hashes)")
        .err_has("leave `secret` out of the configuration");
    for secret in [SECRET, &own] {
        assert!(!said.stderr.contains(secret), "{}", said.stderr);
    }
    let set = format!("tournament.secret={own}");
    story.ok(format!("run house.toml --output run --set {set}"));
}

/// Everything that a run writes and says, the plan and the journal apart.
#[test]
fn the_secret_is_in_no_other_output() {
    let story = Story::new();
    let villain = Path::new(AWALE).with_file_name("examples").join("villain");
    story.write("spy.py", SPY).write(
        "spied.toml",
        format!(
            "[tournament]\npairs = 2\nlogs = \"all\"\n[clock]\nmove = \"10s\"\n\
             [admission]\nmode = \"off\"\n\
             [[entrant]]\nname = \"spy\"\ncommand = [\"python3\", \"spy.py\"]\n\
             [[entrant]]\nname = \"villain\"\ncommand = [{villain:?}, \"move:3=crash\"]\n"
        ),
    );
    let mut texts: Vec<String> = Vec::new();
    let mut hear = |said: Said| texts.extend([said.stdout, said.stderr]);
    hear(story.ok("run spied.toml --json"));
    let secret = kept(&story, "results/spied");
    hear(story.ok("run spied.toml"));
    for flag in ["--dry-run", "--dump-config"] {
        hear(story.ok(format!("run spied.toml {flag}")));
    }
    hear(story.ok("verify results/spied"));
    hear(story.ok("verify results/spied --json"));
    hear(story.ok("rate results/spied/games.csv"));
    for text in &texts {
        assert!(!text.contains(&secret), "{text}");
    }
    let mut holders = BTreeSet::new();
    let folder = story.path("results/spied");
    for file in files(&folder) {
        let text = String::from_utf8_lossy(&fs::read(&file).expect("a file")).into_owned();
        if text.contains(&secret) {
            let mode = fs::metadata(&file).expect("a file").permissions().mode();
            let name = file.file_name().expect("a name").to_owned();
            holders.insert((name.into_string().expect("UTF-8"), mode & 0o777));
        }
    }
    let only = ["games.jsonl", "plan.toml"].map(|name| (name.to_owned(), 0o600));
    assert_eq!(holders, only.into());
}

#[test]
fn what_is_shown_before_a_run_has_no_secret() {
    let story = house();
    story
        .ok("run house.toml --dry-run")
        .out_has("from an opening that is drawn when the run begins")
        .out_has("if every new-game and every move takes its whole time");
    let dumped = story
        .ok("run house.toml --dump-config")
        .out_has("# secret is not shown");
    assert!(!story.path("results").exists(), "nothing was made");
    story.write("dumped.toml", &dumped.stdout);
    story.ok("run dumped.toml");
    let dumped = format!("run house.toml --dump-config --set {SET}");
    story.ok(&dumped).out_has(SECRET);
    let shown = format!("run house.toml --dry-run --set {SET}");
    let shown = story.ok(&shown);
    assert!(!shown.stdout.contains("drawn when"), "{}", shown.stdout);
}

/// The command that goes on does not repeat a secret that was typed: the folder has it.
#[test]
fn an_interrupted_run_does_not_repeat_its_secret() {
    let story = Story::new();
    story.write("house.toml", HOUSE.replace("pairs = 6", "pairs = 5000"));
    let mut child = story.start(format!("run house.toml --json --set {SET}"));
    let mut output = BufReader::new(child.stdout.take().expect("its events"));
    let mut line = String::new();
    while !line.contains("\"event\":\"game\"") {
        line.clear();
        assert!(output.read_line(&mut line).expect("an event") > 0);
    }
    let process = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(process, rustix::process::Signal::INT).expect("it is there");
    for line in output.lines() {
        assert!(!line.expect("a line").contains(SECRET));
    }
    let said = Said::of(child.wait_with_output().expect("an end"))
        .with_code(130)
        .err_has("run house.toml --json\n");
    assert!(!said.stderr.contains("--set"), "{}", said.stderr);
}

/// What the spies of a run were told of each game: the log's name, and the message.
fn told_values(story: &Story, folder: &str) -> Vec<(String, Value)> {
    let logs = story.path(folder).join("logs");
    let mut told: Vec<(String, Value)> = files(&logs)
        .iter()
        .map(|path| {
            let name = path.file_name().expect("a name").to_string_lossy();
            let text = fs::read_to_string(path).expect("a log");
            let message = serde_json::from_str(&text).expect("a new-game");
            (name.into_owned(), message)
        })
        .collect();
    told.sort_by(|one, other| one.0.cmp(&other.0));
    told
}

fn spies(more: &str) -> Story {
    let story = Story::new();
    let entrant =
        |name| format!("[[entrant]]\nname = {name:?}\ncommand = [\"python3\", \"spy.py\"]\n");
    let entrants = ["ada", "bob", "eve"].map(entrant).concat();
    story.write("spy.py", SPY).write(
        "spies.toml",
        format!(
            "[tournament]\npairs = 2\nlogs = \"all\"\n{more}\n[admission]\nmode = \"off\"\n\
             [clock]\nmove = \"10s\"\n{entrants}"
        ),
    );
    story
}

/// A bot that knows how seeds were once drawn, by the tournament's alone, and tries small ones:
/// with the right one it would know its opponent's seed and all openings to come.
const FINDER: &str = r#"
import hashlib
def find(message):
    for seed in range(5000):
        text = "awale bot seed %d %s %s" % (seed, message["game"], message["you"])
        first = hashlib.sha256(text.encode()).digest()[:8]
        if int.from_bytes(first, "big") >> 11 == message["seed"]:
            return seed
"#;

#[test]
fn no_bot_finds_the_seed_of_the_tournament() {
    let story = spies("seed = 4321\nnew-game = \"1m\"");
    let told = "print(json.dumps(find(message)), file=sys.stderr, flush=True)";
    let spy = SPY.replace("print(line, end=\"\", file=sys.stderr, flush=True)", told);
    assert!(spy.contains(told));
    story.write("spy.py", format!("{FINDER}{spy}"));
    story.ok("run spies.toml");
    let found = told_values(&story, "results/spies");
    assert_eq!(found.len(), 2 * 2 * 2 * 3);
    assert!(found.iter().all(|(_, it)| it.is_null()), "{found:?}");
}

#[test]
fn bots_are_told_a_seed_of_their_own() {
    let story = spies("");
    story.ok("run spies.toml");
    let told = told_values(&story, "results/spies");
    assert_eq!(told.len(), 2 * 2 * 2 * 3);
    let seeds: BTreeSet<u64> = told
        .iter()
        .map(|(_, it)| it["seed"].as_u64().unwrap())
        .collect();
    assert_eq!(seeds.len(), told.len());
    assert!(seeds.iter().all(|seed| *seed < 1 << 53));
    for (log, message) in &told {
        let game = message["game"].as_str().expect("an id");
        assert!(log.starts_with(&format!("{game}.")), "{log}: {message}");
        assert!(message["opponent"].is_string());
    }
}

/// In a blind tournament nothing in `new-game` tells the pairing, and all is the same when the
/// tournament is played again.
#[test]
fn blind_games_have_ids_that_tell_nothing() {
    let story = spies("blind = true");
    let run = |folder: &str| {
        story.ok(format!("run spies.toml --set {SET} --output {folder}"));
        told_values(&story, folder)
    };
    let first = run("first");
    assert_eq!(run("second"), first);
    let mut ids = BTreeSet::new();
    for sides in first.chunks(2) {
        let [(north, one), (south, other)] = sides else {
            panic!("both sides of a game have a log");
        };
        let game = north.strip_suffix(".north.txt").expect("North's log");
        assert_eq!(south, &format!("{game}.south.txt"));
        assert_eq!(one["game"], other["game"]);
        let id = one["game"].as_str().expect("an id");
        assert_eq!(id.len(), 16);
        assert!(id.bytes().all(|it| it.is_ascii_hexdigit()), "{id}");
        assert!(ids.insert(id.to_owned()), "{id} of {game} comes twice");
        for message in [one, other] {
            let keys: BTreeSet<&str> = message
                .as_object()
                .unwrap()
                .keys()
                .map(String::as_str)
                .collect();
            let known = [
                "clock", "game", "opening", "rules", "seed", "start", "type", "you",
            ];
            assert_eq!(keys, known.into());
        }
    }
    // Another secret, other ids.
    story.ok("run spies.toml --output third");
    let third = told_values(&story, "third");
    assert!(
        third
            .iter()
            .all(|(_, it)| !ids.contains(it["game"].as_str().unwrap()))
    );
}

/// The folder of a fault has the game's own name; what was told stands in the page and in the
/// transcript.
#[test]
fn evidence_of_a_blind_game_names_both_ids() {
    let story = Story::new();
    let villain = Path::new(AWALE).with_file_name("examples").join("villain");
    story.write("spy.py", SPY).write(
        "blind.toml",
        format!(
            "[tournament]\npairs = 1\nslots = 1\nblind = true\n[admission]\nmode = \"off\"\n\
             [clock]\nmove = \"10s\"\n\
             [[entrant]]\nname = \"bad\"\ncommand = [{villain:?}, \"move:3=crash\"]\n\
             [[entrant]]\nname = \"spy\"\ncommand = [\"python3\", \"spy.py\"]\n"
        ),
    );
    story.ok("run blind.toml");
    let folder = "results/blind/faults/bad~spy.1.1";
    let page: toml::Table = story
        .read(&format!("{folder}/fault.toml"))
        .parse()
        .expect("TOML");
    assert_eq!(page["fault"]["game"].as_str(), Some("bad~spy.1.1"));
    let id = page["fault"]["told-game"].as_str().expect("what was told");
    assert_eq!(page["process"]["games-before"].as_integer(), Some(0));
    assert!(page["process"]["game-line"].as_integer() > Some(1));
    for transcript in ["transcript.jsonl", "opponent-transcript.jsonl"] {
        let text = story.read(&format!("{folder}/{transcript}"));
        assert!(text.contains(id), "{transcript}: {text}");
        assert!(!text.contains("~spy"), "{transcript}: {text}");
    }
    story
        .run(&[
            "replay-to-bot",
            "--i-trust-this-bot",
            &story.path(folder).to_string_lossy(),
        ])
        .out_has("crash");
}

/// Whatever is free is free at `hello` alone. The villain never answers `new-game`, and would have
/// ten minutes with the start position if the budget of `hello` were its.
#[test]
fn new_game_has_a_budget_of_its_own() {
    let story = Story::new();
    let villain = Path::new(AWALE).with_file_name("examples").join("villain");
    story.write("spy.py", SPY).write(
        "late.toml",
        format!(
            "[tournament]\npairs = 1\nstart-up = \"10m\"\nnew-game = \"700ms\"\n\
             [admission]\nmode = \"off\"\n[clock]\nmove = \"10s\"\n\
             [[entrant]]\nname = \"late\"\ncommand = [{villain:?}, \"new-game=nothing\"]\n\
             [[entrant]]\nname = \"slow\"\ncommand = [{villain:?}, \"hello=wait:1500\"]\n"
        ),
    );
    story.ok("run late.toml").out_has("2 timeout");
    let rows = without_times(&story.path("results/late/games.csv"));
    let ending = rows[0]
        .iter()
        .position(|name| name == "ending")
        .expect("a column");
    assert!(
        rows[1..].iter().all(|row| row[ending] == "timeout"),
        "{rows:?}"
    );
    for row in story.rows("results/late/standings.csv") {
        // A bot that was never ready has no such time.
        let is_unknown = row["max_new_game_time_us"].is_empty();
        assert_eq!(is_unknown, row["entrant"] == "late", "{row:?}");
    }
    story.ok("verify results/late");
}

/// The admission game goes by the same budget.
#[test]
fn new_game_is_timed_at_the_admission_too() {
    let story = Story::new();
    let villain = Path::new(AWALE).with_file_name("examples").join("villain");
    story.write("spy.py", SPY).write(
        "gate.toml",
        format!(
            "[tournament]\npairs = 1\nstart-up = \"10m\"\nnew-game = \"700ms\"\n\
             [clock]\nmove = \"10s\"\n\
             [[entrant]]\nname = \"late\"\ncommand = [{villain:?}, \"new-game=nothing\"]\n\
             [[entrant]]\nname = \"spy\"\ncommand = [\"python3\", \"spy.py\"]\n\
             [[entrant]]\nname = \"greedy\"\ncommand = [\"awale\", \"bot\", \"greedy\"]\n"
        ),
    );
    story.ok("run gate.toml");
    let rows = without_times(&story.path("results/gate/standings.csv"));
    let late = rows.iter().find(|row| row.contains(&"late".to_owned()));
    let late = late.expect("a row");
    assert!(late.contains(&"not-admitted".to_owned()), "{late:?}");
    let said = story.read("results/gate/faults/admission-late/fault.toml");
    assert!(said.contains("kind = \"timeout\""), "{said}");
}
