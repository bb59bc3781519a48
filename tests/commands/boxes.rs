//! The boxes of a story, as the host sees them, programs in the place of bubblewrap, and the end of
//! bots for them.

use super::story::{Said, Story};
use crate::support::skip::{skip, test_name};

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// The end of a bot in Python, which has imported `sys`: it plays its first legal pit.
pub const FIRST_LEGAL_LOOP: &str = r#"
for line in sys.stdin:
    if '"turn"' in line:
        print('{"type":"move","pit":%s}' % line.split('"legal":[')[1][0], flush=True)
    elif '"hello"' in line or '"new-game"' in line:
        print('{"type":"ready"}', flush=True)
"#;

/// Whether bubblewrap can make a box here. Without it this test is skipped.
pub fn boxes_work() -> bool {
    let mut bubblewrap = Command::new("bwrap");
    bubblewrap.args(["--ro-bind", "/", "/", "--unshare-all", "true"]);
    let output = bubblewrap.stdin(Stdio::null()).output();
    let works = output.is_ok_and(|output| output.status.success());
    if !works {
        skip(&test_name(), "bubblewrap makes no box here");
    }
    works
}

/// The bubblewraps outside of the boxes of this story: its folder is in their words, and those
/// inside have one of them as their parent.
pub fn bubblewraps(story: &Story) -> Vec<i32> {
    let folder = story.path("");
    let folder = folder.to_str().unwrap();
    let mut parents = BTreeMap::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Ok(number) = entry.file_name().to_string_lossy().parse::<i32>() else {
            continue;
        };
        let read = |name: &str| fs::read_to_string(entry.path().join(name)).unwrap_or_default();
        let words = read("cmdline");
        let first = words.split('\0').next().unwrap_or_default();
        if Path::new(first).ends_with("bwrap") && words.contains(folder) {
            let status = read("status");
            let parent = status.lines().find_map(|line| line.strip_prefix("PPid:"));
            parents.insert(number, parent.and_then(|it| it.trim().parse::<i32>().ok()));
        }
    }
    let is_inside = |parent: &Option<i32>| parent.is_some_and(|it| parents.contains_key(&it));
    let outside = parents.iter().filter(|(_, parent)| !is_inside(parent));
    outside.map(|(number, _)| *number).collect()
}

/// Waits until the story has this many boxes.
pub fn await_boxes(story: &Story, expected: usize) {
    for _ in 0..6000 {
        if bubblewraps(story).len() == expected {
            return;
        }
        sleep(Duration::from_millis(10));
    }
    panic!("{} boxes, not {expected}", bubblewraps(story).len());
}

/// The real bubblewrap; without it there is no box to test, and the test is skipped.
pub fn bubblewrap() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let found = std::env::split_paths(&path)
        .map(|folder| folder.join("bwrap"))
        .find(|path| path.is_file());
    if found.is_none() {
        skip(&test_name(), "no bwrap");
    }
    found
}

/// A folder that is all of PATH and in which bwrap is something else, or nothing.
pub fn path_with(story: &Story, bwrap: Option<&str>) -> PathBuf {
    let folder = story.path("bin");
    fs::create_dir_all(&folder).expect("a folder");
    if let Some(script) = bwrap {
        let file = folder.join("bwrap");
        fs::write(&file, script).expect("a script");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("a program");
    }
    folder
}

pub fn with_path(story: &Story, path: &Path, arguments: &[&str]) -> Said {
    let mut command = story.command(arguments);
    command.env("PATH", path);
    Said::of(command.output().expect("awale starts"))
}

/// A bubblewrap that leaves some of its orders out: `edit` is a step of a loop over its words.
pub fn broken(bubblewrap: &Path, edit: &str) -> String {
    format!(
        "#!/bin/bash\nwords=()\nwhile [ $# -gt 0 ]; do\n  [ \"$1\" = -- ] && break\n  {edit}\n  \
         words+=(\"$1\"); shift\ndone\nexec {} \"${{words[@]}}\" \"$@\"\n",
        bubblewrap.display()
    )
}
