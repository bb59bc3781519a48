//! The causes of real ends, and of texts that only look like one.

use super::*;

/// What programs wrote in `/bot` before they ended; each text is below a line with its cause.
const TEXTS: &str = include_str!("../../../tests/data/standard-error.txt");

fn cause_of(text: &[u8]) -> String {
    cause(text, Path::new("/bot"))
}

#[test]
fn the_cause_of_every_known_end_is_found() {
    let texts = TEXTS.split("### ").skip(1);
    assert_eq!(texts.clone().count(), 41);
    for text in texts {
        let (expected, text) = text.split_once('\n').unwrap();
        assert_eq!(cause_of(text.as_bytes()), expected, "{text}");
        // A program that goes on to write does not hide it.
        if !expected.starts_with(';') {
            let before = format!("deep thought\n{text}");
            assert_eq!(cause_of(before.as_bytes()), expected, "{before}");
        }
    }
}

#[test]
fn no_text_has_no_cause() {
    for text in ["", "\n", " \n\t\n\r\n"] {
        assert_eq!(cause_of(text.as_bytes()), "", "{text:?}");
    }
}

#[test]
fn of_several_reports_the_last_counts() {
    let text = "Traceback (most recent call last):\n  File \"/bot/a.py\", line 1, in f\n    f()\n\
                KeyError: 'x'\nthread 'main' panicked at src/main.rs:3:5:\noh\n";
    assert_eq!(
        cause_of(text.as_bytes()),
        ": panicked: oh (src/main.rs:3:5)"
    );
}

#[test]
fn a_traceback_that_was_cut_off_is_ordinary_text() {
    let text = "Traceback (most recent call last):\n  File \"/bot/a.py\", line 1, in f\n    f()\n";
    assert_eq!(
        cause_of(text.as_bytes()),
        "; standard error ends with \"f()\""
    );
    for text in [
        "thread 'main' panicked at src/main.rs:3:5:\n",
        "    at x (a.js:1:2)\n",
    ] {
        assert!(cause_of(text.as_bytes()).starts_with(';'), "{text}");
    }
}

#[test]
fn a_cause_is_short_and_harmless() {
    let long = format!("ValueError: {}", "é".repeat(10_000));
    let traceback = format!("  File \"/bot/\u{1b}[2J.py\", line 1\n{long}\u{1b}[2J\n");
    for text in [
        long.as_bytes(),
        traceback.as_bytes(),
        b"=1+1\x1b]0;x\x07\xff\n",
    ] {
        let cause = cause_of(text);
        assert!(cause.chars().count() < 700, "{cause}");
        assert_eq!(printable(&cause), cause);
    }
    assert!(cause_of(traceback.as_bytes()).ends_with(r"… (\u{1b}[2J.py:1)"));
}
