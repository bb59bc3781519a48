//! Every error message of a configuration, as a user sees it.
//!
//! A case is `tests/data/config_errors/NAME.toml`, with its flags in a first line `# flags: …` if
//! it has any, and `NAME.txt` with what is printed. To add one, write the `.toml`, run this test,
//! read what it prints with a user's eyes, and save it as the `.txt`.

use crate::support::awale_command::awale;
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

/// A line of the file as it is printed beneath a message, with what is underlined in it.
struct Printed {
    /// The message above it, from 0.
    message: usize,
    line: usize,
    text: String,
    underlined: String,
}

/// The messages, and the lines beneath them.
fn without_snippets(printed: &str) -> (String, Vec<Printed>) {
    let (mut messages, mut snippets) = (String::new(), Vec::new());
    let mut number_of_messages = 0;
    let mut lines = printed.lines().peekable();
    while let Some(line) = lines.next() {
        if line.trim() != "|" {
            number_of_messages += usize::from(line.starts_with("error: "));
            messages.push_str(line);
            messages.push('\n');
            continue;
        }
        let (number, text) = lines.next().unwrap().split_once(" | ").unwrap();
        let (_, marks) = lines.next().unwrap().split_once(" | ").unwrap();
        let under = |(letter, mark)| (mark == '^').then_some(letter);
        let underlined = text.chars().zip(marks.chars()).filter_map(under);
        snippets.push(Printed {
            message: number_of_messages - 1,
            line: number.trim().parse().unwrap(),
            text: text.to_owned(),
            underlined: underlined.collect(),
        });
        assert!(marks.trim().chars().all(|mark| mark == '^'), "{marks}");
    }
    (messages, snippets)
}

/// A message that names a line has that line beneath it, with a whole key or value underlined. A
/// line with a secret is never there.
fn check_snippets(file: &str, source: &str, messages: &str, snippets: &[Printed]) {
    let errors: Vec<&str> = messages
        .lines()
        .filter(|it| it.starts_with("error: "))
        .collect();
    for snippet in snippets {
        let begin = format!("error: {file}:{}: ", snippet.line);
        let message = errors[snippet.message];
        assert!(message.starts_with(&begin), "{begin}: {message}");
        let line = source.lines().nth(snippet.line - 1).unwrap();
        let line = line.replace('\t', "    ");
        // What does not fit a terminal is cut.
        let shown = snippet
            .text
            .trim_start_matches("...")
            .trim_end_matches("...");
        let is_cut = snippet.text.len() > 100 && line.contains(shown);
        assert!(snippet.text == line || is_cut, "{file}: {}", snippet.text);
        assert!(!line.contains("secret"), "{file}: {line}");
        let (first, last) = (
            snippet.underlined.chars().next(),
            snippet.underlined.chars().last(),
        );
        let is_whole = |it: Option<char>| it.is_some_and(|it| !it.is_whitespace());
        assert!(
            is_whole(first) && is_whole(last),
            "{file}: {:?}",
            snippet.underlined
        );
    }
    for (place, error) in errors.iter().enumerate() {
        let Some(rest) = error.strip_prefix(&format!("error: {file}:")) else {
            continue;
        };
        let line = rest
            .split_once(':')
            .and_then(|(line, _)| line.parse::<usize>().ok());
        let Some(text) = line.and_then(|line| source.lines().nth(line - 1)) else {
            continue;
        };
        // Long runs of hexadecimal digits may be a part of a secret.
        let words = text.split(|it: char| !it.is_ascii_hexdigit());
        let is_secret = words.map(str::len).max() >= Some(16);
        let is_hidden =
            is_secret || text.contains("secret") || text.contains(|it: char| it.is_control());
        let has_one = snippets.iter().any(|snippet| snippet.message == place);
        assert!(
            has_one || is_hidden || rest.contains("is not UTF-8"),
            "{error}: {text:?}"
        );
    }
}

/// Whole outputs, as they stand on a terminal.
#[test]
fn the_line_with_the_mistake_stands_beneath_the_message() {
    let place = tempfile::tempdir().unwrap();
    for (text, expected) in [
        (
            "[tournament]\nsede = 1\n",
            "error: x.toml:2: unknown key `sede` in [tournament]; did you mean `seed`?#\n\
             \u{20} |\n\
             2 | sede = 1\n\
             \u{20} | ^^^^\n",
        ),
        (
            "# A comment.\n\n[clock]\n\tmove = \"soon\"  # Ελληνικά\n",
            "error: x.toml:4: `move` in [clock] cannot be \"soon\";#\n\
             \u{20} |\n\
             4 |     move = \"soon\"  # Ελληνικά\n\
             \u{20} |            ^^^^^^\n",
        ),
        (
            "[tournament]\nname = \"日本\"\npairs = { \"日本\" = 1 }\n",
            "error: x.toml:3: `pairs` in [tournament] cannot be a table;#\n\
             \u{20} |\n\
             3 | pairs = { \"日本\" = 1 }\n\
             \u{20} |         ^^^^^^^^^^^^^^\n",
        ),
        (
            "[tournament]\nchampions = [\n  1,\n]\n",
            "error: x.toml:3: an item of `champions` in [tournament] cannot be 1;#\n\
             \u{20} |\n\
             3 |   1,\n\
             \u{20} |   ^\n",
        ),
    ] {
        fs::write(place.path().join("x.toml"), text).unwrap();
        let output = awale(&["run", "x.toml", "--dry-run"])
            .current_dir(place.path())
            .output()
            .unwrap();
        let actual = String::from_utf8(output.stderr).unwrap();
        // What is allowed is the matter of the cases above.
        let (first, rest) = expected.split_once("#\n").unwrap();
        let (message, snippet) = actual.split_once('\n').unwrap();
        assert!(message.starts_with(first), "{actual}");
        assert!(snippet.starts_with(rest), "{actual}");
    }
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
        let printed = normalised(&String::from_utf8(output.stderr).unwrap());
        let (actual, snippets) = without_snippets(&printed);
        let source = String::from_utf8_lossy(&bytes);
        check_snippets(file, &source, &actual, &snippets);
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
         (os error 2); `awale init` writes a first one\n"
    );
}
