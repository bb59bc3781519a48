//! Bots without a mistake pass every step, under every rule set.

use super::{Report, WHOLE, all_at_once, brief, repository};
use crate::support::skip::is_here;
use awale::rules::Preset;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where the tests of the starter bots build theirs: what they have built is built already.
fn build_folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("starter-bots");
    std::fs::create_dir_all(&folder).expect("the build's temporary folder can be written to");
    folder
}

fn run(command: &mut Command) {
    let output = command.output().expect("the program starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}\n{stderr}");
}

/// How many steps do not arise under the rules of each preset.
const ABSENT: [(&str, usize); 8] = [
    ("awale", 2),
    ("abapa", 2),
    ("classique", 3),
    ("commun", 4),
    ("simple", 3),
    ("abidjan", 3),
    ("junior", 7),
    ("awari", 3),
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
    let mut examinations = rust_bot();
    if is_here("cc") {
        examinations.extend(c_bot());
    }
    if is_here("python3") {
        examinations.extend(everywhere("python3 bots/python/bot.py"));
        examinations.extend(everywhere_in_time("python3 bots/python/search_bot.py"));
    }
    if is_here("node") {
        examinations.extend(everywhere("node bots/javascript/bot.js"));
    }
    if is_here("c++") {
        examinations.push(once(&cpp_bot()));
    }
    if is_here("javac") && is_here("java") {
        examinations.push(once(&java_bot()));
    }
    if is_here("go") {
        examinations.push(once(&go_bot()));
    }
    all_pass(&examinations);
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

fn c_bot() -> Vec<Examination> {
    let program = build_folder().join("checked-c-bot");
    run(Command::new("cc")
        .args(["-std=c99", "-O2", "-o"])
        .arg(&program)
        .arg(repository().join("bots/c/bot.c")));
    everywhere(&format!("'{}'", program.display()))
}

fn cpp_bot() -> String {
    let program = build_folder().join("checked-cpp-bot");
    run(Command::new("c++")
        .args(["-std=c++17", "-O2", "-o"])
        .arg(&program)
        .arg(repository().join("bots/cpp/main.cpp")));
    format!("'{}'", program.display())
}

fn java_bot() -> String {
    let classes = build_folder().join("checked-java");
    run(Command::new("javac")
        .arg("-d")
        .arg(&classes)
        .arg(repository().join("bots/java/Bot.java")));
    format!(
        "java -Xmx256m -XX:+UseSerialGC -cp '{}' Bot",
        classes.display()
    )
}

fn go_bot() -> String {
    let program = build_folder().join("checked-go-bot");
    run(Command::new("go")
        .args(["build", "-o"])
        .arg(&program)
        .arg(repository().join("bots/go/main.go"))
        .env("GOCACHE", build_folder().join("checked-go-cache")));
    format!("'{}'", program.display())
}

fn rust_bot() -> Vec<Examination> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let target = build_folder().join("rust-target");
    run(Command::new(cargo)
        .args(["build", "--quiet", "--locked", "--manifest-path"])
        .arg(repository().join("bots/rust/Cargo.toml"))
        .arg("--target-dir")
        .arg(&target));
    everywhere(&format!("'{}'", target.join("debug/my-bot").display()))
}
