//! Programs of other protocols behind our two adapters: `awale adapter`, and the one for Python.

use super::boxes::boxes_work;
use super::story::{Story, has};
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;

/// An engine that plays its last legal pit, and fails as it is told.
const ENGINE: &str = include_str!("../bots/engine.py");
const ADAPTER: &str = include_str!("../../bots/adapters/adapter.py");
const RULES: &str = include_str!("../../bots/python/awale_rules.py");

/// What the engine does, the fault that this is, and words of what the referee says of it.
const FAULTS: [(&str, &str, &[&str]); 6] = [
    (
        "crash",
        "crash",
        &[
            "killed by signal 11",
            "the program behind the adapter was killed by signal 11 (SIGSEGV)",
        ],
    ),
    (
        "raise",
        "crash",
        &["exited with code 1: KeyError: 'no such pit' (engine.py:"],
    ),
    (
        "leave",
        "crash",
        &[
            "exited with code 7",
            "the program behind the adapter exited with code 7",
        ],
    ),
    ("silent", "timeout", &["no answer"]),
    ("illegal", "illegal-move", &["5"]),
    ("garbage", "bad-output", &["not a JSON object"]),
];

/// Our own adapter, and the one for Python.
const FORMS: [&str; 2] = ["own", "python"];

fn story() -> Story {
    let story = Story::new();
    story
        .write("engine.py", ENGINE)
        .write("adapter.py", ADAPTER);
    story.write("awale_rules.py", RULES);
    story
}

/// The words that start the engine behind an adapter.
fn command(form: &str, protocol: &str, mode: &str) -> Vec<String> {
    let prefix = format!("{protocol}:./engine.py");
    let words: Vec<&str> = match form {
        "own" => vec![&prefix, protocol, mode],
        _ => vec![
            "python3",
            "adapter.py",
            protocol,
            "./engine.py",
            protocol,
            mode,
        ],
    };
    words.into_iter().map(str::to_owned).collect()
}

/// Every engine of a protocol meets `greedy`, in a box or outside.
fn play(protocol: &str, rules: &str, level: &str) -> Story {
    let story = story();
    // `awale_rules.py` is in the folder, and no command names it.
    let mut text = format!(
        "[tournament]\nformat = \"gauntlet\"\nchampions = [\"greedy\"]\nrules = \"{rules}\"\n\
         pairs = 1\nopenings = {{ plies = 0 }}\nmax-faults = \"off\"\nstart-up = \"60s\"\n\
         new-game = \"60s\"\n[admission]\nmode = \"off\"\n[clock]\nmove = \"2s\"\n\
         [[entrant]]\nname = \"greedy\"\ncommand = [\"awale\", \"bot\", \"greedy\"]\n"
    );
    let modes = ["good"].into_iter().chain(FAULTS.map(|(mode, ..)| mode));
    for mode in modes {
        for form in FORMS {
            let words = command(form, protocol, mode);
            let _ = writeln!(
                text,
                "[[entrant]]\nname = \"{mode}-{form}\"\ncommand = {words:?}\ndir = \".\""
            );
        }
    }
    story.write("a.toml", text);
    let at = [
        "--isolation",
        level,
        "--i-trust-these-bots",
        "--oversubscribe",
        "--slots",
        "4",
    ];
    story.ok(&[&["run", "a.toml", "--quiet"][..], &at].concat());
    story
}

/// The engine's faults are those of the program, whichever adapter it is behind, and whichever
/// side it plays.
fn check_faults(story: &Story, protocol: &str) {
    let faults = story.rows("results/a/faults.csv");
    for (mode, reason, words) in FAULTS {
        for form in FORMS {
            let name = format!("{mode}-{form}");
            let of_it: Vec<_> = faults.iter().filter(|it| it["entrant"] == name).collect();
            assert_eq!(of_it.len(), 2, "{protocol} {name}: {faults:?}");
            for fault in of_it {
                assert_eq!(fault["fault"], reason, "{protocol} {name}: {fault:?}");
                for words in words {
                    has(&fault["detail"], words);
                }
            }
        }
    }
    assert_eq!(faults.len(), 2 * FAULTS.len() * FORMS.len());
}

/// Both adapters play the same, and give what the engine says of its moves.
fn check_good_games(story: &Story, has_infos: bool) {
    let journal = story.read("results/a/games.jsonl");
    let games: Vec<Value> = journal
        .lines()
        .map(|it| serde_json::from_str(it).unwrap())
        .collect();
    for (own, own_side) in [("good-own", 0), ("good-own", 1)] {
        let of = |name: &str| {
            let is_it = |it: &&Value| it["entrants"][own_side] == name;
            games.iter().find(is_it).expect("a game").clone()
        };
        let [own, python] = [own, "good-python"].map(of);
        assert!(own["ending"].get("fault").is_none(), "{own}");
        let first = |game: &Value| game["plies"]["infos"][own_side.to_string()].clone();
        assert_eq!(first(&own), first(&python));
        let expected = ["F", "f"][own_side];
        let expected = has_infos
            .then(|| serde_json::json!({ "depth": 1, "score": -0.25, "nodes": 6, "pv": expected }));
        assert_eq!(first(&own), expected.unwrap_or_default());
    }
}

/// No process of the story's folder is left.
fn check_nothing_is_left(story: &Story) {
    let folder = story.path("");
    let folder = folder.to_str().unwrap();
    let processes = fs::read_dir("/proc").unwrap().flatten();
    for process in processes {
        let cwd = fs::read_link(process.path().join("cwd"));
        let is_here = cwd.is_ok_and(|cwd| cwd.starts_with(folder));
        let words = fs::read_to_string(process.path().join("cmdline")).unwrap_or_default();
        assert!(!is_here && !words.contains(folder), "{words:?} is left");
    }
}

#[test]
fn uci_engines_play_and_fail_as_themselves() {
    let story = play("uci", "abapa", "none");
    check_faults(&story, "uci");
    check_good_games(&story, true);
    check_nothing_is_left(&story);
}

#[test]
fn programs_of_codingame_play_and_fail_as_themselves() {
    let level = if boxes_work() { "box" } else { "none" };
    let story = play("codingame", "codingame", level);
    check_faults(&story, "codingame");
    check_good_games(&story, false);
    check_nothing_is_left(&story);
    has(&story.read("results/a/plan.toml"), "max-plies = 200");
}

/// A bot of a command line may be one, and is identified by its program.
#[test]
fn a_duel_and_a_replay_take_adapters() {
    let story = story();
    let duel = "duel 'uci:./engine.py uci good' greedy --pairs 1 --isolation none \
                --i-trust-these-bots --output d";
    story.ok(format!("{duel} --set clock.move=10s"));
    let plan = story.read("d/plan.toml");
    has(&plan, "\"uci:./engine.py\" = \"");
    let games = story.rows("d/games.csv");
    let id = games[0]["id"].clone();
    let side = if games[0]["south"] == "greedy" {
        "north"
    } else {
        "south"
    };
    let replay = format!("replay-to-bot d --game {id} --side {side} -- uci:./engine.py uci good");
    story.ok(&replay).out_has("same");
    // Another program under the same name is another entrant.
    story.write("engine.py", format!("{ENGINE}\n# another"));
    story
        .ok(format!("{duel} --set clock.move=10s"))
        .err_has("uci changed (sha256 \"uci:./engine.py\")");
}

#[test]
fn a_program_that_is_not_there_is_named() {
    let story = story();
    story
        .ends(2, "adapter uci -- ./missing")
        .err_has("./missing: No such file");
    story
        .ends(2, "duel uci:./missing greedy")
        .err_has("there is no program")
        .err_has("missing; compile it first");
    story
        .ends(2, "duel uci:engine.py greedy")
        .err_has("write \"uci:./engine.py\"");
    story
        .ends(2, "duel uic:./engine.py greedy")
        .err_has("uic: is no adapter: they are uci: and codingame:");
}

/// A program behind our adapter cannot play with our search: it sees a copy that it cannot read, and
/// that is nothing but an adapter.
#[test]
fn a_program_behind_our_adapter_gets_no_house_bot() {
    if !boxes_work() {
        return;
    }
    let story = Story::new();
    story.write("thief.py", THIEF);
    let duel = "duel codingame:./thief.py greedy --pairs 1 --isolation box --output d \
                --set clock.move=10s --set admission.mode=off";
    story.run(duel);
    let faults = story.rows("d/faults.csv");
    assert!(!faults.is_empty());
    for fault in faults {
        let said = story.read(&format!("d/{}/stderr.txt", fault["folder"]));
        has(
            &said,
            "this copy of awale is an adapter and nothing else, then errno 13",
        );
    }
}

const THIEF: &str = r#"#!/usr/bin/env python3
import subprocess
import sys

input()
run = subprocess.run(["/adapter", "bot", "minimax"], input="", capture_output=True, text=True)
try:
    open("/adapter", "rb")
    read = "it was read"
except OSError as error:
    read = f"errno {error.errno}"
sys.exit(f"{run.stderr.strip()}, then {read}")
"#;
