//! The boxes of a story, as the host sees them.

use super::story::Story;
use rustix::thread::{CpuSet, sched_getaffinity};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::num::NonZero;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::{available_parallelism, sleep};
use std::time::Duration;

/// Whether bubblewrap can make a box here.
pub fn boxes_work() -> bool {
    let mut bubblewrap = Command::new("bwrap");
    bubblewrap.args(["--ro-bind", "/", "/", "--unshare-all", "true"]);
    let output = bubblewrap.stdin(Stdio::null()).output();
    output.is_ok_and(|output| output.status.success())
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

/// The physical cores that a run may use here.
pub fn physical_cores() -> usize {
    let allowed = sched_getaffinity(None).expect("the cores that may be used");
    let siblings = |processor: usize| {
        let folder = format!("/sys/devices/system/cpu/cpu{processor}/topology");
        let names = ["core_cpus_list", "thread_siblings_list"];
        let mut lists = names
            .iter()
            .map(|name| fs::read_to_string(format!("{folder}/{name}")));
        let known = lists.find_map(Result::ok);
        known.unwrap_or_else(|| processor.to_string())
    };
    let processors = (0..CpuSet::MAX_CPU).filter(|&it| allowed.is_set(it));
    let cores: BTreeSet<String> = processors.map(siblings).collect();
    let quota = available_parallelism().map_or(1, NonZero::get);
    cores.len().min(quota)
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
