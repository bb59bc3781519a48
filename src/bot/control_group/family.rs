//! The processes in a control group and below it: kills them, waits until they have ended, and
//! removes the folders. This works on folders alone, so that another process can clean up after a
//! run that has ended.

use crate::bot::control_group::hierarchy::write_control;
use crate::log::LogError as _;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use std::fs::{self, File};
use std::io::{ErrorKind, Read as _};
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long killed processes may take to end. A process in an uninterruptible system call may take
/// longer.
pub const KILL_TIME: Duration = Duration::from_secs(2);

/// The error for a folder that has processes.
const BUSY: ErrorKind = ErrorKind::ResourceBusy;
/// The pause before the next look at a folder, where no event is available.
const PAUSE: Duration = Duration::from_micros(200);

/// Kills all processes in a folder and below it, and waits until they have ended or `end` is
/// reached.
pub fn kill(folder: &Path, end: Instant) {
    if write_control(&folder.join("cgroup.kill"), "1").is_ok() {
        await_empty(folder, end);
        return;
    }
    if members(folder).is_empty() && !has_subfolders(folder) {
        return;
    }
    // Processes that cannot fork cannot outrun this loop. One that enters later may fork again.
    let limit = folder.join("pids.max");
    let before = fs::read_to_string(&limit).ok();
    let stopped = before.filter(|_| write_control(&limit, "0").is_ok());
    for below in subfolders(folder) {
        kill(&below, end);
    }
    kill_one_by_one(folder, end);
    if let Some(before) = stopped {
        let restored = write_control(&limit, before.trim());
        restored.log_error("restore a limit of processes");
    }
}

/// Kills and removes folders and those below them.
pub fn remove(mut folders: Vec<PathBuf>, end: Instant) {
    // The kernel removes no folder with processes or folders in it, so this is all for most.
    folders.retain(|folder| fs::remove_dir(folder).is_err() && folder.exists());
    // First the hierarchy that kills a whole group at once: it also reaches processes that the
    // others do not show.
    folders.sort_by_key(|folder| !folder.join("cgroup.kill").exists());
    for folder in &folders {
        kill(folder, end);
    }
    for folder in &folders {
        remove_empty(folder, end);
    }
}

fn remove_empty(folder: &Path, end: Instant) {
    for below in subfolders(folder) {
        remove_empty(&below, end);
    }
    // The kernel may free the folder a moment after the last process has ended. A folder that this
    // user may not remove is not waited for.
    let is_busy = || fs::remove_dir(folder).is_err_and(|error| error.kind() == BUSY);
    while is_busy() && Instant::now() < end {
        wait(&mut [], PAUSE);
    }
}

/// Whether a folder has no processes; also true if the folder does not exist.
pub fn is_empty(folder: &Path) -> bool {
    // Version 2 includes the groups below.
    match fs::read_to_string(folder.join("cgroup.events")) {
        Ok(events) => !is_populated(&events),
        Err(_) => members(folder).is_empty(),
    }
}

fn is_populated(events: &str) -> bool {
    events.lines().any(|line| line == "populated 1")
}

/// Whether the kernel reports all groups below a folder of version 2 as frozen.
pub fn all_below_are_frozen(folder: &Path) -> bool {
    let frozen = |folder: &PathBuf| {
        let events = fs::read_to_string(folder.join("cgroup.events")).unwrap_or_default();
        events.lines().any(|line| line == "frozen 1")
    };
    let groups = subfolders(folder);
    !groups.is_empty() && groups.iter().all(frozen)
}

/// Whether there are folders below: each has a link to this one, beside its own two.
fn has_subfolders(folder: &Path) -> bool {
    fs::metadata(folder).is_ok_and(|metadata| metadata.nlink() > 2)
}

fn subfolders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    folders.map(|entry| entry.path()).collect()
}

/// The processes of a folder that this PID namespace shows.
fn members(folder: &Path) -> Vec<Pid> {
    let list = fs::read_to_string(folder.join("cgroup.procs")).unwrap_or_default();
    let numbers = list.lines().filter_map(|line| line.parse().ok());
    numbers.filter_map(Pid::from_raw).collect()
}

/// The process ids of a folder.
pub fn numbers(folder: &Path) -> Vec<u32> {
    let members = members(folder).into_iter();
    members
        .filter_map(|pid| pid.as_raw_nonzero().get().try_into().ok())
        .collect()
}

fn kill_one_by_one(folder: &Path, end: Instant) {
    loop {
        let Ok(killed) = kill_members(folder) else {
            return;
        };
        if killed.is_empty() && is_empty(folder) || Instant::now() >= end {
            return;
        }
        for process in &killed {
            let left = end.saturating_duration_since(Instant::now());
            wait(&mut [PollFd::new(process, PollFlags::IN)], left);
        }
        if killed.is_empty() {
            wait(&mut [], PAUSE);
        }
    }
}

/// Sends SIGKILL to all members, and returns the pidfds to wait for.
///
/// # Errors
/// A member belongs to another user.
fn kill_members(folder: &Path) -> Result<Vec<OwnedFd>, Errno> {
    let mut killed = Vec::new();
    for pid in members(folder) {
        let Ok(process) = pidfd_open(pid, PidfdFlags::empty()) else {
            continue;
        };
        // Another process may have got this id since the list was read. The pidfd is open now: if
        // the id is still in the list, the pidfd refers to a member or to a dead process.
        if members(folder).contains(&pid) {
            match pidfd_send_signal(&process, Signal::KILL) {
                Ok(()) => killed.push(process),
                Err(Errno::PERM) => return Err(Errno::PERM),
                Err(_) => {}
            }
        }
    }
    Ok(killed)
}

/// Waits for the event of version 2 when a group becomes empty. The kernel sends at most one every
/// ten milliseconds, so this looks in between as well.
fn await_empty(folder: &Path, end: Instant) {
    let Ok(mut file) = File::open(folder.join("cgroup.events")) else {
        return;
    };
    let mut text = String::new();
    loop {
        text.clear();
        let read = std::io::Seek::rewind(&mut file).and_then(|()| file.read_to_string(&mut text));
        let left = end.saturating_duration_since(Instant::now());
        if read.is_err() || !is_populated(&text) || left.is_zero() {
            return;
        }
        wait(&mut [PollFd::new(&file, PollFlags::PRI)], left.min(PAUSE));
    }
}

fn wait(events: &mut [PollFd<'_>], longest: Duration) {
    let longest = Timespec::try_from(longest).ok();
    // The caller looks again, whether or not a signal interrupted this.
    let _ = poll(events, longest.as_ref());
}
