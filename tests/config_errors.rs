//! Every error message of a configuration, as a user sees it.
//!
//! A case is `tests/data/config_errors/NAME.toml`, with its flags in a first line `# flags: …` if
//! it has any, and `NAME.txt` with what is printed. To add one, write the `.toml`, run this test,
//! read what it prints with a user's eyes, and save it as the `.txt`.

use awale::cli::config::{Overrides, load};
use std::fs;
use std::path::{Path, PathBuf};

/// The cases' folder; the test works in it, so that messages name files as a user's would.
fn enter_folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/config_errors");
    std::env::set_current_dir(&folder).unwrap();
    folder
}

/// The flags of a case.
fn overrides(text: &str) -> Overrides {
    let mut overrides = Overrides::default();
    let first = text.lines().next().unwrap_or_default();
    let mut words = first
        .strip_prefix("# flags:")
        .unwrap_or_default()
        .split_whitespace();
    while let Some(flag) = words.next() {
        let value = words.next().unwrap();
        match flag {
            "--pairs" => overrides.pairs = Some(value.parse().unwrap()),
            "--slots" => overrides.slots = Some(value.parse().unwrap()),
            "--seed" => overrides.seed = Some(value.parse().unwrap()),
            "--isolation" => overrides.isolation = Some(value.to_owned()),
            "--set" => overrides.sets.push(value.to_owned()),
            other => panic!("no such flag {other}"),
        }
    }
    overrides
}

/// The message with what differs between machines replaced.
fn normalised(message: &str, folder: &Path) -> String {
    let message = message.replace(&folder.display().to_string(), "DIR");
    match message.split_once(" processors, and ") {
        None => message,
        Some((before, after)) => {
            let rest = after.trim_start_matches(|c: char| c.is_ascii_digit());
            format!("{before} processors, and N{rest}")
        }
    }
}

#[test]
fn every_message_reads_as_written() {
    let folder = enter_folder();
    let mut cases: Vec<PathBuf> = fs::read_dir(".")
        .unwrap()
        .map(|entry| PathBuf::from(entry.unwrap().file_name()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "toml"))
        .collect();
    cases.sort();
    assert!(cases.len() > 100, "the cases are there");
    let mut wrong = String::new();
    for case in cases {
        let bytes = fs::read(&case).unwrap();
        let overrides = overrides(&String::from_utf8_lossy(&bytes));
        let actual = match load(&case, &overrides) {
            Ok(_) => "accepted\n".to_owned(),
            Err(error) => normalised(&format!("error: {error}\n"), &folder),
        };
        let expected = fs::read_to_string(case.with_extension("txt")).unwrap_or_default();
        if actual != expected {
            wrong += &format!(
                "{}\n  expected {expected}  actual   {actual}",
                case.display()
            );
        }
        let hidden = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(!actual.contains(hidden), "{}: {actual:?}", case.display());
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn a_missing_file_is_named() {
    let error = load(Path::new("/nowhere/x.toml"), &Overrides::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "/nowhere/x.toml: cannot read this configuration: No such file or directory (os error 2)"
    );
}
