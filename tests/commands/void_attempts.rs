//! What stays of an attempt at a game that the host made void.

use super::boxes::{boxes_work, bubblewraps};
use super::story::Story;
use std::fs;
use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

/// Speaks at its start, unless there is a file `quiet`, and answers no turn before there is a file
/// `go`.
const BOT: &str = include_str!("../bots/void_attempts.py");

/// Whether a process has just these words. Those of its box end with them too.
fn runs(words: &str) -> bool {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let mut lines = processes.map(|it| fs::read_to_string(it.path().join("cmdline")));
    lines.any(|line| line.is_ok_and(|line| line.replace('\0', " ").trim_end() == words))
}

/// Somebody kills the boxes of a game. The log of the void attempt is kept, until the game is
/// played and says nothing.
#[test]
fn the_log_of_a_void_attempt_goes_when_the_game_is_played() {
    if !boxes_work() {
        return;
    }
    for logs in ["all", "faults"] {
        let story = Story::new();
        fs::create_dir(story.path("signal")).unwrap();
        let signal = story.path("signal");
        let signal = signal.to_str().unwrap();
        let entrant = |name: &str| {
            let words = format!("[\"/usr/bin/python3\", \"bot.py\", \"{name}\", \"{signal}\"]");
            format!("[[entrant]]\nname = \"{name}\"\ncommand = {words}\n")
        };
        let configuration = format!(
            "[tournament]\npairs = 1\nslots = 1\nlogs = \"{logs}\"\nmax-plies = 4\n\
             [admission]\nmode = \"off\"\n[clock]\nmove = \"60s\"\n\
             [isolation]\nlevel = \"box\"\nreadable = [\"{signal}\"]\n{}{}",
            entrant("south"),
            entrant("north"),
        );
        story.write("bot.py", BOT).write("a.toml", configuration);
        let mut run = story.start("run a.toml --quiet");
        // North begins when South is ready.
        for _ in 0..6000 {
            if runs(&format!("/usr/bin/python3 bot.py north {signal}")) {
                break;
            }
            sleep(Duration::from_millis(10));
        }
        story.write("signal/quiet", "");
        for number in bubblewraps(&story) {
            let _ = Command::new("kill")
                .args(["-9", &number.to_string()])
                .status();
        }
        story.write("signal/go", "");
        assert!(run.wait().unwrap().success());
        let journal = story.read("results/a/games.jsonl");
        let voids = journal.matches("\"ending\":{\"void\":").count();
        assert_eq!(voids, 1, "{journal}");
        let left = fs::read_dir(story.path("results/a/logs"));
        let left = left.map_or(0, Iterator::count);
        assert_eq!(left, 0, "logs = {logs}");
    }
}
