//! The Python rules of `bots/` against worked examples and against `awale trace`. `check` takes the
//! starter bots themselves through the protocol.

use crate::support::awale_command::AWALE;
use crate::support::skip::is_here;
use std::process::Command;

/// Runs a script of `tests/support_python`.
fn run(script: &str, arguments: &[&str]) {
    if !is_here("python3") {
        return;
    }
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support_python/");
    let mut python = Command::new("python3");
    python.env("PYTHONDONTWRITEBYTECODE", "1");
    python.arg(format!("{folder}{script}")).args(arguments);
    let output = python.output().expect("python3 starts");
    let [report, errors] = [&output.stdout, &output.stderr].map(|it| String::from_utf8_lossy(it));
    assert!(output.status.success(), "{report}\n{errors}");
    print!("{report}");
}

/// They pass every worked example of docs/rules.md, and the search its own tests.
#[test]
fn python_rules_pass_the_examples() {
    run("test_awale_rules.py", &[]);
}

/// Two implementations that share no code agree on every ply of thousands of random games.
#[test]
fn python_rules_agree_with_trace() {
    let games = [AWALE, "--games", "4000", "--seed", "1"];
    run("compare_with_trace.py", &games);
}
