//! `awale run` through the real binary: resuming after every kind of end, slots, locks, faults.

use super::story::{Said, Story, has, without_times};
use super::supervisor::is_ignored_here;
use crate::support::awale_command::AWALE;
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader};
use std::os::unix::process::CommandExt as _;
use std::process::Child;
use std::thread::sleep;
use std::time::Duration;

/// Deterministic bots, enough games that a kill finds some played and some not; with a secret, so
/// that all folders have the same games.
const SMALL: &str = r#"
[tournament]
secret = "5e0f3b7c5e0f3b7c5e0f3b7c5e0f3b7c5e0f3b7c5e0f3b7c5e0f3b7c5e0f3b7c"
pairs = 12
slots = 2
[clock]
move = "10s"
[[entrant]]
name = "random"
command = ["awale", "bot", "random"]
[[entrant]]
name = "greedy"
command = ["awale", "bot", "greedy"]
[[entrant]]
name = "minimax"
command = ["awale", "bot", "minimax", "--depth", "3"]
"#;

fn tables(story: &Story, folder: &str) -> Vec<Vec<Vec<String>>> {
    super::story::tables(&story.path(folder))
}

fn small_story() -> Story {
    let story = Story::new();
    story.write("small.toml", SMALL);
    story
}

fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).expect("the process is there");
}

fn signal_group(child: &Child, signal: Signal) {
    kill_process_group(Pid::from_child(child), signal).expect("the group is there");
}

#[test]
fn a_run_leaves_its_tables_and_is_not_repeated() {
    let story = small_story();
    let first = story.ok("run small.toml");
    assert!(first.stdout.contains("minimax"), "{}", first.stdout);
    let rows = without_times(&story.path("results/small/games.csv"));
    assert_eq!(rows.len(), 1 + 2 * 12 * 3);
    let plan = story.read("results/small/plan.toml");
    assert!(
        plan.contains(concat!("awale = \"", env!("CARGO_PKG_VERSION"), "\"")),
        "{plan}"
    );
    let journal = story.read("results/small/games.jsonl");
    let again = story.ok("run small.toml");
    assert_eq!(
        again.stdout, first.stdout,
        "the same tables, to the last time"
    );
    assert_eq!(
        story.read("results/small/games.jsonl"),
        journal,
        "nothing was played"
    );
}

#[test]
fn slots_change_nothing_in_the_tables() {
    let story = small_story();
    story.ok("run small.toml --output one --slots 1");
    for slots in ["2", "5"] {
        let arguments = format!("run small.toml --output {slots} --slots {slots} --oversubscribe");
        story.ok(&arguments);
        assert_eq!(
            tables(&story, slots),
            tables(&story, "one"),
            "{slots} slots"
        );
    }
    story
        .ends(2, "run small.toml --output many --slots 500")
        .err_has("--oversubscribe");
}

/// Kill −9 at random moments of a run, each time in a new folder, and go on.
#[test]
fn a_killed_run_resumes_to_the_same_tables() {
    let story = small_story();
    story.ok("run small.toml --output whole");
    let whole = tables(&story, "whole");
    let trials = if std::env::var_os("AWALE_FULL").is_some() {
        200
    } else {
        20
    };
    let mut random = ChaCha8Rng::seed_from_u64(9);
    for trial in 0..trials {
        let folder = format!("killed-{trial}");
        let arguments = ["run", "small.toml", "--output", &folder, "--json"];
        // Some before the first game, some while the last are being played.
        let games = random.next_u32() as usize % 70;
        let (mut child, _) = start_and_wait(&story, &arguments, games);
        sleep(Duration::from_micros(u64::from(random.next_u32() % 4000)));
        child.kill().expect("a kill");
        child.wait().expect("an end");
        let journal = story.path(&folder).join("games.jsonl");
        let before = std::fs::read(&journal).unwrap_or_default();
        let lines = before.iter().filter(|&&byte| byte == b'\n').count();
        assert!(
            lines >= games,
            "a game of which an event told is in the journal"
        );
        story.ok(&arguments);
        assert_eq!(
            tables(&story, &folder),
            whole,
            "trial {trial}, killed after {lines} lines"
        );
        let after = std::fs::read(&journal).expect("a journal");
        let kept = before
            .iter()
            .rposition(|&byte| byte == b'\n')
            .map_or(0, |end| end + 1);
        assert_eq!(after[..kept], before[..kept], "what was written stays");
    }
}

/// A configuration whose games take so long that a signal finds them being played.
fn slow_story() -> Story {
    let story = Story::new();
    story.write(
        "slow.toml",
        SMALL
            .replace("\"--depth\", \"3\"", "\"--time\", \"15ms\"")
            .replace("pairs = 12", "pairs = 50"),
    );
    story
}

/// Starts a run that prints its events and waits for this many games.
fn start_and_wait(story: &Story, arguments: &[&str], games: usize) -> (Child, Vec<String>) {
    let mut child = story.start(arguments);
    let lines = wait_for_games(&mut child, games);
    (child, lines)
}

/// Reads the events of a run until this many games are over.
fn wait_for_games(child: &mut Child, games: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut output = BufReader::new(child.stdout.as_mut().expect("its events")).lines();
    while lines
        .iter()
        .filter(|line: &&String| line.contains("\"event\":\"game\""))
        .count()
        < games
    {
        lines.push(output.next().expect("more events").expect("a line"));
    }
    lines
}

#[test]
fn an_interrupted_run_says_how_to_go_on() {
    let story = slow_story();
    for (kind, name) in [
        (Signal::INT, "int"),
        (Signal::TERM, "term"),
        (Signal::HUP, "hup"),
    ] {
        // Under `nohup` hang-ups are ignored.
        if is_ignored_here(kind) {
            continue;
        }
        let arguments = ["run", "slow.toml", "--json", "--output", name];
        let (child, _) = start_and_wait(&story, &arguments, 3);
        signal(&child, kind);
        let said = Said::of(child.wait_with_output().expect("an end")).with_code(130);
        let again = format!("{AWALE} run slow.toml --json --output {name}");
        assert!(said.stderr.contains(&again), "{}", said.stderr);
        has(&said.stderr, "of 300 games are played");
        assert!(said.stdout.contains("\"event\":\"stopping\""));
        assert!(said.stdout.contains("\"interrupted\":true"));
        let looking = "Not all games are played: margins are ";
        assert!(said.stdout.contains(looking), "{}", said.stdout);
        // Tables of what there is say how much is planned.
        let standings = story.read(&format!("{name}/standings.csv"));
        for row in csv::Reader::from_reader(standings.as_bytes()).deserialize() {
            let row: BTreeMap<String, String> = row.expect("a row");
            let number = |column: &str| row[column].parse::<u64>().expect("a number");
            assert_eq!(number("planned_games"), 200);
            assert!((1..200).contains(&number("games")), "{row:?}");
        }
    }
}

#[test]
fn a_second_interrupt_drops_the_games_that_are_being_played() {
    let story = slow_story();
    // Minutes a move: only a drop can end these games soon.
    let arguments = "run slow.toml --json --set clock.move=10m";
    let mut child = story.start(arguments);
    let mut output = BufReader::new(child.stdout.take().expect("its events")).lines();
    let started = |line: std::io::Result<String>| line.expect("a line").contains("\"started\"");
    assert!(output.by_ref().any(started));
    signal(&child, Signal::INT);
    let stopping = |line: &String| line.contains("stopping") || line.contains("finished");
    let line = output.map(|line| line.expect("a line")).find(stopping);
    assert!(line.is_some());
    // The games may have ended by themselves by now; a process that is gone hears nothing.
    let _ = kill_process(Pid::from_child(&child), Signal::INT);
    let ended = child.wait().expect("an end");
    assert_eq!(ended.code(), Some(130));
}

#[test]
fn a_run_under_nohup_outlives_its_terminal() {
    let story = small_story();
    // What nohup does: the signal is ignored from the start.
    let script = format!("trap '' HUP; exec {AWALE} run small.toml --json");
    let mut command = std::process::Command::new("sh");
    command
        .args(["-c", &script])
        .current_dir(story.path("."))
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    let mut child = command.spawn().expect("a shell");
    let mut output = BufReader::new(child.stdout.take().expect("its events")).lines();
    assert!(output.next().expect("an event").is_ok());
    signal(&child, Signal::HUP);
    assert!(output.all(|line| !line.expect("a line").contains("stopping")));
    Said::of(child.wait_with_output().expect("an end")).with_code(0);
}

#[test]
fn two_runs_do_not_share_a_folder() {
    let story = slow_story();
    let arguments = ["run", "slow.toml", "--json"];
    let (mut child, _) = start_and_wait(&story, &arguments, 1);
    story
        .ends(3, &arguments)
        .err_has("another awale is playing in results/slow")
        .err_has("--output");
    child.kill().expect("a kill");
    child.wait().expect("an end");
}

#[test]
fn a_lock_that_goes_within_two_seconds_is_waited_for() {
    let story = small_story();
    story.ok("run small.toml --quiet");
    let journal = story.path("results/small/games.jsonl");
    let held = std::fs::File::open(journal).expect("the journal");
    held.lock().expect("the lock");
    let child = story.start("run small.toml");
    sleep(Duration::from_millis(500));
    drop(held);
    Said::of(child.wait_with_output().expect("an end")).with_code(0);
}

#[test]
fn another_plan_in_the_folder_is_refused_with_what_differs() {
    let story = small_story();
    story.ok("run small.toml --pairs 1");
    story
        .ends(2, "run small.toml --pairs 2 --seed 8")
        .err_has("tournament.pairs: there 1, here 2")
        .err_has("tournament.seed: there")
        .err_has("--output DIR");
    // What does not decide games may change.
    story.ok("run small.toml --pairs 1 --slots 1");
    // A folder without a journal line is a new run.
    std::fs::create_dir(story.path("empty")).expect("a folder");
    story.write("empty/games.jsonl", "");
    story.ok("run small.toml --pairs 1 --output empty");
}

#[test]
fn a_changed_program_is_another_plan() {
    let story = Story::new();
    let bot = "import json, sys\n\
               for line in sys.stdin:\n    \
                   message = json.loads(line)\n    \
                   if message['type'] in ('hello', 'new-game'):\n        \
                       print('{\"type\":\"ready\"}', flush=True)\n    \
                   elif message['type'] == 'turn':\n        \
                       pit = message['legal'][0]\n        \
                       print('{\"type\":\"move\",\"pit\":%d}' % pit, flush=True)\n";
    story.write("bot.py", bot);
    story.write(
        "class.toml",
        "[tournament]\npairs = 1\n[clock]\nmove = \"10s\"\n\
         [[entrant]]\nname = \"ada\"\ncommand = [\"python3\", \"bot.py\"]\n\
         [[entrant]]\nname = \"greedy\"\ncommand = [\"awale\", \"bot\", \"greedy\"]\n",
    );
    story.ok("run class.toml");
    story.write("bot.py", format!("{bot}\n# better\n"));
    story
        .ends(2, "run class.toml")
        .err_has("ada changed (sha256 \"bot.py\"): its 2 games are played again");
}

#[test]
fn a_torn_journal_goes_on_and_a_damaged_one_is_refused() {
    let story = small_story();
    let arguments = "run small.toml --pairs 2";
    story.ok(arguments);
    let whole = tables(&story, "results/small");
    let journal = story.path("results/small/games.jsonl");
    let bytes = std::fs::read(&journal).expect("the journal");
    std::fs::write(&journal, &bytes[..bytes.len() - 40]).expect("a cut");
    story.ok(arguments).err_has("was cut short by a crash");
    assert_eq!(tables(&story, "results/small"), whole);

    let mut flipped = bytes.clone();
    let place = bytes.len() / 2;
    flipped[place] ^= 1;
    std::fs::write(&journal, &flipped).expect("a flip");
    let line = bytes[..place].iter().filter(|&&byte| byte == b'\n').count() + 1;
    story
        .ends(3, arguments)
        .err_has(&format!("line {line} of the journal is damaged"));
}

#[test]
fn a_full_disk_is_said_and_what_was_played_is_safe() {
    let story = small_story();
    story.ok("run small.toml --isolation none --output whole");
    // Files may grow to 16 blocks of 512 bytes; the signal that would kill is not fatal. A sandbox
    // would need more for its own files.
    let script = format!("ulimit -f 16; exec {AWALE} run small.toml --isolation none");
    let output = std::process::Command::new("sh")
        .args(["-c", &script])
        .current_dir(story.path("."))
        .output()
        .expect("a shell");
    let said = Said::of(output)
        .with_code(3)
        .err_has("cannot write to the journal")
        .err_has("safe");
    assert_eq!(
        said.stderr.matches("os error").count(),
        1,
        "{}",
        said.stderr
    );
    story.ok("run small.toml --isolation none");
    assert_eq!(tables(&story, "results/small"), tables(&story, "whole"));
}

#[test]
fn faults_are_counted_kept_and_strict() {
    let story = Story::new();
    story.write(
        "crash.sh",
        "#!/bin/sh\nread hello\necho 'oh no' >&2\nexit 3\n",
    );
    story.write(
        "faults.toml",
        "[tournament]\npairs = 2\n[admission]\nmode = \"off\"\n\
         [[entrant]]\nname = \"=crash\"\ncommand = [\"./crash.sh\"]\n\
         [[entrant]]\nname = \"greedy\"\ncommand = [\"awale\", \"bot\", \"greedy\"]\n",
    );
    // A name that a spreadsheet would run is refused before any game.
    story.ends(2, "run faults.toml").err_has("=crash");
    let config = story.read("faults.toml").replace("=crash", "crash");
    story.write("faults.toml", config);
    story.ok("run faults.toml").out_has("4 start-failure");
    story.ends(1, "run faults.toml --strict");
    let rows = without_times(&story.path("results/faults/games.csv"));
    let endings: BTreeSet<&String> = rows[1..].iter().map(|row| &row[8]).collect();
    assert_eq!(rows[0][8], "ending");
    assert_eq!(endings.into_iter().collect::<Vec<_>>(), ["start-failure"]);
    assert_eq!(
        story.read("results/faults/faults/crash~greedy.1.1/stderr.txt"),
        "oh no\n"
    );
    assert!(
        story
            .read("results/faults/games.jsonl")
            .contains("exited with code 3")
    );
}

#[test]
fn json_events_are_versioned_lines() {
    let story = small_story();
    let said = story.ok("run small.toml --pairs 1 --json");
    let events: Vec<serde_json::Value> = said
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert!(events.iter().all(|event| event["v"] == 1));
    // What this host cannot do for isolation comes first.
    let warned = |event: &&serde_json::Value| event["event"] == "warning";
    let first = events.iter().find(|event| !warned(event)).expect("events");
    assert_eq!(first["event"], "started");
    assert_eq!(first["games"], 6);
    assert_eq!(
        events
            .iter()
            .filter(|event| event["event"] == "game")
            .count(),
        6
    );
    let last = events.last().expect("events");
    assert_eq!(last["event"], "finished");
    assert_eq!(last["standings"].as_array().expect("a list").len(), 3);
}

#[test]
fn quiet_is_silent_and_a_dry_run_plays_nothing() {
    let story = small_story();
    let said = story.ok("run small.toml --pairs 1 --quiet");
    assert_eq!(said.stdout, "");
    // Runs of other tests may use the same cores. That strangers' programs are not kept apart is
    // never left unsaid.
    let others = "warning: another run uses";
    let mut lines = said.stderr.lines().filter(|line| !line.starts_with(others));
    let shown = said.stderr.contains("ISOLATION");
    assert!(lines.next().is_none() || shown, "{}", said.stderr);
    let story = small_story();
    story
        .ok("run small.toml --dry-run --list")
        .out_has("\npair greedy~minimax.12: ")
        .out_has("3 entrants, 36 pairs");
    story
        .ok("run small.toml --dry-run")
        .out_has("pair random~greedy.1: random and greedy from opening ")
        .out_has("\nand 26 more pairs; --list shows all\n")
        .out_has("3 entrants, 36 pairs, 72 games on 2 slots")
        .out_has("how long that takes is known after the first games; at most ");
    let dumped = story.ok("run small.toml --dump-config").stdout;
    assert!(!story.path("results").exists());
    // The resolved plan is a configuration of the same tournament, at the level that would be tried
    // first; here whichever holds will do.
    story.write("dumped.toml", dumped);
    let play = ["run", "dumped.toml", "--quiet", "--output", "one"];
    let any_level = ["--set", "isolation.level=\"auto\""];
    story.ok(&[&play[..], &any_level].concat());
    story.ok("run small.toml --quiet --output one");
    story
        .ok("run small.toml --pairs 20 --output one --dry-run")
        .out_has("\n72 games are played already, 48 left\nabout ")
        .out_has(" on 2 slots, as 72 games so far went; at most ");
}

#[test]
fn unwritable_places_are_named() {
    let story = small_story();
    story.write("file", "");
    story
        .ends(3, "run small.toml --output file/inside")
        .err_has("cannot create the folder file/inside");
}

#[test]
fn a_stalled_host_is_no_bots_fault() {
    let story = Story::new();
    let timed = SMALL
        .replace("\"--depth\", \"3\"", "\"--time\", \"30ms\"")
        .replace("\"10s\"", "\"1s\"")
        .replace("pairs = 12", "pairs = 2");
    story.write("stall.toml", timed);
    let mut command = story.command("run stall.toml --json");
    // All of the run at once, as a terminal would: its bots are in groups of their own.
    let mut child = command.process_group(0).spawn().expect("awale starts");
    wait_for_games(&mut child, 3);
    for _ in 0..2 {
        signal_group(&child, Signal::STOP);
        sleep(Duration::from_millis(1600));
        signal_group(&child, Signal::CONT);
        sleep(Duration::from_millis(100));
    }
    Said::of(child.wait_with_output().expect("an end")).with_code(0);
    let journal = story.read("results/stall/games.jsonl");
    assert!(!journal.contains("timeout"), "{journal}");
    // What stood still is given back, or the game is played again.
    let is_given_back = journal.contains("\"preempted_us\":");
    assert!(
        is_given_back || journal.contains("the host was late by"),
        "{journal}"
    );
    let rows = without_times(&story.path("results/stall/games.csv"));
    assert_eq!(rows.len(), 1 + 2 * 2 * 3, "void games are played again");
}

#[test]
fn a_closed_output_stops_no_tournament() {
    let full = || {
        std::fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .expect("/dev/full")
    };
    let story = small_story();
    let mut command = story.command("run small.toml --pairs 1");
    let output = command.stderr(full()).output().expect("awale starts");
    Said::of(output).with_code(0).out_has("minimax");
    for more in [vec![], vec!["--json"]] {
        let arguments = [vec!["run", "small.toml", "--pairs", "1"], more].concat();
        let output = story
            .command(&arguments)
            .stdout(full())
            .output()
            .expect("awale starts");
        Said::of(output)
            .with_code(3)
            .err_has("cannot write to standard output");
    }
    assert!(story.path("results/small/standings.csv").exists());
}

#[test]
fn what_a_killed_run_had_not_finished_writing_is_swept_away() {
    let story = small_story();
    std::fs::create_dir_all(story.path("results/small/logs")).expect("folders");
    for leftover in ["results/small/.x1.part", "results/small/logs/.x2.part"] {
        story.write(leftover, "half a tab");
    }
    story.ok("run small.toml --pairs 1");
    assert!(!story.path("results/small/.x1.part").exists());
    assert!(!story.path("results/small/logs/.x2.part").exists());
}

#[test]
fn anchors_may_change_after_the_games() {
    let story = Story::new();
    let config =
        |anchor: &str| SMALL.replace("pairs = 12", &format!("pairs = 4\nanchor = {anchor}"));
    let elo = |name: &str| -> f64 {
        let rows = without_times(&story.path("results/a/standings.csv"));
        let row = rows.iter().find(|row| row[1] == name).expect("a row");
        assert_eq!(row[5], "anchor");
        row[2].parse().expect("an Elo")
    };
    story.write("a.toml", config("{ minimax = 1000 }"));
    story.ok("run a.toml");
    assert!((elo("minimax") - 1000.0).abs() < 1e-9);
    let journal = story.read("results/a/games.jsonl");
    // No game depends on it: the tables follow, and so does the plan that checks them.
    story.write("a.toml", config("{ minimax = 1500 }"));
    story.ok("run a.toml");
    assert!((elo("minimax") - 1500.0).abs() < 1e-9);
    let after = story.read("results/a/games.jsonl");
    let added = after.strip_prefix(&journal).expect("the same games");
    assert!(
        added.lines().count() == 1 && added.contains("\"kind\":\"settings\""),
        "{added}"
    );
    story.ok("verify results/a");
    story.ok("run a.toml");
    assert_eq!(story.read("results/a/games.jsonl"), after);
}
