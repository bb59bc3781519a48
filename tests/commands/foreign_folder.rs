//! The folder of a run that another person has sent: no command of it runs without a box or the
//! user's word, no link in it is followed, and nothing of it acts on a terminal.

use super::boxes::{boxes_work, path_with, with_path};
use super::class::run;
use super::feedback::graded_class;
use super::story::{FIRST_LEGAL, SECRET, Said, Story, USER, as_ordinary_user, has};
use super::verify::{Lines, copy_folder};
use crate::support::awale_command::AWALE;
use crate::support::skip::{skip, test_name};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

const TRUST: [&str; 4] = ["--isolation", "none", "--i-trust-these-bots", "--quiet"];

/// A run at the level `none` whose entrant leaves a mark where it is started.
fn marking(more: &str) -> Story {
    let story = Story::new();
    let mark = story.path("mark");
    let script = format!("#!/bin/sh\necho >>'{}'\n{FIRST_LEGAL}", mark.display());
    story.write("marking.sh", script);
    let config = format!(
        "[tournament]\n{SECRET}\npairs = 1\nslots = 1\n[admission]\nmode = \"off\"\n\
         [clock]\nmove = \"10s\"\n[isolation]\nlevel = \"none\"\n\
         [[entrant]]\nname = \"marking\"\ncommand = [\"./marking.sh\"]\ndeterministic = true\n\
         [[entrant]]\nname = \"greedy\"\ncommand = [\"awale\", \"bot\", \"greedy\"]\n{more}"
    );
    story.write("t.toml", config);
    let words = [&["run", "t.toml", "--output", "run"][..], &TRUST].concat();
    story.ok(&words);
    fs::remove_file(&mark).expect("it was started");
    story
}

const REPLAY: [&str; 4] = ["verify", "run", "--replay", "9"];

#[test]
fn the_sender_of_a_folder_does_not_choose_the_isolation() {
    if !boxes_work() {
        return;
    }
    let story = marking("");
    story
        .ok(&REPLAY)
        .out_has("2 the same to the move")
        .err_has("marking: ./marking.sh");
    assert!(!story.path("mark").exists(), "it was started without a box");
    let Some(mut command) = as_ordinary_user(AWALE) else {
        return;
    };
    story.give_to(USER);
    command.args(REPLAY).current_dir(story.path(""));
    command.env("HOME", story.path("")).stdin(Stdio::null());
    let said = Said::of(command.output().expect("awale starts")).with_code(0);
    has(&said.stderr, "marking: ./marking.sh");
    assert!(!story.path("mark").exists(), "it was started without a box");
}

/// Where this host has no box, what is started is the user's word, and its sender's trick with a
/// house bot is none.
#[test]
fn without_a_box_nothing_of_a_folder_runs_unasked() {
    let story = marking("env = { LD_PRELOAD = \"/nowhere.so\" }\n");
    let no_box = path_with(&story, None);
    let words: Vec<&str> = REPLAY.to_vec();
    with_path(&story, &no_box, &words)
        .with_code(0)
        .out_has("programs of this folder would run here without a box")
        .out_has("marking: ./marking.sh")
        .out_has("greedy: LD_PRELOAD=/nowhere.so awale bot greedy")
        .out_has("replay      not checked");
    assert!(!story.path("mark").exists(), "it was started unasked");
    let trusting = [&REPLAY[..], &["--i-trust-these-bots"]].concat();
    with_path(&story, &no_box, &trusting)
        .with_code(0)
        .out_has("2 the same to the move");
}

/// An interpreter is asked for its folders outside of any box: that of a folder's sender is not.
#[test]
fn a_folder_brings_no_interpreter() {
    let story = Story::new();
    let mark = story.path("mark");
    let script = format!(
        "#!/bin/sh\necho >>'{}'\nexec python3 \"$@\"\n",
        mark.display()
    );
    story.write("python3", script);
    fs::create_dir(story.path("sub")).expect("a folder");
    story.write("sub/bot.py", super::story::SPY);
    let config = format!(
        "[tournament]\n{SECRET}\npairs = 1\nslots = 1\nfolder = \"sub\"\n[admission]\n\
         mode = \"off\"\n[clock]\nmove = \"10s\"\n[[entrant]]\nname = \"spy\"\n\
         command = [\"../python3\", \"bot.py\"]\ndeterministic = true\n\
         [[entrant]]\nname = \"greedy\"\ncommand = [\"awale\", \"bot\", \"greedy\"]\n"
    );
    story.write("t.toml", config);
    let words = [&["run", "t.toml", "--output", "run"][..], &TRUST].concat();
    story.ok(&words);
    fs::remove_file(&mark).expect("it was started");
    story
        .run(&REPLAY)
        .out_has("is in no folder of PATH")
        .with_code(0);
    assert!(!mark.exists(), "it was asked outside of a box");
}

/// A run in whose folder this is a link into the folder of another one, and what is in that.
fn linked(link: &str) -> (Story, Vec<(String, Vec<u8>)>) {
    static PLAYED: OnceLock<Story> = OnceLock::new();
    let played = PLAYED.get_or_init(|| {
        let story = graded_class();
        run(&story, &[]).with_code(0);
        story
    });
    let story = Story::new();
    fs::remove_dir(story.path("")).expect("an empty folder");
    copy_folder(&played.path(""), &story.path(""));
    copy_folder(&story.path("results/class"), &story.path("kept"));
    let place = story.path("results/class").join(link);
    let target = story.path("kept").join(link);
    if !target.exists() && target.extension().is_none() {
        fs::create_dir_all(&target).expect("a folder");
    }
    if place.is_dir() {
        fs::remove_dir_all(&place).expect("a folder");
    } else {
        let _ = fs::remove_file(&place);
    }
    fs::create_dir_all(place.parent().expect("a folder")).expect("a folder");
    symlink(target, place).expect("a link");
    let kept = contents(&story.path("kept"));
    (story, kept)
}

/// All files below a folder, with what is in them.
fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut entries: Vec<_> = fs::read_dir(folder).expect("a folder").flatten().collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        if path.is_dir() {
            found.extend(contents(&path));
        } else {
            let bytes = fs::read(&path).expect("a file");
            found.push((path.display().to_string(), bytes));
        }
    }
    found
}

/// Whatever is a link below the folder of a run, what it leads to stays as it is.
#[test]
fn what_links_of_a_folder_lead_to_stays_as_it_is() {
    for link in [
        "feedback",
        "feedback/ada",
        "feedback/ada/faults",
        "faults",
        "logs",
        "games.jsonl",
        "plan.toml",
        "report.html",
        "games.csv",
        "superseded",
        "builds",
        "damaged-lines.txt",
    ] {
        let (story, kept) = linked(link);
        for words in [
            &["report", "results/class"][..],
            &["repair", "results/class"],
            &["verify", "results/class"],
            &["faults", "results/class"],
            &["run", "class.toml"],
            &["run", "class.toml", "--update"],
        ] {
            let said = story.run(words);
            assert_ne!(said.code, Some(101), "{link}: {}", said.stderr);
            let after = contents(&story.path("kept"));
            let changed: Vec<_> = kept.iter().filter(|it| !after.contains(it)).collect();
            assert!(changed.is_empty(), "{link}, {words:?}: {changed:?}");
            assert_eq!(kept.len(), after.len(), "{link}, {words:?}: new files");
        }
    }
}

#[test]
fn a_link_is_named_in_the_refusal() {
    for (link, words) in [
        ("feedback", ["report", "results/class"]),
        ("feedback/ada", ["report", "results/class"]),
        ("games.jsonl", ["table", "results/class"]),
        ("games.jsonl", ["report", "results/class"]),
    ] {
        let (story, _) = linked(link);
        let said = story.run(&words);
        assert_ne!(said.code, Some(0), "{link}, {words:?}: {}", said.stdout);
        said.err_has("no link is followed");
    }
}

/// What a command writes on a terminal, and through a pipe to standard error; `None` without
/// python3.
fn on_terminal(story: &Story, arguments: &[&str]) -> Option<String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/terminal.py");
    let mut command = Command::new("python3");
    command
        .arg(script)
        .args(["100", "sh", "-c", "\"$0\" \"$@\"; exit 0", AWALE]);
    command.args(arguments).current_dir(story.path(""));
    command.env("NO_COLOR", "1").env("TERM", "xterm");
    let output = command.output().ok()?;
    Some(String::from_utf8(output.stdout).expect("UTF-8"))
}

#[test]
fn nothing_of_a_journal_acts_on_a_terminal() {
    let hostile = "x\u{1b}[2J\u{9b}31m\u{202e}";
    let story = Story::new();
    story.write(
        "games.csv",
        format!("south,north,result\n{hostile},b,1-0\nb,{hostile},1-0\n"),
    );
    story.write(
        "trace",
        format!("{{\"moves\":\"\",\"position\":\"{hostile}\"}}\n"),
    );
    story.write("bot", format!("{{\"type\":\"{hostile}\"}}\n"));
    story.write(
        "t.toml",
        format!(
            "[tournament]\n{SECRET}\npairs = 1\nslots = 1\n[clock]\nmove = \"10s\"\n\
             [[entrant]]\nname = \"random\"\ncommand = [\"awale\", \"bot\", \"random\"]\n\
             [[entrant]]\nname = \"greedy\"\ncommand = [\"awale\", \"bot\", \"greedy\"]\n"
        ),
    );
    let played = story.run("run t.toml --output run --quiet");
    played.with_code(0);
    let lines = Lines::of(&story);
    for key in ["kind", "pair", "south", "ending", "plan"] {
        let mut forged = Lines(lines.0.clone());
        for line in &mut forged.0 {
            if let Some(value) = line.get_mut(key) {
                *value = hostile.into();
            }
        }
        forged.write(&story);
        for words in [
            &["table", "run"][..],
            &["table", "run", "--csv"],
            &["faults", "run", "--csv"],
            &["verify", "run"],
            &["report", "run"],
            &["rate", "run", "--csv"],
            &["replay", "run", hostile],
            &["analyse", "run", hostile],
            &["repair", "run"],
        ] {
            harmless(&story, words);
        }
    }
    for words in [
        &["rate", "games.csv", "--csv"][..],
        &["rate", "games.csv", "--json"],
        &["rate", "games.csv"],
        &["table", hostile],
        &["verify", hostile],
        &["run", hostile],
    ] {
        harmless(&story, words);
    }
    let script = |command: &str| format!("'{AWALE}' {command}");
    for command in ["trace <trace", "bot random <bot"] {
        let said = on_terminal_of(&story, &script(command));
        assert_harmless(said, command);
    }
}

fn on_terminal_of(story: &Story, line: &str) -> Option<String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/terminal.py");
    let mut command = Command::new("python3");
    command.arg(script).args(["100", "sh", "-c", line]);
    let output = command.current_dir(story.path("")).output().ok()?;
    Some(String::from_utf8(output.stdout).expect("UTF-8"))
}

fn harmless(story: &Story, words: &[&str]) {
    assert_harmless(on_terminal(story, words), &words.join(" "));
}

fn assert_harmless(said: Option<String>, what: &str) {
    let Some(said) = said else {
        return skip(&test_name(), "no python3");
    };
    assert!(!said.is_empty(), "{what:?} says nothing");
    for character in ['\u{1b}', '\u{9b}', '\u{202e}'] {
        assert!(!said.contains(character), "{what:?}: {said:?}");
    }
}

/// A pipe that nobody writes to, and a device without end, are refused at once wherever a file is
/// named.
#[test]
fn only_regular_files_are_read() {
    let story = Story::new();
    let made = Command::new("mkfifo").arg(story.path("pipe.toml")).status();
    assert!(made.expect("coreutils").success());
    fs::create_dir_all(story.path("folder")).expect("a folder");
    for file in ["pipe.toml", "/dev/zero"] {
        for words in [
            &["run", file][..],
            &["sprt", file],
            &["rate", file],
            &["rate", file, "--csv"],
        ] {
            let said = story.run_in_little_memory(words).with_code(2);
            said.err_has("it is not a file");
        }
        let config = format!(
            "[tournament]\npairs = 1\nopenings = {{ file = {file:?} }}\n\
             [[entrant]]\nname = \"random\"\ncommand = [\"awale\", \"bot\", \"random\"]\n\
             [[entrant]]\nname = \"greedy\"\ncommand = [\"awale\", \"bot\", \"greedy\"]\n"
        );
        story.write("openings.toml", config);
        let said = story.run_in_little_memory("run openings.toml");
        said.with_code(2).err_has("it is not a file");
    }
    let said = story.run_in_little_memory("check pipe.toml");
    said.with_code(2).err_has("it is not a file");
    let made = Command::new("mkfifo")
        .arg(story.path("folder/games.jsonl"))
        .status();
    assert!(made.expect("coreutils").success());
    for command in ["verify", "table", "report", "faults", "repair", "rate"] {
        let said = story.run_in_little_memory(format!("{command} folder"));
        said.with_code(2).err_has("is not a file");
    }
}
