//! `awale check` through the real binary: beginners' mistakes, each of which must turn exactly
//! its own step red; villains; and bots without a mistake, under all rules.
//!
//! What a bot needs and this machine lacks (Python, Node, Java, Go, a compiler of C or C++) skips
//! what needs it.

mod correct_bots;
mod ends;
mod interrupted;
pub mod mistakes;
mod parallelism;
mod report_formats;
mod retries;
mod standstill;

use crate::support::awale_command::awale;
use crate::support::skip::is_here;
use mistakes::{HONEST, MISTAKES, Mistake, NOTED, TOO_SLOW};
use serde_json::Value;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn command(arguments: &[&str]) -> Command {
    let mut command = awale(&["check"]);
    command.args(arguments);
    // Small bots leave marks on the host, and are started very often.
    if !arguments.contains(&"--isolation") {
        command.args(["--isolation", "none"]);
    }
    command.current_dir(repository());
    command
}

/// An examination, when there is room for one.
fn check(arguments: &[&str]) -> Output {
    let _place = parallelism::enter();
    command(arguments).output().expect("awale starts")
}

/// A report in JSON, and the exit code.
struct Report {
    code: Option<i32>,
    json: Value,
}

impl Report {
    fn of(bot: &str, options: &[&str]) -> Self {
        let output = check(&[&[bot, "--json"], options].concat());
        let json = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
            panic!(
                "{bot}: {error}\n{}",
                String::from_utf8_lossy(&output.stderr)
            )
        });
        Self {
            code: output.status.code(),
            json,
        }
    }

    fn steps(&self) -> &[Value] {
        self.json["steps"].as_array().expect("a list of steps")
    }

    /// The steps in their order.
    fn all_ids(&self) -> Vec<&str> {
        let steps = self.steps().iter();
        steps.filter_map(|step| step["id"].as_str()).collect()
    }

    /// The steps of this status.
    fn ids(&self, status: &str) -> Vec<&str> {
        let steps = self.steps().iter().filter(|step| step["status"] == status);
        steps.filter_map(|step| step["id"].as_str()).collect()
    }

    fn step(&self, id: &str) -> &Value {
        let mut steps = self.steps().iter();
        steps.find(|step| step["id"] == id).expect("a step")
    }
}

/// A bot without a mistake through all steps.
static WHOLE: LazyLock<Report> = LazyLock::new(|| Report::of("greedy", &[]));

/// The command of a small bot whose code is kept in a folder.
fn small_bot(folder: &Path, name: &str, changes: &[(&str, &str)]) -> String {
    let mut code = HONEST.to_owned();
    for (from, to) in changes {
        assert!(code.contains(from), "{name}: {from} is in the honest bot");
        code = code.replace(from, to);
    }
    let file = folder.join(format!("{}.py", name.replace('\'', "")));
    std::fs::write(&file, code).expect("a file in the temporary folder");
    format!("python3 -I -S '{}'", file.display())
}

/// A step without its transcript.
fn brief(step: &Value) -> String {
    format!("{} {} {}", step["status"], step["detail"], step["hint"])
}

/// What is wrong with the report on a bot that makes a mistake.
fn judge(mistake: &Mistake, report: &Report) -> Result<(), String> {
    let failed = report.ids("failed");
    let step = report.step(mistake.red);
    if failed != [mistake.red] {
        return Err(format!(
            "red are {failed:?}, not {}: {}",
            mistake.red,
            brief(step)
        ));
    }
    let said = format!("{} {}", step["detail"], step["hint"]);
    let said = said.replace("\\\"", "\"");
    if !said.contains(mistake.said) {
        return Err(format!("no {:?} in {said}", mistake.said));
    }
    // Whatever depends on it says that it was not taken.
    for step in report.steps() {
        let needs = step["needs"].as_array().expect("a list of steps");
        let unmet = needs.iter().any(|need| {
            let need = need.as_str().expect("a step's name");
            matches!(
                report.step(need)["status"].as_str(),
                Some("failed" | "skipped")
            )
        });
        if unmet != (step["status"] == "skipped") {
            return Err(format!("skipped or not: {}", brief(step)));
        }
    }
    let measured = mistake.red == "memory";
    let is_told = step["transcript"]
        .as_array()
        .is_some_and(|it| !it.is_empty());
    if !measured && mistake.red != "start-up-time" && !is_told {
        return Err("it has no transcript".to_owned());
    }
    (report.code == Some(1))
        .then_some(())
        .ok_or_else(|| format!("exit code {:?}", report.code))
}

/// Does the same with all items at once, and fails with everything that was wrong. Examinations
/// measure times, and a host of two processors may be too busy with the others: what was wrong is
/// done once more alone, and must be right then.
fn all_at_once<T: Sync>(
    items: &[T],
    name: impl Fn(&T) -> String,
    job: impl Fn(&T) -> Result<(), String> + Sync,
) {
    let suspects = wrong_at_once(items, &job);
    let mut wrong = String::new();
    for (item, why) in suspects {
        eprintln!("once more, alone: {}: {why}", name(item));
        if let Err(again) = parallelism::alone(|| job(item)) {
            let _ = writeln!(wrong, "{}: {why}\nonce more, alone: {again}", name(item));
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// The items whose job failed, and why.
fn wrong_at_once<'i, T: Sync>(
    items: &'i [T],
    job: &(impl Fn(&T) -> Result<(), String> + Sync),
) -> Vec<(&'i T, String)> {
    std::thread::scope(|scope| {
        let started: Vec<_> = items
            .iter()
            .map(|item| (item, scope.spawn(move || job(item))))
            .collect();
        let outcome = |(item, thread): (_, std::thread::ScopedJoinHandle<'_, _>)| {
            let outcome = thread.join();
            let outcome = outcome.unwrap_or_else(|_| Err("panicked, see above".to_owned()));
            outcome.err().map(|why| (item, why))
        };
        started.into_iter().filter_map(outcome).collect()
    })
}

/// What is told of bots: each story waits more than it works, so all are told at once.
const STORIES: [(&str, fn()); 13] = [
    ("mistakes", each_mistake_turns_its_own_step_red),
    ("slow or hanging", a_slow_bot_is_told_from_one_that_hangs),
    ("slow starts", a_slow_start_that_fails_is_seen),
    ("notes", what_nothing_demands_is_a_note),
    ("villains", villains_are_found_out),
    ("tries", retries::a_moment_of_the_hosts_turns_nothing_red),
    ("tries for people", retries::people_are_told_of_every_try),
    (
        "standstills",
        standstill::a_bot_that_sleeps_is_known_at_once,
    ),
    ("late answers", standstill::a_bot_that_works_gets_its_time),
    ("house bots", correct_bots::house_bots),
    ("starter bots", correct_bots::starter_bots),
    ("the documented bot", correct_bots::documented_bot),
    ("isolation", correct_bots::in_isolation),
];

#[test]
fn every_bot_gets_its_verdict() {
    let tell = |(_, story): &(&str, fn())| {
        story();
        Ok(())
    };
    let wrong = wrong_at_once(&STORIES, &tell);
    let names: Vec<&str> = wrong.iter().map(|((name, _), _)| *name).collect();
    assert!(names.is_empty(), "{names:?}");
}

const PATIENT: [&str; 4] = ["--move", "500ms", "--start-up", "5s"];
/// For bots that must be found too slow, or deaf: a start that is slow because of its neighbours
/// is tried again.
const SHORT: [&str; 4] = ["--move", "200ms", "--start-up", "1s"];

fn each_mistake_turns_its_own_step_red() {
    if !is_here("python3") {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    all_at_once(
        &Mistake::all(MISTAKES),
        |mistake| mistake.name.to_owned(),
        |mistake| {
            let bot = small_bot(folder.path(), mistake.name, &mistake.changes());
            let is_about_starting = ["hello", "start-up-time"].contains(&mistake.red);
            let options = if is_about_starting { &SHORT } else { &PATIENT };
            judge(mistake, &Report::of(&bot, options))
        },
    );
}

fn a_slow_bot_is_told_from_one_that_hangs() {
    if !is_here("python3") {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let slow = Mistake::parse(TOO_SLOW);
    let bot = small_bot(folder.path(), "slow", &slow.changes());
    let report = Report::of(&bot, &["--move", "10ms", "--only", "game-south,in-time"]);
    assert_eq!(judge(&slow, &report), Ok(()));
    assert_eq!(report.step("in-time")["tries"], 3);
}

/// A bot that works for seconds before it ends has not started either: on a slow host all bots do.
fn a_slow_start_that_fails_is_seen() {
    if !is_here("python3") {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let work = "import time\nwhile time.process_time() < 2.2: pass\nraise SystemExit(3)";
    let bot = small_bot(folder.path(), "late", &[("games = 0", work)]);
    let report = Report::of(&bot, &["--start-up", "60s", "--only", "hello"]);
    assert_eq!(report.ids("failed"), ["starts"]);
}

fn what_nothing_demands_is_a_note() {
    if !is_here("python3") {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    all_at_once(
        &Mistake::all(NOTED),
        |noted| noted.name.to_owned(),
        |noted| {
            let bot = small_bot(folder.path(), noted.name, &noted.changes());
            let report = Report::of(&bot, &PATIENT);
            let step = report.step(noted.red);
            let detail = step["detail"].as_str().unwrap_or_default();
            let is_noted = step["status"] == "note" && detail.contains(noted.said);
            if is_noted && report.code == Some(0) && report.ids("failed").is_empty() {
                Ok(())
            } else {
                Err(format!("{:?}: {}", report.code, brief(step)))
            }
        },
    );
}

/// The villain of the other tests, with a script each, and the step that must be red.
const VILLAINS: [(&str, &str); 13] = [
    ("start=exit:7", "starts"),
    // Seen at once, or when he is first asked: that is between him and the host.
    ("start=close-out", "starts hello"),
    ("hello=out:70000", "hello"),
    ("hello=write:[]\\n", "hello"),
    ("hello=hang", "hello"),
    ("hello=crlf hello=abort", "hello"),
    ("new-game=segv", "new-game"),
    ("move=write:\\n", "first-move"),
    ("wait=exit:0", "quiet-after-move"),
    ("move:5=exit:0", "game-south"),
    (
        "move:5=write:{\"type\":\"move\",\"pit\":0,\"turn\":3}\\n",
        "game-south",
    ),
    ("game-over=hang", "second-game"),
    ("quit=hang", "quit"),
];

fn villain() -> PathBuf {
    let test = std::env::current_exe().expect("the test's own path");
    let build = test.ancestors().nth(2).expect("the directory of the build");
    build.join("examples").join("villain")
}

fn villains_are_found_out() {
    let program = villain();
    assert!(
        program.exists(),
        "build it with `cargo build --example villain`"
    );
    all_at_once(
        &VILLAINS,
        |(script, _)| (*script).to_owned(),
        |(script, red)| {
            let words: Vec<String> = script.split(' ').map(|word| format!("'{word}'")).collect();
            let bot = format!("'{}' {}", program.display(), words.join(" "));
            let report = Report::of(&bot, &SHORT);
            let mut failed = report.ids("failed");
            // The villain knows the messages of today and no others.
            failed.retain(|id| *id != "unknown-messages");
            // What he does in any game he does in others too: the first red step must tell.
            if failed
                .first()
                .is_some_and(|id| red.split(' ').any(|it| it == *id))
            {
                Ok(())
            } else {
                Err(format!(
                    "red are {failed:?}, not {red}: {}",
                    brief(report.step(red.split(' ').next().unwrap_or(red)))
                ))
            }
        },
    );
}
