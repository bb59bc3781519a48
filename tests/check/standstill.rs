//! A bot that sleeps is known at once to give no answer. A bot that works gets all of its time.

use super::{Report, all_at_once, brief};
use crate::support::skip::is_here;
use std::fs;
use std::path::Path;

/// Reads the greeting, and can answer it.
const BEGIN: &str = "\
import select, subprocess, sys, threading, time
def ready():
    print('{\"type\":\"ready\"}', flush=True)
sys.stdin.readline()
";

/// Bots that never answer, and others that answer after 2 s, and work or wake up meanwhile. Each
/// part is a name, and what the bot does after it has read the greeting.
const HANGING: &str = include_str!("hanging.py");
const LATE: &str = include_str!("late.py");

/// The names and the code of the bots in a file.
fn bots(text: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let parts = text.split("\n## ").skip(1);
    parts.map(|part| part.split_once('\n').expect("a name"))
}

fn bot(folder: &Path, name: &str, code: &str) -> String {
    let file = folder.join(format!("{}.py", name.replace(' ', "-")));
    fs::write(&file, format!("{BEGIN}{code}\nsys.stdin.read()\n")).expect("a file");
    // A shim of pyenv, which other users cannot reach, would not do behind Landlock.
    let python = Path::new("/usr/bin/python3");
    let python = Some(python).filter(|it| it.exists());
    let python = python.unwrap_or(Path::new("python3")).display();
    format!("{python} -I -S '{}'", file.display())
}

fn hangs(bot: &str, level: &str) -> Result<(), String> {
    let report = Report::of(bot, &["--only", "hello", "--isolation", level]);
    let step = report.step("hello");
    let detail = step["detail"].as_str().unwrap_or_default();
    let is_told = detail.contains("it sleeps and has not answered `hello`");
    if report.ids("failed") == ["hello"] && is_told && step["tries"] == 1 {
        Ok(())
    } else {
        Err(format!("{level}: {}", brief(step)))
    }
}

pub fn a_bot_that_sleeps_is_known_at_once() {
    if !is_here("python3") {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut all: Vec<(String, &str)> = Vec::new();
    for (name, code) in bots(HANGING) {
        all.push((bot(folder.path(), name, code), "none"));
    }
    let (name, code) = bots(HANGING).next().expect("one");
    let mut levels = vec!["landlock"];
    levels.extend(is_here("bwrap").then_some("box"));
    all.extend(
        levels
            .into_iter()
            .map(|level| (bot(folder.path(), name, code), level)),
    );
    if is_here("node") {
        let file = folder.path().join("deaf.js");
        fs::write(&file, "process.stdin.on('data', () => {});\n").expect("a file");
        all.push((format!("node '{}'", file.display()), "none"));
    }
    all_at_once(
        &all,
        |(bot, _)| bot.clone(),
        |(bot, level)| hangs(bot, level),
    );
}

pub fn a_bot_that_works_gets_its_time() {
    if !is_here("python3") {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let all: Vec<String> = bots(LATE)
        .map(|(name, code)| bot(folder.path(), name, code))
        .collect();
    all_at_once(&all, Clone::clone, |bot| {
        let options = ["--only", "hello", "--start-up", "60s"];
        let report = Report::of(bot, &options);
        let step = report.step("hello");
        if report.code == Some(0) && step["tries"] == 1 {
            Ok(())
        } else {
            Err(brief(step))
        }
    });
}
