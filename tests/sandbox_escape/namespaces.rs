//! Namespaces in which villains may do their worst. The whole test, referee included, runs inside
//! a PID namespace of its own, with a `/proc` of its own; inside a control group, where memory and
//! processes are limited whatever the sandbox does; and the only places to write are small file
//! systems in memory that end with it.

use crate::support::container::Container;
use crate::support::skip::{skip, test_name};
use crate::support::turn::take_turn;
use rustix::mount::{
    MountFlags, MountPropagationFlags, mount, mount_bind, mount_change, mount_remount,
};
use std::ffi::CStr;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Says to the test that it is inside, and which its control groups are.
const INSIDE: &str = "AWALE_HOSTILE_INSIDE";
/// Bytes of memory, tmpfs included, that everything inside may use together: the bombs of two
/// slots at their limit, and this program some times over.
const MEMORY: u64 = 1792 << 20;
/// Processes and threads of everything inside.
const PROCESSES: u32 = 1000;
/// Where the files of a test lie.
pub const ROOT: &str = "/tmp/room";
/// Places of the host that lie behind file systems of the namespaces, open to all users: a program
/// that gets out of the sandbox could write there.
pub const OPEN_PLACES: [&str; 5] = ["/tmp", "/dev/shm", "/var/tmp", "/home", "/opt"];

/// The namespaces as they are seen from inside.
#[derive(Clone, Debug)]
pub struct Namespaces {
    /// The control groups that hold them, one in each hierarchy.
    pub groups: Vec<PathBuf>,
}

/// Runs `test` inside namespaces of its own, or says why there is none: the test that calls this is
/// started again, inside.
pub fn in_namespaces(test: impl FnOnce(&Namespaces)) {
    if let Some(groups) = std::env::var_os(INSIDE) {
        let groups = std::env::split_paths(&groups).collect();
        furnish();
        return test(&Namespaces { groups });
    }
    let name = &test_name();
    // Hundreds of processes die in a test, many of them in namespaces of their own. Where two tests
    // share two processors, Linux 6.18 without kernel preemption has been seen to busy-wait in
    // `shrink_dcache_parent`, called by `wait4`, for directories of `/proc` that another processor
    // is about to give up: for tens of seconds nothing ran that had to share the processor.
    take_turn();
    if !rustix::process::geteuid().is_root() {
        return skip(
            name,
            "only root makes such namespaces: run the tests with sudo too",
        );
    }
    for program in ["unshare", "setpriv"] {
        if find(program).is_none() {
            return skip(name, &format!("no `{program}` (util-linux)"));
        }
    }
    let groups = match Container::new("hostile", MEMORY, PROCESSES) {
        Ok(groups) => groups,
        Err(reason) => return skip(name, &reason),
    };
    let unshare = "unshare --pid --mount --ipc --fork --mount-proc --kill-child";
    let words: Vec<&str> = unshare.split(' ').collect();
    let mut command = groups.command(&words);
    command
        .arg(std::env::current_exe().expect("the test's own path"))
        .args([name, "--exact", "--include-ignored"])
        .args(["--nocapture", "--test-threads=1"])
        // The list lies outside, and this process reads what is skipped inside.
        .env_remove("AWALE_SKIPPED")
        .env_remove("AWALE_NO_SKIP")
        .env(
            INSIDE,
            std::env::join_paths(&groups.folders).expect("paths"),
        )
        .stdin(Stdio::null());
    let said = command.output().expect("a shell");
    let [text, told] = [&said.stdout, &said.stderr].map(|it| String::from_utf8_lossy(it));
    assert!(
        said.status.success() && text.contains("1 passed"),
        "{name} in its namespaces: {}\n{text}\n{told}",
        said.status,
    );
    print!("{text}");
    eprint!("{told}");
    let left = groups.remove();
    assert!(left.is_empty(), "{name} left control groups: {left:?}");
    let skipped = told
        .lines()
        .filter_map(|line| line.strip_prefix("skipped: "));
    for (part, reason) in skipped.filter_map(|line| line.split_once(": ")) {
        skip(part, reason);
    }
}

pub fn find(program: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders)
        .map(|folder| folder.join(program))
        .find(|path| path.is_file())
}

/// Nothing of the host can be written from here on.
fn furnish() {
    assert_eq!(rustix::process::getpid().as_raw_nonzero().get(), 1);
    let all_private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    mount_change("/", all_private).expect("mounts of its own");
    // Copied before the host's folders are hidden.
    let program = fs::read(env!("CARGO_BIN_EXE_awale")).expect("the program");
    for (place, size) in OPEN_PLACES.iter().zip([
        c"size=512m,mode=1777",
        c"size=64m,mode=1777",
        c"size=1m,mode=1777",
        c"size=1m,mode=1777",
        c"size=1m,mode=1777",
    ]) {
        if Path::new(place).is_dir() {
            mount_memory(place, size);
        }
    }
    fs::create_dir(ROOT).expect("a room");
    let awale = Path::new(ROOT).join("awale");
    fs::write(&awale, program).expect("room for the program");
    fs::set_permissions(&awale, fs::Permissions::from_mode(0o755)).expect("a mode");
    // Smaller without what debuggers need; where there is no such tool, larger.
    let _ = Command::new("strip")
        .arg(&awale)
        .stderr(Stdio::null())
        .status();
    make_read_only("/");
}

fn mount_memory(place: &str, size: &CStr) {
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    mount("tmpfs", place, "tmpfs", flags, size).expect("a file system in memory");
}

fn make_read_only(place: &str) {
    let flags = MountFlags::BIND | MountFlags::RDONLY;
    if mount_remount(place, flags, "").is_err() {
        mount_bind(place, place).expect("a mount");
        mount_remount(place, flags, "").expect("a read-only mount");
    }
}

/// Folders below the groups of the namespaces that belong to a run.
pub fn groups_of_runs(namespaces: &Namespaces) -> Vec<PathBuf> {
    let inside = |folder: &PathBuf| fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = namespaces
        .groups
        .iter()
        .flat_map(inside)
        .map(|entry| entry.path());
    folders
        .filter(|path| {
            path.file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with("awale-"))
        })
        .collect()
}

/// Gives a file or folder to the ordinary user.
pub fn give(path: &Path, user: u32) {
    chown(path, Some(user), Some(user)).expect("root gives");
}
