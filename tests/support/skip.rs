//! Tests that cannot run on this machine. The harness counts a test that ends early as passed and
//! hides what it prints, so each of them says here that it is skipped: `scripts/test` lists them at
//! its end, and where nothing may be skipped they fail.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;

/// Says that `name`, a test or a part of one, does not run here, and why.
///
/// The line goes to standard error, and to the end of the file that `AWALE_SKIPPED` names.
///
/// # Panics
///
/// With `AWALE_NO_SKIP=1`, unless the name stands in `AWALE_MAY_SKIP`, whose names are separated by
/// spaces.
#[track_caller]
pub fn skip(name: &str, reason: &str) {
    let line = format!("skipped: {name}: {reason}\n");
    // The harness keeps what the macros print, but not this. Each line is one write: many tests run
    // at once.
    let _ = std::io::stderr().write_all(line.as_bytes());
    if let Some(path) = std::env::var_os("AWALE_SKIPPED") {
        let list = File::options().append(true).create(true).open(path);
        let written = list.and_then(|mut list| list.write_all(line.as_bytes()));
        written.expect("the list of skipped tests");
    }
    let must_run = std::env::var_os("AWALE_NO_SKIP").is_some_and(|value| value == "1");
    let exceptions = std::env::var("AWALE_MAY_SKIP").unwrap_or_default();
    let is_excepted = exceptions.split_whitespace().any(|it| it == name);
    assert!(!must_run || is_excepted, "nothing may be skipped: {line}");
}

/// Whether there is a program, by its path or its name in `PATH`. Without it the part of this test
/// that needs it is skipped.
#[track_caller]
pub fn is_here(program: &str) -> bool {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let mut places = std::env::split_paths(&folders).map(|folder| folder.join(program));
    let found = Path::new(program).is_file() || places.any(|place| place.is_file());
    if !found {
        skip(&test_name(), &format!("no {program}"));
    }
    found
}

/// The name of the test that runs on this thread.
pub fn test_name() -> String {
    let thread = std::thread::current();
    thread.name().unwrap_or("a thread of a test").to_owned()
}
