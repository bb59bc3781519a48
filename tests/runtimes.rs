//! Honest bots of the usual languages run under the filter of system calls, in a box and behind
//! Landlock: real programs, built and started here, against a house bot. What this machine lacks is
//! skipped.

use crate::support::awale_command::awale;
use crate::support::skip::{is_here, skip, test_name};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// Name, program that it needs, how it is built (if it is), and its command.
const RUNTIMES: [(&str, &str, &[&str], &str); 9] = [
    (
        "java",
        "javac",
        &["javac", "Bot.java"],
        r#""java", "-Xmx128m", "Bot""#,
    ),
    (
        "java-serial",
        "javac",
        &[],
        r#""java", "-Xmx128m", "-XX:+UseSerialGC", "Bot""#,
    ),
    (
        "java-g1",
        "javac",
        &[],
        r#""java", "-Xmx128m", "-XX:+UseG1GC", "Bot""#,
    ),
    (
        "go",
        "go",
        &["go", "build", "-o", "gobot", "bot.go"],
        r#""./gobot""#,
    ),
    ("node", "node", &[], r#""node", "bot.js""#),
    (
        "python",
        "/usr/bin/python3",
        &[],
        r#""/usr/bin/python3", "bot.py""#,
    ),
    ("perl", "perl", &[], r#""perl", "bot.pl""#),
    ("shell", "/bin/bash", &[], r#""./bot.sh""#),
    (
        "c-static",
        "cc",
        &["cc", "-static", "-O1", "-o", "cbot", "bot.c"],
        r#""./cbot""#,
    ),
];

/// The bots in a folder of their own that every user may look into, and the names of those that
/// could be built.
fn build(folder: &Path) -> Vec<usize> {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/runtimes");
    for entry in fs::read_dir(sources).expect("the sources").flatten() {
        fs::copy(entry.path(), folder.join(entry.file_name())).expect("folder");
    }
    let script = folder.join("bot.sh");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(script, mode).expect("a mode");
    let built = |words: &[&str]| {
        let Some((program, arguments)) = words.split_first() else {
            return true;
        };
        let status = Command::new(program)
            .args(arguments)
            .current_dir(folder)
            .env("GOCACHE", folder.join("cache"))
            .stdin(Stdio::null())
            .status();
        status.is_ok_and(|status| status.success())
    };
    let places = 0..RUNTIMES.len();
    places
        .filter(|&place| is_here(RUNTIMES[place].1) && built(RUNTIMES[place].2))
        .collect()
}

fn play_at(level: &str) {
    let folder = tempfile::Builder::new()
        .prefix("runtimes")
        .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .tempdir()
        .expect("a folder");
    let bots = folder.path().join("bots");
    fs::create_dir(&bots).expect("a folder");
    let built = build(&bots);
    let _ = fs::remove_dir_all(bots.join("cache"));
    let mut text = format!(
        "[tournament]\nname = \"runtimes\"\npairs = 1\nslots = 1\nlogs = \"all\"\n\
         max-faults = \"off\"\nformat = \"gauntlet\"\nchampions = [\"house\"]\n\
         start-up = \"60s\"\n[clock]\nmove = \"30s\"\n[admission]\nmode = \"off\"\n\
         [isolation]\nlevel = \"{level}\"\n\
         [[entrant]]\nname = \"house\"\ncommand = [\"awale\", \"bot\", \"random\"]\n"
    );
    for &place in &built {
        let (name, _, _, command) = RUNTIMES[place];
        let _ = write!(
            text,
            "[[entrant]]\nname = \"{name}\"\ncommand = [{command}]\ndir = \"bots\"\n"
        );
    }
    fs::write(folder.path().join("runtimes.toml"), text).expect("folder");
    let arguments = ["run", "runtimes.toml", "--output", "out", "--oversubscribe"];
    let run = awale(&arguments)
        .current_dir(folder.path())
        .output()
        .expect("awale starts");
    let said = String::from_utf8_lossy(&run.stderr);
    if said.contains("does not hold on this host") {
        skip(&test_name(), &format!("{level} does not hold here"));
        return;
    }
    assert!(run.status.success(), "{level}: {said}");
    let games = fs::read_to_string(folder.path().join("out/games.csv")).expect("a table");
    assert_eq!(
        games.lines().count(),
        1 + 2 * built.len(),
        "{games}\n{said}"
    );
    assert!(
        !folder.path().join("out/faults").exists(),
        "{level}: {games}\n{said}"
    );
}

#[test]
fn usual_languages_run_in_a_box() {
    play_at("box");
}

#[test]
fn usual_languages_run_behind_landlock() {
    play_at("landlock");
}
