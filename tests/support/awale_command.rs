//! The program under test, for all tests that start it.

use std::ffi::OsStr;
use std::process::{Command, Stdio};

/// Its path.
pub const AWALE: &str = env!("CARGO_BIN_EXE_awale");

/// The program with these arguments, no input, and its output kept.
pub fn awale<S: AsRef<OsStr>>(arguments: &[S]) -> Command {
    let mut command = Command::new(AWALE);
    command
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}
