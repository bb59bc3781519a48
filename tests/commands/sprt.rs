//! `awale sprt` through the real binary: verdicts and exit codes, resuming, faults, counts.

use super::story::{SECRET, Said, Story, without_times};
use crate::support::awale_command::AWALE;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::Duration;

/// Deterministic bots of different strength. `new` is listed second on purpose.
fn config(new_depth: u32, base_depth: u32, sprt: &str) -> String {
    let entrant = |name: &str, depth: u32| {
        format!(
            "[[entrant]]\nname = {name:?}\n\
             command = [\"awale\", \"bot\", \"minimax\", \"--depth\", \"{depth}\"]\n"
        )
    };
    format!(
        "[tournament]\n{SECRET}\nopenings = {{ plies = 6 }}\n[clock]\nmove = \"10s\"\n\
         [sprt]\nnew = \"new\"\nmax-pairs = 400\n{sprt}\n{}{}",
        entrant("base", base_depth),
        entrant("new", new_depth)
    )
}

fn story(new_depth: u32, base_depth: u32, sprt: &str) -> Story {
    let story = Story::new();
    story.write("test.toml", config(new_depth, base_depth, sprt));
    story
}

/// The last event of `--json`.
fn last_event(said: &Said) -> Value {
    let last = said.stdout.lines().last().expect("an event");
    serde_json::from_str(last).expect("an event is JSON")
}

#[test]
fn a_stronger_bot_passes_and_a_weaker_one_fails() {
    let passes = story(4, 1, "elo0 = 0\nelo1 = 60");
    passes
        .ok("sprt test.toml")
        .err_has("is new stronger than base? [0, 60] Elo (logistic), alpha 0.05, beta 0.05")
        .err_has("pairs if it is worth 30,")
        .out_has("passed (H1): new is stronger than base")
        .out_has("LLR ");
    // It is finished, and says the same again.
    let said = passes
        .ok("sprt test.toml")
        .out_has("passed (H1)")
        .out_has("Allowing for the stop: ");
    assert!(said.stdout.contains("is biased"), "{}", said.stdout);
    let again = passes.ok("sprt test.toml --json");
    let finished = last_event(&again);
    let unbiased = |key: &str| finished["unbiased"][key].as_f64().expect("a number");
    for scale in [
        ["low95", "elo", "high95"],
        ["normalized_low95", "normalized_elo", "normalized_high95"],
    ] {
        let [low, middle, high] = scale.map(unbiased);
        assert!(low < middle && middle < high, "{finished}");
    }
    story(1, 4, "elo0 = 0\nelo1 = 60")
        .ends(1, "sprt test.toml")
        .out_has("failed (H0): new is not shown to be stronger than base");
}

/// The only folder of a test that was not named.
fn own_folder(story: &Story, name: &str) -> PathBuf {
    let folders = std::fs::read_dir(story.path("results").join(name)).expect("a folder");
    let folders: Vec<PathBuf> = folders.map(|it| it.expect("an entry").path()).collect();
    let [folder] = folders.as_slice() else {
        panic!("{folders:?}")
    };
    folder.clone()
}

#[test]
fn without_a_decision_it_is_inconclusive() {
    let story = story(2, 2, "elo0 = 0\nelo1 = 3");
    story
        .ends(4, "sprt test.toml --max-pairs 15")
        .out_has("inconclusive")
        .out_has("after 15 pairs");
    let rows = without_times(&own_folder(&story, "test").join("games.csv"));
    assert_eq!(rows.len(), 1 + 30);
}

/// It goes on to what it would have been, and keeps its errors.
#[test]
fn an_inconclusive_test_goes_on_with_more_pairs() {
    let story = story(2, 2, "elo0 = 0\nelo1 = 3");
    let secret = format!("tournament.secret={}", "5e".repeat(32));
    let play = |pairs: &'static str, output: &'static str| {
        let flags = ["--max-pairs", pairs, "--output", output, "--set", &secret];
        story.run(&[&["sprt", "test.toml"], &flags[..]].concat())
    };
    play("12", "grown")
        .with_code(4)
        .out_has("goes on with a larger --max-pairs");
    play("30", "grown").with_code(4).out_has("after 30 pairs");
    play("30", "whole").with_code(4);
    let games = |folder: &str| without_times(&story.path(&format!("{folder}/games.csv")));
    assert_eq!(games("grown").len(), 1 + 60);
    assert_eq!(games("grown"), games("whole"));
    story.ok("verify grown").out_has("clean: 60 games");
    play("29", "grown")
        .with_code(2)
        .err_has("pair 30 of this test is played already")
        .err_has("--max-pairs 30");
}

/// 36 lines of play of two plies.
#[test]
fn a_test_ends_with_its_openings() {
    let story = story(2, 2, "elo0 = 0\nelo1 = 3");
    let set = ["--set", "tournament.openings.plies=2", "--max-pairs", "50"];
    story
        .ends(4, &[&["sprt", "test.toml"], &set[..]].concat())
        .err_has("there are only 36 different openings for 50 pairs, and a test plays none twice")
        .out_has("after 36 pairs");
    let folder = own_folder(&story, "test");
    story
        .ok(&["verify", folder.to_str().expect("UTF-8")])
        .out_has("clean: 72 games");
}

#[test]
fn a_test_that_allows_a_loss_claims_no_gain() {
    let story = story(3, 1, "elo0 = -60\nelo1 = 0");
    story
        .ok("sprt test.toml")
        .err_has("is new less than 60 Elo weaker than base, if at all? [-60, 0] Elo")
        .out_has("passed (H1): new is less than 60 Elo weaker than base, if at all");
}

#[test]
fn the_same_bot_twice_is_worth_a_warning() {
    let words = "both bots are the same program with the same arguments";
    story(1, 1, "")
        .ends(4, "sprt test.toml --max-pairs 1")
        .err_has(words)
        .out_has("after 1 pair, [")
        .out_has("inconclusive: no pair is left to play");
    let said = story(2, 1, "").run("sprt test.toml --dry-run");
    assert!(!said.stdout.contains(words) && !said.stderr.contains(words));
}

#[test]
fn a_folder_of_the_other_command_is_refused_with_the_way_out() {
    let story = story(2, 1, "elo0 = 0\nelo1 = 60");
    let play = |command, output| {
        let sets = ["--set", "tournament.pairs=2", "--output", output];
        story.run(&[&[command, "test.toml"], &sets[..]].concat())
    };
    play("run", "tournament").with_code(0);
    play("sprt", "tournament")
        .with_code(2)
        .err_has("those are not games of a test: finish them with `awale run`");
    play("sprt", "test");
    play("run", "test")
        .with_code(2)
        .err_has("those are the games of a test: finish it with `awale sprt`, without --pairs");
}

#[test]
fn slots_change_neither_the_verdict_nor_the_tables() {
    let story = story(3, 2, "elo0 = 0\nelo1 = 60");
    let run = |slots: &'static str| {
        let said = story.run(format!(
            "sprt test.toml --slots {slots} --oversubscribe --output {slots} --json"
        ));
        let event = last_event(&said);
        (
            said.code,
            event["pairs"].clone(),
            event["counts"].clone(),
            event["llr"].clone(),
        )
    };
    let one = run("1");
    for slots in ["2", "8"] {
        assert_eq!(run(slots), one, "{slots} slots");
        for table in ["standings.csv", "crosstable.csv", "games.csv"] {
            let read = |folder: &str| without_times(&story.path(folder).join(table));
            assert_eq!(read(slots), read("1"), "{table} on {slots} slots");
        }
    }
}

fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).expect("the process is there");
}

#[test]
fn a_killed_test_and_an_interrupted_one_go_on() {
    let story = story(3, 2, "elo0 = 0\nelo1 = 20");
    let whole = story.run("sprt test.toml --output whole --ledger whole.csv --json");
    for (kind, name) in [(Signal::KILL, "killed"), (Signal::INT, "interrupted")] {
        let mut child = story.start(format!(
            "sprt test.toml --output {name} --slots 1 --ledger {name}.csv"
        ));
        let journal = story.path(name).join("games.jsonl");
        let lines = || std::fs::read_to_string(&journal).map_or(0, |text| text.lines().count());
        while lines() < 6 && child.try_wait().unwrap().is_none() {
            sleep(Duration::from_millis(1));
        }
        signal(&child, kind);
        let said = Said::of(child.wait_with_output().unwrap());
        if kind == Signal::INT {
            said.with_code(130)
                .out_has("Not all games are played: margins are ");
        }
        // A test that has begun is in its ledger.
        assert_eq!(
            story.rows(&format!("{name}.csv"))[0]["verdict"],
            "undecided"
        );
        let resumed = story.run(format!(
            "sprt test.toml --output {name} --ledger {name}.csv --json"
        ));
        assert_eq!(story.read(&format!("{name}.csv")), story.read("whole.csv"));
        assert_eq!(resumed.code, whole.code, "{name}");
        for key in ["pairs", "counts", "llr", "verdict"] {
            assert_eq!(
                last_event(&resumed)[key],
                last_event(&whole)[key],
                "{name}: {key}"
            );
        }
    }
}

/// The kernel may end a process whose file grows beyond `ulimit -f`: also before the first game,
/// when the sandbox is tried.
#[test]
fn a_file_that_may_not_grow_is_a_failure_of_the_machine() {
    let story = story(2, 2, "elo0 = 0\nelo1 = 3");
    for isolation in ["auto", "none"] {
        let mut limited = Command::new("sh");
        limited
            .args(["-c", "ulimit -f 60; exec \"$0\" \"$@\"", AWALE])
            .args(["sprt", "test.toml", "--isolation", isolation])
            .current_dir(story.path("."));
        Said::of(limited.output().expect("sh starts")).with_code(3);
    }
}

#[test]
fn a_fixed_number_of_pairs_gives_an_estimate() {
    let story = story(3, 2, "");
    story
        .ok("sprt test.toml --pairs 20")
        .out_has("all 20 pairs are played")
        .out_has("new against base: ")
        .out_has("(95 %)");
}

#[test]
fn two_commands_need_no_file() {
    let story = Story::new();
    let bots = ["--new", "minimax --depth 3", "--base", "random"];
    let said = story.run(&[&["sprt"], &bots[..], &["--elo1", "100"]].concat());
    said.with_code(0)
        .out_has("passed (H1): new is stronger than base");
    let folder = own_folder(&story, "sprt");
    assert!(folder.join("plan.toml").exists());
    let other = [
        "sprt", "--new", "greedy", "--base", "random", "--elo1", "100",
    ];
    // Other programs have a folder of their own.
    story.ok(&other);
    let folders = std::fs::read_dir(story.path("results/sprt")).expect("a folder");
    assert_eq!(folders.count(), 2);
    let shared = |bots: &[&str]| {
        let folder = folder.to_str().expect("UTF-8");
        story.run(&[bots, &["--output", folder]].concat())
    };
    shared(&other)
        .with_code(2)
        .err_has("--output DIR")
        .err_has("minimax");
}

/// Programs wait for the last event, however a test ends.
#[test]
fn the_last_event_has_the_verdict_of_a_bot_that_is_not_admitted() {
    let story = Story::new();
    let bots = ["--new", "sh -c 'exit 3'", "--base", "random"];
    let said = story.run(&[&["sprt", "--json"], &bots[..]].concat());
    let event = last_event(&said.with_code(5));
    assert_eq!(event["event"], "finished");
    assert_eq!(event["verdict"], "faulty");
    assert_eq!(
        (&event["new"], &event["base"]),
        (&"new".into(), &"base".into())
    );
    let reason = event["reason"].as_str().expect("a reason");
    assert!(reason.contains("new: "), "{reason}");
}

/// A bot that answers, and dies at its second turn.
const DIES: &str = include_str!("../bots/dies.sh");

#[test]
fn a_bot_that_fails_too_often_is_not_tested() {
    for (admission, words) in [
        ("off", "faulty: new lost 10 of 10 games by faults"),
        ("on", "new is not admitted: crash against itself"),
    ] {
        let story = Story::new();
        story.write("dies.sh", DIES);
        let said = story.run(&[
            "sprt",
            "--new",
            "./dies.sh",
            "--base",
            "random",
            "--set",
            &format!("admission.mode=\"{admission}\""),
        ]);
        let said = said.with_code(5);
        assert!(
            (said.stdout.clone() + &said.stderr).contains(words),
            "{}\n{}",
            said.stdout,
            said.stderr
        );
    }
}

#[test]
fn counts_have_the_statistic_in_json() {
    let said = Story::new().ok("sprt --counts 80,200,120 --elo1 10 --json");
    let object: Value = serde_json::from_str(&said.stdout).expect("JSON");
    assert_eq!(object["counts"], serde_json::json!([80, 200, 120]));
    let found = object["llr"].as_f64().expect("a number");
    assert!((found - 1.976_165_550_862_618).abs() < 1e-7, "{found}");
    assert_eq!(object["state"], "continue");
    assert!(object["lower"].as_f64() < Some(0.0) && object["upper"].as_f64() > Some(0.0));
}

#[test]
fn a_dry_run_says_how_long_it_may_take() {
    let story = story(2, 1, "");
    let said = story
        .ok("sprt test.toml --dry-run")
        .out_has("pairs if it is worth 0,")
        .out_has("400 pairs, 800 games");
    let last = said.stdout.lines().last().expect("a line");
    assert!(last.starts_with("expected: "), "{last}");
    story
        .ok("sprt test.toml --pairs-needed")
        .out_has("pairs if it is worth 0,");
    let needed = story.ok("sprt test.toml --pairs-needed --json");
    let needed: Value = serde_json::from_str(&needed.stdout).expect("JSON");
    assert_eq!(needed["expected"][1]["elo"], 5.0);
    assert!(needed["expected"][1]["pairs"].as_f64() > Some(100.0));
    let dumped = story.ok("sprt test.toml --dump-config");
    for line in ["[sprt]", "new = \"new\"", "elo1 = 10.0", "max-pairs = 400"] {
        assert!(dumped.stdout.contains(line), "{line} in {}", dumped.stdout);
    }
}

/// Two tests in a ledger, one of them interrupted and repeated, and the ledger alone.
#[test]
fn tests_share_a_ledger() {
    let story = story(4, 1, "elo0 = 0\nelo1 = 60");
    story.write("even.toml", config(2, 2, "elo0 = 0\nelo1 = 3"));
    story
        .ends(2, "sprt --ledger month.csv")
        .err_has("cannot read month.csv");
    let passes = "sprt test.toml --output strong --ledger month.csv";
    // A bot at depth 4 wins nearly all pairs: the e-value of one test alone must be 20.
    story
        .ok(passes)
        .out_has("passed (H1)")
        .out_has("by the ledger month.csv: ")
        .out_has("needed 20.0 among 1 test")
        .err_has(
            "with alpha 0.05 a test mostly stops at an e-value below 19, and the ledger needs",
        );
    let first = story.read("month.csv");
    let even = "sprt even.toml --max-pairs 9 --output even --ledger month.csv --json";
    let said = story.run(even).with_code(4);
    let event = last_event(&said);
    assert_eq!(event["ledger"]["tests"], 2);
    assert_eq!(event["ledger"]["passed_fdr5"], false);
    let both = story.read("month.csv");
    assert_eq!(both.lines().count(), 3);
    // The same test again is the same line; one that goes on replaces it.
    story.ok(passes);
    story.run(even).with_code(4);
    assert_eq!(story.read("month.csv"), both);
    story
        .run("sprt even.toml --max-pairs 12 --output even --ledger month.csv")
        .with_code(4)
        .out_has("not shown at FDR 5 %");
    let rows = story.rows("month.csv");
    let cells = |column: &str| {
        rows.iter()
            .map(|row| row[column].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(cells("test"), ["test", "even"]);
    assert_eq!(cells("pairs")[1], "12");
    assert_eq!(cells("verdict"), ["passed", "inconclusive"]);
    assert_eq!(cells("new_hash")[0].len(), 16);
    assert_ne!(cells("base_hash")[0], cells("base_hash")[1]);
    // Another secret is another look.
    story.ok("sprt test.toml --output again --ledger month.csv --set tournament.seed=9");
    assert_eq!(story.rows("month.csv").len(), 3);
    story
        .ok("sprt --ledger month.csv")
        .out_has("e-value")
        .out_has("inconclusive")
        .out_has("of 3 at a false discovery rate of 5 %");
    // Nothing is played for a file that is none of ours, and it stays.
    story.write("month.csv", first.replace("llr", "likelihood"));
    story
        .ends(2, "sprt test.toml --output late --ledger month.csv")
        .err_has("it has no column llr; name another file with --ledger");
    assert_eq!(story.read("month.csv"), first.replace("llr", "likelihood"));
    let journal = story.read("late/games.jsonl");
    assert_eq!(journal.lines().count(), 1, "{journal}");
    story
        .ends(2, "sprt test.toml --pairs 3 --ledger month.csv")
        .err_has("cannot be used with");
}
