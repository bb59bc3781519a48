//! Bots without a mistake pass every step, under every rule set.

use super::{Report, WHOLE, all_at_once, brief, repository};
use crate::support::skip::is_here;
use awale::rules::{Position, Preset, Side};
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Where starter bots are built: kept from one run of the tests to the next.
fn build_folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("starter-bots");
    std::fs::create_dir_all(&folder).expect("the build's temporary folder can be written to");
    folder
}

/// What a command prints, which must succeed.
fn run(command: &mut Command) -> String {
    let output = command.output().expect("the program starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}\n{stderr}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// How many steps do not arise under the rules of each preset.
const ABSENT: [(&str, usize); 9] = [
    ("awale", 2),
    ("abapa", 2),
    ("classique", 3),
    ("commun", 4),
    ("simple", 3),
    ("abidjan", 3),
    ("junior", 7),
    ("awari", 3),
    ("codingame", 3),
];

/// The steps that a bot is taken through.
#[derive(Clone, Copy, Debug)]
enum Part {
    /// All steps.
    Whole,
    /// Whole games, and positions: where the rules make a difference.
    Rules,
    /// All but the time of its moves.
    Untimed,
    /// The time of some moves.
    Time,
}

impl Part {
    fn only(self) -> String {
        let ids: Vec<&str> = WHOLE.all_ids();
        let place = |id| ids.iter().position(|it| *it == id).expect("a step");
        match self {
            Self::Whole => ids.join(","),
            Self::Rules => ids[place("game-south")..=place("no-turn")].join(","),
            Self::Untimed => [&ids[..place("in-time")], &ids[place("in-time") + 1..]]
                .concat()
                .join(","),
            Self::Time => "in-time".to_owned(),
        }
    }
}

/// A bot under some rules and a clock.
#[derive(Debug)]
struct Examination {
    bot: String,
    preset: &'static str,
    move_limit: &'static str,
    part: Part,
}

impl Examination {
    fn passes(&self) -> Result<(), String> {
        let only = self.part.only();
        let rules = [
            "--rules",
            self.preset,
            "--move",
            self.move_limit,
            "--all-rules",
        ];
        let report = Report::of(&self.bot, &[&rules[..], &["--only", &only]].concat());
        let red: Vec<_> = report
            .steps()
            .iter()
            .filter(|step| matches!(step["status"].as_str(), Some("failed" | "skipped")))
            .map(|step| format!("{} {}", step["id"], brief(step)))
            .collect();
        let absent = ABSENT.into_iter().find(|(name, _)| *name == self.preset);
        let absent = absent
            .map(|(_, count)| count)
            .filter(|_| !matches!(self.part, Part::Time));
        let found = report.ids("not-applicable").len();
        if red.is_empty() && report.code == Some(0) && found == absent.unwrap_or(0) {
            Ok(())
        } else {
            Err(format!("exit {:?}, {found} absent, {red:#?}", report.code))
        }
    }
}

/// Every step under the first rules, and the steps that depend on the rules under all others.
fn everywhere(bot: &str) -> Vec<Examination> {
    let examination = |(place, (preset, _)): (usize, (&'static str, usize))| Examination {
        bot: bot.to_owned(),
        preset,
        move_limit: "200ms",
        part: if place == 0 { Part::Whole } else { Part::Rules },
    };
    ABSENT.into_iter().enumerate().map(examination).collect()
}

/// The same for a bot that thinks for as long as it may: with little time for many moves, and
/// with more for a few, on which it must keep its clock.
fn everywhere_in_time(bot: &str) -> Vec<Examination> {
    let mut all = everywhere(bot);
    for examination in &mut all {
        examination.move_limit = "5ms";
    }
    all[0].part = Part::Untimed;
    all.push(Examination {
        bot: bot.to_owned(),
        preset: ABSENT[0].0,
        move_limit: "1s",
        part: Part::Time,
    });
    all
}

fn all_pass(examinations: &[Examination]) {
    all_at_once(examinations, |it| format!("{it:?}"), Examination::passes);
}

#[test]
fn the_presets_are_all_here() {
    assert_eq!(
        ABSENT.map(|(preset, _)| preset),
        Preset::ALL.map(Preset::name)
    );
}

pub fn house_bots() {
    let bots = ["random", "greedy", "awale bot minimax --depth 2"];
    let mut examinations: Vec<_> = bots.map(everywhere).into_iter().flatten().collect();
    examinations.extend(everywhere_in_time("minimax"));
    all_pass(&examinations);
}

pub fn starter_bots() {
    let mut simple = vec![rust_bot()];
    if is_here("cc") {
        simple.push(c_bot());
    }
    if is_here("python3") {
        simple.push("python3 bots/python/bot.py".to_owned());
    }
    if is_here("node") {
        simple.push("node bots/javascript/bot.js".to_owned());
    }
    let mut examinations: Vec<_> = simple.iter().flat_map(|bot| everywhere(bot)).collect();
    if is_here("python3") {
        examinations.extend(everywhere_in_time("python3 bots/python/search_bot.py"));
    }
    let mut others = Vec::new();
    if is_here("c++") {
        others.push(cpp_bot());
    }
    if is_here("javac") && is_here("java") {
        others.push(java_bot());
    }
    if is_here("go") {
        others.push(go_bot());
    }
    examinations.extend(others.iter().map(|bot| once(bot)));
    all_pass(&examinations);
    simple.extend(others);
    all_at_once(&simple, Clone::clone, |bot| captures_most(bot));
}

/// A board from the bot's own side, the legal pits, and the pits that simple bots may choose:
/// most seeds captured, a slam counting nothing.
const TURNS: [([u8; 12], &[u8], &[u8]); 8] = [
    (
        [4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4],
        &[0, 1, 2, 3, 4, 5],
        &[0, 1, 2, 3, 4, 5],
    ),
    // Worked examples of docs/rules.md: pit 3 takes 7, pit 5 takes 3, pit 1 would be a slam.
    ([0, 10, 0, 5, 0, 1, 2, 1, 1, 2, 2, 1], &[1, 3, 5], &[3]),
    ([0, 10, 0, 5, 0, 1, 2, 1, 1, 2, 2, 1], &[1, 5], &[5]),
    ([0, 0, 0, 3, 1, 1, 1, 0, 0, 0, 0, 4], &[3, 4, 5], &[3, 5]),
    ([0, 0, 0, 5, 0, 0, 2, 1, 1, 4, 0, 0], &[3], &[3]),
    ([12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], &[0], &[0]),
    // From pit 0, 23 seeds go round twice and fall last into pit 1, where nothing is captured.
    ([23, 0, 0, 0, 0, 1, 1, 0, 0, 4, 0, 0], &[0, 5], &[5]),
    // Nothing can be captured: every legal pit is as good, and no other is.
    ([6, 6, 0, 1, 1, 0, 4, 4, 4, 4, 4, 4], &[1, 3], &[1, 3]),
];

/// The pits that a bot chooses on the boards of [`TURNS`].
fn chosen_pits(bot: &str, side: Side) -> Vec<u64> {
    let rules = json!({
        "preset": "awale", "capture": "chain", "grand-slam": "no-capture", "must-feed": true,
        "majority-ends": true, "row-empty-ends": false, "dead-position-ends": false,
        "repetition": {"occurrences": 2, "remaining": "nobody"}, "no-move-gift": 0,
    });
    let clock = json!({"move_ms": 1000});
    let mut requests = vec![
        json!({"type": "hello", "protocol": 1, "game": "awale"}),
        json!({
            "type": "new-game", "game": "1.1", "you": side.name(), "opponent": "other",
            "rules": rules, "clock": clock, "seed": 7, "start": Position::START.to_string(),
        }),
    ];
    for (number, (board, legal, _)) in TURNS.into_iter().enumerate() {
        let mut pits = board;
        pits.rotate_right(6 * side.index());
        let position = Position::new(pits, [0, 0], side).expect("48 seeds at most");
        requests.push(json!({
            "type": "turn", "turn": 2 * number + side.index(), "board": board, "legal": legal,
            "stores": [0, 0], "position": position.to_string(), "clock": clock,
        }));
    }
    requests.push(json!({"type": "quit"}));
    let lines: Vec<String> = requests.iter().map(Value::to_string).collect();
    let words = shlex::split(bot).expect("quotes that are closed");
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).current_dir(repository());
    let bot = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut bot = bot.expect("the bot starts");
    let mut input = bot.stdin.take().expect("a pipe");
    writeln!(input, "{}", lines.join("\n")).expect("it reads");
    drop(input);
    let output = bot.wait_with_output().expect("its end");
    let answers = String::from_utf8(output.stdout).expect("UTF-8");
    let pit = |line: &str| serde_json::from_str::<Value>(line).expect("JSON")["pit"].as_u64();
    answers.lines().filter_map(pit).collect()
}

/// On both sides the bot chooses what the table allows.
fn captures_most(bot: &str) -> Result<(), String> {
    for side in Side::BOTH {
        let chosen = chosen_pits(bot, side);
        let is_allowed = |place: usize| {
            let (_, _, best) = TURNS[place];
            chosen
                .get(place)
                .is_some_and(|pit| best.iter().any(|it| u64::from(*it) == *pit))
        };
        if chosen.len() != TURNS.len() || !(0..TURNS.len()).all(is_allowed) {
            return Err(format!("as {side:?} it chose {chosen:?}"));
        }
    }
    Ok(())
}

/// The bot of ten lines in docs/protocol.md is a bot.
pub fn documented_bot() {
    let page = std::fs::read_to_string(repository().join("docs/protocol.md"));
    let page = page.expect("docs/protocol.md can be read");
    let code = page
        .split_once("```python\n")
        .and_then(|(_, rest)| rest.split_once("```"));
    let (code, _) = code.expect("docs/protocol.md has a bot in Python");
    assert_eq!(code.lines().count(), 10, "ten lines, as promised");
    if !is_here("python3") {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("bot.py");
    std::fs::write(&file, code).expect("a file in the temporary folder");
    let only = [
        "--only",
        "pit-numbers,game-south,second-game,game-north,unknown-fields,quit",
    ];
    let bot = format!("python3 '{}'", file.display());
    let report = Report::of(&bot, &[&only[..], &["--move", "500ms"]].concat());
    assert_eq!(report.code, Some(0), "{:#}", report.json);
}

/// Every step under the first rules: these bots look at the board as the others do.
fn once(bot: &str) -> Examination {
    let mut all = everywhere(bot);
    all.swap_remove(0)
}

/// Isolated from the host, as in a tournament: a search that needs the module beside it.
pub fn in_isolation() {
    if !is_here("python3") {
        return;
    }
    let mut levels = vec!["landlock", "auto"];
    if is_here("bwrap") {
        levels.push("box");
    }
    all_at_once(
        &levels,
        |level| (*level).to_owned(),
        |level| {
            // Behind Landlock, root's bots reach no toolchain in a closed folder.
            let python = Path::new("/usr/bin/python3");
            let python = Some(python).filter(|it| it.exists());
            let python = python.unwrap_or(Path::new("python3")).display();
            let bot = format!("{python} bots/python/search_bot.py");
            let only = [
                "--only",
                "game-north,unknown-messages,quit,end-of-input,memory",
            ];
            let options = [&only[..], &["--move", "10ms", "--isolation", level]].concat();
            let report = Report::of(&bot, &options);
            let chosen = report.json["isolation"].as_str().unwrap_or_default();
            let is_right = chosen == *level || (*level == "auto" && !chosen.is_empty());
            if report.code == Some(0) && is_right {
                Ok(())
            } else {
                Err(format!("{:#}", report.json))
            }
        },
    );
}

fn c_bot() -> String {
    let program = build_folder().join("c-bot");
    run(Command::new("cc")
        .args(["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror"])
        .args(["-O2", "-o"])
        .arg(&program)
        .arg(repository().join("bots/c/bot.c")));
    format!("'{}'", program.display())
}

fn cpp_bot() -> String {
    let program = build_folder().join("cpp-bot");
    run(Command::new("c++")
        .args(["-std=c++17", "-pedantic", "-Wall", "-Wextra", "-Werror"])
        .args(["-O2", "-o"])
        .arg(&program)
        .arg(repository().join("bots/cpp/main.cpp")));
    format!("'{}'", program.display())
}

fn java_bot() -> String {
    let classes = build_folder().join("java");
    run(Command::new("javac")
        .args(["--release", "11", "-Xlint:all", "-Werror", "-d"])
        .arg(&classes)
        .arg(repository().join("bots/java/Bot.java")));
    let classes = classes.display();
    format!("java -Xmx256m -XX:+UseSerialGC -cp '{classes}' Bot")
}

fn go_bot() -> String {
    let program = build_folder().join("go-bot");
    let source = repository().join("bots/go/main.go");
    let unformatted = run(Command::new("gofmt").arg("-l").arg(&source));
    assert_eq!(unformatted, "", "gofmt would change it");
    run(Command::new("go")
        .args(["build", "-o"])
        .arg(&program)
        .arg(&source)
        .env("GOCACHE", build_folder().join("go-cache")));
    format!("'{}'", program.display())
}

fn rust_bot() -> String {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let target = build_folder().join("rust-target");
    run(Command::new(cargo)
        .args(["build", "--quiet", "--offline", "--manifest-path"])
        .arg(repository().join("bots/rust/Cargo.toml"))
        .arg("--target-dir")
        .arg(&target));
    format!("'{}'", target.join("debug/my-bot").display())
}
