//! Boxes that are set up on a core that no slot has, while the other player prepares.

use super::boxes::{FIRST_LEGAL_LOOP, await_boxes, boxes_work, physical_cores};
use super::story::Story;
use std::collections::BTreeSet;
use std::fs;
use std::thread::sleep;
use std::time::Duration;

/// Says on which cores it runs. With an argument, it does not get ready before that file exists.
const BOT: &str = r#"
import os, sys, time
print("cores", sorted(os.sched_getaffinity(0)), file=sys.stderr, flush=True)
while sys.argv[1:] and not os.path.exists(sys.argv[1]):
    time.sleep(0.01)
"#;

/// A tournament with one slot in boxes. The first entrant, South in the first game, waits for the
/// file `signal/go`.
fn story(restart: &str) -> Story {
    let story = Story::new();
    fs::create_dir(story.path("signal")).unwrap();
    let signal = story.path("signal");
    let signal = signal.display();
    let entrant = |name: &str, words: &str| {
        format!(
            "[[entrant]]\nname = \"{name}\"\ncommand = [\"/usr/bin/python3\", \"bot.py\"{words}]\n"
        )
    };
    let configuration = format!(
        "[tournament]\npairs = 2\nslots = 1\nlogs = \"all\"\nrestart = \"{restart}\"\n\
         max-plies = 4\nstart-up = \"60s\"\n[admission]\nmode = \"off\"\n\
         [clock]\nmove = \"20s\"\n\
         [isolation]\nlevel = \"box\"\nreadable = [\"{signal}\"]\n{}{}",
        entrant("first", &format!(", \"{signal}/go\"")),
        entrant("second", ""),
    );
    let bot = format!("{BOT}{FIRST_LEGAL_LOOP}");
    story.write("bot.py", bot).write("a.toml", configuration);
    story
}

const RUN: [&str; 3] = ["run", "a.toml", "--quiet"];

/// Boxes while the first bot prepares: the second one's is set up where a core is free.
fn boxes_meanwhile() -> usize {
    physical_cores().min(2)
}

#[test]
fn a_box_that_was_set_up_elsewhere_plays_on_the_cores_of_the_slot() {
    if !boxes_work() {
        return;
    }
    for (restart, starts) in [("never", 2), ("each-game", 8)] {
        let story = story(restart);
        let mut run = story.start(&RUN);
        await_boxes(&story, boxes_meanwhile());
        story.write("signal/go", "");
        assert!(run.wait().unwrap().success());
        let logs = fs::read_dir(story.path("results/a/logs")).unwrap();
        let logs = logs.map(|log| fs::read_to_string(log.unwrap().path()).unwrap());
        let logs: String = logs.collect();
        let cores: Vec<&str> = logs.lines().filter(|it| it.contains("cores [")).collect();
        assert_eq!(cores.len(), starts, "{logs}");
        let cores: BTreeSet<&str> = cores.into_iter().collect();
        assert_eq!(cores.len(), 1, "{cores:?}");
        assert!(
            cores.first().unwrap().matches(',').count() == 0,
            "{cores:?}"
        );
        await_boxes(&story, 0);
    }
}

/// The referee is killed while one box waits for its game.
#[test]
fn a_box_that_waits_for_its_game_ends_with_the_referee() {
    if !boxes_work() {
        return;
    }
    let story = story("never");
    let mut run = story.start(&RUN);
    await_boxes(&story, boxes_meanwhile());
    run.kill().unwrap();
    run.wait().unwrap();
    await_boxes(&story, 0);
}

/// South's program ends at once in the first game, so the box that was set up for North's is left.
/// In the second game that is South's.
#[test]
fn a_box_whose_game_did_not_begin_serves_the_next_one() {
    if !boxes_work() {
        return;
    }
    for restart in ["never", "each-game"] {
        let story = story(restart);
        let broken = story.read("a.toml").replacen("bot.py", "missing.py", 1);
        story.write("missing.py", "import sys\nsys.exit(3)\n");
        story.write(
            "a.toml",
            broken.replace("logs =", "max-faults = \"off\"\nlogs ="),
        );
        story.run(&RUN).with_code(0);
        let games = story.read("results/a/games.csv");
        assert_eq!(games.matches("start-failure").count(), 4, "{games}");
        await_boxes(&story, 0);
    }
}

/// The time of a bot begins when it is started, and not when its box was set up.
#[test]
fn the_evidence_of_a_fault_counts_no_time_before_the_bot() {
    if !boxes_work() {
        return;
    }
    let story = story("never");
    let quits = story.read("a.toml").replace("\"bot.py\"]", "\"quits.py\"]");
    story.write("quits.py", "import sys\nsys.exit(3)\n");
    story.write("a.toml", quits);
    let mut run = story.start(&RUN);
    await_boxes(&story, boxes_meanwhile());
    let wait = Duration::from_secs(3);
    sleep(wait);
    story.write("signal/go", "");
    assert!(run.wait().unwrap().success());
    let transcript = story.read("results/a/faults/first~second.1.1/transcript.jsonl");
    let hello: serde_json::Value =
        serde_json::from_str(transcript.lines().next().unwrap()).unwrap();
    assert!(transcript.contains("hello"), "{transcript}");
    let time_us = hello["time_us"].as_u64().unwrap();
    assert!(u128::from(time_us) < wait.as_micros() / 2, "{transcript}");
}
