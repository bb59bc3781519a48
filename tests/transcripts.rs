//! Commands with all that they print, as a user sees them: `tests/transcripts/*.md`.
//!
//! In a block of code, `$ ` begins a command, which is split as a shell splits it, and `< ` a line
//! of its standard input. `? CODE` is its exit code, unless that is 0. What it prints follows, on
//! both outputs, up to an empty line. Commands of `NAME.md` run in the folder `NAME.in`, if there is
//! one, which is `[CWD]` there; `[..]` stands for what differs between machines.
//!
//! To add a command, write its first line, run these tests with `AWALE_TRANSCRIPTS=write`, and read
//! with a user's eyes what they have written.

use crate::support::awale_command::awale;
use std::fs;
use std::io::{Read as _, Write as _, pipe};
use std::path::Path;

/// The text of a transcript, with what its commands print now.
fn played(text: &str, folder: &Path) -> String {
    let mut told = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        told.extend([line, "\n"]);
        let Some(command) = line.strip_prefix("$ awale ") else {
            continue;
        };
        let mut input = String::new();
        while let Some(line) = lines.next_if(|line| line.starts_with('<')) {
            told.extend([line, "\n"]);
            input.extend([line[1..].trim_start(), "\n"]);
        }
        let is_output = |line: &&str| !line.starts_with("$ ") && !line.starts_with("```");
        let before: Vec<&str> = std::iter::from_fn(|| lines.next_if(is_output)).collect();
        let now = output(command, &input, folder);
        for (place, line) in now.lines().enumerate() {
            let expected = before.get(place).filter(|it| fits(it, line));
            told.extend([*expected.unwrap_or(&line), "\n"]);
        }
    }
    told
}

/// Whether a line is as it was expected, where `[..]` stands for anything.
fn fits(expected: &str, line: &str) -> bool {
    let Some((begin, end)) = expected.split_once("[..]") else {
        return expected == line;
    };
    let rest = line.strip_prefix(begin);
    rest.is_some_and(|it| it.ends_with(end))
}

/// What a command prints, and how it ends.
fn output(command: &str, input: &str, folder: &Path) -> String {
    let (mut printed, end) = pipe().expect("a pipe");
    let (stdin, mut typed) = pipe().expect("a pipe");
    let words = shlex::split(command).expect("quotes that are closed");
    let mut command = awale(&words);
    command.current_dir(folder).stdin(stdin);
    command.stdout(end.try_clone().expect("a pipe")).stderr(end);
    let mut child = command.spawn().expect("the program");
    // This process must hold no end of what the program prints.
    drop(command);
    // A program that refuses its arguments reads nothing.
    let _ = typed.write_all(input.as_bytes());
    drop(typed);
    let mut text = String::new();
    printed.read_to_string(&mut text).expect("UTF-8");
    let hidden = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
    assert!(!text.contains(hidden), "{words:?}: {text:?}");
    let code = match child.wait().expect("an end").code() {
        Some(0) => String::new(),
        code => format!("? {}\n", code.expect("no signal ends it")),
    };
    let text = text.replace(&*folder.to_string_lossy(), "[CWD]");
    format!("{code}{text}\n")
}

#[test]
fn commands_print_what_their_transcripts_show() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts");
    for entry in fs::read_dir(&folder).expect("the transcripts") {
        let file = entry.expect("a file").path();
        if file.extension().is_none_or(|it| it != "md") {
            continue;
        }
        let expected = fs::read_to_string(&file).expect("UTF-8");
        let own = file.with_extension("in");
        let place = if own.is_dir() { &own } else { &folder };
        let told = played(&expected, place);
        let results = place.join("results");
        assert!(
            !results.exists(),
            "{}: something was played",
            file.display()
        );
        if std::env::var_os("AWALE_TRANSCRIPTS").is_some_and(|it| it == "write") {
            fs::write(&file, &told).expect("a transcript");
            continue;
        }
        let mut lines = expected.lines().zip(told.lines()).enumerate();
        let other = lines.find(|(_, (expected, line))| expected != line);
        if let Some((place, (expected, line))) = other {
            let place = format!("{}:{}", file.display(), place + 1);
            panic!("{place}: it printed\n{line}\nwhere this was expected:\n{expected}");
        }
        assert_eq!(expected, told, "{}", file.display());
    }
}
