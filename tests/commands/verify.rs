//! `awale verify` through the real binary: a sound folder, and one after each kind of tampering,
//! the checksums made right again so that only a deeper look can find it.

use super::class::{hand_in, run as run_class};
use super::feedback::graded_class;
use super::story::{FIRST_LEGAL, SECRET, Said, Story, has};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::sync::OnceLock;
use std::time::SystemTime;

/// Crashes in every game that it begins.
const CRASH: &str = "#!/bin/sh\nread hello\nexit 3\n";

/// A withdrawal, listed openings, a bank, and a script; 24 pairs. With one slot the number of games
/// after the withdrawal does not depend on how long starts take: after few of them, a line that is
/// missing would be a note.
const CONFIG: &str = r#"
[tournament]
secret = "5e0f3b7c5e0f3b7c5e0f3b7c5e0f3b7c5e0f3b7c5e0f3b7c5e0f3b7c5e0f3b7c"
pairs = 4
slots = 1
seed = 7
openings = { file = "openings.txt" }
max-faults = { count = 3 }
[clock]
move = "10s"
bank = "60s"
increment = "10ms"
[admission]
mode = "off"
[[entrant]]
name = "greedy"
command = ["awale", "bot", "greedy"]
[[entrant]]
name = "random"
command = ["awale", "bot", "random"]
[[entrant]]
name = "crash"
command = ["./crash.sh"]
[[entrant]]
name = "minimax"
command = ["awale", "bot", "minimax", "--depth", "2"]
"#;

const OPENINGS: &str = "CdFb\nAaBb\n4-4-4-4-4-4-4-4-4-4-4-4-0-0-S\nFfEe\n";

/// Two entrants who play the same.
fn two_of_us(tournament: &str, options: &str) -> String {
    let entrant = |name| {
        let command = format!("[\"awale\", \"bot\", \"minimax\", {options}]");
        format!("[[entrant]]\nname = {name:?}\ncommand = {command}\n")
    };
    let (one, two) = (entrant("one"), entrant("two"));
    format!("[tournament]\n{SECRET}\n{tournament}\n[clock]\nmove = \"10s\"\n{one}{two}")
}

/// A run that is played once for all tests of this process.
fn sound() -> &'static Story {
    static SOUND: OnceLock<Story> = OnceLock::new();
    SOUND.get_or_init(|| {
        let story = Story::new();
        story
            .write("crash.sh", CRASH)
            .write("openings.txt", OPENINGS);
        story.write("sound.toml", CONFIG);
        story
            .ok("run sound.toml --output sound")
            .out_has("crash was withdrawn");
        story
    })
}

/// A copy of the sound folder, whose bots and openings stay where they are.
fn copy() -> Story {
    let copy = Story::new();
    copy_folder(&sound().path("sound"), &copy.path("run"));
    copy
}

/// Copies a folder with all that is in it.
pub fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).expect("a copy");
        }
    }
}

/// The lines of a journal without their checksums.
pub struct Lines(pub Vec<Value>);

impl Lines {
    pub fn of(story: &Story) -> Self {
        Self::read(story, "run/games.jsonl")
    }

    /// Those of a journal of this name.
    pub fn read(story: &Story, name: &str) -> Self {
        let text = story.read(name);
        let line = |line: &str| {
            let mut value: Value = serde_json::from_str(line).expect("JSON");
            value.as_object_mut().expect("an object").remove("sum");
            value
        };
        Self(text.lines().map(line).collect())
    }

    /// Writes them with checksums that fit.
    pub fn write(&self, story: &Story) {
        self.write_to(story, "run/games.jsonl");
    }

    /// The same to a file of this name.
    pub fn write_to(&self, story: &Story, name: &str) {
        let line = |value: &Value| {
            let body = value.to_string();
            let fields = body.strip_prefix('{').expect("an object");
            format!("{{\"sum\":\"{}\",{fields}\n", &hex(fields.as_bytes())[..16])
        };
        let text: String = self.0.iter().map(line).collect();
        story.write(name, text);
    }

    /// Where the record of a game is: the last one, because a pair that the host disturbed is
    /// played again.
    fn place(&self, id: &str) -> usize {
        let is_it = |line: &Value| line["kind"] == "game" && line["id"] == id;
        self.0
            .iter()
            .rposition(is_it)
            .unwrap_or_else(|| panic!("no game {id}"))
    }

    pub fn game(&mut self, id: &str) -> &mut Value {
        let place = self.place(id);
        &mut self.0[place]
    }

    fn of_kind(&self, kind: &str) -> usize {
        let is_it = |line: &Value| line["kind"] == kind;
        self.0
            .iter()
            .position(is_it)
            .unwrap_or_else(|| panic!("no {kind}"))
    }

    /// [`Self::some_game`], without what the host held it up by: a busy one leaves some in any
    /// game, and that is taken off the times that a test puts in.
    fn game_without_delays(&mut self) -> String {
        let id = self.some_game();
        let game = self.game(&id).as_object_mut().expect("an object");
        game.remove("preempted_us");
        id
    }

    /// The first game of the schedule that ended by the rules, after more than ten plies: which one
    /// ended first is a matter of chance.
    fn some_game(&self) -> String {
        let is_it = |line: &&Value| {
            line["kind"] == "game"
                && line["ending"]["rules"] == "majority"
                && line["plies"]["moves"].as_str().expect("moves").len() > 10
        };
        let names = |line: &Value| {
            let entrants = line["plan"]["entrants"].as_array().expect("entrants");
            let name = |it: &Value| it["name"].as_str().expect("a name").to_owned();
            entrants.iter().map(name).collect::<Vec<String>>()
        };
        let names = names(&self.0[0]);
        let of_schedule = |id: &&str| {
            let (rest, game) = id.rsplit_once('.').expect("a game");
            let (labels, round) = rest.rsplit_once('.').expect("a round");
            let (first, second) = labels.split_once('~').expect("two entrants");
            let place = |name: &str| names.iter().position(|it| it == name).expect("an entrant");
            let round: u32 = round.parse().expect("a number");
            (round, place(first), place(second), game.to_owned())
        };
        let ids = self.0.iter().filter(is_it);
        let ids = ids.map(|line| line["id"].as_str().expect("an id"));
        let first = ids.min_by_key(of_schedule);
        first.expect("such a game").to_owned()
    }
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    Sha256::digest(bytes)
        .iter()
        .fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
}

pub fn verify(story: &Story) -> Said {
    story.run("verify run")
}

/// The folder must have problems.
#[track_caller]
pub fn unclean(story: &Story) -> Said {
    verify(story).with_code(1)
}

/// The folder must have none.
#[track_caller]
pub fn clean(story: &Story) -> Said {
    verify(story).with_code(0)
}

#[track_caller]
pub fn json(story: &Story, code: i32) -> Value {
    let said = story.ends(code, "verify run --json");
    serde_json::from_str(&said.stdout).expect("JSON")
}

/// Tampers with the journal of a sound run, and has what is found be of this check, with these
/// words, at this game.
#[track_caller]
fn tampered(check: &str, words: &str, tamper: impl FnOnce(&mut Lines) -> Option<String>) {
    let story = copy();
    let mut lines = Lines::of(&story);
    let game = tamper(&mut lines);
    lines.write(&story);
    let report = json(&story, 1);
    assert_eq!(report["clean"], false);
    let problems = report["problems"].as_array().expect("a list");
    let fits = |it: &&Value| {
        it["check"] == check && it["message"].as_str().expect("a text").contains(words)
    };
    let found = problems.iter().find(fits);
    let found = found.unwrap_or_else(|| panic!("no {check}, {words:?} in {report:#}"));
    if let Some(game) = game {
        assert_eq!(found["game"], game, "{found}");
        if lines.0.iter().any(|line| line["id"] == game) && found["line"].is_u64() {
            let line = found["line"].as_u64().map(usize::try_from);
            let line = line.expect("a line").expect("a small number");
            assert_eq!(lines.0[line - 1]["id"], game, "{found}");
        }
    }
    // The same for people.
    let said = unclean(&story).out_has("not clean: ").out_has(words);
    has(&said.stdout, &format!("{check:<11} "));
}

/// Names, contents and times of all files.
fn everything(folder: &Path) -> BTreeMap<String, (Vec<u8>, SystemTime)> {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    let file = |entry: fs::DirEntry| {
        let modified = entry
            .metadata()
            .and_then(|it| it.modified())
            .expect("a time");
        let name = entry.file_name().into_string().expect("UTF-8");
        (name, (fs::read(entry.path()).unwrap_or_default(), modified))
    };
    entries.map(file).collect()
}

#[test]
fn a_sound_folder_is_clean_and_untouched() {
    let story = copy();
    let before = everything(&story.path("run"));
    let said = clean(&story).out_has("clean: ");
    assert!(!said.stdout.contains("PROBLEM"), "{}", said.stdout);
    assert!(!said.stdout.contains("warning"), "{}", said.stdout);
    assert!(!said.stdout.contains("unfinished"), "{}", said.stdout);
    has(&said.stdout, "\"crash\" was withdrawn after game");
    story.ok("verify run --strict");
    let report = json(&story, 0);
    assert_eq!(report["clean"], true);
    assert_eq!(report["finished"], true);
    let rows = story.read("run/games.csv").lines().count() - 1;
    assert_eq!(report["games"], rows, "games that count");
    assert_eq!(report["problems"], Value::Array(Vec::new()));
    assert_eq!(everything(&story.path("run")), before);
    // Where it was played, the evidence of faults is in it as well.
    sound().ok("verify sound");
}

#[test]
fn other_moves_are_found() {
    tampered("games", "could play", |lines| {
        let id = lines.some_game();
        let game = lines.game(&id);
        let moves = game["plies"]["moves"].as_str().expect("moves").to_owned();
        // South cannot play twice in a row.
        let wrong = format!("{}{}{}", &moves[..3], &moves[2..3], &moves[4..]);
        game["plies"]["moves"] = wrong.into();
        Some(id)
    });
    // Another legal move in the end: the game did not end so.
    tampered("games", "", |lines| {
        let id = lines.some_game();
        let game = lines.game(&id);
        let moves = game["plies"]["moves"].as_str().expect("moves").to_owned();
        let start: awale::rules::Position = game["start"]
            .as_str()
            .expect("a start")
            .parse()
            .expect("a position");
        let mut played = awale::rules::Game::new(awale::rules::RuleSet::default(), start);
        let (last, before) = moves.as_bytes().split_last().expect("moves");
        let before = std::str::from_utf8(before).expect("letters");
        for pit in awale::rules::parse_moves(before).expect("moves") {
            played.play(pit).expect("a legal move");
        }
        let others = played.legal_moves().to_string();
        let other = others.chars().find(|it| *it != char::from(*last));
        game["plies"]["moves"] = format!("{before}{}", other.expect("another move")).into();
        Some(id)
    });
    tampered("games", "the rules say that it goes on", |lines| {
        let id = lines.some_game();
        let game = lines.game(&id);
        let moves = game["plies"]["moves"].as_str().expect("moves").to_owned();
        game["plies"]["moves"] = moves[..moves.len() - 1].into();
        game["plies"]["times_us"]
            .as_array_mut()
            .expect("times")
            .pop();
        if let Some(times) = game["plies"].get_mut("cpu_us") {
            times.as_array_mut().expect("times").pop();
        }
        // What is known of single plies is named by their numbers, from 0.
        for by_ply in ["infos", "preempted_us"] {
            if let Some(of_plies) = game["plies"].get_mut(by_ply) {
                let of_plies = of_plies.as_object_mut().expect("an object");
                of_plies.remove(&(moves.len() - 1).to_string());
            }
        }
        Some(id)
    });
}

#[test]
fn other_results_are_found() {
    tampered("games", "final stores", |lines| {
        let id = lines.some_game();
        let stores = lines.game(&id)["stores"].as_array_mut().expect("stores");
        stores.reverse();
        Some(id)
    });
    tampered("games", "the rules say majority", |lines| {
        let id = lines.some_game();
        lines.game(&id)["ending"]["rules"] = "no-move".into();
        Some(id)
    });
    tampered("games", "by the rules it was over before", |lines| {
        let id = lines.some_game();
        let game = lines.game(&id);
        game["ending"] = serde_json::json!({"resignation": "south"});
        Some(id)
    });
}

#[test]
fn other_times_are_found() {
    tampered("times", "ply 4 took 10011.000 ms", |lines| {
        let id = lines.game_without_delays();
        lines.game(&id)["plies"]["times_us"][3] = 10_011_000.into();
        Some(id)
    });
    // Each within the limit of a move, all together more than the bank.
    tampered("times", "could be accepted there", |lines| {
        let id = lines.game_without_delays();
        let times = lines.game(&id)["plies"]["times_us"]
            .as_array_mut()
            .expect("times");
        times.fill(9_999_000.into());
        Some(id)
    });
    tampered("times", "a time-out after 9.000 ms", |lines| {
        let id = lines.game_without_delays();
        let game = lines.game(&id);
        game["plies"] = serde_json::json!({"moves": ""});
        let fault = serde_json::json!({"kind": "timeout", "time_us": 9_000});
        game["ending"] = serde_json::json!({"fault": ["south", fault]});
        let start = game["start"].as_str().expect("a start");
        let numbers: Vec<u64> = start.split('-').filter_map(|it| it.parse().ok()).collect();
        let on_board: u64 = numbers[..12].iter().sum();
        game["stores"] = vec![numbers[12], numbers[13] + on_board].into();
        Some(id)
    });
}

/// Whatever number a line has room for is found to be wrong, or shown, and added to others.
#[test]
fn enormous_numbers_are_found() {
    const MOST: u64 = u64::MAX;
    tampered("tables", "column preempted_time_south_us", |lines| {
        let id = lines.some_game();
        lines.game(&id)["plies"]["preempted_us"] =
            serde_json::json!({"0": MOST, "2": MOST, "4": MOST});
        None
    });
    tampered("times", "ply 1 took", |lines| {
        for line in lines.0.iter_mut().filter(|line| line["kind"] == "game") {
            let plies = line["plies"]["moves"].as_str().expect("moves").len();
            let voids = line["ending"]["void"].is_object();
            for key in ["times_us", "cpu_us"] {
                line["plies"][key] = vec![MOST; plies].into();
            }
            line["ready_us"] = vec![MOST; 2].into();
            line["off_turn_us"] = vec![MOST; 2].into();
            line["lateness_us"] = MOST.into();
            if voids {
                line["ending"]["void"]["late_us"] = MOST.into();
                line["ending"]["void"]["cpu_us"] = vec![MOST; 2].into();
            }
        }
        None
    });
    tampered("schedule", "attempt 4294967295", |lines| {
        let id = lines.some_game();
        lines.game(&id)["attempt"] = u32::MAX.into();
        Some(id)
    });
    tampered("schedule", "the schedule has no such pair", |lines| {
        let id = lines.some_game();
        lines.game(&id)["id"] = "greedy~random.4294967295.2".into();
        Some("greedy~random.4294967295.2".to_owned())
    });
    tampered("games", "the final stores are 255", |lines| {
        let id = lines.some_game();
        lines.game(&id)["stores"] = vec![255; 2].into();
        Some(id)
    });
}

#[test]
fn other_ids_attempts_and_sides_are_found() {
    tampered(
        "schedule",
        "a second result; the first is in line",
        |lines| {
            let id = lines.some_game();
            let twice = lines.game(&id).clone();
            lines.0.push(twice);
            // The second line is the one that is wrong.
            None
        },
    );
    tampered("schedule", "the schedule has no such pair", |lines| {
        let id = lines.some_game();
        lines.game(&id)["id"] = "greedy~random.99.1".into();
        Some("greedy~random.99.1".to_owned())
    });
    tampered("schedule", "attempt 1 has no record", |lines| {
        let id = lines.some_game();
        lines.game(&id)["attempt"] = 2.into();
        Some(id)
    });
    tampered("schedule", "a void attempt after the result", |lines| {
        let id = lines.some_game();
        let mut voided = lines.game(&id).clone();
        voided["attempt"] = 2.into();
        voided["ending"] = serde_json::json!({"void": {}});
        lines.0.push(voided);
        None
    });
    tampered("schedule", "and the schedule has", |lines| {
        let id = lines.some_game();
        let game = lines.game(&id);
        game["entrants"].as_array_mut().expect("a list").reverse();
        Some(id)
    });
    tampered("schedule", "it has no record", |lines| {
        let place = lines.place("greedy~random.1.1");
        lines.0.remove(place);
        Some("greedy~random.1.1".to_owned())
    });
    // A pair that is gone: the tables have it.
    tampered(
        "tables",
        "column id: the file has “greedy~random.1.1”, and the journal gives “greedy~crash.1.1”",
        |lines| {
            lines.0.retain(|line| {
                line["id"] != "greedy~random.1.1" && line["id"] != "greedy~random.1.2"
            });
            None
        },
    );
}

#[test]
fn other_openings_are_found() {
    tampered(
        "openings",
        "it has opening 999, and the schedule gives it",
        |lines| {
            lines.game("greedy~random.1.1")["opening"] = 999.into();
            Some("greedy~random.1.1".to_owned())
        },
    );
    tampered("openings", " are EaCc, and those of the plan ", |lines| {
        lines.game("greedy~random.1.1")["opening_moves"] = "EaCc".into();
        Some("greedy~random.1.1".to_owned())
    });
    tampered("openings", " leads to ", |lines| {
        let start = "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S";
        lines.game("greedy~random.1.1")["start"] = start.into();
        Some("greedy~random.1.1".to_owned())
    });
}

#[test]
fn other_withdrawals_and_admissions_are_found() {
    tampered("exclusions", "no line of the journal says so", |lines| {
        let place = lines.of_kind("withdrawal");
        lines.0.remove(place);
        None
    });
    tampered("exclusions", "the games do not lead to that", |lines| {
        let place = lines.of_kind("withdrawal");
        let mut other = lines.0[place].clone();
        other["entrant"] = "greedy".into();
        lines.0.push(other);
        None
    });
    tampered("exclusions", "with 4 faults", |lines| {
        let place = lines.of_kind("withdrawal");
        lines.0[place]["faults"] = 4.into();
        None
    });
    tampered("exclusions", "a second time", |lines| {
        let place = lines.of_kind("withdrawal");
        lines.0.push(lines.0[place].clone());
        None
    });
    tampered(
        "exclusions",
        "not an entrant that the plan examines",
        |lines| {
            let line = r#"{"kind":"admission","entrant":"greedy"}"#;
            lines.0.insert(1, serde_json::from_str(line).expect("JSON"));
            None
        },
    );
    // A refusal takes all games of the entrant out of the tables.
    tampered("tables", "the journal gives", |lines| {
        let line = r#"{"kind":"admission","entrant":"greedy","refusal":
            {"fault":{"against":"itself","fault":{"kind":"crash","detail":"x"}}}}"#;
        lines.0.insert(1, serde_json::from_str(line).expect("JSON"));
        None
    });
}

/// A run that was killed between a game and what followed from it, and was not resumed.
#[test]
fn a_withdrawal_that_a_kill_prevented_is_a_note() {
    let story = copy();
    let mut lines = Lines::of(&story);
    let place = lines.of_kind("withdrawal");
    lines.0.truncate(place);
    lines.write(&story);
    let report = json(&story, 1);
    let is_here = |it: &&Value| it["check"] == "exclusions";
    let problems = report["problems"].as_array().expect("a list");
    assert_eq!(problems.iter().filter(is_here).count(), 0, "{report:#}");
    let words = "no line says so: the run was killed before it wrote that";
    unclean(&story).out_has(words);
}

#[test]
fn a_pair_that_the_host_disturbed_is_a_note() {
    let story = Story::new();
    let config = two_of_us("pairs = 3", "\"--depth\", \"1\"");
    story.write("host.toml", config);
    let run = ["run", "host.toml", "--output", "run"];
    story.ok(&run);
    // The first game of the first pair as a host without luck leaves it.
    let mut lines = Lines::of(&story);
    let mut voided = lines.game("one~two.1.1").clone();
    let numbers = voided["start"].as_str().expect("a start").split('-');
    let numbers: Vec<u8> = numbers.filter_map(|it| it.parse().ok()).collect();
    for (key, value) in [
        (
            "ending",
            serde_json::json!({"void": {"cause": "the host \u{1b}[2J slept"}}),
        ),
        ("plies", serde_json::json!({"moves": ""})),
        ("stores", numbers[12..].into()),
    ] {
        voided[key] = value;
    }
    lines
        .0
        .retain(|line| line["id"] != "one~two.1.1" && line["id"] != "one~two.1.2");
    for attempt in 1..=4 {
        voided["attempt"] = attempt.into();
        lines.0.push(voided.clone());
    }
    lines.write(&story);
    let open = "pair one~two.1 (\"one\", \"two\") is open: the host made all attempts at a game of \
                it void";
    unclean(&story).out_has("games.csv, line").out_has(open);
    // The run plays the open pair again.
    story.ok(&run);
    let said = clean(&story)
        .out_has("clean: 6 games")
        .out_has("the host made 4 games void");
    assert!(!said.stdout.contains("is open"), "{}", said.stdout);
    let last = lines.0.len() - 1;
    lines.0.remove(last - 1);
    lines.write(&story);
    let words = "this is attempt 4, and attempt 3 has no record";
    unclean(&story).out_has(words);
}

#[test]
fn another_plan_is_found() {
    tampered(
        "plan",
        "the hash of the plan is not that of what the line says",
        |lines| {
            lines.0[0]["plan"]["seed"] = 8.into();
            None
        },
    );
    for row in r#"
seed = 7 | seed = 8 | tournament.seed: the games were played with 7, it says 8
max-plies = 600 | max-plies = 601 | tournament.max-plies
increment = "10ms" | increment = "11ms" | clock.increment
[[entrant]]\nname = "greedy" | [[entrant]]\nname = "greed" | entrants
plan-sha256 = " | plan-sha256 = "0 | plan-sha256 is 0
sha256 = { "./crash.sh" = " | sha256 = { "./crash.sh" = "0 | the hash of
sha256 = { | sums = { | "./crash.sh": the games were played with
pairs = 4 | pears = 4 | plan.toml, line 9: unknown key `pears`
[tournament] | [tournament | plan.toml, line 4: this is not TOML
"#
    .trim()
    .lines()
    {
        let row = row.replace("\\n", "\n");
        let [from, to, words] = row.split(" | ").collect::<Vec<_>>()[..] else {
            panic!("{row:?} has three columns");
        };
        let story = copy();
        let plan = story.read("run/plan.toml");
        assert!(plan.contains(from), "{from} in {plan}");
        story.write("run/plan.toml", plan.replacen(from, to, 1));
        unclean(&story).out_has("1 PROBLEM").out_has(words);
    }
    let story = copy();
    fs::remove_file(story.path("run/plan.toml")).expect("a plan");
    unclean(&story)
        .out_has("cannot read the plan of the run")
        .out_has("1 PROBLEM")
        .out_has("bots        not checked: plan.toml does not say where they are")
        .out_has(" played again on the rules");
}

#[test]
fn other_tables_are_found() {
    for (name, words) in [
        ("standings.csv", "standings.csv, line 2: column entrant: "),
        ("crosstable.csv", "crosstable.csv, line 2: column entrant: "),
    ] {
        let story = copy();
        let table = story.read(&format!("run/{name}"));
        let row = table.lines().nth(1).expect("a row").to_owned();
        let name_of = row
            .split(',')
            .find(|it| it.starts_with(char::is_alphabetic));
        let hostile = row.replacen(name_of.expect("a name"), "\u{1b}]0;evil\u{7}", 1);
        story.write(&format!("run/{name}"), table.replacen(&row, &hostile, 1));
        unclean(&story)
            .out_has(words)
            .out_has("the file has “\\u{1b}]0;evil\\u{7}”");
    }
    let story = copy();
    let games = story.read("run/games.csv");
    let last = games.lines().last().expect("a row").to_owned();
    story.write("run/games.csv", games.clone() + &last + "\n");
    unclean(&story).out_has("the journal gives no such line");
    let result = if last.contains(",1-0,") {
        (",1-0,", ",0-1,")
    } else {
        (",0-1,", ",1-0,")
    };
    story.write(
        "run/games.csv",
        games.replacen(&last, &last.replacen(result.0, result.1, 1), 1),
    );
    unclean(&story).out_has("column result: the file has");
    for name in [
        "standings.csv",
        "crosstable.csv",
        "los.csv",
        "games.csv",
        "faults.csv",
        "noise.csv",
    ] {
        let story = copy();
        fs::remove_file(story.path("run").join(name)).expect("a table");
        unclean(&story).out_has(&format!("{name}: it is missing"));
        let report = json(&story, 1);
        assert_eq!(report["problems"][0]["file"], name);
    }
}

#[test]
fn tables_are_compared_by_the_names_of_their_columns() {
    let story = copy();
    age_columns(
        &story,
        &[
            "standings.csv",
            "crosstable.csv",
            "los.csv",
            "openings.csv",
            "games.csv",
            "noise.csv",
            "faults.csv",
        ],
    );
}

#[test]
fn tables_of_a_class_are_compared_so_too() {
    let story = graded_class();
    run_class(&story, &[]).with_code(0);
    hand_in(&story, "eve/bot.sh", FIRST_LEGAL);
    run_class(&story, &["--update"]).with_code(0);
    copy_folder(&story.path("results/class"), &story.path("run"));
    age_columns(&story, &["standings.csv", "grades.csv", "history.csv"]);
}

/// The file of another version may lack any column, may have others, and in another order.
fn age_columns(story: &Story, tables: &[&str]) {
    let rows = |name: &str| -> Vec<Vec<String>> {
        let text = story.read(&format!("run/{name}"));
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .from_reader(text.as_bytes());
        reader
            .deserialize()
            .map(|row| row.expect("a row"))
            .collect()
    };
    let sound: Vec<_> = tables.iter().map(|&name| (name, rows(name))).collect();
    let write = |name: &str, rows: &[Vec<String>]| {
        let mut writer = csv::Writer::from_writer(Vec::new());
        for row in rows {
            writer.write_record(row).expect("a row");
        }
        story.write(
            &format!("run/{name}"),
            writer.into_inner().expect("a table"),
        );
    };
    let most = sound.iter().map(|(_, rows)| rows[0].len()).max();
    for place in 0..most.expect("tables") {
        let mut notes = Vec::new();
        for (name, rows) in sound.iter().filter(|(_, rows)| place < rows[0].len()) {
            let mut aged = rows.clone();
            let column = aged[0][place].clone();
            for row in &mut aged {
                row.remove(place);
                row.reverse();
            }
            write(name, &aged);
            notes.push(format!(
                "{name} does not have columns that the journal gives"
            ));
            notes.push(column);
        }
        let said = verify(story).with_code(0);
        notes.iter().fold(said, |said, note| said.out_has(note));
    }
    for (name, rows) in &sound {
        let mut newer = rows.clone();
        for (number, row) in newer.iter_mut().enumerate() {
            let cell = if number == 0 { "tempo" } else { "7" };
            row.insert(1, cell.to_owned());
        }
        write(name, &newer);
        let note = format!("{name} has columns that the journal does not give");
        verify(story).with_code(0).out_has(&note).out_has("tempo");
        write(name, rows);
    }
    let (name, mut rows) = sound.into_iter().next().expect("a table");
    for row in &mut rows {
        row.remove(2);
    }
    "99".clone_into(&mut rows[1][0]);
    write(name, &rows);
    verify(story)
        .with_code(1)
        .out_has("column rank: the file has “99”");
}

/// A newer version may write lines, settings and keys that this one does not know.
#[test]
fn what_a_newer_version_wrote_is_named() {
    let story = copy();
    let mut lines = Lines::of(&story);
    lines.0[0]["settings"]["colour"] = "red".into();
    lines.0.push(json!({ "kind": "appeal", "by": "crash" }));
    lines.write(&story);
    clean(&story)
        .out_has("appeal is of a newer version of awale")
        .out_has("plan.settings.colour is of a newer version of awale");
}

#[test]
fn a_damaged_journal_is_found_with_its_line() {
    let story = copy();
    let sound = fs::read(story.path("run/games.jsonl")).expect("a journal");
    let full = std::env::var_os("AWALE_FULL").is_some();
    // Every byte takes minutes through the binary; the tests of the library try every bit.
    let step = if full { 29 } else { sound.len() / 40 };
    for place in (0..sound.len()).step_by(step) {
        let mut damaged = sound.clone();
        damaged[place] ^= 1 << (place % 8);
        story.write("run/games.jsonl", &damaged);
        let line = 1 + sound[..place].iter().filter(|&&byte| byte == b'\n').count();
        let report = json(&story, 1);
        let problem = &report["problems"][0];
        assert_eq!(problem["check"], "journal", "byte {place}: {report:#}");
        assert_eq!(problem["line"], line, "byte {place}: {report:#}");
    }
    story.write("run/games.jsonl", &sound[..sound.len() - 1]);
    unclean(&story).out_has("the last line is torn");
    let mut two = sound.clone();
    two[200] = b' ';
    two[sound.len() - 200] = b' ';
    story.write("run/games.jsonl", &two);
    unclean(&story)
        .out_has("2 PROBLEMS")
        .out_has("games.jsonl, line 1: its checksum does not fit")
        .out_has("tables      not checked: games are missing where the journal is damaged");
}

#[test]
fn a_line_without_an_end_is_damage() {
    let story = copy();
    let sound = fs::read(story.path("run/games.jsonl")).expect("a journal");
    let lines = sound.iter().filter(|&&byte| byte == b'\n').count();
    story.lengthen("run/games.jsonl");
    let damage = "it has more than 512 MiB, which no line has; the rest is not read";
    story
        .run_in_little_memory("verify run")
        .with_code(1)
        .out_has(&format!("games.jsonl, line {}: {damage}", lines + 1))
        .out_has("1 damaged or missing")
        .out_has("restore games.jsonl from a copy");
    story
        .write("crash.sh", CRASH)
        .write("openings.txt", OPENINGS)
        .write("sound.toml", CONFIG);
    story
        .run_in_little_memory("run sound.toml --output run")
        .with_code(3)
        .err_has(&format!(
            "line {} of the journal is damaged: {damage}",
            lines + 1
        ))
        .err_has("restore the file from a copy");
    // The first line is also read where the plan alone is needed.
    fs::File::create(story.path("run/games.jsonl")).expect("an empty file");
    story.lengthen("run/games.jsonl");
    story
        .run_in_little_memory("verify run")
        .with_code(1)
        .out_has(&format!("games.jsonl, line 1: {damage}"));
    // Beyond a hole with an end the lines are read.
    let first = sound
        .iter()
        .position(|&byte| byte == b'\n')
        .expect("a line")
        + 1;
    let (plan, games) = sound.split_at(first);
    story.write(
        "run/games.jsonl",
        [plan, &vec![0; 1 << 20], b"\n", games].concat(),
    );
    unclean(&story)
        .out_has("1 PROBLEM")
        .out_has("games.jsonl, line 2: byte 1 of it is 0, as in a hole of the file");
}

#[test]
fn a_journal_without_its_first_line_is_a_problem() {
    let story = copy();
    let sound = story.read("run/games.jsonl");
    let (_, rest) = sound.split_once('\n').expect("lines");
    for journal in [rest, &rest[..rest.len() - 20]] {
        story.write("run/games.jsonl", journal);
        unclean(&story)
            .out_has("games.jsonl, line 1: no line of it is the plan")
            .out_has("tables      not checked");
        assert_eq!(json(&story, 1)["clean"], false);
    }
}

#[test]
fn it_is_said_what_to_do() {
    let story = copy();
    let sound = story.read("run/games.jsonl");
    fs::remove_file(story.path("run/los.csv")).expect("a table");
    let anew = "to do: let the same `awale run` or `awale sprt` write the tables anew";
    unclean(&story).out_has(anew);
    let advice = json(&story, 1)["advice"].clone();
    let words = anew.strip_prefix("to do: ").expect("its beginning");
    assert!(advice[0].as_str().is_some_and(|it| it.starts_with(words)));
    story.write("run/games.jsonl", sound.replacen("\"id\"", "\"ID\"", 1));
    let said = unclean(&story).out_has("to do: restore games.jsonl from a copy");
    let lines = sound.lines().count();
    let words = format!("1 PROBLEM  {lines} lines, 1 damaged or missing");
    assert!(said.stdout.contains(&words), "{}", said.stdout);
    // Tables made from a journal that cannot be believed would not help.
    assert!(!said.stdout.contains(anew), "{}", said.stdout);
    let story = copy();
    fs::remove_file(story.path("run/plan.toml")).expect("a plan");
    unclean(&story).out_has("to do: restore plan.toml from a copy, or take it away");
    let said = verify(&copy()).with_code(0);
    assert!(!said.stdout.contains("to do"), "{}", said.stdout);
}

#[test]
fn bots_and_openings_of_another_machine_are_warnings() {
    let story = Story::new();
    story
        .write("crash.sh", CRASH)
        .write("openings.txt", OPENINGS);
    story.write("own.toml", CONFIG);
    story.ok("run own.toml --output run");
    clean(&story);
    let warns = |words: &str| {
        let said = clean(&story).out_has("warning: ").out_has(words);
        assert!(said.stdout.contains("; 1 warning"), "{}", said.stdout);
        story.ends(1, "verify run --strict");
        let report = json(&story, 0);
        assert_eq!(
            (
                &report["clean"],
                report["warnings"].as_array().map(Vec::len)
            ),
            (&true.into(), Some(1))
        );
    };
    story.write("crash.sh", "#!/bin/sh\nexit 4\n");
    warns("\"crash\": \"./crash.sh\" is on this machine with other contents");
    fs::remove_file(story.path("crash.sh")).expect("a script");
    warns("\"crash\": \"./crash.sh\" is not on this machine");
    story.write("crash.sh", CRASH);
    // The journal has the list that was played.
    story.write("openings.txt", "CdFb\n");
    warns("the file of openings has other openings now");
    fs::remove_file(story.path("openings.txt")).expect("openings");
    warns("the file of openings is not on this machine");
    let mut lines = Lines::of(&story);
    for game in lines.0.iter_mut().filter(|it| it["opening"] == 1) {
        // Another way to the same position: legal, and the same for all, but not what was listed.
        assert_eq!(game["opening_moves"], "CdFb");
        game["opening_moves"] = "FbCd".into();
    }
    lines.write(&story);
    unclean(&story).out_has("openings").out_has("PROBLEM");
}

#[test]
fn house_bots_of_another_version_are_warnings() {
    let story = copy();
    let mut lines = Lines::of(&story);
    let entrants = lines.0[0]["plan"]["entrants"].as_array_mut();
    for entrant in entrants.expect("a list") {
        if let Some(version) = entrant["program"].get_mut("awale-version") {
            *version = "0.0.9".into();
        }
    }
    let before = lines.0[0]["sha256"].as_str().expect("a hash").to_owned();
    let after = hex(lines.0[0]["plan"].to_string().as_bytes());
    lines.0[0]["sha256"] = after.clone().into();
    lines.write(&story);
    let plan = story.read("run/plan.toml");
    story.write("run/plan.toml", plan.replacen(&before, &after, 1));
    let words = "it played as a house bot of awale 0.0.9, and this is awale ";
    clean(&story).out_has("3 warnings").out_has(words);
    story.ends(1, "verify run --strict");
}

#[test]
fn games_that_repeat_another_are_noted() {
    let story = Story::new();
    let config = two_of_us("pairs = 6\nopenings = { plies = 0 }", "\"--depth\", \"1\"");
    story.write("twice.toml", config);
    story.ok("run twice.toml --output run");
    let rows = story.rows("run/games.csv");
    let different: BTreeSet<_> = rows
        .iter()
        .map(|row| (&row["south"], &row["moves"]))
        .collect();
    let repeated = rows.len() - different.len();
    assert!(repeated > 0, "otherwise this test says nothing");
    let words = format!("note: {repeated} of 12 games repeat another one move by move");
    clean(&story).out_has(&words);
}

#[test]
fn a_copied_record_is_named() {
    let note = |story: &Story| {
        let report = json(
            story,
            i32::from(!verify(story).stdout.contains("\nclean: ")),
        );
        let notes = report["notes"].as_array().expect("a list").clone();
        let words = "to the microsecond: one record is a copy of the other";
        let mut messages = notes
            .iter()
            .map(|it| it["message"].as_str().expect("a text"));
        messages.find(|it| it.contains(words)).map(str::to_owned)
    };
    let story = copy();
    assert_eq!(note(&story), None);
    let mut lines = Lines::of(&story);
    // The longest game, and another one, to whose length it is cut. A pair that the host disturbed
    // has two records of the same game.
    let length = |line: &Value| line["plies"]["times_us"].as_array().map_or(0, Vec::len);
    let games = lines.0.iter().filter(|line| line["kind"] == "game");
    let games = games.map(|line| (line["id"].to_string(), line.clone()));
    let games: BTreeMap<String, Value> = games.collect();
    let mut games: Vec<Value> = games.into_values().collect();
    games.sort_by_key(|line| std::cmp::Reverse(length(line)));
    let [first, second] = [&games[0], &games[1]].map(|it| it["id"].as_str().expect("an id"));
    // 24 pairs: plies from 30 on tell.
    let plies = length(&games[1]);
    assert!(plies >= 30, "{plies}");
    for key in ["moves", "times_us", "cpu_us"] {
        let cut = match &games[0]["plies"][key] {
            Value::Array(values) => Value::Array(values[..plies].to_vec()),
            Value::String(moves) => moves[..plies].into(),
            other => other.clone(),
        };
        lines.game(second)["plies"][key] = cut.clone();
        lines.game(first)["plies"][key] = cut;
    }
    // Times that the host measured may repeat, and then they prove less.
    let times: Vec<usize> = (0..plies).map(|ply| 1_000 + 7 * ply).collect();
    for game in [first, second] {
        lines.game(game)["plies"]["times_us"] = times.clone().into();
    }
    lines.write(&story);
    let note = note(&story).expect("a note");
    assert!(note.contains(first) && note.contains(second), "{note}");
    assert!(note.contains(&format!("in all {plies} plies")), "{note}");
}

#[test]
fn a_decided_test_and_a_match_are_clean() {
    let config = |sprt: &str| {
        let entrant = |name: &str, depth: u32| {
            format!(
                "[[entrant]]\nname = {name:?}\n\
                 command = [\"awale\", \"bot\", \"minimax\", \"--depth\", \"{depth}\"]\n"
            )
        };
        let (base, new) = (entrant("base", 1), entrant("new", 4));
        format!(
            "[tournament]\n{SECRET}\nslots = 2\nopenings = {{ plies = 6 }}\n\
             anchor = {{ base = 1000 }}\n\
             [clock]\nmove = \"10s\"\n[sprt]\nnew = \"new\"\n{sprt}\n{base}{new}"
        )
    };
    let story = Story::new();
    story.write("test.toml", config("max-pairs = 400\nelo0 = 0\nelo1 = 60"));
    story.ok("sprt test.toml --output run");
    clean(&story).out_has("note: the test was decided with pair");
    let plan = story.read("run/plan.toml");
    story.write("run/plan.toml", plan.replacen("elo1 = 60", "elo1 = 61", 1));
    unclean(&story).out_has("sprt.elo1");
    // Anchors decide no game, and stand in the tables.
    let anchor = "\"base\" = 1000.0";
    assert!(plan.contains(anchor), "{plan}");
    story.write(
        "run/plan.toml",
        plan.replacen(anchor, "\"base\" = 1001.0", 1),
    );
    unclean(&story).out_has("plan.toml: anchor.base: the run went on with 1000.0, it says 1001.0");
    fs::remove_dir_all(story.path("run")).expect("a folder");
    story.ok("sprt test.toml --pairs 5 --output run");
    clean(&story).out_has("clean: 10 games");
}

#[test]
fn an_interrupted_run_is_clean_and_unfinished() {
    let story = Story::new();
    let config = two_of_us("pairs = 50\nslots = 2", "\"--time\", \"15ms\"");
    story.write("slow.toml", config);
    let mut child = story.start("run slow.toml --json --output run");
    let mut output = BufReader::new(child.stdout.as_mut().expect("its events")).lines();
    let is_game = |line: &String| line.contains("\"event\":\"game\"");
    assert!(output.any(|line| is_game(&line.expect("a line"))));
    drop(output);
    // While it is played.
    story
        .ends(1, "verify run")
        .out_has("a run is playing in this folder")
        .out_has("tables      not checked");
    kill_process(Pid::from_child(&child), Signal::INT).expect("the process is there");
    Said::of(child.wait_with_output().expect("an end")).with_code(130);
    let report = json(&story, 0);
    assert_eq!(
        (&report["clean"], &report["finished"]),
        (&true.into(), &false.into())
    );
    assert_eq!(report["planned"], 100);
    let games = report["games"].as_u64().expect("a number");
    clean(&story).out_has(&format!(
        "clean: {games} games; unfinished: {games} of 100 games, missing are "
    ));
    // Killed instead, in the middle of a line: what it left does not fit together.
    let journal = story.read("run/games.jsonl");
    story.write("run/games.jsonl", &journal[..journal.len() - 20]);
    unclean(&story)
        .out_has("the last line is torn")
        .out_has("games.csv, line");
}

#[test]
fn a_refused_entrant_is_noted() {
    let story = Story::new();
    story.write("crash.sh", CRASH);
    let config = CONFIG.replace("mode = \"off\"", "mode = \"on\"");
    let config = config.replace("{ file = \"openings.txt\" }", "{ plies = 4 }");
    story.write("gate.toml", config);
    story.ok("run gate.toml --output run");
    clean(&story)
        .out_has("1 not admitted, 0 withdrawn")
        .out_has("\"crash\" was not admitted: start-failure");
    let mut lines = Lines::of(&story);
    let place = lines.of_kind("admission");
    let line = lines.0.remove(place);
    lines.write(&story);
    unclean(&story).out_has("\"crash\" was not examined before");
    lines.0.push(line.clone());
    lines.write(&story);
    unclean(&story).out_has("was examined after the first game");
    lines.0.pop();
    // Somebody else, who plays: no table would count his games.
    let mut refused = line.clone();
    refused["entrant"] = "greedy".into();
    lines.0.insert(place, refused);
    lines.write(&story);
    unclean(&story).out_has("\"greedy\" was not admitted, and played game greedy~random.1.1");
    lines.0.remove(place);
    // No other entrant could play, and they have: a run refuses that, and loses no game over it.
    for name in ["greedy", "random", "minimax", "crash"] {
        let mut line = line.clone();
        line["entrant"] = name.into();
        lines.0.insert(place, line);
    }
    lines.write(&story);
    let changed = story.read("run/games.jsonl");
    story
        .ends(3, "run gate.toml --output run")
        .err_has("something has changed it; restore it from a copy");
    assert_eq!(story.read("run/games.jsonl"), changed);
}

#[test]
fn what_is_no_runs_folder_is_refused() {
    let story = Story::new();
    fs::create_dir(story.path("run")).expect("a folder");
    for (folder, words) in [
        ("nowhere", "nowhere is not a folder"),
        ("run", "there is no games.jsonl in it"),
    ] {
        story.ends(2, format!("verify {folder}")).err_has(words);
    }
    assert!(!story.path("run/games.jsonl").exists());
    story.write("run/games.jsonl", "");
    verify(&story).with_code(2).err_has("is empty");
    story.ends(2, "verify");
    let story = copy();
    let mut lines = Lines::of(&story);
    lines.0[0]["format"] = 99.into();
    lines.write(&story);
    verify(&story)
        .with_code(2)
        .err_has("the journal has format 99");
}

/// To read a pipe or a device may never end. This one does, so that the test would.
#[test]
fn what_is_no_file_is_not_read() {
    for (name, code, words) in [
        ("games.csv", 1, "games.csv: it is not a file"),
        (
            "plan.toml",
            1,
            "cannot read the plan of the run: it is not a file",
        ),
        ("games.jsonl", 2, "games.jsonl in it is not a file"),
    ] {
        let story = copy();
        let path = story.path("run").join(name);
        fs::remove_file(&path).expect("a file");
        std::os::unix::fs::symlink("/dev/null", &path).expect("a link");
        let said = verify(&story).with_code(code);
        let text = said.stdout + &said.stderr;
        assert!(text.contains(words), "{name}: {text}");
        fs::remove_file(&path).expect("a link");
        fs::create_dir(&path).expect("a folder");
        verify(&story).with_code(code);
    }
    let story = copy();
    let plan = story.read("run/plan.toml");
    let (file, device) = ("{ file = \"openings.txt\" }", "{ file = \"/dev/null\" }");
    assert!(plan.contains(file), "{plan}");
    story.write("run/plan.toml", plan.replacen(file, device, 1));
    clean(&story).out_has("the file of openings is not on this machine");
}

/// A file of a folder that a crash or a stranger lengthened is not read to its end.
#[test]
fn files_without_an_end_are_found() {
    for (name, words) in [
        (
            "plan.toml",
            "plan.toml: cannot read the plan of the run: it has more than 64 MiB",
        ),
        (
            "games.csv",
            "is much longer than what the journal gives there",
        ),
        (
            "los.csv",
            "is much longer than what the journal gives there",
        ),
    ] {
        let story = copy();
        let lines = story.read(&format!("run/{name}")).lines().count();
        story.lengthen(&format!("run/{name}"));
        let said = story.run_in_little_memory("verify run");
        let said = said.with_code(1).out_has(words);
        if name != "plan.toml" {
            said.out_has(&format!("{name}, line {}: it is much longer", lines + 1));
        }
    }
    // In the middle, too: a line of the journal is compared with it.
    let story = copy();
    story.write("run/games.csv", "id,pair");
    story.lengthen("run/games.csv");
    story
        .run_in_little_memory("verify run")
        .with_code(1)
        .out_has("1 PROBLEM")
        .out_has("games.csv, line 1: it is much longer than what the journal gives there");
    let plan = story.read("run/plan.toml");
    let file = "{ file = \"openings.txt\" }";
    assert!(plan.contains(file), "{plan}");
    story.write("endless.txt", OPENINGS).lengthen("endless.txt");
    let endless = format!("{{ file = {:?} }}", story.path("endless.txt"));
    story.write("run/plan.toml", plan.replacen(file, &endless, 1));
    story
        .run_in_little_memory("verify run")
        .with_code(1)
        .out_has("the file of openings is not on this machine, or is none any more");
}

#[test]
fn the_example_is_sound() {
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/results/example");
    // Played elsewhere: there may be warnings, and nothing worse.
    Story::new()
        .ok(format!("verify {example}"))
        .out_has("clean: 100 games");
}

#[test]
fn a_changed_secret_is_found() {
    let story = Story::new();
    story.write("two.toml", two_of_us("pairs = 3", "\"--depth\", \"1\""));
    let run = ["run", "two.toml", "--output", "run"];
    story.ok(&run);
    clean(&story);
    let (plan, sound) = (story.read("run/plan.toml"), Lines::of(&story));
    let secret = |lines: &Lines| lines.0[0]["plan"]["secret"].clone();
    let own = secret(&sound).as_str().expect("a secret").to_owned();
    let other = own.replacen(&own[..1], if own.starts_with('0') { "1" } else { "0" }, 1);
    // In the journal's first line, with a checksum that fits.
    let mut lines = Lines::of(&story);
    lines.0[0]["plan"]["secret"] = other.clone().into();
    lines.write(&story);
    let told = "games.jsonl, line 1: the hash of the plan is not that";
    let said = unclean(&story).out_has(told);
    assert!(!said.stdout.contains(&own) && !said.stdout.contains(&other));
    let tournament = lines.0[0]["plan"].as_object_mut();
    tournament.expect("an object").remove("secret");
    lines.write(&story);
    unclean(&story).out_has(told);
    // In the plan.
    sound.write(&story);
    story.write("run/plan.toml", plan.replace(&own, &other));
    let said = unclean(&story).out_has("plan.toml: tournament.secret: the games were played with");
    assert!(!said.stdout.contains(&own) && !said.stdout.contains(&other));
    let line = |line: &&str| !line.starts_with("secret = ");
    let without: Vec<&str> = plan.lines().filter(line).collect();
    story.write("run/plan.toml", without.join("\n"));
    unclean(&story).out_has("it says nothing");
    // Everywhere, with every hash made again: the openings are not those of that secret.
    let changed = Story::new();
    changed.write("two.toml", story.read("two.toml"));
    let set = format!("tournament.secret={other}");
    changed.ok(format!("run two.toml --output run --set {set}"));
    let mut lines = Lines::of(&changed);
    lines.0.truncate(1);
    lines.0.extend(sound.0[1..].iter().cloned());
    lines.write(&changed);
    unclean(&changed).out_has("and the schedule gives it ");
}

#[test]
fn a_late_ready_is_no_game() {
    let story = copy();
    let mut lines = Lines::of(&story);
    let id = "greedy~random.1.1";
    assert!(lines.game(id)["ready_us"][0].as_u64() < Some(1_000_001));
    lines.game(id)["ready_us"][0] = 1_000_301.into();
    lines.game(id)["lateness_us"] = 300.into();
    lines.write(&story);
    unclean(&story)
        .out_has("south was ready after 1000.301 ms, and at most 1000.300 ms could be accepted");
    // The host may have been late by that: the referee does not charge a bot for it.
    lines.game(id)["lateness_us"] = 301.into();
    lines.write(&story);
    let report = json(&story, 1);
    let problems = report["problems"].as_array().expect("a list");
    assert!(
        problems.iter().all(|it| it["check"] != "times"),
        "{report:#}"
    );
}
