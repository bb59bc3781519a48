//! A run in shards: the same tables as one run, whatever is lost, comes twice or lies.

use super::story::{FIRST_LEGAL, SECRET, Story, has, lacks, tables};
use super::verify::Lines;
use serde_json::json;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::process::Child;
use std::thread::sleep;
use std::time::Duration;

/// Four entrants without a clock that matters, one of which ends in the middle of games.
const CONFIG: &str = r#"
pairs = 4
slots = 2
logs = "all"
max-faults = "off"
[isolation]
level = "none"
[admission]
mode = "off"
[clock]
move = "20s"
[[entrant]]
name = "greedy"
command = ["awale", "bot", "greedy"]
[[entrant]]
name = "minimax"
command = ["awale", "bot", "minimax", "--depth", "1"]
[[entrant]]
name = "spoken"
command = ["sh", "spoken.sh"]
deterministic = true
[[entrant]]
name = "dies"
command = ["sh", "dies.sh"]
"#;

/// A bot that says something in each turn.
fn spoken() -> String {
    FIRST_LEGAL.replacen(
        "while read -r line; do\n",
        "while read -r line; do echo heard >&2\n",
        1,
    )
}

/// A configuration, its bots, and its plan as a file.
fn planned() -> Story {
    let story = Story::new();
    story.write("t.toml", format!("[tournament]\n{SECRET}\n{CONFIG}"));
    story.write("spoken.sh", spoken());
    story.write("dies.sh", include_str!("../bots/dies.sh"));
    story.ok("shard t.toml --write-plan plan.json");
    fs::create_dir(story.path("s")).expect("a folder");
    story
}

/// What a machine makes of the record of a game.
type Lie = fn(&mut serde_json::Value);

const TRUST: &str = "--i-trust-these-bots --oversubscribe --quiet";

fn shard_command(index: u32, of: u32) -> String {
    format!(
        "shard t.toml --plan plan.json --index {index} --of {of} --output s/{index}.jsonl {TRUST}"
    )
}

/// Plays all shards of so many.
fn play_shards(story: &Story, of: u32) {
    for index in 1..=of {
        story.ok(shard_command(index, of));
    }
}

/// The tables of one run of this plan.
fn played_at_once(story: &Story) -> Vec<Vec<Vec<String>>> {
    story.ok(format!(
        "run t.toml --plan plan.json --output results/one {TRUST}"
    ));
    tables(&story.path("results/one"))
}

fn journal_of(story: &Story) -> String {
    story.read("results/t/games.jsonl")
}

#[test]
fn shards_in_any_order_make_the_tables_of_one_run() {
    let story = planned();
    let one = played_at_once(&story);
    play_shards(&story, 3);
    // The last one first, and while others are still missing.
    story
        .ends(1, "merge results/t --plan plan.json s/3.jsonl")
        .err_has("16 pairs are missing: 1..16");
    story
        .ends(1, "merge results/t --plan plan.json s/1.jsonl s/3.jsonl")
        .err_has("8 pairs are missing: 9..16");
    story.ok("merge results/t --plan plan.json s");
    assert_eq!(tables(&story.path("results/t")), one);
    // Nothing comes twice.
    let journal = journal_of(&story);
    assert_eq!(journal.matches("\"kind\":\"game\"").count(), 48);
    story
        .ok("merge results/t --plan plan.json s s/2.jsonl")
        .err_has("0 new, 48 of 48 games");
    assert_eq!(journal_of(&story), journal);
    let host = rustix::system::uname();
    let at = format!(
        "\"at\":{{\"host\":\"{}\"}}",
        host.nodename().to_str().expect("a name")
    );
    assert_eq!(journal.matches(&at).count(), 48);
    lacks(&story.read("results/one/games.jsonl"), "\"at\"");
    assert!(!story.path("results/one/hosts.csv").exists());
    // Evidence and logs have come along.
    story.ok("verify results/t");
    story.ok("faults results/t --entrant dies").out_has("oh no");
    let folders = |run: &str, name: &str| {
        let folder = fs::read_dir(story.path(&format!("results/{run}/{name}")));
        let names = folder
            .expect(name)
            .map(|it| it.expect("an entry").file_name());
        let mut names: Vec<_> = names.collect();
        names.sort();
        names
    };
    assert_eq!(folders("t", "faults"), folders("one", "faults"));
    assert_eq!(folders("t", "logs"), folders("one", "logs"));
    // The run goes on like any other: nothing is left to play.
    story.ok(format!(
        "run t.toml --plan plan.json --output results/t {TRUST}"
    ));
    assert_eq!(journal_of(&story), journal);
}

#[test]
fn every_number_of_shards_has_the_same_games() {
    let story = planned();
    let one = played_at_once(&story);
    for (of, pairs) in [(1, None), (24, None), (1, Some("1..24"))] {
        fs::remove_dir_all(story.path("s")).expect("a folder");
        fs::create_dir(story.path("s")).expect("a folder");
        match pairs {
            None => play_shards(&story, of),
            Some(pairs) => {
                story.ok(format!(
                    "shard t.toml --plan plan.json --pairs {pairs} --output s/1.jsonl {TRUST}"
                ));
            }
        }
        let _ = fs::remove_dir_all(story.path("results/t"));
        story.ok("merge results/t --plan plan.json s");
        assert_eq!(tables(&story.path("results/t")), one, "{of} shards");
    }
}

#[test]
fn what_is_wrong_with_a_shard_is_refused_by_name_and_the_rest_is_taken() {
    let story = planned();
    let one = played_at_once(&story);
    play_shards(&story, 2);
    fs::create_dir(story.path("bad")).expect("a folder");
    let sound = Lines::read(&story, "s/1.jsonl").0;
    let games = |lines: &[serde_json::Value]| {
        let games = (0..lines.len()).filter(|it| lines[*it]["kind"] == "game");
        games.collect::<Vec<_>>()
    };
    // Each lie has checksums that fit.
    let lies: [(&str, Lie, &str); 7] = [
        (
            "moves",
            |game| {
                let moves = game["plies"]["moves"].as_str().expect("moves")[1..].to_owned();
                game["plies"]["moves"] = json!(format!("a{moves}"));
            },
            "ply 1 is ",
        ),
        (
            "winner",
            |game| game["stores"] = json!([30, 18]),
            "the final stores",
        ),
        (
            "sides",
            |game| game["entrants"] = json!(["minimax", "minimax"]),
            "is South",
        ),
        (
            "opening",
            |game| game["opening"] = json!(99),
            "it has opening 99",
        ),
        (
            "pair",
            |game| game["id"] = json!("greedy~minimax.9.1"),
            "no such pair",
        ),
        (
            "host",
            |game| game["at"] = json!({ "host": "" }),
            "it names no host",
        ),
        ("ghost", |game| game["at"] = json!(null), "it names no host"),
    ];
    for (name, lie, said) in lies {
        let mut lines = sound.clone();
        let place = *games(&lines)
            .iter()
            .find(|it| lines[**it]["ending"]["rules"].is_string())
            .expect("a game that ended by the rules");
        lie(&mut lines[place]);
        let path = format!("bad/{name}.jsonl");
        Lines(lines).write_to(&story, &path);
        let _ = fs::remove_dir_all(story.path("results/t"));
        let said_here = story.ends(1, format!("merge results/t --plan plan.json {path}"));
        has(
            &said_here.stderr,
            &format!("refused: {path}: line {}", place + 1),
        );
        has(&said_here.stderr, said);
        has(&said_here.stderr, "23 new");
        // The sound one has what was refused.
        story.ok("merge results/t --plan plan.json s");
        assert_eq!(tables(&story.path("results/t")), one, "{name}");
        story.ok("verify results/t");
    }
}

#[test]
fn files_that_are_no_shards_of_this_run_are_refused_whole() {
    let story = planned();
    play_shards(&story, 2);
    fs::create_dir(story.path("bad")).expect("a folder");
    let whole = story.read("s/1.jsonl");
    let mut damaged: Vec<String> = whole.lines().map(str::to_owned).collect();
    damaged[3] = damaged[3].replacen("\"attempt\"", "\"attempts\"", 1);
    story.write("bad/a-damaged.jsonl", damaged.join("\n") + "\n");
    story.write("bad/b-torn.jsonl", &whole[..whole.len() - 40]);
    let (_, games) = whole.split_once('\n').expect("lines");
    story.write("bad/c-headless.jsonl", games);
    story.write("bad/d-empty.jsonl", "");
    story.write("bad/e-noise.jsonl", [0, 159, 146, 150, 10, 7, 7]);
    fs::create_dir(story.path("bad/f-folder.jsonl")).expect("a folder");
    symlink("/dev/zero", story.path("bad/g-endless.jsonl")).expect("a link");
    let other = CONFIG.replace("pairs = 4", "pairs = 3");
    story.write("t.toml", format!("[tournament]\n{SECRET}\n{other}"));
    story.ok("shard t.toml --write-plan other.json");
    story.ok(format!(
        "shard t.toml --plan other.json --pairs 1..2 --output bad/h-other.jsonl {TRUST}"
    ));
    let said = story.ends(1, "merge results/t --plan plan.json s/2.jsonl bad");
    for words in [
        "a-damaged.jsonl: line 4: ",
        "b-torn.jsonl: its last line is torn",
        "c-headless.jsonl: it does not say of which plan it is",
        "e-noise.jsonl: ",
        "f-folder.jsonl: ",
        "g-endless.jsonl: ",
        "h-other.jsonl: it is a shard of another plan (tournament.pairs): nothing of it is taken",
    ] {
        has(&said.stderr, words);
    }
    assert!(
        !said.stderr.contains(['\u{7}', '\u{1b}']),
        "{}",
        said.stderr
    );
    // All but the damaged and the torn line of each copy came, each from the other.
    has(&said.stderr, "48 new, 48 of 48 games");
    story.ok("verify results/t");
    // No shard says of which run it is.
    story
        .ends(2, "merge results/new s")
        .err_has("name the plan by which they were played with --plan FILE");
    assert!(!story.path("results/new").exists());
}

/// What lies beside a shard is a stranger's: links lead nowhere, and nothing else is copied.
#[test]
fn nothing_but_evidence_comes_along() {
    let story = planned();
    play_shards(&story, 1);
    let lines = Lines::read(&story, "s/1.jsonl").0;
    let faulty = lines.iter().find(|it| it["ending"]["fault"].is_array());
    let faulty = faulty.expect("a game with a fault")["id"]
        .as_str()
        .expect("an id");
    let beside = story.path(&format!("s/1.files/faults/{faulty}"));
    fs::remove_file(beside.join("stderr.txt")).expect("a file");
    symlink("/etc/passwd", beside.join("stderr.txt")).expect("a link");
    symlink("/etc/passwd", beside.join("more.txt")).expect("a link");
    fs::write(beside.join("other.txt"), "").expect("a file");
    story.write("s/1.files/plan.toml", "command = [\"id\"]");
    fs::create_dir(story.path("s/1.files/faults/admission-root")).expect("a folder");
    story.write("s/1.files/report.html", "<script>");
    story.write("s/1.files/.bashrc", "id");
    story.run("merge results/t --plan plan.json s");
    let copied = story.path(&format!("results/t/faults/{faulty}"));
    assert!(copied.join("transcript.jsonl").is_file());
    for name in ["stderr.txt", "more.txt", "other.txt"] {
        assert!(!copied.join(name).exists(), "{name}");
    }
    assert!(!story.path("results/t/faults/admission-root").exists());
    assert!(!story.path("results/t/.bashrc").exists());
    lacks(&story.read("results/t/report.html"), "root:x:");
    // The plan for people comes from beside the plan.
    assert_eq!(story.read("results/t/plan.toml"), story.read("plan.toml"));
}

fn end(mut child: Child) {
    child.kill().expect("SIGKILL");
    child.wait().expect("it ends");
}

#[test]
fn a_killed_shard_goes_on_and_two_copies_at_once_do_no_harm() {
    let story = planned();
    let one = played_at_once(&story);
    let slow = spoken().replacen("do echo", "do sleep 0.02; echo", 1);
    story.write("spoken.sh", slow);
    for plan in ["plan.json", "plan.toml"] {
        fs::remove_file(story.path(plan)).expect("a file");
    }
    story.ok("shard t.toml --write-plan plan.json");
    let mut kept = 0;
    for _ in 0..3 {
        let child = story.start(shard_command(1, 1));
        let part = || {
            let entries = fs::read_dir(story.path("s")).expect("a folder").flatten();
            let mut parts =
                entries.filter(|it| it.path().extension().is_some_and(|it| it == "part"));
            parts.find_map(|it| fs::read_to_string(it.path().join("games.jsonl")).ok())
        };
        let played = || part().map_or(0, |it| it.matches("\"kind\":\"game\"").count());
        while played() < kept + 2 {
            sleep(Duration::from_millis(10));
        }
        end(child);
        assert!(!story.path("s/1.jsonl").exists());
        kept = played();
    }
    // What was played is not played again.
    let before: Vec<String> = {
        let entries = fs::read_dir(story.path("s")).expect("a folder").flatten();
        let part = entries
            .map(|it| it.path())
            .find(|it| it.is_dir())
            .expect("a part");
        let journal = fs::read_to_string(part.join("games.jsonl")).expect("a journal");
        journal.lines().map(str::to_owned).collect()
    };
    let copies = [(); 2].map(|()| story.start(shard_command(1, 1)));
    for mut copy in copies {
        assert!(copy.wait().expect("it ends").success());
    }
    let journal = story.read("s/1.jsonl");
    // One of the two went on, and the other began anew; either journal may be the one that stays.
    assert_eq!(journal.matches("\"kind\":\"game\"").count(), 48);
    let went_on = before.iter().all(|line| journal.contains(line));
    let entries = fs::read_dir(story.path("s")).expect("a folder").flatten();
    let names: Vec<_> = entries
        .map(|it| it.file_name().into_string().expect("a name"))
        .collect();
    assert!(
        !names.iter().any(|it| it.contains(".part")),
        "{went_on}: {names:?}"
    );
    story.ok("merge results/t --plan plan.json s");
    assert_eq!(tables(&story.path("results/t")), one);
    story
        .ok(shard_command(1, 1))
        .err_has("is there already: nothing is played");
}

#[test]
fn only_what_the_plan_says_is_played() {
    let story = planned();
    let without = "shard t.toml --index 1 --of 2 --output s/x.jsonl";
    story.write("drawn.toml", format!("[tournament]\n{CONFIG}"));
    let drawn = without.replace("t.toml", "drawn.toml");
    story
        .ends(2, drawn)
        .err_has("awale shard drawn.toml --write-plan plan.json");
    story
        .ends(2, "shard t.toml --write-plan plan.json")
        .err_has("plan.json is there already");
    let mode = fs::metadata(story.path("plan.json"))
        .expect("a file")
        .permissions();
    assert_eq!(mode.mode() & 0o777, 0o600, "it has the secret");
    for (index, said) in [
        ("0", "there is no shard 0 of 2"),
        ("3", "there is no shard 3 of 2"),
    ] {
        let command = format!("{without} --plan plan.json {TRUST}")
            .replace("--index 1", &format!("--index {index}"));
        story.ends(2, command).err_has(said);
    }
    story
        .ends(2, format!("{without} --plan t.toml {TRUST}"))
        .err_has("t.toml: it is no plan, or a damaged one; `awale shard CONFIG --write-plan FILE`");
    story
        .ends(2, "merge results/t s nowhere")
        .err_has("there is no file or folder nowhere");
    story.write("spoken.sh", FIRST_LEGAL);
    let command = format!("{without} --plan plan.json {TRUST}");
    let said = story.ends(2, command.clone());
    has(
        &said.stderr,
        "nothing is played: what is here is not what the plan says",
    );
    has(&said.stderr, "spoken.sh");
    assert!(!story.path("s/x.jsonl").exists());
    story
        .ends(2, format!("run t.toml --plan plan.json {TRUST}"))
        .err_has("spoken.sh");
    story.write("spoken.sh", spoken());
    story.write(
        "t.toml",
        story.read("t.toml").replace("pairs = 4", "pairs = 5"),
    );
    story
        .ends(2, command)
        .err_has("tournament.pairs: 4 in the plan, 5 here");
}

/// An interpreter that is looked up in PATH has another version on the other machine.
#[test]
fn other_interpreters_play_where_the_plan_allows_it_and_are_named() {
    for (toolchains, code) in [("same", 2), ("any", 0)] {
        let story = Story::new();
        let config = CONFIG.replace("[\"sh\", \"spoken.sh\"]", "[\"mysh\", \"spoken.sh\"]");
        story.write(
            "t.toml",
            format!("[tournament]\ntoolchains = \"{toolchains}\"\n{SECRET}\n{config}"),
        );
        story.write("spoken.sh", spoken());
        story.write("dies.sh", include_str!("../bots/dies.sh"));
        let install = |version: &str| {
            story.write(
                "bin/mysh",
                format!("#!/bin/sh\n# {version}\nexec sh \"$@\"\n"),
            );
            let executable = fs::Permissions::from_mode(0o755);
            fs::set_permissions(story.path("bin/mysh"), executable).expect("a mode");
        };
        fs::create_dir(story.path("bin")).expect("a folder");
        let path = std::env::var("PATH").expect("PATH");
        let path = format!("{}:{path}", story.path("bin").display());
        let run = |arguments: String, code: i32| {
            let mut command = story.command(arguments.as_str());
            let output = command.env("PATH", &path).output().expect("awale");
            super::story::Said::of(output).with_code(code)
        };
        install("one");
        run("shard t.toml --write-plan plan.json".to_owned(), 0);
        install("two");
        let said = run(
            format!("shard t.toml --plan plan.json --pairs 1..24 --output 1.jsonl {TRUST}"),
            code,
        );
        has(
            &said.stderr,
            "this machine has other versions of mysh of \"spoken\"",
        );
        if code == 0 {
            has(
                &story.read("1.jsonl"),
                "\"other-programs\":[\"mysh of \\\"spoken\\\"\"]",
            );
            run("merge results/t --plan plan.json 1.jsonl".to_owned(), 0);
        }
    }
}

#[test]
fn a_sequential_test_has_the_verdict_of_one_machine() {
    let story = Story::new();
    story.write(
        "t.toml",
        format!(
            "[tournament]\n{SECRET}\nslots = 2\n[isolation]\nlevel = \"none\"\n[clock]\nmove = \"20s\"\n\
             [sprt]\nelo0 = 0\nelo1 = 60\nmax-pairs = 200\n\
             [[entrant]]\nname = \"new\"\ncommand = [\"awale\", \"bot\", \"minimax\", \"--depth\", \"2\"]\n\
             [[entrant]]\nname = \"base\"\ncommand = [\"awale\", \"bot\", \"greedy\"]\n"
        ),
    );
    story.ok("shard t.toml --sprt --write-plan plan.json");
    story.ok("sprt t.toml --output results/one --quiet --oversubscribe");
    fs::create_dir(story.path("s")).expect("a folder");
    // The shards that a cluster would have begun; the last ones come first.
    for index in [5, 3, 1, 2] {
        story.ok(format!(
            "shard t.toml --plan plan.json --index {index} --of 25 --output s/{index}.jsonl {TRUST}"
        ));
    }
    story.ends(
        1,
        "merge results/t --plan plan.json s/5.jsonl s/3.jsonl s/2.jsonl",
    );
    story
        .ok("merge results/t --plan plan.json s --watch")
        .err_has("The test has passed after ");
    // One machine comes to the same end, and has nothing to play.
    let journal = journal_of(&story);
    story.ok("sprt t.toml --output results/t --quiet --oversubscribe");
    assert_eq!(journal_of(&story), journal);
    assert_eq!(
        tables(&story.path("results/t")),
        tables(&story.path("results/one"))
    );
}

/// A machine that cannot start a bot keeps nobody out whom another one has admitted.
#[test]
fn an_entrant_is_admitted_if_any_machine_admits_it() {
    let story = Story::new();
    let config = CONFIG.replace("mode = \"off\"", "mode = \"on\"");
    story.write("t.toml", format!("[tournament]\n{SECRET}\n{config}"));
    story.write(
        "spoken.sh",
        format!(
            "[ -z \"$LACKS\" ] || [ ! -e \"$LACKS\" ] || exit 4\n[ ! -e lacks ] || exit 4\n{}",
            spoken()
        ),
    );
    story.write("dies.sh", FIRST_LEGAL);
    story.ok("shard t.toml --write-plan plan.json");
    fs::create_dir(story.path("s")).expect("a folder");
    story.write("lacks", "");
    story
        .ok(shard_command(1, 2))
        .err_has("spoken is not admitted");
    story.ends(1, "merge results/t --plan plan.json s");
    story
        .ok("faults results/t --entrant spoken")
        .out_has("not admitted");
    fs::remove_file(story.path("lacks")).expect("a file");
    story.ok(shard_command(2, 2));
    // Its games of the first shard are missing, and are played by a second one.
    let said = story.ends(1, "merge results/t --plan plan.json s");
    has(&said.stderr, "missing: ");
    fs::remove_file(story.path("s/1.jsonl")).expect("a file");
    story.ok(shard_command(1, 2));
    story.ok("merge results/t --plan plan.json s");
    story.ok("verify results/t");
    assert!(!story.path("results/t/faults/admission-spoken").exists());
    story.ok(format!(
        "run t.toml --plan plan.json --output results/one {TRUST}"
    ));
    assert_eq!(
        tables(&story.path("results/t")),
        tables(&story.path("results/one"))
    );
}

/// Which games of a bot with faults count depends on the games of all shards.
#[test]
fn who_is_withdrawn_follows_from_all_shards() {
    let story = planned();
    let limited = CONFIG.replace("max-faults = \"off\"", "max-faults = { count = 3 }");
    assert_ne!(limited, CONFIG);
    story.write("t.toml", format!("[tournament]\n{SECRET}\n{limited}"));
    for plan in ["plan.json", "plan.toml"] {
        fs::remove_file(story.path(plan)).expect("a file");
    }
    story.ok("shard t.toml --write-plan plan.json");
    let one = played_at_once(&story);
    story.ok("table results/one").out_has("dies was withdrawn");
    play_shards(&story, 3);
    for shard in [2, 3, 1] {
        story.run(format!("merge results/t --plan plan.json s/{shard}.jsonl"));
    }
    story.ok("merge results/t --plan plan.json s");
    assert_eq!(tables(&story.path("results/t")), one);
    story.ok("verify results/t");
}

/// The lines of a journal, with one more of this kind after the plan.
fn with_line(story: &Story, from: &str, line: serde_json::Value) -> Lines {
    let mut lines = Lines::read(story, from).0;
    lines.insert(1, line);
    Lines(lines)
}

#[test]
fn no_line_of_one_machine_decides_about_the_games_of_others() {
    let story = planned();
    let one = played_at_once(&story);
    play_shards(&story, 2);
    let sound = Lines::read(&story, "s/1.jsonl").0;
    let game = sound
        .iter()
        .find(|it| it["kind"] == "game")
        .expect("a game");
    // Voids of a game that others have played: an earlier pair would count behind the later ones.
    let mut voided = vec![sound[0].clone()];
    for attempt in [1, 2, 3, 4, u32::MAX] {
        let mut void = game.clone();
        void["attempt"] = json!(attempt);
        void["ending"] = json!({ "void": { "cause": "the host" } });
        void["plies"] = json!({ "moves": "", "times_us": [] });
        void["stores"] = json!([0, 0]);
        voided.push(void);
    }
    Lines(voided.clone()).write_to(&story, "void.jsonl");
    let refusal =
        json!({ "fault": { "against": "random", "fault": { "kind": "crash", "detail": "x" } } });
    for name in ["greedy", "spoken", "nobody"] {
        let line = json!({ "kind": "admission", "entrant": name, "refusal": refusal });
        with_line(&story, "s/1.jsonl", line).write_to(&story, &format!("{name}.jsonl"));
    }
    let withdrawal = json!({
        "kind": "withdrawal", "entrant": "greedy", "after": game["id"], "faults": 9, "games": 9,
    });
    with_line(&story, "s/1.jsonl", withdrawal).write_to(&story, "withdrawn.jsonl");
    let settings = json!({ "kind": "settings", "settings": { "name": "evil", "slots": 9 } });
    with_line(&story, "s/1.jsonl", settings).write_to(&story, "settings.jsonl");
    // A game that was void there at first is the first attempt of the run.
    let mut again = sound.clone();
    let place = again.iter().position(|it| it["kind"] == "game");
    let place = place.expect("a game");
    again[place]["attempt"] = json!(2);
    again.insert(place, voided[1].clone());
    Lines(again).write_to(&story, "again.jsonl");
    for lie in [
        "again",
        "void",
        "greedy",
        "spoken",
        "nobody",
        "withdrawn",
        "settings",
    ] {
        let _ = fs::remove_dir_all(story.path("results/t"));
        story.run(format!("merge results/t --plan plan.json {lie}.jsonl"));
        let before = journal_of(&story);
        story.run(format!("merge results/t {lie}.jsonl"));
        assert_eq!(journal_of(&story), before, "{lie} a second time");
        story.ok("merge results/t s");
        assert_eq!(tables(&story.path("results/t")), one, "{lie}");
        story.ok("verify results/t");
        lacks(&journal_of(&story), "evil");
    }
}

#[test]
fn what_is_not_whole_is_played_again_and_nothing_else_is_overwritten() {
    let story = planned();
    let one = played_at_once(&story);
    play_shards(&story, 2);
    let whole = story.read("s/1.jsonl");
    for broken in ["noise\n", &whole[..whole.len() / 2], ""] {
        story.write("s/1.jsonl", broken);
        story
            .ok(shard_command(1, 2))
            .err_has("s/1.jsonl has its games");
    }
    story
        .ends(2, shard_command(1, 2).replace("plan.json", "absent.json"))
        .err_has("absent.json: cannot read it");
    fs::create_dir(story.path("s/7.files")).expect("a folder");
    story.write("s/7.files/thesis.txt", "years");
    let other = |name: &str| shard_command(1, 2).replace("s/1.jsonl", name);
    story
        .ends(2, other("s/7.jsonl"))
        .err_has("s/7.files is there, and no shard has made it");
    assert_eq!(story.read("s/7.files/thesis.txt"), "years");
    story
        .ends(2, other("s/x.files"))
        .err_has("--output takes a journal, as in 7.jsonl");
    story.ok("merge results/t --plan plan.json s");
    assert_eq!(tables(&story.path("results/t")), one);
}

#[test]
fn scripts_show_no_secret_and_end_no_process() {
    let story = planned();
    story.write("open.toml", format!("[tournament]\n{CONFIG}"));
    let secret = "ab".repeat(32);
    story.ok(format!(
        "shard open.toml --script parallel --folder jobs --set tournament.secret={secret} {TRUST}"
    ));
    for entry in fs::read_dir(story.path("jobs"))
        .expect("a folder")
        .flatten()
    {
        let mode = entry.metadata().expect("a file").permissions().mode();
        assert_eq!(mode & 0o077, 0, "{:?}", entry.path());
        let text = fs::read_to_string(entry.path()).expect("a text");
        let may_have_it = entry.file_name().to_string_lossy().starts_with("plan.");
        assert_eq!(text.contains(&secret), may_have_it, "{:?}", entry.path());
    }
    story
        .ends(
            2,
            format!("shard open.toml --script slurm --folder jobs {TRUST}"),
        )
        .err_has("jobs is there already");
    let command = [
        "shard",
        "open.toml",
        "--script",
        "slurm",
        "--folder",
        "a\ntouch b",
    ];
    story
        .run(&command[..])
        .with_code(2)
        .err_has("cannot stand in a script");
    // A number of a process is not one of a job that may be ended.
    let mut sleeping = std::process::Command::new("sleep")
        .arg("60")
        .spawn()
        .expect("sleep");
    story.write("jobs/job", format!("parallel {}\n", sleeping.id()));
    story.ok(format!(
        "shard open.toml --plan jobs/plan.json --index 1 --of 1 --output jobs/1.jsonl \
                      --set tournament.secret={secret} {TRUST}"
    ));
    let said = story.ok("merge results/jobs jobs --watch --cancel");
    has(
        &said.stderr,
        &format!(
            "what is left of the jobs ends by:\n  kill -TERM {}",
            sleeping.id()
        ),
    );
    assert!(
        sleeping.try_wait().expect("a process").is_none(),
        "it lives"
    );
    sleeping.kill().expect("SIGKILL");
    sleeping.wait().expect("it ends");
}

/// Renames the host in all games of a shard.
fn rename_host(story: &Story, shard: &str, host: &str) {
    let mut lines = Lines::read(story, shard);
    for line in lines.0.iter_mut().filter(|line| line["kind"] == "game") {
        line["at"] = json!({ "host": host });
    }
    lines.write_to(story, shard);
}

/// The ids of all games of a host in the journal.
fn games_on(story: &Story, host: &str) -> Vec<String> {
    let lines = Lines::read(story, "results/t/games.jsonl").0.into_iter();
    let games = lines.filter(|line| line["at"]["host"] == host);
    games
        .map(|game| game["id"].to_string().replace('"', ""))
        .collect()
}

/// A run on this machine and three others, in one of which a bot dies.
fn played_on_four_hosts() -> Story {
    let story = Story::new();
    let entrant = |name: &str, command: &str| {
        format!("[[entrant]]\nname = {name:?}\ncommand = [{command}]\n")
    };
    let random = "\"awale\", \"bot\", \"random\"";
    let entrants = [
        entrant("one", random),
        entrant("two", random),
        entrant("moody", "\"sh\", \"moody.sh\""),
    ];
    let (head, _) = CONFIG.split_once("[[entrant]]").expect("entrants");
    let head = head.replace("pairs = 4", "pairs = 20");
    let config = format!("[tournament]\n{SECRET}\n{head}{}", entrants.concat());
    story.write("t.toml", config);
    let sick = story.path("sick");
    let moody = format!("[ -e {} ] && exit 1\n", sick.display());
    story.write(
        "moody.sh",
        FIRST_LEGAL.replacen('\n', &format!("\n{moody}"), 1),
    );
    story.ok("shard t.toml --write-plan plan.json");
    fs::create_dir(story.path("s")).expect("a folder");
    for (index, host) in [(1, "node-1"), (2, "node-\u{1b}[2J"), (3, "node-3")] {
        if host == "node-3" {
            fs::write(&sick, "").expect("a file");
        }
        story.ok(shard_command(index, 4));
        rename_host(&story, &format!("s/{index}.jsonl"), host);
    }
    fs::remove_file(&sick).expect("a file");
    story.ends(1, "merge results/t --plan plan.json s");
    // This machine plays the rest.
    story.ok(format!(
        "run t.toml --plan plan.json --output results/t {TRUST}"
    ));
    story
}

#[test]
fn a_host_on_which_a_bot_dies_is_named_and_can_be_left_out() {
    let story = played_on_four_hosts();
    let rows = story.rows("results/t/hosts.csv");
    let cells = |column: &str| {
        rows.iter()
            .map(|row| row[column].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(cells("host"), ["", "node-\u{1b}[2J", "node-1", "node-3"]);
    assert_eq!(cells("games"), ["30"; 4]);
    assert_eq!(cells("beyond_chance"), ["no", "no", "no", "yes"]);
    assert_eq!(rows[3]["entrant"], "moody");
    assert!(rows[3]["z"].starts_with('-'), "{rows:?}");
    story.ok("verify results/t").out_has("hosts.csv");

    // Without that host the ratings are those of the other games.
    let sick_games = games_on(&story, "node-3");
    assert_eq!(sick_games.len(), 30);
    let games = story.read("results/t/games.csv");
    let is_kept =
        |row: &&str| !sick_games.contains(&row.split(',').next().expect("an id").to_owned());
    let kept: Vec<&str> = games.lines().filter(is_kept).collect();
    story.write("kept.csv", kept.join("\n"));
    let without = story.ok("rate results/t --without-host node-3 --json");
    assert_eq!(without.stdout, story.ok("rate kept.csv --json").stdout);
    assert_ne!(without.stdout, story.ok("rate results/t --json").stdout);
    for (arguments, said) in [
        (
            "rate results/t --without-host node-3 --without-host node-4",
            "--without-host \"node-4\": no game was played there; did you mean \"node-1\"?; the hosts \
             are \"node-\\u{1b}[2J\", \"node-1\", \"node-3\"",
        ),
        (
            "rate results/t kept.csv --without-host node-3",
            "kept.csv: --without-host needs folders of runs",
        ),
    ] {
        story.ends(2, arguments).err_has(said);
    }

    // The table is one of those that follow from the journal.
    let table = story.read("results/t/hosts.csv");
    story.write("results/t/hosts.csv", table.replacen(",yes", ",no", 1));
    story
        .ends(1, "verify results/t")
        .out_has("column beyond_chance");
}
