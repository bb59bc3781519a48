//! Several runs on one machine: each has physical cores of its own, while there are some.

use super::story::{Said, Story};
use crate::support::awale_command::AWALE;
use crate::support::skip::{skip, test_name};
use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, Stdio};

/// Tells the processors that it may use as a comment of each move.
const SEE: &str = include_str!("../bots/see.py");

/// The first run goes on until the others have ended. A network namespace has locks of its own, so
/// that no other run of this machine takes part.
const RUNS: &str = r#"
play() { "$AWALE" run a.toml --isolation none --i-trust-these-bots --oversubscribe "$@"; }
play --pairs 9999 --slots 1 --output one --quiet 2>one.txt & first=$!
until grep -q cores one/games.jsonl 2>/dev/null; do kill -0 $first || exit 9; sleep 0.05; done
play --pairs 1 --slots 1 --output two 2>two.txt
play --pairs 99 --slots "$PROCESSORS" --output three 2>three.txt
kill -INT $first
wait $first
play --pairs 99 --slots "$PROCESSORS" --output four 2>four.txt
"#;

/// The physical cores of this machine, as lists of their processors.
fn physical_cores() -> BTreeSet<String> {
    let core = |processor: usize| {
        let folder = format!("/sys/devices/system/cpu/cpu{processor}/topology");
        fs::read_to_string(format!("{folder}/core_cpus_list")).ok()
    };
    (0..1024).map_while(core).collect()
}

#[test]
fn two_runs_use_different_cores_and_a_third_is_warned() {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    if physical_cores().len() < 2 || processors < 2 {
        return skip(&test_name(), "one physical core");
    }
    let story = Story::new();
    let entrants = "[[entrant]]\nname = \"ada\"\ncommand = [\"/usr/bin/python3\", \"see.py\"]\n\
                    [[entrant]]\nname = \"random\"\ncommand = [\"awale\", \"bot\", \"random\"]\n";
    let settings = "[tournament]\nmax-plies = 6\n[clock]\nmove = \"20s\"\n";
    story
        .write("see.py", SEE)
        .write("a.toml", format!("{settings}{entrants}"));
    let said = Command::new("unshare")
        .args(["--user", "--map-root-user", "--net", "sh", "-c", RUNS])
        .env("AWALE", AWALE)
        .env("PROCESSORS", processors.to_string())
        .current_dir(story.path(""))
        .stdin(Stdio::null())
        .output();
    let Some(said) = said
        .ok()
        .map(Said::of)
        .filter(|_| story.path("one").exists())
    else {
        return skip(&test_name(), "no network namespace can be made here");
    };
    let said = said.with_code(0);
    let cores = |run: &str| {
        let journal = story.read(&format!("{run}/games.jsonl"));
        let begin = journal.find("cores [").expect("a comment");
        let text = &journal[begin..];
        text[..=text.find(']').expect("a list")].to_owned()
    };
    assert_ne!(cores("one"), cores("two"), "{}", said.stderr);
    let words = "another run uses 1 of the ";
    for (run, is_warned) in [
        ("one", false),
        ("two", false),
        ("three", true),
        ("four", false),
    ] {
        let text = story.read(&format!("{run}.txt"));
        assert_eq!(text.contains(words), is_warned, "{run}: {text}");
    }
}
