//! Ctrl-C in the middle: the bot goes too, even one that heeds nothing.

use super::{command, small_bot};
use crate::support::skip::is_here;
use rustix::process::{Pid, Signal, kill_process};
use std::io::Read as _;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Longer than anything here takes on a crowded host.
const PATIENCE: Duration = Duration::from_secs(30);

fn wait_for<T>(what: &str, mut seen: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(it) = seen() {
            return it;
        }
        assert!(started.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Whether a process was started with something in this folder.
fn is_anybody_from(folder: &Path) -> bool {
    let folder = folder.to_str().expect("UTF-8");
    let entries = std::fs::read_dir("/proc").expect("Linux's /proc");
    entries.flatten().any(|entry| {
        std::fs::read(entry.path().join("cmdline"))
            .is_ok_and(|line| String::from_utf8_lossy(&line).contains(folder))
    })
}

#[test]
fn an_interrupted_examination_leaves_no_bot_behind() {
    if !is_here("python3") {
        return;
    }
    for signal in [Signal::INT, Signal::TERM] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("mark");
        let deaf = format!(
            "import time; open(r'{}', 'w').close(); \
             any(time.sleep(0.1) for _ in range(1200))",
            file.display()
        );
        let bot = small_bot(folder.path(), "deaf", &[("side = message[\"you\"]", &deaf)]);
        let junit = folder.path().join("report.xml");
        let junit = junit.to_str().expect("UTF-8");
        let mut child = command(&[&bot, "--start-up", "100s", "--junit", junit])
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("awale starts");
        wait_for("the bot is told of a game", || file.exists().then_some(()));
        kill_process(Pid::from_child(&child), signal).expect("awale runs");
        let status = wait_for("awale ends", || child.try_wait().expect("a child"));
        assert_eq!(status.code(), Some(130));
        let is_gone = || (!is_anybody_from(folder.path())).then_some(());
        wait_for("the bot is gone", is_gone);
        let mut said = String::new();
        let mut stderr = child.stderr.take().expect("a pipe");
        stderr.read_to_string(&mut said).expect("text");
        assert!(said.starts_with("interrupted: "), "{said}");
        let left: Vec<_> = std::fs::read_dir(folder.path())
            .expect("a folder")
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter(|name| name != "mark" && name != "deaf.py")
            .collect();
        assert_eq!(left, Vec::<String>::new());
    }
}
