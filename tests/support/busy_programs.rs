//! Other programs on the host that use every processor.

use std::process::{Child, Command};

/// Shells that compute in a loop until this value is dropped.
pub struct BusyPrograms(Vec<Child>);

impl BusyPrograms {
    /// Starts this number of shells. Linux may share the processors between sessions first, so each
    /// has one of its own.
    pub fn start(count: usize) -> Self {
        let busy = || {
            let mut shell = Command::new("setsid");
            let shell = shell.args(["sh", "-c", "while :; do :; done"]).spawn();
            shell.expect("a shell")
        };
        Self((0..count).map(|_| busy()).collect())
    }
}

impl Drop for BusyPrograms {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
