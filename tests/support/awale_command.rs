//! The program under test, for all tests that start it.

use std::ffi::OsStr;
use std::process::{Command, Stdio};

/// Its path.
pub const AWALE: &str = env!("CARGO_BIN_EXE_awale");

/// A folder for caches in which nobody builds a database of endgames: what the user of these tests
/// has built must change nothing.
const CACHE: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/cache");

/// The program with these arguments, no input, and its output kept.
pub fn awale<S: AsRef<OsStr>>(arguments: &[S]) -> Command {
    let mut command = Command::new(AWALE);
    command
        .args(arguments)
        .env("XDG_CACHE_HOME", CACHE)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}
