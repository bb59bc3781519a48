//! Every error message of a configuration, as a user sees it.
//!
//! A case is `tests/data/config_errors/NAME.toml`, with its flags in a first line `# flags: …` if
//! it has any, and `NAME.txt` with what is printed. To add one, write the `.toml`, run this test,
//! read what it prints with a user's eyes, and save it as the `.txt`.

#[path = "support/awale_command.rs"]
mod awale_command;

use awale_command::awale;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/config_errors")
}

/// `awale run FILE --dry-run FLAGS` in the cases' folder, so that messages name files as a user's
/// would.
fn dry_run(file: &str, flags: &[&str]) -> Output {
    awale(&["run", file, "--dry-run"])
        .args(flags)
        .current_dir(folder())
        .output()
        .unwrap()
}

/// The flags in the first line of a case.
fn flags(text: &str) -> Vec<&str> {
    let first = text.lines().next().unwrap_or_default();
    let flags = first.strip_prefix("# flags:").unwrap_or_default();
    flags.split_whitespace().collect()
}

/// The message with what differs between machines replaced.
fn normalised(message: &str) -> String {
    let message = message.replace(&folder().display().to_string(), "DIR");
    let Some((before, after)) = message.split_once(" can be used here") else {
        return message;
    };
    let before = before.trim_end_matches(|c: char| c.is_ascii_digit());
    format!("{before}N can be used here{after}")
}

#[test]
fn every_message_reads_as_written() {
    let mut cases: Vec<PathBuf> = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "toml"))
        .collect();
    cases.sort();
    assert!(cases.len() > 100, "the cases are there");
    let mut wrong = String::new();
    for case in cases {
        let file = case.file_name().unwrap().to_str().unwrap();
        let bytes = fs::read(&case).unwrap();
        let output = dry_run(file, &flags(&String::from_utf8_lossy(&bytes)));
        let actual = normalised(&String::from_utf8(output.stderr).unwrap());
        let expected = fs::read_to_string(case.with_extension("txt")).unwrap_or_default();
        if actual != expected {
            let _ = writeln!(wrong, "{file}\n  expected {expected}  actual   {actual}");
        }
        assert_eq!(output.status.code(), Some(2), "{file}: {actual}");
        assert!(output.stdout.is_empty(), "{file}");
        let hidden = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(!actual.contains(hidden), "{file}: {actual:?}");
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn a_missing_file_is_named() {
    let output = dry_run("nowhere/x.toml", &[]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "error: nowhere/x.toml: cannot read this configuration: No such file or directory \
         (os error 2)\n"
    );
}
