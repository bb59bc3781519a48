//! Why a bot lost or was not admitted, everywhere where its author looks.

use super::story::{FIRST_LEGAL, SECRET, Story};
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

/// What Python writes when a module is missing, from a bot that ends like this.
const NO_MODULE: &str = "#!/bin/sh\nread -r hello\ncat >&2 <<'END'\n\
    Traceback (most recent call last):\n  File \"/bot/bot.py\", line 1, in <module>\n    \
    import numpy\nModuleNotFoundError: No module named 'numpy'\nEND\nexit 1\n";

/// A bot that plays, until it ends at its second turn like Python.
fn ends_in_mid_game() -> String {
    let turn = "*'\"type\":\"turn\",\"turn\":2,'* | *'\"type\":\"turn\",\"turn\":3,'*)";
    let traceback = "printf '%s\\n' 'Traceback (most recent call last):' \
        '  File \"/bot/search.py\", line 12, in pick' '    return board[7]' \
        'IndexError: list index out of range' >&2; exit 1 ;;\n        ";
    let first = "*'\"type\":\"turn\"'*)";
    FIRST_LEGAL.replacen(first, &format!("{turn} {traceback}{first}"), 1)
}

fn write_bot(story: &Story, name: &str, script: impl AsRef<[u8]>) {
    story.write(name, script);
    // Also one whose first line starts nothing.
    let mode = fs::Permissions::from_mode(0o755);
    fs::set_permissions(story.path(name), mode).expect("a file of this process");
}

/// A tournament of bots for `sh`, each with the name of its file.
fn tournament(story: &Story, tables: &str, bots: &[&str]) {
    let mut text = format!(
        "[tournament]\n{SECRET}\npairs = 2\nslots = 1\n[clock]\nmove = \"10s\"\n{tables}\n"
    );
    for bot in bots {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "[[entrant]]\nname = \"{bot}\"\ncommand = [\"./{bot}\"]"
        );
    }
    story.write("t.toml", text);
}

fn rows(story: &Story, table: &str) -> Vec<Vec<String>> {
    let reader = csv::Reader::from_path(story.path(table));
    let rows = reader.expect("a table").into_records();
    rows.map(|row| row.expect("a row").iter().map(str::to_owned).collect())
        .collect()
}

/// The column before the last one.
fn reason(row: &[String]) -> &str {
    &row[row.len() - 2]
}

const CAUSE: &str = "at the first message: exited with code 1: ModuleNotFoundError: No module \
                     named 'numpy' (bot.py:1)";

#[test]
fn the_gate_says_why_and_keeps_evidence_that_can_be_replayed() {
    let story = Story::new();
    write_bot(&story, "omar", NO_MODULE.replace("/bot/", ""));
    for name in ["ada", "ben"] {
        write_bot(&story, name, format!("#!/bin/sh\n{FIRST_LEGAL}"));
    }
    tournament(&story, "", &["ada", "omar", "ben"]);
    story
        .ok("run t.toml")
        .err_has(&format!(
            "omar is not admitted: start-failure: {CAUSE} (faults/admission-omar)"
        ))
        .err_has("hint: is it installed on the machine of the tournament");
    let standings = rows(&story, "results/t/standings.csv");
    let omar = standings
        .iter()
        .find(|row| row[1] == "omar")
        .expect("a row");
    assert_eq!(reason(omar), format!("start-failure: {CAUSE}"));
    let reasons = standings.iter().filter(|row| !reason(row).is_empty());
    assert_eq!(reasons.count(), 1);
    let expected = ["omar", "", "start-failure", CAUSE, "faults/admission-omar"];
    assert_eq!(rows(&story, "results/t/faults.csv"), [expected]);
    let folder = "results/t/faults/admission-omar";
    let page: toml::Table = story.read(&format!("{folder}/fault.toml")).parse().unwrap();
    let fault = &page["fault"];
    assert_eq!(fault["detail"].as_str(), Some(CAUSE));
    assert_eq!(fault["game"].as_str(), Some("0.1"));
    assert_eq!(page["process"]["exit-code"].as_integer(), Some(1));
    let said = story.read(&format!("{folder}/stderr.txt"));
    assert!(said.ends_with("ModuleNotFoundError: No module named 'numpy'\n"));
    assert!(
        story
            .read(&format!("{folder}/requests.jsonl"))
            .contains("hello")
    );
    story
        .ok(format!("replay-to-bot {folder} --i-trust-this-bot"))
        .out_has("exited with code 1");
    story.ok("verify results/t --strict");
}

#[test]
fn every_fault_is_shown_with_its_cause_and_the_command_that_repeats_it() {
    let story = Story::new();
    write_bot(&story, "ada", format!("#!/bin/sh\n{FIRST_LEGAL}"));
    let crash = ends_in_mid_game().replace("/bot/", "");
    write_bot(&story, "omar", format!("#!/bin/sh\n{crash}"));
    let tables = "[admission]\nmode = \"off\"";
    tournament(&story, tables, &["ada", "omar"]);
    story.ok("run t.toml");
    let cause = "exited with code 1: IndexError: list index out of range (search.py:12)";
    let expected: Vec<Vec<String>> = ["1.1", "1.2", "2.1", "2.2"]
        .map(|game| {
            let folder = format!("faults/ada~omar.{game}");
            ["omar", &format!("ada~omar.{game}"), "crash", cause, &folder].map(str::to_owned)
        })
        .map(Vec::from)
        .to_vec();
    assert_eq!(rows(&story, "results/t/faults.csv"), expected);
    let shown = story.ok("faults results/t").stdout;
    for words in [
        "ada~omar.1.1: omar (north) lost to ada at ply 3\n",
        "ada~omar.1.2: omar (south) lost to ada at ply 2\n",
        &format!("  what   crash: {cause}\n"),
        "  folder results/t/faults/ada~omar.2.2\n",
        "  again  awale replay-to-bot results/t/faults/ada~omar.2.2 -- ./mybot\n",
        "\n4 faults\n",
    ] {
        assert!(shown.contains(words), "no {words:?} in\n{shown}");
    }
    let csv = story.ok("faults results/t --csv");
    assert_eq!(csv.stdout, story.read("results/t/faults.csv"));
    story
        .ok("faults results/t --entrant ada")
        .out_has("no fault counts");
    story
        .ends(2, "faults results/t --entrant omra")
        .err_has("did you mean \"omar\"?");
    story.ends(2, "faults results");

    // The folder of another machine: no plan file, no programs, and not all of the evidence.
    fs::create_dir(story.path("copy")).expect("a folder");
    let journal = "results/t/games.jsonl";
    fs::copy(story.path(journal), story.path("copy/games.jsonl")).expect("a copy");
    story
        .ok("faults copy")
        .out_has(cause)
        .out_has("copy/faults/ada~omar.1.1 is not here");
    story.ok("report copy");
    let made = [
        story.read("copy/faults.csv"),
        story.read("results/t/faults.csv"),
    ];
    assert_eq!(made[0], made[1]);

    // The table is proved like all others.
    story.ok("verify results/t --strict");
    story.write(
        "results/t/faults.csv",
        made[1].replacen("search.py:12", "search.py:1", 1),
    );
    story
        .ends(1, "verify results/t")
        .out_has("faults.csv")
        .out_has("column detail");
}

#[test]
fn what_a_bot_wrote_is_no_formula_and_no_escape_sequence() {
    let story = Story::new();
    write_bot(&story, "ada", format!("#!/bin/sh\n{FIRST_LEGAL}"));
    let hostile = "#!/bin/sh\nprintf '=1+1\\033[2J\\r\\n' >&2\nexit 1\n";
    write_bot(&story, "omar", hostile);
    tournament(&story, "[admission]\nmode = \"off\"", &["ada", "omar"]);
    let limit = "pairs = 2\nmax-faults = { count = 1 }\n";
    story.write("t.toml", story.read("t.toml").replace("pairs = 2\n", limit));
    story.ok("run t.toml");
    let words = r#"standard error ends with "=1+1\u{1b}[2J""#;
    let faults = rows(&story, "results/t/faults.csv");
    assert!(faults[0][3].ends_with(words), "{faults:?}");
    let is_text = |text: &str| !text.contains(|it: char| it.is_control() && it != '\n');
    assert!(is_text(&story.read("results/t/faults.csv")));
    assert!(is_text(&story.run("faults results/t").stdout));
    let standings = rows(&story, "results/t/standings.csv");
    let omar = standings
        .iter()
        .find(|row| row[1] == "omar")
        .expect("a row");
    assert_eq!(reason(omar), "1 fault in 1 game: 1 start-failure");
}

/// A script that the host cannot start has a first line that says why.
#[test]
fn a_script_that_cannot_be_started_has_a_hint() {
    let story = Story::new();
    let plays = format!("#!/bin/sh\n{FIRST_LEGAL}");
    write_bot(&story, "ada", &plays);
    write_bot(&story, "ben", &plays);
    write_bot(&story, "bare", "print('no first line')\n");
    write_bot(&story, "mark", format!("\u{feff}{plays}"));
    write_bot(&story, "windows", plays.replace('\n', "\r\n"));
    write_bot(&story, "env", "#!/usr/bin/env sh\r\nexit\r\n");
    tournament(
        &story,
        "",
        &["ada", "ben", "bare", "mark", "windows", "env"],
    );
    let said = story.ok("run t.toml").stderr;
    for (name, words) in [
        ("bare", "begin the file with a line like"),
        ("mark", "save the file as UTF-8 without a byte-order mark"),
        ("windows", "Windows line ends"),
        ("env", "Windows line ends"),
    ] {
        let refused = format!("{name} is not admitted: start-failure");
        let line = said.lines().find(|line| line.contains(&refused));
        assert!(
            line.is_some_and(|line| line.contains(words)),
            "{name}: {said}"
        );
        let faults = format!("faults results/t --entrant {name}");
        story.ok(&faults).out_has(words);
    }
}

#[test]
fn an_endless_loop_is_recognised_by_its_time() {
    let story = Story::new();
    write_bot(&story, "ada", format!("#!/bin/sh\n{FIRST_LEGAL}"));
    let looping = FIRST_LEGAL.replacen(
        "*'\"type\":\"turn\"'*)",
        "*'\"type\":\"turn\"'*) while :; do :; done",
        1,
    );
    write_bot(&story, "omar", format!("#!/bin/sh\n{looping}"));
    tournament(&story, "[admission]\nmode = \"off\"", &["ada", "omar"]);
    let text = story.read("t.toml").replace("10s", "200ms");
    story.write("t.toml", text.replace("pairs = 2", "pairs = 1"));
    let run = "run t.toml --isolation none --i-trust-these-bots";
    story.ok(run);
    story
        .ok("faults results/t --entrant omar")
        .out_has("it computed all the time")
        .out_has("hint   it computed until it was stopped: an endless loop");
}

/// The faults of a run can be read while it plays: the last line of its journal may be unfinished.
#[test]
fn faults_are_shown_although_a_line_is_unfinished() {
    let story = Story::new();
    write_bot(&story, "ada", format!("#!/bin/sh\n{FIRST_LEGAL}"));
    let crash = ends_in_mid_game();
    write_bot(&story, "omar", format!("#!/bin/sh\n{crash}"));
    tournament(&story, "[admission]\nmode = \"off\"", &["ada", "omar"]);
    story.ok("run t.toml");
    let journal = story.read("results/t/games.jsonl");
    let begun = &journal[..journal.trim_end().len() - 20];
    story.write("results/t/games.jsonl", begun);
    story.ok("faults results/t").out_has("\n3 faults\n");
}

/// Nothing was played, and the journal is empty: the evidence says why.
#[test]
fn who_barred_a_run_is_told_by_its_evidence() {
    let story = Story::new();
    story.write(
        "b.toml",
        "[tournament]\npairs = 1\n[isolation]\nlevel = \"none\"\n\
         [[entrant]]\nname = \"ada\"\ncommand = [\"sh\", \"-c\", \"exit 3\"]\n\
         [[entrant]]\nname = \"bob\"\ncommand = [\"sh\", \"-c\", \"echo oops >&2; exit 4\"]\n",
    );
    story
        .ends(2, "run b.toml --i-trust-these-bots")
        .err_has("nothing is played");
    story
        .ok("faults results/b")
        .out_has("ada was not admitted")
        .out_has("bob was not admitted")
        .out_has("standard error ends with \"oops\"")
        .out_has("awale replay-to-bot results/b/faults/admission-bob -- ./mybot")
        .out_has("2 entrants not admitted, 0 faults");
    let own = story.run("faults results/b --entrant bob");
    assert!(!own.with_code(0).stdout.contains("ada"));
    story
        .ends(2, "faults results/b --entrant bop")
        .err_has("did you mean \"bob\"");
    // Names of a folder that a stranger has made reach no terminal as they are.
    let page = story.read("results/b/faults/admission-bob/fault.toml");
    let page = page.replace("entrant = \"bob\"", "entrant = \"b\\u001b[2Jb\"");
    story.write("results/b/faults/admission-bob/fault.toml", page);
    let said = story.ok("faults results/b --csv");
    assert!(said.stdout.contains("ada") && !said.stdout.contains('\u{1b}'));
}

#[test]
fn what_was_meant_is_said() {
    let story = Story::new();
    story
        .ends(2, "duel gredy random")
        .err_has("did you mean the house bot greedy, [\"awale\", \"bot\", \"greedy\"]?");
    story
        .ends(2, "run sprng.toml")
        .err_has("`awale init` writes a first one");
    story.write("spring.toml", "").write("notes.txt", "");
    story
        .ends(2, "run sprng.toml")
        .err_has("did you mean \"spring.toml\"?; `awale init` writes a first one");
}
