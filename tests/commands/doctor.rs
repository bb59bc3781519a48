//! `awale doctor` and what a run does with isolation that holds, does not hold, or only pretends.

use super::boxes::{broken, bubblewrap, path_with, with_path};
use super::story::{FIRST_LEGAL, Said, Story, as_ordinary_user};
use crate::support::awale_command::AWALE;
use crate::support::skip::{skip, test_name};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// One game of two house bots.
const HOUSE: &str = r#"
[tournament]
pairs = 1
[clock]
move = "10s"
[[entrant]]
name = "greedy"
command = ["awale", "bot", "greedy"]
[[entrant]]
name = "random"
command = ["awale", "bot", "random"]
"#;

/// The same with a bot that could be anything instead of `random`.
fn with_a_stranger() -> String {
    let stranger = format!("[\"sh\", \"-c\", \"exec {AWALE} bot random\"]");
    let house = "[\"awale\", \"bot\", \"random\"]";
    HOUSE
        .replace("\"random\"\ncommand", "\"stranger\"\ncommand")
        .replace(house, &stranger)
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

fn diagnosis(said: &Said) -> Value {
    serde_json::from_str(&said.stdout).unwrap_or_else(|error| {
        panic!("{error}:\n{}\n{}", said.stdout, said.stderr);
    })
}

/// What became of a promise of the box, in all its trials.
fn of_box(diagnosis: &Value, promise: &str) -> Vec<String> {
    let levels = diagnosis["levels"].as_array().expect("levels");
    let boxes = levels.iter().filter(|level| level["level"] == "box");
    let verdicts = boxes.map(|level| &level["promises"][promise]["verdict"]);
    verdicts
        .map(|verdict| verdict.as_str().unwrap_or("none").to_owned())
        .collect()
}

/// Behind Landlock the referee ends a bot with too many files. The verdict is that of a trial.
fn expect_files_are_counted_behind_landlock(diagnosis: &Value) {
    let levels = diagnosis["levels"].as_array().expect("levels");
    let mut tried = levels.iter().filter(|level| level["level"] == "landlock");
    let tried = tried.next_back().expect("a trial of landlock");
    if tried["reason"].is_string() {
        return skip(&test_name(), &format!("no Landlock: {}", tried["reason"]));
    }
    let space = &tried["promises"]["temporary-space"];
    assert_eq!(space["verdict"], "PASS", "{diagnosis:#}");
    let how = space["how"].as_str().unwrap_or_default();
    assert!(how.contains("ten times a second"), "{diagnosis:#}");
}

#[test]
fn the_box_holds_here() {
    if bubblewrap().is_none() {
        return;
    }
    let story = Story::new();
    let said = story.ok("doctor --json");
    let diagnosis = diagnosis(&said);
    assert_eq!(diagnosis["auto"], "box", "{diagnosis:#}");
    for promise in [
        "files",
        "secrets",
        "tcp",
        "udp",
        "trace",
        "signals",
        "processes",
    ] {
        let verdicts = of_box(&diagnosis, promise);
        assert_eq!(
            verdicts.last().map(String::as_str),
            Some("PASS"),
            "{promise}"
        );
    }
    expect_files_are_counted_behind_landlock(&diagnosis);
    story
        .ok("doctor")
        .out_has("auto chooses: box")
        .out_has("reaches no UDP port of the host");
}

/// A recipe that lost one of its orders does not keep one promise, and that is noticed.
/// Its trial holds; later the host takes its time.
#[test]
fn a_box_that_is_made_too_slowly_is_no_bots_fault() {
    let Some(bubblewrap) = bubblewrap() else {
        return;
    };
    let story = Story::new();
    let script = format!(
        "#!/bin/sh\ncase $* in *' bot '*) sleep 30 ;; esac\nexec {} \"$@\"\n",
        bubblewrap.display()
    );
    let path = path_with(&story, Some(&script));
    let path = format!("{}:{}", path.display(), "/usr/bin:/bin");
    let config = HOUSE.replace("pairs = 1", "pairs = 1\nslots = 1\nstart-up = \"1s\"");
    story.write("slow.toml", config);
    let said = with_path(&story, Path::new(&path), &["run", "slow.toml"]);
    said.with_code(3)
        .err_has(" can be started: the host had not made a bot's box after ");
    let journal = story.read("results/slow/games.jsonl");
    assert!(!journal.contains("\"kind\":\"game\""), "{journal}");
    assert!(!story.path("results/slow/faults").exists());
}

#[test]
fn a_broken_recipe_is_noticed() {
    let Some(bubblewrap) = bubblewrap() else {
        return;
    };
    // What is left out, and who must notice.
    let cases = [
        (
            "[ \"$1\" = --unshare-net ] && { shift; continue; }",
            // Sockets of the Internet are refused in a box, whatever network it has.
            vec!["abstract-sockets"],
        ),
        (
            "[ \"$1 $2\" = '--remount-ro /' ] && { shift 2; continue; }",
            vec!["files"],
        ),
        (
            "[ \"$1\" = --size ] && { shift 2; continue; }",
            vec!["temporary-space"],
        ),
        (
            "[ \"$1 $2\" = '--proc /proc' ] && { words+=(--bind / /host); }",
            vec!["files", "secrets"],
        ),
        (
            "[ \"$1 $2\" = '--proc /proc' ] && { words+=(--ro-bind /proc /proc); shift 2; \
             continue; }",
            vec!["neighbours"],
        ),
        (
            "[ \"$1 $3\" = '--ro-bind /proc/sys' ] && { shift 3; continue; }",
            vec!["host-figures"],
        ),
    ];
    for (edit, promises) in cases {
        let story = Story::new();
        let path = path_with(&story, Some(&broken(&bubblewrap, edit)));
        let path = format!("{}:{}", path.display(), "/usr/bin:/bin");
        let said = with_path(&story, Path::new(&path), &["doctor", "--json"]);
        assert_eq!(said.code, Some(1), "{edit}: {}{}", said.stdout, said.stderr);
        let diagnosis = diagnosis(&said);
        assert_ne!(diagnosis["auto"], "box", "{edit}: {diagnosis:#}");
        for promise in promises {
            let verdicts = of_box(&diagnosis, promise);
            assert!(
                !verdicts.is_empty() && verdicts.iter().all(|verdict| verdict == "FAIL"),
                "{edit}: {promise} in {diagnosis:#}"
            );
        }
        expect_no_files_of_probes();
    }
}

/// Process 1 of a box covers what `/proc` tells of the host. Where it gets no right to mount,
/// bubblewrap does it.
#[test]
fn a_box_without_rights_for_its_process_1_is_the_same_box() {
    let Some(bubblewrap) = bubblewrap() else {
        return;
    };
    let story = Story::new();
    let edit = "[ \"$1\" = --cap-add ] && { shift 2; continue; }";
    let path = path_with(&story, Some(&broken(&bubblewrap, edit)));
    let path = PathBuf::from(format!("{}:{}", path.display(), "/usr/bin:/bin"));
    let said = with_path(&story, &path, &["doctor", "--json"]).with_code(0);
    let diagnosis = diagnosis(&said);
    assert_eq!(diagnosis["auto"], "box", "{diagnosis:#}");
    let verdicts = of_box(&diagnosis, "host-figures");
    assert_eq!(verdicts, ["PASS"], "{diagnosis:#}");
    story.write("house.toml", HOUSE);
    let run = ["run", "house.toml", "--isolation", "box"];
    with_path(&story, &path, &run).with_code(0);
}

/// Those of other runs on this host come and go meanwhile.
#[track_caller]
fn expect_no_files_of_probes() {
    let is_left = || {
        let mut entries = Path::new("/usr").read_dir().expect("a folder").flatten();
        entries.any(|entry| {
            let name = entry.file_name();
            name.to_string_lossy().starts_with("awale-probe")
        })
    };
    let end = Instant::now() + Duration::from_secs(20);
    while is_left() {
        assert!(Instant::now() < end, "the probe's files are taken away");
        sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_program_that_is_no_bubblewrap_is_no_box() {
    let story = Story::new();
    story.write("house.toml", HOUSE);
    let path = path_with(&story, Some("#!/bin/sh\nexit 0\n"));
    let arguments = ["run", "house.toml", "--isolation", "box"];
    with_path(&story, &path, &arguments)
        .with_code(2)
        .err_has("\"box\" does not hold on this host")
        .err_has("for box:");
    assert!(!story.path("results").exists(), "nothing was begun");
}

#[test]
fn without_bubblewrap_a_run_says_what_it_lacks() {
    let story = Story::new();
    story.write("house.toml", HOUSE);
    let path = path_with(&story, None);
    for arguments in [
        ["run", "house.toml", "--isolation", "box"],
        ["run", "house.toml", "--require-isolation", "box"],
    ] {
        let said = with_path(&story, &path, &arguments)
            .with_code(2)
            .err_has("install bubblewrap");
        let lacks = said.stderr.matches("bwrap is in no folder of PATH").count();
        assert_eq!(lacks, 1, "{}", said.stderr);
    }
    assert!(!story.path("results").exists(), "nothing was begun");
    let said = with_path(&story, &path, &["run", "house.toml"])
        .with_code(0)
        .out_has("Isolation: ");
    let is_warned = said.stderr.contains("ISOLATION: ");
    assert!(!is_warned, "only house bots play:\n{}", said.stderr);
    story.write("bot.sh", FIRST_LEGAL);
    let stranger = "[[entrant]]\nname = \"stranger\"\ncommand = [\"/bin/sh\", \"bot.sh\"]\n";
    story.write("open.toml", format!("{HOUSE}{stranger}"));
    let said = with_path(&story, &path, &["run", "open.toml", "--i-trust-these-bots"]);
    let warnings = said.with_code(0).stderr;
    assert_eq!(warnings.matches("ISOLATION: ").count(), 1, "{warnings}");
    let plan = story.read("results/house/plan.toml");
    assert!(plan.contains("[provenance.isolation]"), "{plan}");
    with_path(&story, &path, &["doctor"])
        .with_code(1)
        .out_has("for box: install bubblewrap");
}

#[test]
fn a_box_is_recorded_with_its_promises_and_needs_no_banner() {
    if bubblewrap().is_none() {
        return;
    }
    let story = Story::new();
    story.write("house.toml", HOUSE);
    let said = story.ok("run house.toml --require-isolation box");
    assert!(!said.stderr.contains("ISOLATION"), "{}", said.stderr);
    let plan: toml::Table = story.read("results/house/plan.toml").parse().expect("TOML");
    assert_eq!(plan["isolation"]["level"].as_str(), Some("box"));
    let proof = &plan["provenance"]["isolation"];
    assert_eq!(proof["tcp"].as_str(), Some("PASS"), "{proof}");
    assert_eq!(proof["capabilities"].as_str(), Some("PASS"), "{proof}");
    // The plan is a configuration, and what was tried does not make it another.
    story.ok("run results/house/plan.toml --output results/house");
}

#[test]
fn wishes_that_exclude_each_other_are_refused() {
    let story = Story::new();
    story.write("house.toml", HOUSE);
    let run = |words: &[&str]| {
        let arguments = [&["run", "house.toml"], words].concat();
        story.ends(2, &arguments)
    };
    run(&["--isolation", "none", "--require-isolation", "landlock"]).err_has("exclude each other");
    run(&["--require-isolation", "auto"]).err_has("a level is box, landlock or none");
    story
        .ok("run house.toml --dry-run")
        .err_has("a run would try box first");
    assert!(!story.path("results").exists(), "nothing was begun");
}

#[test]
fn root_trusts_strangers_only_if_told_to() {
    let story = Story::new();
    story.write("stranger.toml", with_a_stranger());
    story.write("house.toml", HOUSE);
    let arguments = ["run", "stranger.toml", "--isolation", "none"];
    let said = story.run(&arguments);
    if is_root() {
        said.with_code(2).err_has("--i-trust-these-bots");
        assert!(!story.path("results").exists(), "nothing was begun");
    } else {
        said.with_code(0);
    }
    let arguments = [&arguments[..], &["--i-trust-these-bots"]].concat();
    story
        .ok(&arguments)
        .err_has("ISOLATION: none")
        .out_has("Isolation: none");
    // Our own bots need no trust.
    story.ok("run house.toml --isolation none");
}

/// The same promises hold for who is not root.
#[test]
fn an_ordinary_user_has_a_box_too() {
    if bubblewrap().is_none() {
        return;
    }
    let story = Story::new();
    let folder = story.path(".");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).expect("an open folder");
    story.copy_awale();
    // Not our own working directory: the user may not look into it.
    let Some(mut command) = as_ordinary_user(story.path("awale")) else {
        return;
    };
    let output = command
        .args(["doctor", "--json"])
        .current_dir("/")
        .output()
        .expect("setpriv starts");
    let said = Said::of(output);
    let diagnosis = diagnosis(&said);
    let boxes = diagnosis["levels"].as_array().expect("levels");
    let tried = boxes.iter().find(|level| level["level"] == "box");
    let tried = tried.expect("a trial of the box");
    assert_eq!(
        tried["user"],
        Value::Null,
        "an ordinary user stays who he is"
    );
    expect_files_are_counted_behind_landlock(&diagnosis);
    if tried["reason"].is_string() {
        let reason = format!("no user namespaces: {}", tried["reason"]);
        return skip(&test_name(), &reason);
    }
    assert_eq!(tried["holds"], true, "{diagnosis:#}");
}

#[test]
fn the_probe_is_not_for_use_by_hand() {
    let story = Story::new();
    for words in [
        &["__probe"][..],
        &["__probe", "serve"],
        &["__probe", "x", "y"],
    ] {
        let code = story.run(words).code;
        assert!(matches!(code, Some(1 | 2)), "{words:?}: {code:?}");
    }
    // It answers what it is asked, as in the sandbox.
    let said = story.run_with_input(
        &["__probe", "serve", "mark"],
        b"{\"try\":\"read\",\"files\":[{\"Unix\":[47,110,111]}]}\nwhat?\n",
    );
    assert_eq!(said.stdout, "{\"done\":[],\"count\":0}\n");
    assert_eq!(said.code, Some(2));
}
