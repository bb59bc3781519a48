//! The three forms of the report, and calls that give no report.

use super::{Report, WHOLE, check, command, repository, small_bot};
use crate::support::skip::is_here;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// Reads a `JUnit` file with somebody else's parser of XML, and prints one line for each case.
const READ_JUNIT: &str = r#"
import sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
assert root.tag == "testsuites"
(suite,) = root
assert suite.tag == "testsuite"
cases = suite.findall("testcase")
count = lambda tag: len(suite.findall("testcase/" + tag))
assert int(suite.get("tests")) == len(cases)
assert int(suite.get("failures")) == count("failure")
assert int(suite.get("skipped")) == count("skipped")
for case in cases:
    float(case.get("time"))
    what = [child.tag for child in case if child.tag != "system-out"] or ["passed"]
    failure = case.find("failure")
    print(case.get("classname"), *what)
    if failure is not None:
        print(failure.get("message"))
        print(failure.text)
"#;

fn read_junit(path: &Path) -> String {
    let read = Command::new("python3")
        .args(["-c", READ_JUNIT])
        .arg(path)
        .output();
    let read = read.expect("python3 starts");
    assert!(read.status.success(), "{}", text(&read.stderr));
    text(&read.stdout)
}

#[test]
fn a_hostile_transcript_is_harmless_in_every_form() {
    if !is_here("python3") {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let hostile = "print(\"\\x1b[2J<b>&]]>\\\"\\x07\\uffff\\u202e\", flush=True)";
    let turn = "print(json.dumps({\"type\": \"move\", \"pit\": pit}), flush=True)";
    let bot = small_bot(folder.path(), "hostile", &[(turn, hostile)]);
    let junit = folder.path().join("report.xml");
    let file = junit.to_str().expect("UTF-8");
    let output = check(&[&bot, "--junit", file, "--move", "200ms"]);
    assert_eq!(output.status.code(), Some(1));
    let shown = text(&output.stdout);
    let is_safe = |text: &str| {
        let acts = ['\u{1b}', '\u{7}', '\u{202e}'];
        assert!(!text.contains(acts), "{text:?}");
        assert!(text.contains("\\u{1b}[2J<b>&]]>\"\\u{7}"), "{text}");
        assert!(text.contains("\\u{202e}"), "{text}");
    };
    is_safe(&shown);
    assert!(
        shown.contains(" 8 FAIL answers a turn with a move\n"),
        "{shown}"
    );
    for word in ["what", "hint", "why", "fix", "said"] {
        assert!(
            shown.contains(&format!("\n          {word:<5} ")),
            "{shown}"
        );
    }
    let read = read_junit(&junit);
    assert!(read.contains("awale.check.first-move failure\n"), "{read}");
    assert!(read.contains("awale.check.game-south skipped\n"), "{read}");
    is_safe(&read);

    let report = Report::of(&bot, &["--move", "200ms"]);
    let said = report.step("first-move")["transcript"]
        .as_array()
        .expect("lines");
    let lines: Vec<_> = said.iter().filter(|line| line["from"] == "bot").collect();
    let line = lines[0]["line"].as_str().expect("a line");
    assert_eq!(line, "\\u{1b}[2J<b>&]]>\"\\u{7}\u{ffff}\\u{202e}");
}

/// A bot that writes every byte there is, as name, as answer and to standard error.
#[test]
fn any_bytes_make_well_formed_reports() {
    if !is_here("python3") {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let bytes = "raw = bytes(b for b in range(256) if b != 10) + \
                 \"\\U0001f331\\ufffe\\u2028\\U000e0041\".encode()";
    let write = "; sys.stderr.buffer.write(raw); sys.stderr.flush(); \
                 sys.stdout.buffer.write(raw + b\"\\n\"); sys.stdout.flush()";
    let ready = "print(json.dumps({\"type\": \"ready\", \"name\": \"small\"}), flush=True)";
    let named = "print(json.dumps({\"type\": \"ready\", \"name\": raw.decode(\"latin-1\") + \
                 \"\\ud800\"}), flush=True)";
    let turn = "print(json.dumps({\"type\": \"move\", \"pit\": pit}), flush=True)";
    let wrong = format!("{bytes}{write}; raise ValueError(raw)");
    let greets = format!("{bytes}; {named}");
    let bots = [
        small_bot(folder.path(), "answer", &[(turn, &wrong)]),
        small_bot(folder.path(), "name", &[(ready, &greets)]),
    ];
    for (place, bot) in bots.iter().enumerate() {
        let junit = folder.path().join(format!("{place}.xml"));
        let file = junit.to_str().expect("UTF-8");
        let only = ["--only", "first-move,standard-error"];
        let report = Report::of(bot, &[["--junit", file], only].concat());
        let shown = text(&check(&[&[bot.as_str()], only.as_slice()].concat()).stdout);
        let read = read_junit(&junit);
        let json = report.json.to_string();
        for form in [&shown, &read, &json] {
            let acts = |it: char| it != '\n' && (it.is_control() || it == '\u{2028}');
            assert!(!form.contains(acts), "{form:?}");
        }
    }
    let red = Report::of(&bots[0], &["--only", "first-move"]);
    assert_eq!(red.ids("failed"), ["first-move"]);
}

#[test]
fn only_what_was_asked_for_is_taken() {
    let report = Report::of("greedy", &["--only", "4", "--only", "name, chain"]);
    assert_eq!(report.code, Some(0));
    let ids = report.ids("passed");
    for id in ["starts", "hello", "quiet-after-hello", "name", "chain"] {
        assert!(ids.contains(&id), "{id} is not in {ids:?}");
    }
    for id in ["game-south", "lap-12", "quit"] {
        assert!(!ids.contains(&id), "{id} is in {ids:?}");
    }
    assert_eq!(report.step("chain")["number"], 27);
    assert_eq!(ids.len(), report.steps().len());
    let only = report.json["only"].as_array().expect("a list");
    assert_eq!(only.len(), ids.len());
}

#[test]
fn strictly_a_note_is_too_much() {
    if !is_here("python3") {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let ready = "{\"type\": \"ready\", \"name\": \"small\"}";
    let bot = small_bot(
        folder.path(),
        "nameless",
        &[(ready, "{\"type\": \"ready\"}")],
    );
    let code = |options: &[&str]| check(&[&[&bot, "--only", "name"], options].concat()).status;
    assert_eq!(code(&[]).code(), Some(0));
    assert_eq!(code(&["--strict"]).code(), Some(1));
}

/// A bot that plays its first legal pit misses wins, which is no failure in any form.
#[test]
fn advice_is_no_failure() {
    if !is_here("python3") {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let bot = small_bot(folder.path(), "first", &[]);
    let junit = folder.path().join("report.xml");
    let file = junit.to_str().expect("UTF-8");
    let only = ["--only", "54,55,56", "--strict"];
    let report = Report::of(&bot, &[&only[..], &["--junit", file]].concat());
    assert_eq!(report.code, Some(0));
    let missed = ["wins-at-once", "wins-in-two-moves", "wins-in-three-moves"];
    assert_eq!(report.ids("advice"), missed);
    assert_eq!(report.json["counts"]["advice"], 3);
    let said = "in 0-0-0-2-0-4-0-1-1-1-0-1-19-19-S it played D, and only F wins";
    let detail = report.step("wins-at-once")["detail"].as_str();
    assert!(detail.is_some_and(|it| it.starts_with(said)), "{detail:?}");
    let read = read_junit(&junit);
    assert!(read.contains("awale.check.wins-at-once passed\n"), "{read}");
    let written = std::fs::read_to_string(&junit).expect("the report");
    assert!(written.contains(said), "{written}");
    let shown = text(&check(&[&[bot.as_str()], &only[..]].concat()).stdout);
    assert!(
        shown.contains("54 tip  finds the capture that wins at once\n          tip   in 0-"),
        "{shown}"
    );
    assert!(shown.contains(", 3 with a tip, 0 failed"), "{shown}");
    // One that sees far enough gets no advice, and other rules have no such step.
    let seeing = Report::of("minimax --depth 6", &only);
    assert_eq!(seeing.ids("advice"), [""; 0]);
    assert!(missed.iter().all(|id| seeing.ids("passed").contains(id)));
    let others = Report::of(&bot, &[&only[..], &["--rules", "commun"]].concat());
    assert_eq!(others.ids("not-applicable"), missed);
}

/// A pipe or a file that is standard output is written to, not replaced.
#[test]
fn a_report_may_go_to_a_device() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("output");
    std::fs::write(&path, "before\n").expect("a file");
    let append = || std::fs::OpenOptions::new().append(true).open(&path);
    let arguments = ["greedy", "--only", "hello", "--junit", "/dev/stdout"];
    let status = command(&arguments)
        .stdout(append().expect("the file"))
        .status();
    assert!(status.expect("awale starts").success());
    let written = std::fs::read_to_string(&path).expect("the file");
    assert!(written.starts_with("before\nbot  "), "{written}");
    assert!(written.ends_with("</testsuites>\n"), "{written}");
}

#[test]
fn a_closed_output_does_not_hide_the_verdict() {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let status = command(&["true"]).stdout(writer).status();
    assert_eq!(status.expect("awale starts").code(), Some(1));
}

#[test]
fn a_good_report_adds_up() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let junit = folder.path().join("report.xml");
    let file = junit.to_str().expect("UTF-8");
    let report = Report::of("greedy", &["--junit", file, "--set", "no-move-gift=3"]);
    assert_eq!(report.code, Some(0));
    assert_eq!(report.json["holds"], true);
    assert_eq!(report.json["rules"], "awale");
    assert_eq!(report.json["set"]["no-move-gift"], "3");
    assert_eq!(report.json["move_time_us"], 100_000);
    let steps = report.steps();
    for status in [
        "passed",
        "note",
        "advice",
        "failed",
        "skipped",
        "not-applicable",
    ] {
        let count = report.ids(status).len();
        assert_eq!(report.json["counts"][status], count, "{status}");
    }
    for (place, step) in steps.iter().enumerate() {
        assert_eq!(step["number"], place + 1);
        assert!(step["why"].as_str().is_some_and(|why| !why.is_empty()));
        assert!(step["fix"].as_str().is_some_and(|fix| !fix.is_empty()));
    }
    let in_time = report.step("in-time")["detail"].as_str().expect("text");
    assert!(in_time.contains("99 % within"), "{in_time}");
    if is_here("python3") {
        let read = read_junit(&junit);
        assert_eq!(read.lines().count(), steps.len());
        assert!(!read.contains("failure"), "{read}");
    }
}

#[test]
fn no_colour_where_no_terminal_is() {
    let output = check(&["greedy"]);
    assert_eq!(output.status.code(), Some(0));
    let shown = text(&output.stdout);
    assert!(!shown.contains('\u{1b}'), "{shown}");
    assert!(shown.contains(" 1 ok   the program starts\n"), "{shown}");
    assert!(
        shown.ends_with("the bot keeps to the protocol\n"),
        "{shown}"
    );
}

/// Every step stands in the documentation, under its name, in its place.
#[test]
fn the_documentation_lists_every_step() {
    let page = std::fs::read_to_string(repository().join("docs/check.md"));
    let page = page.expect("docs/check.md can be read");
    let report = &*WHOLE;
    let rows: BTreeSet<&str> = page.lines().collect();
    for step in report.steps() {
        let part = |key: &str| step[key].as_str().expect("text");
        let row = format!(
            "| {} | `{}` | {} |",
            step["number"],
            part("id"),
            part("title")
        );
        assert!(
            rows.contains(row.as_str()),
            "docs/check.md lacks the row\n{row}"
        );
    }
}
