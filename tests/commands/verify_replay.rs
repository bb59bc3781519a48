//! `awale verify --replay`: games that are played again, with real bots, and compared.

use super::story::{SECRET, Said, Story, has};
use super::verify::{Lines, json};
use crate::support::awale_command::AWALE;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

const OTHER_SECRET: &str =
    "secret = \"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\"";

const TRUST: [&str; 4] = ["--isolation", "none", "--i-trust-these-bots", "--quiet"];

fn villain() -> String {
    let build = Path::new(AWALE).parent().expect("the build's folder");
    let program = build.join("examples/villain");
    program.into_os_string().into_string().expect("UTF-8")
}

fn house_bots(secret: &str) -> String {
    let entrants = [
        ("random", "random"),
        ("greedy", "greedy"),
        ("deep", "minimax --depth 2"),
        ("timed", "minimax --time 1ms"),
    ];
    let entrant = |(name, words): (&str, &str)| {
        let words: Vec<&str> = ["awale", "bot"]
            .into_iter()
            .chain(words.split(' '))
            .collect();
        format!("[[entrant]]\nname = {name:?}\ncommand = {words:?}\n")
    };
    let entrants: String = entrants.into_iter().map(entrant).collect();
    format!(
        "[tournament]\n{secret}\npairs = 2\nslots = 1\nopenings = {{ file = \"one.txt\" }}\n\
         [clock]\nmove = \"10s\"\n{entrants}"
    )
}

/// Plays house bots from one opening.
fn played(secret: &str) -> Story {
    let story = Story::new();
    story.write("one.txt", "CdFb\n");
    story.write("t.toml", house_bots(secret));
    story.ok("run t.toml --output run --quiet");
    story
}

fn replay(story: &Story, more: &[&str]) -> Said {
    let words = [&["verify", "run", "--replay", "100"][..], more].concat();
    story.run(&words)
}

#[test]
fn house_bots_of_fixed_depth_play_the_same_again() {
    let story = played(SECRET);
    let before = fs::read(story.path("run/games.jsonl")).expect("a journal");
    let said = replay(&story, &["--strict"])
        .with_code(0)
        .out_has("12 of 12 games, seed ")
        .out_has(": 12 the same to the move")
        .out_has("100 games are asked for, and all 12 that can be are taken")
        .out_has("games of \"timed\" are not played again: nothing says that they are");
    has(&said.stderr, "playing 12 of 12 games again");
    // The same journal gives the same draw.
    let drawn = || {
        let said = story.run("verify run --replay 3 --json");
        let said: Value = serde_json::from_str(&said.with_code(0).stdout).expect("JSON");
        said["replay"].clone()
    };
    let first = drawn();
    assert_eq!(first, drawn());
    assert!(first["seed"].as_u64().expect("a seed") < 1 << 53);
    for (key, value) in [
        ("asked", 3),
        ("replayable", 12),
        ("drawn", 3),
        ("same", 3),
        ("different", 0),
        ("not_comparable", 0),
        ("not_played", 0),
    ] {
        assert_eq!(first[key], value, "{key} of {first}");
    }
    let said = story.run("verify run --replay 3 --seed 7");
    said.with_code(0)
        .out_has("3 of 12 games, seed 7: 3 the same");
    // Without the flag the report does not mention it.
    assert!(!story.run("verify run").stdout.contains("replay"));
    assert_eq!(json(&story, 0)["replay"], Value::Null);
    assert_eq!(
        fs::read(story.path("run/games.jsonl")).expect("a journal"),
        before
    );
    story.ends(2, "verify run --seed 7");
    story.ends(2, "verify run --replay 0");
}

/// A game of another tournament, really played, under the number of this one's.
#[test]
fn a_forged_game_is_found_by_nothing_else() {
    let story = played(SECRET);
    let other = played(OTHER_SECRET);
    let (mut lines, mut others) = (Lines::of(&story), Lines::of(&other));
    let (id, forged) = [
        "random~greedy.1.1",
        "random~greedy.1.2",
        "random~deep.1.1",
        "random~deep.1.2",
    ]
    .into_iter()
    .map(|id| (id, others.game(id).clone()))
    .find(|(id, forged)| lines.game(id)["plies"]["moves"] != forged["plies"]["moves"])
    .expect("a game that random played otherwise");
    let old = lines.game(id)["plies"]["moves"]
        .as_str()
        .expect("moves")
        .to_owned();
    let new = forged["plies"]["moves"].as_str().expect("moves").to_owned();
    *lines.game(id) = forged;
    lines.write(&story);
    // With its tables made again.
    let run = ["run", "t.toml", "--output", "run", "--quiet"];
    story.ok(&run);
    story.ok("verify run --strict");
    let ply = old.chars().zip(new.chars()).position(|(a, b)| a != b);
    let ply = ply.expect("another move") + 1;
    let said = replay(&story, &[])
        .with_code(1)
        .out_has(&format!("game {id}: ply {ply} is "))
        .out_has("in the position ")
        .out_has("Both are house bots: the record is not of this game")
        .out_has("11 the same to the move, 1 different")
        .out_has("to do: look at the games that are named");
    let moves = format!("all moves then: {}", &old[..20]);
    assert!(said.stdout.contains(&moves), "{}", said.stdout);
    let report = story.run("verify run --replay 100 --json");
    let report: Value = serde_json::from_str(&report.with_code(1).stdout).expect("JSON");
    assert_eq!(report["problems"][0]["check"], "replay");
    assert_eq!(report["problems"][0]["game"], id);
    assert_eq!(report["replay"]["different"], 1);
}

/// A program that does what a file says, against `greedy`. It lies when it says that it is
/// deterministic. Also the folder of that file, which its box shows.
fn moody(more: &str) -> (Story, Story) {
    let (story, moods) = (Story::new(), Story::new());
    let executable = PermissionsExt::from_mode(0o755);
    fs::set_permissions(moods.path(""), executable).expect("a folder for all");
    let mood = moods.path("mood");
    let script = format!(
        "#!/bin/sh\nexec '{}' $(cat '{}')\n",
        villain(),
        mood.display()
    );
    story.write("moody.sh", script);
    moods.write("mood", "move:4=resign");
    story.write("t.toml", moody_config(&moods, more));
    let words = [&["run", "t.toml", "--output", "run"][..], &TRUST].concat();
    story.ok(&words);
    (story, moods)
}

fn moody_config(moods: &Story, more: &str) -> String {
    let villain = villain();
    let examples = Path::new(&villain).parent().expect("a folder");
    let readable = [examples, &moods.path("")];
    format!(
        "[tournament]\n{SECRET}\npairs = 2\nslots = 1\n[admission]\nmode = \"off\"\n\
         [clock]\nmove = \"2s\"\n\
         [[entrant]]\nname = \"moody\"\ncommand = [\"./moody.sh\"]\n\
         readable = {readable:?}\n{more}\n\
         [[entrant]]\nname = \"greedy\"\ncommand = [\"awale\", \"bot\", \"greedy\"]\n"
    )
}

#[test]
fn an_entrant_says_that_it_is_deterministic() {
    let trusting = ["--i-trust-these-bots"];
    let (story, moods) = moody("");
    let said = replay(&story, &trusting)
        .with_code(0)
        .out_has("replay      not checked: no game was played by two deterministic bots")
        .out_has("games of \"moody\" are not played again: nothing says that they are")
        .out_has("write `deterministic = true`")
        .out_has("1 warning");
    assert!(!said.stderr.contains("playing"), "{}", said.stderr);
    replay(&story, &["--i-trust-these-bots", "--strict"]).with_code(1);
    // As it is told to: the same run plays nothing, and notes it.
    let journal = story.read("run/games.jsonl");
    story.write("t.toml", moody_config(&moods, "deterministic = true"));
    let words = [&["run", "t.toml", "--output", "run"][..], &TRUST].concat();
    story.ok(&words);
    let after = story.read("run/games.jsonl");
    let added = after.strip_prefix(&journal).expect("the same games");
    assert!(
        added.lines().count() == 1 && added.contains("\"settings\""),
        "{added}"
    );
    replay(&story, &trusting)
        .with_code(0)
        .out_has("4 of 4 games, seed ")
        .out_has("4 the same to the move");
    // Another mood, and it resigns earlier.
    moods.write("mood", "move:2=resign");
    replay(&story, &trusting)
        .with_code(1)
        .out_has("game moody~greedy.1.1: it ended by resignation of south after ply 8 with ")
        .out_has("and by resignation of south after ply 4 with ")
        .out_has("Either the record is not of this game, or \"moody\" is not deterministic")
        .out_has("0 the same to the move, 4 different");
    // What a slower machine may do as well is no difference.
    moods.write("mood", "move:2=hang");
    replay(&story, &trusting)
        .with_code(0)
        .out_has("game moody~greedy.1.1 cannot be compared: it ended by a fault of south")
        .out_has("0 the same to the move, 4 not comparable");
    // A fault that slowness does not bring about is one.
    moods.write("mood", "move:2=write:\u{1b}[2J\\n");
    let said = replay(&story, &trusting)
        .with_code(1)
        .out_has("bad-output of south after ply 4");
    assert!(!said.stdout.contains('\u{1b}'), "{}", said.stdout);
    // Another program is not what played.
    let script = story.read("moody.sh");
    story.write("moody.sh", script + "# changed\n");
    replay(&story, &trusting)
        .with_code(0)
        .out_has("games of \"moody\" are not played again: their programs here are not those");
    // It may be gone altogether.
    fs::remove_file(story.path("moody.sh")).expect("a file");
    replay(&story, &trusting)
        .with_code(0)
        .out_has("not played again: their programs here are not those");
}

#[test]
fn faults_that_time_decides_are_not_drawn() {
    let (story, moods) = moody("deterministic = true");
    moods.write("mood", "move:2=write:{\"type\":\"move\",\"pit\":77}\\n");
    fs::remove_dir_all(story.path("run")).expect("a folder");
    let words = [&["run", "t.toml", "--output", "run"][..], &TRUST].concat();
    story.ok(&words);
    replay(&story, &["--i-trust-these-bots"])
        .with_code(0)
        .out_has("4 of 4 games, seed ")
        .out_has("4 the same to the move");
    moods.write("mood", "move:2=exit:7");
    fs::remove_dir_all(story.path("run")).expect("a folder");
    story.ok(&words);
    replay(&story, &["--i-trust-these-bots"])
        .with_code(0)
        .out_has("4 more games between deterministic bots ended by a fault other than")
        .out_has("replay      not checked");
}

#[test]
fn a_replay_can_be_interrupted() {
    let (story, moods) = moody("deterministic = true");
    moods.write("mood", "move=wait:300 move:4=resign");
    let words = "verify run --replay 4 --i-trust-these-bots";
    let mut child = story.start(words);
    let mut lines = BufReader::new(child.stderr.take().expect("standard error")).lines();
    let begun = lines
        .by_ref()
        .any(|line| line.expect("text").starts_with("playing 4 of 4"));
    assert!(begun);
    let pid = Pid::from_child(&child);
    // The first lets the game end, the second drops it.
    for _ in 0..2 {
        kill_process(pid, Signal::INT).expect("a signal");
        std::thread::sleep(std::time::Duration::from_millis(300));
    }
    let rest: Vec<String> = lines.map_while(Result::ok).collect();
    let said = Said::of(child.wait_with_output().expect("an end"));
    assert_eq!(said.code, Some(130), "{}\n{rest:?}", said.stdout);
    assert!(said.stdout.contains(" not played\n"), "{}", said.stdout);
}

#[test]
fn what_cannot_be_played_again_is_said() {
    // A damaged journal, and another plan.
    let story = played(SECRET);
    let journal = story.read("run/games.jsonl");
    story.write(
        "run/games.jsonl",
        journal.replacen("\"kind\":\"game\"", "\"kind\":\"gome\"", 1),
    );
    replay(&story, &[])
        .with_code(1)
        .out_has("replay      not checked: the journal is damaged");
    story.write("run/games.jsonl", &journal);
    let plan = story.read("run/plan.toml");
    story.write(
        "run/plan.toml",
        plan.replace("max-plies = 600", "max-plies = 60"),
    );
    replay(&story, &[])
        .with_code(1)
        .out_has("replay      not checked: plan.toml does not give the plan");
    story.write("run/plan.toml", plan);
    fs::remove_file(story.path("one.txt")).expect("a file");
    replay(&story, &[])
        .with_code(0)
        .out_has("the file of openings is not on this machine")
        .out_has("12 of 12 games, seed ");
}
