//! `bots/practice.py` and the page `play.html`, which play without awale: their rules against those
//! of awale, what practice.py sends, what it says of each beginner's mistake, and that it needs
//! nothing that a system may lack. `tests/browser` plays on the page.

use crate::check::mistakes::{HONEST, MISTAKES, Mistake};
use crate::support::awale_command::awale;
use crate::support::skip::is_here;
use awale::rules::{Game, Position, Preset};
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;

/// Games that are compared; and how many of them at least end in each way.
const GAMES: usize = 4000;
const LEAST_ENDINGS: usize = 20;
/// Bots that are tried at a time: most of their time they wait.
const AT_A_TIME: usize = 4;

fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn below(dice: &mut ChaCha8Rng, most: u32) -> u32 {
    dice.next_u32() % most
}

/// The usual start, a scattered board, one with large pits, or one with few seeds.
fn random_position(dice: &mut ChaCha8Rng) -> Position {
    let kind = below(dice, 4);
    if kind == 0 {
        return Position::START;
    }
    let seeds = if kind == 3 {
        1 + below(dice, 8)
    } else {
        below(dice, 49)
    };
    let open = if kind == 2 { 1 + below(dice, 3) } else { 12 };
    let first = below(dice, 12);
    let mut numbers = [0_u32; 14];
    for _ in 0..seeds {
        numbers[((first + 5 * below(dice, open)) % 12) as usize] += 1;
    }
    // Near an even split: else most games would be over before their first ply.
    numbers[12] = (48 - seeds) / 2;
    numbers[13] = below(dice, 49 - seeds - numbers[12]);
    let numbers = numbers.map(|it| it.to_string()).join("-");
    let side = ["S", "N"][below(dice, 2) as usize];
    format!("{numbers}-{side}").parse().expect("a position")
}

/// A random game as a query for `awale trace`.
fn query(dice: &mut ChaCha8Rng) -> String {
    let start = random_position(dice);
    let mut game = Game::new(Preset::Awale.rules(), start);
    let plies = if below(dice, 8) == 0 {
        below(dice, 40)
    } else {
        500
    };
    let mut moves = String::new();
    for _ in 0..plies {
        let legal: Vec<_> = game.legal_moves().iter().collect();
        if legal.is_empty() {
            break;
        }
        let pit = legal[dice.next_u32() as usize % legal.len()];
        moves.push(pit.letter());
        game.play(pit).expect("a legal move");
    }
    json!({"position": start.to_string(), "moves": moves}).to_string()
}

/// The answers of a program to these queries.
fn answers(mut program: Command, queries: &Path) -> Vec<Value> {
    let input = File::open(queries).expect("the queries");
    program.stdin(Stdio::from(input)).stderr(Stdio::inherit());
    let output = program.output().expect("it starts");
    assert!(output.status.success(), "{program:?}");
    let text = String::from_utf8(output.stdout).expect("text");
    let lines = text.lines().map(serde_json::from_str);
    lines.collect::<Result<_, _>>().expect("JSON on each line")
}

/// Every position, legal move, capture, ending and final score of random games.
#[test]
fn rules_without_awale_are_those_of_awale() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("queries");
    let mut dice = ChaCha8Rng::seed_from_u64(42);
    let queries: Vec<String> = (0..GAMES).map(|_| query(&mut dice)).collect();
    fs::write(&path, queries.join("\n") + "\n").expect("a file");
    let expected = answers(awale(&["trace"]), &path);
    let mut endings: BTreeMap<String, usize> = BTreeMap::new();
    for answer in &expected {
        let reason = answer["ending"]["reason"].as_str().unwrap_or("unfinished");
        *endings.entry(reason.to_owned()).or_default() += 1;
    }
    for reason in ["majority", "no-move", "repetition", "unfinished"] {
        let count = endings.get(reason).copied().unwrap_or_default();
        assert!(count >= LEAST_ENDINGS, "too few {reason}: {endings:?}");
    }
    for (program, script) in [
        ("python3", "trace_answers.py"),
        ("node", "trace_answers.mjs"),
    ] {
        if !is_here(program) {
            continue;
        }
        let mut command = Command::new(program);
        command.arg(repository().join("tests/practice").join(script));
        command.env("PYTHONDONTWRITEBYTECODE", "1");
        let found = answers(command, &path);
        assert_eq!(found.len(), expected.len());
        for ((query, expected), found) in queries.iter().zip(&expected).zip(&found) {
            assert_eq!(found, expected, "{program}: echo '{query}' | awale trace");
        }
    }
}

fn practice(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new("python3");
    command.arg(repository().join("bots/practice.py"));
    command.args(arguments).current_dir(folder);
    command
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .stdin(Stdio::null());
    command.output().expect("python3 starts")
}

#[test]
fn each_mistake_of_a_beginner_is_explained() {
    if !is_here("python3") {
        return;
    }
    let table = include_str!("said.txt");
    let rows = table
        .lines()
        .filter(|line| line.contains(" | ") && !line.starts_with('#'));
    let rows: BTreeMap<&str, (&str, &str)> = rows
        .map(|line| {
            let cells: Vec<&str> = line.splitn(3, '|').map(str::trim).collect();
            (cells[0], (cells[1], cells[2]))
        })
        .collect();
    let mistakes = Mistake::all(MISTAKES);
    assert_eq!(
        mistakes.iter().map(|it| it.name).collect::<BTreeSet<_>>(),
        rows.keys().copied().collect(),
        "said.txt has a row for each mistake"
    );
    let left = Mutex::new(mistakes);
    std::thread::scope(|scope| {
        for _ in 0..AT_A_TIME {
            scope.spawn(|| {
                loop {
                    let Some(mistake) = left.lock().expect("no panic").pop() else {
                        break;
                    };
                    is_explained(&mistake, rows[mistake.name]);
                }
            });
        }
    });
}

fn is_explained(mistake: &Mistake, (fault, words): (&str, &str)) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut text = HONEST.to_owned();
    for (from, to) in mistake.changes() {
        assert!(text.contains(from), "{}: no {from}", mistake.name);
        text = text.replacen(from, to, 1);
    }
    fs::write(folder.path().join("main.py"), text).expect("a file");
    let against: &[&str] = match mistake.name {
        "ignores legal" => &["--against", "random", "--games", "8"],
        _ => &["--against", "greedy"],
    };
    // What is late by the clock of a loaded host is no mistake of the bot.
    let limit: &[&str] = match fault {
        "none" => &["--move-limit", "10000"],
        _ => &[],
    };
    let said = practice(
        folder.path(),
        &[&["main.py", "--quiet"], against, limit].concat(),
    );
    let output = String::from_utf8_lossy(&said.stdout);
    // Long sentences are broken into lines.
    let text = output.split_whitespace().collect::<Vec<_>>().join(" ");
    let name = mistake.name;
    assert!(
        said.stderr.is_empty(),
        "{name}: {:?}",
        String::from_utf8_lossy(&said.stderr)
    );
    assert!(text.contains(words), "{name}: no {words:?}:\n{output}");
    if fault == "none" {
        assert!(text.ends_with("faults none"), "{name}:\n{output}");
        assert_eq!(said.status.code(), Some(0), "{name}");
    } else {
        assert!(
            text.contains(&format!("FAULT: {fault} (")),
            "{name}: no {fault}:\n{output}"
        );
        assert_eq!(said.status.code(), Some(1), "{name}");
    }
}

/// What stands in the messages of each type: their fields, and the types of the values.
fn forms(record: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let text = fs::read_to_string(record).expect("what the bot was sent");
    let mut forms: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in text.lines() {
        let message: Value = serde_json::from_str(line).expect("JSON");
        let fields = message.as_object().expect("an object").iter();
        let fields = fields.map(|(name, value)| match (name.as_str(), value) {
            ("rules" | "type" | "protocol", value) => format!("{name}={value}"),
            (name, Value::Object(inner)) => format!("{name}:{:?}", inner.keys()),
            (name, Value::Array(_)) => format!("{name}:list"),
            (name, Value::Number(_)) => format!("{name}:number"),
            (name, _) => format!("{name}:text"),
        });
        let form = fields.collect::<BTreeSet<_>>();
        let kind = message["type"].as_str().expect("a type").to_owned();
        forms.entry(kind).or_default().insert(format!("{form:?}"));
    }
    forms
}

/// A bot cannot tell practice from a tournament by what it is sent.
#[test]
fn messages_have_the_fields_of_a_tournament() {
    if !is_here("python3") {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (own, theirs) = (folder.path().join("own"), folder.path().join("theirs"));
    let recorder = repository().join("tests/practice/recorder.py");
    let [recorder, own_text, their_text] =
        [&recorder, &own, &theirs].map(|it| it.to_str().expect("text"));
    practice(
        folder.path(),
        &[
            "--quiet", "--games", "4", "--", "python3", recorder, own_text,
        ],
    );
    let bot = format!("python3 {recorder} {their_text}");
    let duel = [
        "duel",
        &bot,
        "greedy",
        "--isolation",
        "none",
        "--i-trust-these-bots",
        "--pairs",
        "2",
    ];
    let output = awale(&duel)
        .current_dir(folder.path())
        .output()
        .expect("awale starts");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(forms(&own), forms(&theirs));
}

#[test]
fn practice_needs_nothing_that_a_system_may_lack() {
    if !is_here("python3") {
        return;
    }
    let mut python = Command::new("python3");
    python.arg(repository().join("tests/practice/portable.py"));
    let output = python.output().expect("python3 starts");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Commands that cannot be started end with a sentence that says what to write.
#[test]
fn a_command_that_is_wrong_gets_a_sentence() {
    if !is_here("python3") {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    for file in ["main.py", "main.c", "bot"] {
        fs::write(folder.path().join(file), "").expect("a file");
    }
    for (arguments, said) in [
        (&[][..], "practice.py main.py"),
        (&["man.py"], "There is no file man.py in "),
        (&["man.py"], "Did you mean main.py?"),
        (&["main.c"], "must be built first: cc -O2 -o bot main.c"),
        (&["bot"], "write ./bot"),
        (&["./bot"], "chmod +x ./bot"),
        (&["./bit"], "Is it built already?"),
        (
            &["no-such-program"],
            "There is no program no-such-program on this computer",
        ),
        (
            &["--agianst", "greedy", "main.py"],
            "did you mean --against?",
        ),
        (&["main.py", "--games", "0"], "'0' is not a number above 0"),
    ] {
        let output = practice(folder.path(), arguments);
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {text}");
        assert!(text.contains(said), "{arguments:?}: {text}");
        assert!(!text.contains("Traceback"), "{arguments:?}: {text}");
    }
}
