//! A class: every folder of the submissions is an entrant, and one broken folder stops no other.

use super::feedback::content_of;
use super::story::{FIRST_LEGAL, SECRET, Said, Story, has, lacks, tables};
use crate::support::skip::{skip, test_name};
use rustix::fs::{CWD, Mode, mkfifoat};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

/// A class whose submissions are scripts for `sh`.
const CLASS: &str = r#"
slots = 2
pairs = 1
[isolation]
level = "none"
[clock]
move = "10s"
[class]
submissions = "submissions"
house = ["greedy", "minimax-2"]
house-pairs = 1
[[start]]
name = "shell"
file = "bot.sh"
command = ["sh", "bot.sh"]
[[start]]
name = "other"
file = "other.sh"
command = ["sh", "other.sh"]
[[start]]
name = "absent"
file = "main.absent"
command = ["no-such-program", "main.absent"]
"#;

/// A file of a student.
pub fn hand_in(story: &Story, path: &str, text: &str) {
    let path = story.path(&format!("submissions/{path}"));
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, text).expect("a file");
}

pub fn class() -> Story {
    let story = Story::new();
    fs::create_dir(story.path("submissions")).expect("a folder");
    story.write("class.toml", format!("[tournament]\n{SECRET}{CLASS}"));
    story
}

pub fn run(story: &Story, more: &[&str]) -> Said {
    let arguments = ["run", "class.toml", "--i-trust-these-bots"];
    story.run(&[&arguments, more].concat())
}

/// The names and states in the standings.
fn standings(story: &Story) -> Vec<(String, String)> {
    let rows = story.rows("results/class/standings.csv").into_iter();
    let mut rows: Vec<_> = rows
        .map(|row| (row["entrant"].clone(), row["status"].clone()))
        .collect();
    rows.sort();
    rows
}

/// Folders of every kind: some are entrants, and some of those can be started.
fn hand_in_all_kinds(story: &Story) {
    for (path, text) in [
        ("ada/bot.sh", FIRST_LEGAL),
        ("ben/other.sh", FIRST_LEGAL),
        // Both files: the first start of the configuration, or the one that its author chooses.
        ("cy/bot.sh", "exit 3"),
        ("cy/other.sh", FIRST_LEGAL),
        ("cy/awale.toml", "start = \"other\"\n"),
        ("nested/inner/bot.sh", FIRST_LEGAL),
        ("spelled/Bot.sh", FIRST_LEGAL),
        ("chosen/bot.sh", FIRST_LEGAL),
        ("chosen/awale.toml", "command = [\"sh\", \"-c\", \"id\"]\n"),
        ("long/bot.sh", FIRST_LEGAL),
        ("long/awale.toml", &"#".repeat(4097)),
        ("linked/bot.sh", FIRST_LEGAL),
        ("absent/main.absent", ""),
        ("packed/bot.zip", ""),
        // None of these is an entrant.
        (".git/config", ""),
        ("=cmd/bot.sh", FIRST_LEGAL),
        ("greedy/bot.sh", FIRST_LEGAL),
        ("late.zip", ""),
    ] {
        hand_in(story, path, text);
    }
    fs::create_dir(story.path("submissions/empty")).unwrap();
    symlink("/etc/passwd", story.path("submissions/linked/awale.toml")).unwrap();
}

#[test]
fn a_new_course_has_its_people_and_a_handout() {
    let story = Story::new();
    let list = "Nachname;Vorname;E-Mail\r\nM\u{fc}ller;Anna;a@x.org\r\nM\u{fc}ller;Anna;b@x.org\r\n\
                O'Neill;\u{1b}[2JBen;c@x.org\r\n";
    story.write("students.csv", list);
    let refused = story.ends(2, "class new INF101 --roster students.csv");
    has(
        &refused.stderr,
        "students.csv\": line 4, column name: the text \"\\u{1b}[2JBen O'Neill\"",
    );
    assert!(!story.path("INF101").exists() && !refused.stderr.contains('\u{1b}'));
    story.write("students.csv", list.replace("\u{1b}[2J", ""));
    let said = story.ok("class new INF101 --roster students.csv");
    has(
        &said.stderr,
        "INF101 is a course with 3 people in its roster",
    );
    let roster = story.rows("INF101/roster.csv");
    let folders: Vec<&str> = roster.iter().map(|row| row["folder"].as_str()).collect();
    assert_eq!(folders, ["anna-muller", "anna-muller-2", "ben-o-neill"]);
    assert!(
        roster
            .iter()
            .all(|row| row["alias"].split(' ').count() == 2)
    );
    for file in [
        "first-hour.md",
        "protocol.md",
        "rules.md",
        "starters/python/main.py",
        "starters/rust/src/main.rs",
    ] {
        assert!(
            story.path(&format!("INF101/handout/{file}")).is_file(),
            "{file}"
        );
    }
    let again = story.ends(2, "class new INF101");
    has(
        &again.stderr,
        "INF101\" exists already, and is left as it is",
    );
    for (name, said) in [
        ("../x", "contains /"),
        ("=x", "begins with ="),
        ("\u{2026}", "makes no name of a folder"),
    ] {
        has(&story.ends(2, &["class", "new", name]).stderr, said);
    }
    assert_eq!(fs::read_dir(story.path("")).unwrap().count(), 2);
}

/// The roster beside the configuration is read before anything is played.
#[test]
fn a_roster_names_who_is_missing_and_its_mistakes_stop_the_run() {
    let story = class();
    hand_in(&story, "ada/bot.sh", FIRST_LEGAL);
    let roster = "\u{feff}Folder;Name;Status;Aliass\r\nAda;Ada Lovelace;;\r\n;Ben\u{e9};;\r\n\
                  cy;Cy;withdrawn;\r\n";
    story.write("roster.csv", roster);
    let said = run(&story, &["--dry-run"]).with_code(0);
    for line in [
        "`submissions` has no folder for 1 person of the roster: \"Ben\u{e9}\"",
        "awale does not read the columns \"Aliass\" of the roster",
    ] {
        has(&said.stdout, line);
    }
    story.write("roster.csv", roster.replace("withdrawn", "gone"));
    let refused = run(&story, &[]).with_code(2);
    has(
        &refused.stderr,
        "roster.csv: line 4, column status: \"gone\" is no status",
    );
    story.write("roster.csv", roster);
    let other = ["--dry-run", "--set", "class.roster=people.csv"];
    has(&run(&story, &other).with_code(2).stderr, "people.csv: ");
}

#[test]
fn each_folder_is_an_entrant_and_a_broken_one_stops_no_other() {
    let story = class();
    hand_in_all_kinds(&story);
    let said = run(&story, &[]).with_code(0);
    for line in [
        "warning: \"late.zip\" in \"submissions\" belongs to no entrant",
        "the folder \"=cmd\" in `submissions` is left out",
        "the folder \"greedy\" in `submissions` has the name of \"greedy\", or one that looks like it: it \
         plays as \"greedy 2\"",
        "nested is not admitted: start-failure: its bot.sh is in the folder \"inner\": move",
        "spelled is not admitted: start-failure: it has \"Bot.sh\": is it bot.sh?",
        "chosen is not admitted: start-failure: its awale.toml cannot contain \"command\"",
        "long is not admitted: start-failure: its folder ",
        "\"awale.toml\" has more than 4096 bytes",
        "absent is not admitted: start-failure: no program \"no-such-program\" in PATH",
        "warning: there is no program \"no-such-program\" in PATH, which the submissions of \
         \"absent\" need: install it",
        "packed is not admitted: start-failure: it has \"bot.zip\": unpack it there",
        "empty is not admitted: start-failure: it is empty: nothing was handed in; no file says how \
         it is started",
    ] {
        has(&said.stderr, line);
    }
    let out = "not-admitted".to_owned();
    let admitted = |name: &&str| {
        [
            "ada",
            "ben",
            "cy",
            "greedy",
            "greedy 2",
            "linked",
            "minimax-2",
        ]
        .contains(name)
    };
    let names = [
        "absent",
        "ada",
        "ben",
        "chosen",
        "cy",
        "empty",
        "greedy",
        "greedy 2",
        "linked",
        "long",
        "minimax-2",
        "nested",
        "packed",
        "spelled",
    ];
    let state = |name: &&str| {
        if admitted(name) {
            String::new()
        } else {
            out.clone()
        }
    };
    let expected: Vec<_> = names
        .iter()
        .map(|it| ((*it).to_owned(), state(it)))
        .collect();
    assert_eq!(standings(&story), expected);
    story.ok("verify results/class");
    // Whether anybody was refused is for a script to ask.
    run(&story, &["--strict"]).with_code(1);
}

#[test]
fn a_second_evening_plays_only_what_was_handed_in_anew() {
    let story = class();
    hand_in(&story, "ada/bot.sh", FIRST_LEGAL);
    hand_in(&story, "ben/Bot.sh", FIRST_LEGAL);
    run(&story, &[]).with_code(0).err_has("ben is not admitted");
    // ada, greedy and minimax-2 have met; ben's games follow.
    hand_in(&story, "ben/bot.sh", FIRST_LEGAL);
    let said = run(&story, &[]).with_code(2);
    assert!(said.stderr.contains("ben"), "{}", said.stderr);
    run(&story, &["--update"]).with_code(0);
    let journal = story.read("results/class/games.jsonl");
    let games = journal
        .lines()
        .filter(|it| it.contains("\"kind\":\"game\""));
    // Six pairings of four entrants, two games each: none twice.
    assert_eq!(games.count(), 12);
    run(&story, &["--output", "fresh"]).with_code(0);
    assert_eq!(
        tables(&story.path("results/class")),
        tables(&story.path("fresh"))
    );
    story.ok("verify results/class");
}

#[test]
fn the_yardsticks_play_before_anybody_has_handed_in() {
    let story = class();
    let said = run(&story, &[]).with_code(0);
    said.err_has("\"submissions\" has no folder: nobody has handed in anything yet");
    assert_eq!(standings(&story).len(), 2);
}

#[test]
fn mistakes_in_a_class_are_named() {
    for (from, to, said) in [
        (
            "\"submissions\"",
            "\"submission\"",
            "cannot list the submissions in ",
        ),
        (
            "\"greedy\", ",
            "\"gredy\", ",
            "cannot contain \"gredy\"; it takes \"random\"",
        ),
        ("minimax-2", "minimax-x", "\"minimax-3\" with a depth"),
        ("file = \"bot.sh\"\n", "", "this [[start]] has no `file`"),
        (
            "name = \"other\"\nfile = \"other.sh\"",
            "name = \"shell\"\nfile = \"bot.sh\"",
            "class.toml:18: two [[start]] tables are named \"shell\" and have the same file",
        ),
        (
            "house-pairs =",
            "yard-pairs =",
            "unknown key `yard-pairs` in [class]",
        ),
    ] {
        let story = class();
        let config = story.read("class.toml").replacen(from, to, 1);
        story.write("class.toml", config);
        run(&story, &[]).with_code(2).err_has(said);
    }
}

/// Starts that build a script before it is played.
const BUILT: &str = r#"
[build]
time = "20s"
[[start]]
name = "built"
file = "build.sh"
build = ["sh", "build.sh"]
command = ["./bot"]
"#;

/// A class at this level of isolation whose programs are built.
fn built_class(level: &str) -> Story {
    let story = class();
    let config = story.read("class.toml");
    let before = config.split("[[start]]").next().unwrap();
    let config = before.replace("\"none\"", &format!("\"{level}\""));
    story.write("class.toml", config + BUILT);
    story
}

/// A build that makes a bot of these lines.
fn script(lines: &str) -> String {
    format!("{lines}\nprintf '#!/bin/sh\\n' > bot\ncat source >> bot\nchmod +x bot\n")
}

fn built(story: &Story) -> Vec<String> {
    let names = fs::read_dir(story.path("results/class/builds")).unwrap();
    let names = names.map(|it| it.unwrap().file_name().into_string().unwrap());
    names.collect()
}

#[test]
fn programs_are_built_once_for_each_content() {
    let story = built_class("none");
    let log = story.path("log");
    let noted = script(&format!("echo one >> {}", log.display()));
    for name in ["ada", "ben"] {
        hand_in(&story, &format!("{name}/build.sh"), &noted);
        hand_in(&story, &format!("{name}/source"), FIRST_LEGAL);
    }
    let fails = "echo before; echo 'bot.x:3: error: no such word' >&2; exit 7";
    hand_in(&story, "bad/build.sh", fails);
    hand_in(&story, "less/build.sh", "true");
    let said = run(&story, &[])
        .with_code(0)
        .err_has("building 3 programs first");
    for line in [
        "bad is not admitted: start-failure: it does not build: bot.x:3: error: no such word",
        "less is not admitted: start-failure: it does not build: it ends well, and makes no file",
    ] {
        has(&said.stderr, line);
    }
    let output = story.read("results/class/faults/admission-bad/build.txt");
    assert_eq!(output, "before\nbot.x:3: error: no such word\n");
    assert_eq!(story.read("log"), "one\n");
    story.ok("verify results/class --strict");
    // What was built and what failed is known; a build that is damaged is made again.
    let said = run(&story, &[]).with_code(0);
    assert!(!said.stderr.contains("building"), "{}", said.stderr);
    for key in built(&story) {
        story.write(
            &format!("results/class/builds/{key}/files/bot"),
            "#!/bin/sh\nexit 9\n",
        );
    }
    run(&story, &[])
        .with_code(0)
        .err_has("building 1 program first");
    assert_eq!(story.read("log"), "one\none\n");
    // A changed source is another program.
    hand_in(&story, "ben/source", &format!("{FIRST_LEGAL}\n# changed\n"));
    run(&story, &["--update"])
        .with_code(0)
        .err_has("building 1 program first");
    assert_eq!(story.read("log"), "one\none\none\n");
    run(&story, &["--output", "fresh"]).with_code(0);
    assert_eq!(
        tables(&story.path("results/class")),
        tables(&story.path("fresh"))
    );
}

#[test]
fn a_build_that_was_killed_is_made_again() {
    let story = built_class("none");
    let place = |name: &str| story.path(name).display().to_string();
    let (begun, hold) = (place("begun"), place("hold"));
    let waits = format!("touch {begun}; while test -e {hold}; do sleep 0.02; done");
    hand_in(&story, "ada/build.sh", &script(&waits));
    hand_in(&story, "ada/source", FIRST_LEGAL);
    story.write("hold", "");
    let wait = |name: &Path| {
        while !name.exists() {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    };
    // Ctrl-C ends a build, and the same command makes it.
    let mut command = story.command("run class.toml --i-trust-these-bots");
    let child = command
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    wait(Path::new(&begun));
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    Said::of(child.wait_with_output().unwrap())
        .with_code(130)
        .err_has("interrupted: 0 of ");
    fs::remove_file(&begun).unwrap();
    let mut child = story.start("run class.toml --i-trust-these-bots");
    wait(Path::new(&begun));
    child.kill().unwrap();
    child.wait().unwrap();
    fs::remove_file(story.path("hold")).unwrap();
    run(&story, &[])
        .with_code(0)
        .err_has("building 1 program first");
    let names = built(&story);
    assert!(names.len() == 1 && !names[0].starts_with('.'), "{names:?}");
    story.ok("verify results/class --strict");
}

/// The same command, and one with the larger limit that the message asks for.
#[test]
fn a_build_that_a_limit_ended_is_tried_again() {
    let story = built_class("none");
    hand_in(&story, "slow/build.sh", &script("sleep 3"));
    hand_in(&story, "slow/source", FIRST_LEGAL);
    let roomy = story.read("class.toml");
    story.write("class.toml", roomy.replace("\"20s\"", "\"1s\""));
    for _ in 0..2 {
        run(&story, &[])
            .with_code(0)
            .err_has("building 1 program first")
            .out_has("it takes longer than 1s (`time` in [build])");
    }
    story.write("class.toml", roomy);
    run(&story, &[])
        .with_code(0)
        .err_has("building 1 program first");
    assert!(standings(&story).contains(&("slow".to_owned(), String::new())));
    story.ok("verify results/class --strict");
}

#[test]
fn a_build_in_the_box_has_limits_and_sees_nothing_of_the_organiser() {
    let story = built_class("box");
    let secret = "the organiser's own";
    story.write("private", secret);
    let private = story.path("private").display().to_string();
    let looks = format!(
        "cat {private} submissions/*; find / -xdev -type f -name 'awale*' 2>/dev/null
         cat /proc/net/dev; (sleep 1000 >/dev/null 2>&1 &) ; ln -s {private} link"
    );
    hand_in(&story, "spy/build.sh", &script(&looks));
    hand_in(&story, "spy/source", FIRST_LEGAL);
    hand_in(
        &story,
        "big/build.sh",
        "head -c 3000000000 /dev/zero > bot\n",
    );
    hand_in(&story, "out/build.sh", &script("echo x > /bot/x || exit 4"));
    hand_in(&story, "out/source", FIRST_LEGAL);
    hand_in(&story, "slow/build.sh", "while :; do :; done\n");
    let config = story
        .read("class.toml")
        .replace("\"20s\"", "\"3s\"\ntemporary = \"64MiB\"");
    story.write("class.toml", config);
    let said = run(&story, &["--require-isolation", "box"]);
    if said.code == Some(2) && said.stderr.contains("box") {
        return skip(&test_name(), "no box can be made here");
    }
    let said = said.with_code(0);
    for line in [
        "slow is not admitted: start-failure: it does not build: it takes longer than 3s",
        "big is not admitted: start-failure: it does not build: ",
        "out is not admitted: start-failure: it does not build: ",
    ] {
        has(&said.stderr, line);
    }
    lacks(&said.stderr, "spy is not admitted");
    let keys = built(&story);
    assert_eq!(keys.len(), 1, "{keys:?}");
    let output = story.read(&format!("results/class/builds/{}/output.txt", keys[0]));
    assert!(
        !output.contains(secret) && !output.contains("/awale"),
        "{output}"
    );
    let devices = output
        .lines()
        .filter(|line| line.contains(": ") && !line.contains("No such"));
    let devices: Vec<&str> = devices.collect();
    assert!(
        devices
            .iter()
            .all(|it| it.trim().starts_with("lo:") || it.contains("cat:")),
        "{output}"
    );
    let linked = story.path(&format!("results/class/builds/{}/files/link", keys[0]));
    assert_eq!(fs::read_link(linked).unwrap(), Path::new(&private));
}

/// Checks the entrants of the class with the steps of one game.
fn check(story: &Story, more: &[&str]) -> Said {
    let arguments = [
        "check",
        "class.toml",
        "--i-trust-these-bots",
        "--only",
        "game-south",
    ];
    story.run(&[&arguments, more].concat())
}

/// A bot that computed too long may have had too little of a processor, and tries again, unless
/// that took too long already; one that slept may not. Neither is asked anything more.
#[test]
fn a_late_bot_of_a_class_is_waited_for_no_longer_than_its_verdict_needs() {
    /// No step is repeated after this time. On a busy host two tries can take as long.
    const LONG_ENOUGH_US: u64 = 20_000_000;
    let story = class();
    let config = story.read("class.toml");
    let config = config.replace("slots = 2", "slots = 2\nstart-up = \"500ms\"");
    story.write("class.toml", config.replace("\"10s\"", "\"100ms\""));
    // Whom nobody opens from the other side. A program that sleeps would first have to be started,
    // and on a busy host the wait for a processor is no sleep.
    let pipe = story.path("pipe");
    mkfifoat(CWD, &pipe, Mode::RUSR | Mode::WUSR).unwrap();
    let sleeps = format!("read -r line; read -r line <'{}'", pipe.display());
    hand_in(&story, "asleep/bot.sh", &sleeps);
    hand_in(&story, "busy/bot.sh", "read -r line; while :; do :; done");
    let said = check(&story, &["--json"]).with_code(1);
    let report: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
    let entrants = report["entrants"].as_array().unwrap();
    for (entrant, name, most) in [(&entrants[0], "asleep", 1), (&entrants[1], "busy", 3)] {
        assert_eq!(entrant["entrant"], name);
        let steps = entrant["steps"].as_array().unwrap();
        let hello = steps.iter().position(|it| it["id"] == "hello").unwrap();
        assert_eq!(steps[hello]["status"], "failed", "{}", steps[hello]);
        let [tries, time] = ["tries", "time_us"].map(|key| steps[hello][key].as_u64());
        let is_over = (2..most).contains(&tries.unwrap()) && time > Some(LONG_ENOUGH_US);
        assert!(tries == Some(most) || is_over, "{}", steps[hello]);
        for step in &steps[hello + 1..] {
            assert_eq!(step["status"], "skipped", "{step}");
        }
    }
}

/// What `--feedback` has written.
fn early_feedback(story: &Story) {
    for (name, words) in [
        ("ada", "It keeps to the protocol: "),
        ("ben", "it does not build: ben.x:1: error: =oops"),
        ("cy", "    | cy broke\n"),
        ("dan", "It cannot be started."),
    ] {
        let text = story.read(&format!("early/{name}/feedback.txt"));
        assert!(text.contains(words), "no {words:?} in:\n{text}");
        let page = content_of(&story.read(&format!("early/{name}/feedback.html")));
        let title = text.lines().next().expect("a title");
        assert_eq!(page["title"], title);
    }
}

#[test]
fn a_class_is_checked_as_a_run_would_start_it() {
    let story = built_class("none");
    let makes = script("true");
    for (path, text) in [
        ("ada/build.sh", makes.as_str()),
        ("ada/source", FIRST_LEGAL),
        ("ben/build.sh", "echo 'ben.x:1: error: =oops' >&2; exit 1"),
        ("cy/build.sh", &makes),
        ("cy/source", "echo 'cy broke' >&2; exit 3"),
        ("dan/notes.txt", ""),
    ] {
        hand_in(&story, path, text);
    }
    let files = [
        "--csv",
        "out.csv",
        "--junit",
        "out.xml",
        "--feedback",
        "early",
    ];
    let said = check(&story, &files).with_code(1);
    early_feedback(&story);
    let lines: Vec<&str> = said
        .stdout
        .lines()
        .skip_while(|it| !it.is_empty())
        .collect();
    for (line, start) in lines[1..].iter().zip([
        "ok   ada  ",
        "FAIL ben  it does not build: ben.x:1: error: =oops",
        "FAIL cy   starts: ",
        "FAIL dan  no file says how it is started; name its program \"build.sh\"",
    ]) {
        assert!(
            line.starts_with(start),
            "{line:?} is not {start:?} in:\n{}",
            said.stdout
        );
    }
    assert!(lines[3].contains("cy broke"), "{}", lines[3]);
    assert_eq!(
        lines.last(),
        Some(&"1 of 4 entrants keep to the protocol; to fix: ben, cy, dan")
    );
    let mut rows = csv::Reader::from_path(story.path("out.csv")).unwrap();
    let rows: Vec<csv::StringRecord> = rows.records().map(Result::unwrap).collect();
    let firsts: Vec<_> = rows
        .iter()
        .map(|row| (row[0].to_owned(), row[1].to_owned()))
        .collect();
    let expected = [("ada", "yes"), ("ben", "no"), ("cy", "no"), ("dan", "no")];
    assert_eq!(
        firsts,
        expected.map(|(name, holds)| (name.to_owned(), holds.to_owned()))
    );
    let suites = story.read("out.xml").matches("<testsuite ").count();
    assert_eq!(suites, 4);
    // Neither a run's folder nor anything built stays.
    assert!(!story.path("results").exists());
    check(&story, &["--entrant", "ada"])
        .with_code(0)
        .out_has("1 of 1 entrants");
    let json = check(&story, &["--entrant", "cy", "--json"])
        .with_code(1)
        .stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["entrants"][0]["entrant"], "cy");
    assert_eq!(json["holds"], false);
}

#[test]
fn a_check_of_a_class_refuses_what_its_configuration_has() {
    let story = class();
    hand_in(&story, "ada/bot.sh", FIRST_LEGAL);
    for (more, said) in [
        (
            ["--entrant", "adda"],
            "there is no entrant \"adda\"; did you mean \"ada\"?",
        ),
        (["--move", "1s"], "--move is not for a configuration"),
        (
            ["--set", "capture=chain"],
            "--set is not for a configuration",
        ),
        (
            ["--csv", "no/where.csv"],
            "cannot write the report no/where.csv",
        ),
        (["--feedback", "class.toml"], "class.toml"),
    ] {
        check(&story, &more).with_code(2).err_has(said);
    }
}

/// Compilers put programs into folders that count as caches.
#[test]
fn a_built_program_may_lie_in_a_cache_folder() {
    let story = built_class("none");
    let config = story
        .read("class.toml")
        .replace("\"./bot\"", "\"./target/bot\"");
    story.write("class.toml", config);
    let caches = "mkdir target; echo 'Signature: 8a477f597d28d172789f06886806bc55' \
                  > target/CACHEDIR.TAG; mv bot target";
    hand_in(&story, "ada/build.sh", &(script("true") + caches));
    hand_in(&story, "ada/source", FIRST_LEGAL);
    let said = run(&story, &[]).with_code(0);
    assert!(!said.stderr.contains("not admitted"), "{}", said.stderr);
    let said = run(&story, &[]).with_code(0);
    assert!(!said.stderr.contains("building"), "{}", said.stderr);
}

/// Outside of a box no mode can be changed, and there is no second name of awale.
#[test]
fn a_build_behind_landlock_makes_a_program_that_runs() {
    let story = built_class("landlock");
    let source = "printf '#!/bin/sh\\n' > bot\ncat source sub/more >> bot\n";
    hand_in(&story, "ada/build.sh", source);
    hand_in(&story, "ada/source", FIRST_LEGAL);
    hand_in(&story, "ada/sub/more", "# more\n");
    let said = run(&story, &["--require-isolation", "landlock"]);
    if said.code == Some(2) && said.stderr.contains("landlock") {
        return skip(&test_name(), "nothing isolates like landlock here");
    }
    let said = said.with_code(0);
    assert!(!said.stderr.contains("not admitted"), "{}", said.stderr);
}

/// A link could lead to any folder, whose files would count as a stranger's.
#[test]
fn a_folder_that_is_a_link_is_no_entrant() {
    let story = class();
    hand_in(&story, "ada/bot.sh", FIRST_LEGAL);
    symlink("/", story.path("submissions/root")).unwrap();
    let said = run(&story, &[]).with_code(0);
    said.err_has(
        "\"root\" in \"submissions\" belongs to no entrant: each entrant is a folder, and no link",
    );
}
