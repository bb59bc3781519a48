//! Control groups with real processes, where the machine has them; a test that cannot run is
//! skipped.

#[expect(dead_code, reason = "these tests need no programs")]
#[path = "../../../tests/support/skip.rs"]
mod skip;

use super::*;
use hierarchy::{Branch, Version};
use host_limits::refused_by;
use skip::skip;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

/// The folders of one test; dropping it removes them with all processes.
struct Room {
    groups: ControlGroups,
    name: String,
}

static ROOMS: AtomicU32 = AtomicU32::new(0);

impl Room {
    /// `None`, with a message, where a group lacks an ability that the test needs.
    fn with(test: &str, needs: impl Fn(Abilities) -> bool) -> Option<Self> {
        let number = ROOMS.fetch_add(1, Ordering::Relaxed);
        let name = format!("{}-test-{number}", run_name());
        let groups = ControlGroups::open(&name);
        let abilities = groups.abilities();
        let room = Self { groups, name };
        if needs(abilities) {
            return Some(room);
        }
        skip(
            test,
            &format!("control groups can do only {abilities:?} here"),
        );
        None
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        self.groups.remove();
        if thread::panicking() {
            return;
        }
        for hierarchy in hierarchies() {
            for place in hierarchy.places {
                assert!(!place.join(&self.name).exists(), "{}", place.display());
            }
        }
    }
}

/// Runs a shell command inside a group.
fn start(group: &ControlGroup, line: &str) -> Child {
    let mut script = String::new();
    for entrance in group.entrances() {
        writeln!(script, "echo 0 >'{}' || exit 99", entrance.display()).expect("a string");
    }
    script.push_str(line);
    let mut shell = Command::new("sh");
    shell.args(["-c", &script]).stdout(Stdio::null());
    shell.stderr(Stdio::null()).spawn().expect("a shell")
}

fn until(what: &str, holds: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(20);
    while !holds() {
        assert!(Instant::now() < end, "{what}");
        thread::sleep(Duration::from_millis(1));
    }
}

/// Bytes.
const LIMIT: u64 = 24 << 20;
const SPIN: &str = "while :; do :; done";

#[test]
fn a_killed_family_is_gone_with_its_runaways() {
    let Some(room) = Room::with("kill", |able| able != Abilities::default()) else {
        return;
    };
    let group = room.groups.group("bot").expect("a group");
    assert!(group.is_empty());
    let line = "(setsid sleep 600 &); (setsid sh -c 'sleep 600 & sleep 600' &); exec sleep 600";
    let mut child = start(&group, line);
    until("the family is there", || !group.is_empty());
    thread::sleep(Duration::from_millis(20));
    group.kill();
    assert!(group.is_empty());
    let status = child.wait().expect("its end");
    assert_eq!(status.signal(), Some(9), "not its own end: {status:?}");
    assert!(room.groups.group("bot").is_err(), "the name is taken");
    group.remove();
    room.groups.group("bot").expect("the name is free").remove();
    room.groups.remove();
    room.groups.remove();
    assert!(room.groups.group("bot").is_err(), "nowhere to make it");
}

#[test]
fn names_that_lead_elsewhere_are_refused() {
    let groups = ControlGroups {
        branches: Vec::new(),
        around: Arc::default(),
    };
    for name in ["", ".", "..", "../x", "a/b", "/"] {
        assert!(groups.group(name).is_err(), "{name}");
    }
    let group = groups.group("bot").expect("a group that can do nothing");
    assert!(group.entrances().is_empty());
    assert!(group.freeze().is_err() && group.thaw().is_err());
    assert_eq!(group.cpu_time(), None);
    assert_eq!(group.peak_memory(), None);
    assert_eq!(group.memory_kills(), None);
    assert_eq!(group.refused_processes(), 0);
    assert!(group.is_empty());
    assert!(group.limit(1 << 20, 1).is_ok());
}

#[test]
fn a_dropped_group_and_a_removed_run_leave_no_process() {
    let Some(room) = Room::with("drop", |able| able != Abilities::default()) else {
        return;
    };
    let mut children = Vec::new();
    for name in ["dropped", "left"] {
        let group = room.groups.group(name).expect("a group");
        let child = start(&group, "exec sleep 600");
        // It enters one hierarchy after the other before it sleeps.
        let program = format!("/proc/{}/comm", child.id());
        until("it sleeps", || {
            fs::read_to_string(&program).is_ok_and(|name| name == "sleep\n")
        });
        assert!(!group.is_empty());
        children.push(child);
        if name == "left" {
            // As if this process had been killed: nothing is dropped.
            std::mem::forget(group);
        }
    }
    ControlGroups::remove_run(&room.name);
    for mut child in children {
        assert_eq!(child.wait().expect("its end").signal(), Some(9));
    }
}

#[test]
fn stale_runs_are_removed_and_others_are_not() {
    let able = |able| able != Abilities::default();
    let Some(alive) = Room::with("stale", able) else {
        return;
    };
    let namespace = run_name();
    let namespace = namespace.rsplit('-').next().expect("a namespace");
    // Process ids are below 2^22.
    let stale = format!("awale-4194305-{}-{namespace}", std::process::id());
    let made = (0..100).find_map(|_| a_process_of_a_stale_run(&stale));
    let (mut child, folders) = made.expect("a stale run");
    // One call waits only a moment, and on a busy host killed processes may take longer to end.
    until("it is removed", || {
        ControlGroups::remove_stale();
        folders.iter().all(|folder| !folder.exists())
    });
    assert_eq!(child.wait().expect("its end").signal(), Some(9));
    alive.groups.group("bot").expect("ours is still there");
}

/// `None` if another `awale` on this host has removed the folders meanwhile, as it should.
fn a_process_of_a_stale_run(name: &str) -> Option<(Child, Vec<PathBuf>)> {
    let groups = ControlGroups::open(name);
    let folders: Vec<PathBuf> = groups.branches.iter().map(|b| b.folder.clone()).collect();
    let stands = || folders.iter().all(|folder| folder.exists());
    let group = groups.group("bot").ok()?;
    let mut child = start(&group, "exec sleep 600");
    until("it is there", || !group.is_empty() || !stands());
    let is_there = !group.is_empty() && stands();
    // As if this process had been killed: nothing is dropped.
    std::mem::forget(group);
    if !is_there {
        child.kill().expect("our own child");
        child.wait().expect("its end");
        return None;
    }
    Some((child, folders))
}

#[test]
fn memory_ends_where_the_limit_is() {
    let Some(room) = Room::with("memory limit", |able| able.memory) else {
        return;
    };
    // `tail` keeps an unfinished last line in memory; the bomb itself ends at 96 MiB.
    for (bytes, killed) in [(2_u64 << 20, false), (96 << 20, true)] {
        let group = room.groups.group("bot").expect("a group");
        group.limit(LIMIT, 64).expect("a limit");
        let mut child = start(&group, &format!("head -c {bytes} /dev/zero | tail"));
        let status = child.wait().expect("its end");
        assert_ne!(status.code(), Some(99), "it entered");
        assert_eq!(
            group.memory_kills() > Some(0),
            killed,
            "{bytes}: {status:?}"
        );
        assert_eq!(group.has_reached_memory_limit(), killed, "{bytes}");
        let peak = group.peak_memory().expect("a peak");
        assert!(peak > bytes.min(LIMIT) / 2 && peak <= LIMIT, "{peak}");
    }
}

#[test]
fn limits_may_be_raised_and_lowered() {
    let Some(room) = Room::with("new limits", |able| able.memory) else {
        return;
    };
    let group = room.groups.group("bot").expect("a group");
    let read = || {
        let folder = &group.part(|able| able.memory).expect("memory").folder;
        let files = ["memory.max", "memory.limit_in_bytes"].map(|name| folder.join(name));
        let text = files.iter().find_map(|file| fs::read_to_string(file).ok());
        text.expect("a limit").trim().parse::<u64>()
    };
    for megabytes in [64, 512, 16, 1024] {
        let bytes = megabytes << 20;
        group.limit(bytes, 5).expect("a limit");
        assert_eq!(read(), Ok(bytes));
    }
}

#[test]
fn processes_end_where_the_limit_is() {
    let Some(room) = Room::with("process limit", |able| able.processes) else {
        return;
    };
    let group = room.groups.group("bot").expect("a group");
    group.limit(64 << 20, 4).expect("a limit");
    // A shell and seven children exceed the limit of four.
    let line = "for i in 1 2 3 4 5 6 7; do sleep 600 & done; wait";
    let status = start(&group, line).wait().expect("its end");
    assert_eq!(status.code(), Some(2), "a shell that may not fork ends");
    assert!(group.has_reached_process_limit() && group.refused_processes() > 0);
    group.kill();
    let group_of_more = room.groups.group("more").expect("a group");
    group_of_more.limit(64 << 20, 40).expect("a limit");
    let status = start(&group_of_more, &line.replace("sleep 600", "sleep 0.01")).wait();
    assert_eq!(status.expect("its end").code(), Some(0));
    assert!(!group_of_more.has_reached_process_limit());
    assert_eq!(group_of_more.refused_processes(), 0);
}

/// The limits of the run's own folders are above those of the groups in them.
#[test]
fn a_limit_above_a_group_is_not_its_own() {
    let Some(mut room) = Room::with("outer limits", |able| able.memory && able.processes) else {
        return;
    };
    for branch in &room.groups.branches {
        let limits = [
            ("memory.limit_in_bytes", LIMIT.to_string()),
            ("memory.max", LIMIT.to_string()),
            ("pids.max", "4".to_owned()),
        ];
        for (file, value) in limits {
            let file = branch.folder.join(file);
            if file.exists() {
                fs::write(file, value).expect("a limit");
            }
        }
    }
    let folders = room.groups.branches.iter().map(|it| it.folder.clone());
    room.groups.around = folders.collect();
    let allowed = HostLimits::of(&room.groups.around);
    assert_eq!(allowed.memory_bytes, Some(LIMIT));
    assert_eq!(allowed.processes, Some(4));
    let group = room.groups.group("memory").expect("a group");
    group.limit(4 * LIMIT, 64).expect("a limit");
    let killed = start(&group, "head -c 96M /dev/zero | tail").wait();
    assert!(group.memory_kills() > Some(0), "{killed:?}");
    assert!(!group.has_reached_memory_limit());
    group.remove();
    let group = room.groups.group("processes").expect("a group");
    group.limit(LIMIT, 64).expect("a limit");
    assert_eq!(group.refused_processes(), 0);
    let line = "for i in 1 2 3 4 5 6 7; do sleep 600 & done; wait";
    let refused = start(&group, line).wait().expect("its end");
    assert_eq!(refused.code(), Some(2), "a shell that may not fork ends");
    assert!(group.refused_processes() > 0);
    assert!(!group.has_reached_process_limit());
}

/// A group of version 2 with all abilities that consists of these files, so that version 2 is
/// tested on every host.
fn group_of_files(folder: &Path, files: &[(&str, &str)]) -> ControlGroup {
    for (name, text) in files {
        fs::write(folder.join(name), text).expect("a file");
    }
    let abilities = Abilities {
        memory: true,
        processes: true,
        freeze: true,
        cpu_time: true,
        cpu_share: true,
        kill: true,
    };
    let mut group = ControlGroup::without_parts(&Arc::from([folder.join("around")]));
    group.parts.push(Branch {
        version: Version::Two,
        folder: folder.to_owned(),
        abilities,
    });
    group.open_files().expect("its files");
    group
}

const FILES_OF_TWO: [(&str, &str); 10] = [
    ("cgroup.events", "populated 0\nfrozen 0\n"),
    ("cgroup.freeze", "0"),
    ("cgroup.kill", ""),
    ("cgroup.procs", ""),
    ("cpu.stat", "usage_usec 1500\nuser_usec 1000\n"),
    ("memory.current", "4096\n"),
    ("memory.max", ""),
    ("memory.oom.group", ""),
    ("memory.peak", "8192\n"),
    ("memory.swap.max", ""),
];

#[test]
fn version_2_is_limited_frozen_and_killed_by_its_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).expect(name);
    let group = group_of_files(folder.path(), &FILES_OF_TWO);
    fs::write(folder.path().join("pids.max"), "").expect("a file");
    group.limit(64 << 20, 17).expect("limits");
    let limits = [
        "memory.max",
        "memory.swap.max",
        "memory.oom.group",
        "pids.max",
    ]
    .map(read);
    assert_eq!(limits, ["67108864", "0", "1", "17"]);
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).expect(name);
    for (freezes, text) in [(true, "1"), (false, "0")] {
        if freezes {
            group.freeze()
        } else {
            group.thaw()
        }
        .expect("a write");
        assert_eq!(read("cgroup.freeze"), text);
    }
    assert_eq!(group.cpu_time(), Some(Duration::from_micros(1500)));
    assert_eq!(
        (group.memory(), group.peak_memory()),
        (Some(4096), Some(8192))
    );
    let entrance = folder.path().join("cgroup.procs");
    assert_eq!(group.entrances(), [entrance]);
    assert!(group.is_empty());
    group.kill();
    assert_eq!(read("cgroup.kill"), "1");
    fs::write(folder.path().join("cgroup.events"), "populated 1\n").expect("a file");
    assert!(!group.is_empty());
    fs::write(folder.path().join("cgroup.events"), "populated 0\n").expect("a file");
}

#[test]
fn version_2_tells_whose_memory_limit_was_met() {
    let folder = tempfile::tempdir().expect("a folder");
    let group = group_of_files(folder.path(), &FILES_OF_TWO);
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect(name);
    assert_eq!(
        (group.memory_kills(), group.refused_processes()),
        (Some(0), 0)
    );
    // `memory.events` counts the groups below, too: it is not read.
    write("memory.events", "oom 9\noom_kill 9\n");
    for (events, kills, is_own) in [
        (
            "low 0\nhigh 0\nmax 3\noom 0\noom_kill 0\noom_group_kill 0\n",
            0,
            false,
        ),
        (
            "low 0\nhigh 0\nmax 3\noom 0\noom_kill 2\noom_group_kill 0\n",
            2,
            false,
        ),
        (
            "low 0\nhigh 0\nmax 3\noom 1\noom_kill 2\noom_group_kill 1\n",
            2,
            true,
        ),
    ] {
        write("memory.events.local", events);
        assert_eq!(group.memory_kills(), Some(kills), "{events}");
        assert_eq!(group.has_reached_memory_limit(), is_own, "{events}");
    }
}

#[test]
fn version_2_tells_whose_process_limit_was_met() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("around")).expect("a folder");
    let group = group_of_files(folder.path(), &FILES_OF_TWO);
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect(name);
    write("pids.max", "17\n");
    // The events of the group, those of the group around, the group's peak; refusals, and whether
    // its own limit was reached.
    for (events, local, around, peak, refused, is_own) in [
        ("max 0\n", None, "max 0\n", Some("16\n"), 0, false),
        // Before Linux 6.11 a group counts what any limit refused to it,
        ("max 3\n", None, "max 0\n", Some("16\n"), 3, false),
        ("max 3\n", None, "max 0\n", Some("17\n"), 3, true),
        ("max 3\n", None, "max 0\n", None, 3, true),
        // and since then what its own limit refused.
        (
            "max 5\n",
            Some("max 0\n"),
            "max 2\n",
            Some("16\n"),
            2,
            false,
        ),
        ("max 5\n", Some("max 3\n"), "max 2\n", Some("17\n"), 5, true),
    ] {
        write("pids.events", events);
        write("around/pids.events", around);
        for (name, text) in [("pids.events.local", local), ("pids.peak", peak)] {
            let _ = fs::remove_file(folder.path().join(name));
            if let Some(text) = text {
                write(name, text);
            }
        }
        assert_eq!(
            group.refused_processes(),
            refused,
            "{events} {around} {peak:?}"
        );
        assert_eq!(
            group.has_reached_process_limit(),
            is_own,
            "{events} {peak:?}"
        );
    }
    assert_eq!(refused_by(&[]), 0);
}

#[test]
fn the_lowest_limit_around_counts() {
    let folder = tempfile::tempdir().expect("a folder");
    let above = folder.path().to_owned();
    let own = above.join("own");
    fs::create_dir(&own).expect("a folder");
    let places = [own.clone(), above.clone()];
    assert_eq!(HostLimits::of(&places), HostLimits::default());
    fs::write(own.join("memory.max"), "max\n").expect("a file");
    fs::write(own.join("pids.max"), "max\n").expect("a file");
    assert_eq!(HostLimits::of(&places), HostLimits::default());
    fs::write(above.join("memory.max"), "4096\n").expect("a file");
    fs::write(own.join("pids.max"), "90\n").expect("a file");
    fs::write(above.join("pids.max"), "100\n").expect("a file");
    let expected = HostLimits {
        memory_bytes: Some(4096),
        processes: Some(90),
    };
    assert_eq!(HostLimits::of(&places), expected);
    // Version 1, where a very large number means no limit.
    fs::write(own.join("memory.limit_in_bytes"), "9223372036854771712\n").expect("a file");
    assert_eq!(HostLimits::of(&places), expected);
    fs::write(own.join("memory.limit_in_bytes"), "4095\n").expect("a file");
    assert_eq!(HostLimits::of(&places).memory_bytes, Some(4095));
}

#[test]
fn cpu_time_grows_unless_frozen() {
    let Some(room) = Room::with("freeze", |able| able.freeze && able.cpu_time) else {
        return;
    };
    let group = room.groups.group("bot").expect("a group");
    let mut child = start(&group, SPIN);
    let time = || group.cpu_time().expect("CPU time");
    until("it runs", || time() > Duration::from_millis(20));
    group.freeze().expect("frozen");
    let folder = &group.part(|able| able.freeze).expect("a part").folder;
    let stands = || fs::read_to_string(folder.join("cgroup.events"));
    until("it stands", || {
        stands().is_ok_and(|events| events.contains("frozen 1"))
    });
    let before = time();
    thread::sleep(Duration::from_millis(100));
    // The kernel says so a moment before the process leaves its processor.
    let since = time().saturating_sub(before);
    assert!(since < Duration::from_millis(1), "{since:?}");
    group.thaw().expect("thawed");
    until("it goes on", || time() > before + Duration::from_millis(10));
    group.freeze().expect("frozen again");
    group.kill();
    assert!(group.is_empty(), "the frozen die too");
    child.wait().expect("its end");
}

#[test]
fn an_ordinary_user_with_folders_of_its_own_enters_them() {
    let able = |able: Abilities| able.memory && able.processes;
    let Some(room) = Room::with("delegation", able) else {
        return;
    };
    if !rustix::process::geteuid().is_root() {
        return skip("delegation", "needs root to give folders away");
    }
    let group = room.groups.group("bot").expect("a group");
    for part in &group.parts {
        for file in ["", "cgroup.procs"] {
            let file = part.folder.join(file);
            std::os::unix::fs::chown(file, Some(65534), Some(65534)).expect("given away");
        }
    }
    let one = group
        .parts
        .iter()
        .filter(|part| part.version == Version::One);
    for part in one {
        let line = format!(
            "mkdir '{0}/x' && echo 0 >'{0}/x/cgroup.procs' && exec sleep 600",
            part.folder.display()
        );
        let mut user = Command::new("setpriv");
        user.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
        let mut child = user.args(["sh", "-c", &line]).spawn().expect("a process");
        until("it entered", || !family::is_empty(&part.folder.join("x")));
        family::kill(&part.folder, Instant::now() + KILL_TIME);
        assert_eq!(child.wait().expect("its end").signal(), Some(9));
    }
}

/// Twenty processes in five sessions: all of them are in the group whose share counts once against
/// every other. How the kernel divides the time then depends on what else runs on the host.
#[test]
fn a_family_has_one_share_of_the_processor() {
    let Some(room) = Room::with("share", |able| able.cpu_share) else {
        return;
    };
    let many = "for s in 1 2 3 4 5; do setsid sh -c 'for p in 1 2 3 4; do sleep 60 & done; \
                wait' & done; wait";
    let mut crowd = room.groups.group("crowd").expect("a group");
    let mut child = start(&crowd, many);
    until("the crowd is there", || crowd.members().len() >= 26);
    crowd.share_processor();
    let sharing = crowd.part(|able| able.cpu_share).expect("a part");
    let mut inside = family::numbers(&sharing.folder);
    inside.sort_unstable();
    assert_eq!(inside, crowd.members());
    crowd.kill();
    child.wait().expect("its end");
}

/// Wherever this process may enter its own group, it is in the same groups afterwards.
#[test]
fn entering_ones_own_group_changes_nothing() {
    let groups = || crate::procfs::own_control_groups();
    let before = groups();
    let entered = hierarchies()
        .iter()
        .filter(|it| it.own_place().is_some_and(|place| place.enter()))
        .count();
    if entered == 0 {
        skip(
            "entering_ones_own_group_changes_nothing",
            "no group may be entered here",
        );
    }
    assert_eq!(groups(), before);
}
