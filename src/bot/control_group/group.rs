//! One bot's control group: a folder in each useful hierarchy, used as if they were one group.

use super::Abilities;
use super::family::{self, KILL_TIME};
use super::hierarchy::{Branch, Version};
use super::host_limits::refused_by;
use crate::bot::control_group::hierarchy::{read_count, write_control};
use crate::log::LogError as _;
use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How many times the members are listed again: a child starts in its parent's group, so a process
/// that forks can be missed.
const MOST_ROUNDS: u32 = 8;
/// The kernel kills for want of as many pages at once, and then the peak is below the limit.
const LAST_PAGES: u64 = 8;

/// A group for one bot and its whole family. Dropping it kills the family and removes the group.
#[derive(Debug)]
pub struct ControlGroup {
    pub(super) parts: Vec<Branch>,
    /// Open from the start, so that a freeze or a look at the clock is one system call.
    freezer: Option<File>,
    clock: Option<CpuClock>,
    /// Whether all members share one share of the processor by now.
    shares: bool,
    /// The groups around the whole run that limit processes.
    around: Arc<[PathBuf]>,
}

/// The CPU time of a group's members, including those that have ended. A clone reads the same file.
#[derive(Clone, Debug)]
pub struct CpuClock {
    version: Version,
    file: Arc<File>,
}

impl CpuClock {
    /// CPU time since the group was made; `None` once the group is removed.
    pub fn read(&self) -> Option<Duration> {
        let mut text = [0; 64];
        let length = self.file.read_at(&mut text, 0).ok()?;
        let text = std::str::from_utf8(&text[..length]).ok()?;
        match self.version {
            Version::One => text.trim().parse().ok().map(Duration::from_nanos),
            Version::Two => {
                // The first line, according to the kernel's manual.
                let line = text.strip_prefix("usage_usec ")?.lines().next()?;
                line.parse().ok().map(Duration::from_micros)
            }
        }
    }
}

impl ControlGroup {
    pub(super) fn make(
        branches: &[Branch],
        name: &str,
        around: &Arc<[PathBuf]>,
    ) -> io::Result<Self> {
        let mut group = Self::without_parts(around);
        for branch in branches {
            let folder = branch.folder.join(name);
            fs::create_dir(&folder)?;
            group.parts.push(Branch {
                folder,
                ..branch.clone()
            });
        }
        group.open_files()?;
        Ok(group)
    }

    pub(super) fn without_parts(around: &Arc<[PathBuf]>) -> Self {
        Self {
            parts: Vec::new(),
            freezer: None,
            clock: None,
            shares: false,
            around: Arc::clone(around),
        }
    }

    /// Opens the files of the freezer and of the clock.
    pub(super) fn open_files(&mut self) -> io::Result<()> {
        if let Some(part) = self.part(|able| able.freeze) {
            let file = OpenOptions::new()
                .write(true)
                .open(part.folder.join("cgroup.freeze"))?;
            self.freezer = Some(file);
        }
        // Reading version 1 takes half the time: version 2 first adds up the counters of all
        // processors.
        let mut clocks: Vec<&Branch> = self.parts.iter().collect();
        clocks.retain(|part| part.abilities.cpu_time);
        clocks.sort_by_key(|part| part.version != Version::One);
        if let Some(part) = clocks.first() {
            let file = match part.version {
                Version::One => "cpuacct.usage",
                Version::Two => "cpu.stat",
            };
            self.clock = Some(CpuClock {
                version: part.version,
                file: Arc::new(File::open(part.folder.join(file))?),
            });
        }
        Ok(())
    }

    /// The branch that has an ability.
    pub(super) fn part(&self, has: impl Fn(&Abilities) -> bool) -> Option<&Branch> {
        self.parts.iter().find(|part| has(&part.abilities))
    }

    /// Files through which a process enters: a process that writes `0` into each of them becomes a
    /// member, together with its later children, but not with its earlier ones. A hierarchy that
    /// can only share the processor is entered by [`ControlGroup::share_processor`].
    pub fn entrances(&self) -> Vec<PathBuf> {
        let parts = self.parts.iter().filter(|part| !part.only_shares());
        parts.map(|part| part.folder.join("cgroup.procs")).collect()
    }

    /// Gives the whole family one share of the processor from now on, with any number of processes
    /// and sessions. With version 2 this holds from the start. With version 1 it would cost a fast
    /// bot a quarter of the time of every turn, because waking a process in another group preempts
    /// the referee. So it is used for families that use much time in their own or the opponent's
    /// turns.
    ///
    /// To be called while the family is frozen. A process that forks all the time may be missed,
    /// and is tried again at the next call.
    pub fn share_processor(&mut self) {
        if self.shares {
            return;
        }
        let Some(part) = self.parts.iter().find(|part| part.only_shares()) else {
            self.shares = true;
            return;
        };
        let entrance = part.folder.join("cgroup.procs");
        for _ in 0..MOST_ROUNDS {
            let inside = family::numbers(&part.folder);
            let mut outside = self.members();
            outside.retain(|member| !inside.contains(member));
            if outside.is_empty() {
                self.shares = true;
                return;
            }
            for member in outside {
                // A process that has ended meanwhile needs no share.
                let entered = write_control(&entrance, &member.to_string());
                entered.log_error("let a process share the processor");
            }
        }
    }

    /// Limits memory, in bytes, without additional swap, and the number of processes and threads.
    /// Limits that the host lacks are skipped: see [`super::ControlGroups::abilities`]. With
    /// version 2, the kernel kills the whole family when it runs out of memory.
    ///
    /// # Errors
    /// The kernel refuses a limit that is below the present use.
    pub fn limit(&self, memory_bytes: u64, processes: u32) -> io::Result<()> {
        if let Some(part) = self.part(|able| able.memory) {
            match part.version {
                Version::One => limit_memory_of_one(&part.folder, memory_bytes)?,
                Version::Two => limit_memory_of_two(&part.folder, memory_bytes)?,
            }
        }
        if let Some(part) = self.part(|able| able.processes) {
            write_control(&part.folder.join("pids.max"), &processes.to_string())?;
        }
        Ok(())
    }

    /// Freezes the family, without waiting until it stands still (some microseconds later).
    ///
    /// # Errors
    /// `Unsupported` without version 2 (a family that version 1 freezes cannot be killed), or if
    /// the group was removed.
    pub fn freeze(&self) -> io::Result<()> {
        self.set_frozen(b"1")
    }

    /// Continues the family.
    ///
    /// # Errors
    /// As for [`ControlGroup::freeze`].
    pub fn thaw(&self) -> io::Result<()> {
        self.set_frozen(b"0")
    }

    fn set_frozen(&self, word: &[u8]) -> io::Result<()> {
        let file = self.freezer.as_ref().ok_or(io::ErrorKind::Unsupported)?;
        file.write_all_at(word, 0)
    }

    /// CPU time of all members since the group was made, including those that have ended.
    pub fn cpu_time(&self) -> Option<Duration> {
        self.clock.as_ref()?.read()
    }

    /// The clock behind [`ControlGroup::cpu_time`], if the host has one.
    pub fn clock(&self) -> Option<CpuClock> {
        self.clock.clone()
    }

    /// How many members the kernel killed for lack of memory: that of the group, of a group above,
    /// or of the whole host. `None` if the host does not limit the group's memory.
    pub fn memory_kills(&self) -> Option<u64> {
        let file = self.memory_file(["memory.oom_control", "memory.events.local"])?;
        Some(read_count(&file, "oom_kill").unwrap_or(0))
    }

    /// Whether the group itself was at its memory limit, so that no group above caused a kill. With
    /// version 1 the peak tells; there it may also have been file cache.
    pub fn has_reached_memory_limit(&self) -> bool {
        let Some(part) = self.part(|able| able.memory) else {
            return false;
        };
        let events = part.folder.join("memory.events.local");
        match part.version {
            Version::One => {
                let limit =
                    number_in(&part.folder.join("memory.limit_in_bytes")).unwrap_or(u64::MAX);
                let peaks = [
                    "memory.max_usage_in_bytes",
                    "memory.memsw.max_usage_in_bytes",
                ];
                let peaks = peaks
                    .iter()
                    .filter_map(|file| number_in(&part.folder.join(file)));
                let last_pages = LAST_PAGES * rustix::param::page_size() as u64;
                peaks.max() >= Some(limit.saturating_sub(last_pages))
            }
            Version::Two => read_count(&events, "oom") > Some(0),
        }
    }

    /// Whether the host limits the processes of the group.
    pub fn limits_processes(&self) -> bool {
        self.part(|able| able.processes).is_some()
    }

    /// Whether the group itself had as many processes and threads as it may. A kernel that keeps no
    /// peak does not tell whose limit refused one; then it counts as the group's own.
    pub fn has_reached_process_limit(&self) -> bool {
        let Some(part) = self.part(|able| able.processes) else {
            return false;
        };
        match (
            number_in(&part.folder.join("pids.peak")),
            number_in(&part.folder.join("pids.max")),
        ) {
            (Some(peak), Some(most)) => peak >= most,
            _ => refused_by(std::slice::from_ref(&part.folder)) > 0,
        }
    }

    /// How many processes and threads were refused so far: to the group by any limit, as far as the
    /// kernel counts that, or else to any program by a limit around the run.
    pub fn refused_processes(&self) -> u64 {
        let own = self.part(|able| able.processes);
        let to_group = own.map_or(0, |part| refused_by(std::slice::from_ref(&part.folder)));
        match own.map(|part| part.version) {
            Some(Version::One) => to_group,
            Some(Version::Two) | None => to_group + refused_by(&self.around),
        }
    }

    /// The memory of the group now, in bytes, file cache included.
    pub fn memory(&self) -> Option<u64> {
        number_in(&self.memory_file(["memory.usage_in_bytes", "memory.current"])?)
    }

    /// The peak memory of the group, in bytes, file cache included.
    pub fn peak_memory(&self) -> Option<u64> {
        number_in(&self.memory_file(["memory.max_usage_in_bytes", "memory.peak"])?)
    }

    /// The file of version 1 or of version 2, where the host limits the group's memory.
    fn memory_file(&self, [one, two]: [&str; 2]) -> Option<PathBuf> {
        let part = self.part(|able| able.memory)?;
        Some(part.folder.join(match part.version {
            Version::One => one,
            Version::Two => two,
        }))
    }

    /// Kills the whole family, frozen or not, and blocks until it has ended, for two seconds at
    /// most.
    pub fn kill(&self) {
        let end = Instant::now() + KILL_TIME;
        // First the hierarchy that kills a whole group at once: the others then find no process, or
        // one that was just entering.
        let mut parts: Vec<&Branch> = self.parts.iter().collect();
        parts.sort_by_key(|part| !part.abilities.kill);
        for part in parts {
            family::kill(&part.folder, end);
        }
    }

    /// Whether all members have ended.
    pub fn is_empty(&self) -> bool {
        self.parts.iter().all(|part| family::is_empty(&part.folder))
    }

    /// The process ids of all living members that this PID namespace shows.
    pub fn members(&self) -> Vec<u32> {
        let lists = self.parts.iter();
        let found: BTreeSet<u32> = lists
            .flat_map(|part| family::numbers(&part.folder))
            .collect();
        found.into_iter().collect()
    }

    /// Kills the family and removes the group, as dropping it does.
    pub fn remove(self) {
        drop(self);
    }
}

impl Drop for ControlGroup {
    fn drop(&mut self) {
        let folders = self.parts.iter().map(|part| part.folder.clone());
        family::remove(folders.collect(), Instant::now() + KILL_TIME);
    }
}

/// The number that is the whole content of a file.
fn number_in(file: &Path) -> Option<u64> {
    fs::read_to_string(file).ok()?.trim().parse().ok()
}

/// Sets the limits of version 1, where the limit for memory and swap together must not be below
/// that for memory.
fn limit_memory_of_one(folder: &Path, bytes: u64) -> io::Result<()> {
    let (memory, both) = ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes");
    let set = |file: &str| write_control(&folder.join(file), &bytes.to_string());
    if !folder.join(both).exists() {
        // The kernel does not count swap, so swap must not be used.
        write_control(&folder.join("memory.swappiness"), "0")?;
        return set(memory);
    }
    // Lower the memory limit first, or raise both limits first.
    set(memory).or_else(|_| set(both).and_then(|()| set(memory)))?;
    set(both)
}

fn limit_memory_of_two(folder: &Path, bytes: u64) -> io::Result<()> {
    write_control(&folder.join("memory.max"), &bytes.to_string())?;
    for (file, text) in [("memory.swap.max", "0"), ("memory.oom.group", "1")] {
        // Old kernels, and those without swap, lack these files.
        let file = folder.join(file);
        if file.exists() {
            write_control(&file, text)?;
        }
    }
    Ok(())
}
