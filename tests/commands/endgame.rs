//! `awale endgame`, and `minimax` with a database, through the real binary.

use super::story::{Said, Story};
use crate::support::awale_command::AWALE;
use std::fs;
use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

/// The facts of `tests/data/endgame.csv` were counted by other programs.
const FACTS: &str = include_str!("../data/endgame.csv");

const FILE: &str = "cache/awale/endgame/no-capture.endgame";

#[test]
fn a_database_is_built_found_and_asked() {
    let story = Story::new();
    let probe = "endgame probe 2-0-0-0-0-2-1-2-4-0-0-0-0-0-S";
    story
        .run(probe)
        .with_code(2)
        .err_has("build it with `awale endgame build --seeds 12`");
    story.run("endgame build --seeds 10").with_code(0);
    story
        .run(probe)
        .with_code(2)
        .err_has("11 seeds on the board")
        .err_has("up to 10 seeds: build more with `awale endgame build --seeds 11`");
    story
        .run("endgame build --seeds 11")
        .with_code(0)
        .err_has("goes on after 10 seeds")
        .err_has("no-capture.endgame: 1,352,078 positions");
    story
        .run(probe)
        .with_code(0)
        .out_has("S: +11, best F (A -2, F +11)\n");
    let rows = story
        .run("endgame probe 0,0,0,0,0,0|0,0,0,0,0,3 --json")
        .with_code(0);
    assert_eq!(
        rows.stdout,
        "{\"best\":\"\",\"moves\":{},\"position\":\"0-0-0-0-0-0-0-0-0-0-0-3-0-0-S\",\"value\":-3}\n"
    );
    // The rules of `simple` end no game by a majority, and share the values.
    story
        .run("endgame probe --rules simple 2,0,0,0,0,2|1,2,4,0,0,0")
        .with_code(0)
        .out_has("+11");
    let table = story.run("endgame table").with_code(0).stdout;
    for fact in FACTS.lines().skip(1) {
        let (rules, fact) = fact.split_once(',').expect("a rule set");
        assert!(
            rules != "awale" || table.contains(&format!("\n{fact}\n")),
            "{fact}:\n{table}"
        );
    }
    story
        .run(["endgame", "verify", FILE].as_slice())
        .with_code(0)
        .out_has("1,352,078 positions of up to 11 seeds, checksums and values are right");
    story
        .run("endgame build --seeds 9")
        .with_code(0)
        .err_has("has the positions of up to 11 seeds already");
}

#[test]
fn what_is_wrong_is_named() {
    let story = Story::new();
    for (arguments, code, words) in [
        (
            "endgame build --rules abapa --seeds 5",
            2,
            "repetition.remaining = \"own-row\"",
        ),
        (
            "endgame build --rules abidjan --set no-move-gift=3 --seeds 5",
            2,
            "no-move-gift = 3",
        ),
        ("endgame build --seeds 36", 2, "36 is not in 0..=35"),
        (
            "endgame build --seeds 5 --output /proc/new",
            3,
            "cannot write /proc/new.part",
        ),
        (
            "endgame build --seeds 5 --output notes",
            2,
            "notes is no endgame database",
        ),
        ("endgame verify notes", 2, "notes is no endgame database"),
        (
            "endgame verify nothing",
            2,
            "cannot read the endgame database nothing",
        ),
        ("endgame probe 4-4", 2, "15 parts in all"),
        (
            "bot minimax --endgame nothing",
            2,
            "cannot read the endgame database nothing",
        ),
        (
            "bot greedy --endgame",
            2,
            "--endgame are options of minimax",
        ),
    ] {
        story.write("notes", "mine");
        story.run(arguments).with_code(code).err_has(words);
    }
    assert_eq!(story.read("notes"), "mine");
}

#[test]
fn a_damaged_or_foreign_database_is_named() {
    let story = Story::new();
    story.run("endgame build --seeds 5").with_code(0);
    let right = fs::read(story.path(FILE)).expect("a database");
    for (place, words) in [
        (right.len() - 1, "the values of the positions of 5 seeds"),
        (4096, "the values of the positions of 0 seeds"),
        (300, "its header was changed"),
    ] {
        let mut bytes = right.clone();
        bytes[place] ^= 1;
        fs::write(story.path(FILE), bytes).expect("a file");
        for (command, code) in [
            ("endgame probe 4,0,0,0,0,0|0,0,0,0,0,0", 3),
            ("endgame table", 3),
            ("endgame build --seeds 5", 3),
            ("duel \"minimax --endgame\" greedy --pairs 1", 2),
        ] {
            story.run(command).with_code(code).err_has(words);
        }
        story
            .run(["endgame", "verify", FILE].as_slice())
            .with_code(1)
            .out_has(words);
    }
    fs::write(story.path(FILE), &right[..5000]).expect("a file");
    story
        .run(["endgame", "verify", FILE].as_slice())
        .with_code(1)
        .out_has("5000 bytes");
    story
        .run("endgame probe 4,0,0,0,0,0|0,0,0,0,0,0")
        .with_code(3)
        .err_has("build it again");
    fs::write(story.path(FILE), &right).expect("a file");
    let other = [
        "endgame",
        "probe",
        "--rules",
        "commun",
        "--endgame",
        FILE,
        "1,0,0,0,0,0|1,0,0,0,0,0",
    ];
    story
        .run(other.as_slice())
        .with_code(2)
        .err_has("is for other rules: --rules simple");
}

/// A file that is named needs no folder for caches.
#[test]
fn a_named_database_needs_no_home() {
    let story = Story::new();
    let homeless = |arguments: &str| {
        let mut command = story.command(arguments);
        command.env_remove("XDG_CACHE_HOME").env_remove("HOME");
        Said::of(command.output().expect("awale starts"))
    };
    homeless("endgame build --seeds 4 --output a").with_code(0);
    homeless("endgame probe --endgame a 1,0,0,0,0,0|0,0,0,0,0,0").with_code(0);
    homeless("endgame probe 1,0,0,0,0,0|0,0,0,0,0,0")
        .with_code(2)
        .err_has("no folder for caches: name a file, or set XDG_CACHE_HOME");
}

/// Killed at any moment, and built by two at once, the file is the one of an undisturbed build.
#[test]
fn a_killed_build_goes_on_where_it_was() {
    let story = Story::new();
    story
        .run("endgame build --seeds 13 --threads 1 --output whole")
        .with_code(0);
    let right = fs::read(story.path("whole")).expect("a database");
    for delay in [5, 30, 90, 200, 400] {
        let mut first = story
            .command("endgame build --seeds 13 --output killed")
            .spawn();
        let first = first.as_mut().expect("awale starts");
        sleep(Duration::from_millis(delay));
        // Either the first build is at work, or it has not begun, or it has ended.
        let second = story.run("endgame build --seeds 0 --output killed");
        assert!(matches!(second.code, Some(0 | 3)), "{}", second.stderr);
        let _ = first.kill();
        first.wait().expect("an end");
    }
    story
        .run("endgame build --seeds 13 --output killed")
        .with_code(0);
    assert!(fs::read(story.path("killed")).expect("a database") == right);
    assert!(!story.path("killed.part").exists());
}

#[test]
fn a_full_disk_is_said_and_what_was_solved_is_kept() {
    let story = Story::new();
    // Files may grow to 1 MiB in blocks of 512 bytes: ten seeds fit, eleven do not.
    let script = format!("ulimit -f 2048; exec {AWALE} endgame build --seeds 12 --output full");
    let mut shell = Command::new("sh");
    let limited = shell
        .args(["-c", &script])
        .current_dir(story.path("."))
        .output();
    Said::of(limited.expect("a shell"))
        .with_code(3)
        .err_has("cannot write full.part; the whole database needs 2708252 bytes");
    assert!(!story.path("full").exists());
    story
        .run("endgame build --seeds 12 --output full")
        .with_code(0)
        .err_has("goes on after 10 seeds");
    story.run("endgame verify full").with_code(0);
}

/// In a run the plan names the database, a bot in a box reads it, and another file is another plan.
#[test]
fn minimax_plays_by_a_database_in_a_run() {
    let story = Story::new();
    let configuration = "[tournament]\npairs = 6\nopenings = { file = \"ends.txt\" }\n\
         [[entrant]]\nname = \"perfect\"\n\
         command = [\"awale\", \"bot\", \"minimax\", \"--depth\", \"1\", \"--endgame\"]\n\
         [[entrant]]\nname = \"greedy\"\ncommand = [\"awale\", \"bot\", \"greedy\"]\n";
    story.write("a.toml", configuration);
    story.write(
        "ends.txt",
        "1-0-2-0-0-1-0-1-1-0-1-1-20-20-S\n0-2-0-1-1-0-2-0-0-1-0-1-20-20-S\n\
         3-0-0-0-0-1-1-0-0-2-0-1-20-20-S\n0-0-1-2-0-1-0-0-3-0-0-1-20-20-S\n\
         1-1-0-0-2-0-0-1-1-1-0-1-20-20-S\n2-0-0-0-0-2-0-1-1-0-2-0-20-20-S\n",
    );
    story
        .run("run a.toml")
        .with_code(2)
        .err_has("perfect")
        .err_has("build it with `awale endgame build --seeds 12`");
    story.run("endgame build --seeds 8").with_code(0);
    story.run("run a.toml").with_code(0);
    let plan = story.read("results/a/plan.toml");
    assert!(plan.contains("\"--endgame\""), "{plan}");
    // Nobody loses a position that is not lost.
    for row in story.rows("results/a/games.csv") {
        let due = story
            .run(["endgame", "probe", &row["start"]].as_slice())
            .with_code(0);
        let south_wins = due.stdout.contains("S: +");
        let south_loses = due.stdout.contains("S: -");
        let perfect_is_south = row["south"] == "perfect";
        let lost = if perfect_is_south { "0-1" } else { "1-0" };
        let is_lost = if perfect_is_south {
            south_loses
        } else {
            south_wins
        };
        assert!(is_lost || row["result"] != lost, "{row:?} {}", due.stdout);
    }
    story.run("verify results/a").with_code(0);
    story.run("endgame build --seeds 9").with_code(0);
    story
        .run("run a.toml --pairs 7")
        .with_code(2)
        .err_has("perfect");
    // A file of other rules is refused before anything is played.
    story
        .run("endgame build --rules commun --seeds 6 --output commun")
        .with_code(0);
    story.write(
        "b.toml",
        configuration.replace("\"--endgame\"", "\"--endgame\", \"commun\""),
    );
    story
        .run("run b.toml")
        .with_code(2)
        .err_has("commun is for other rules");
}
