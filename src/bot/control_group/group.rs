//! One bot's control group: a folder in each hierarchy that helps, used as if it were one.

use super::family::KILL_TIME;
use super::hierarchy::{Branch, Version};
use super::{Abilities, family};
use crate::bot::control_group::control_file::write_control;
use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A child is born where its parent is: so often members are looked for that are not there yet.
const MOST_ROUNDS: u32 = 8;

/// A group for one bot and its whole family. Dropped, it is killed and removed.
#[derive(Debug)]
pub struct ControlGroup {
    pub(super) parts: Vec<Branch>,
    /// Open from the start: a freeze or a look at the clock is one system call.
    freezer: Option<File>,
    clock: Option<CpuClock>,
    /// Whether all members have one share of the processor by now.
    shares: bool,
}

/// The CPU time of a group's members, those that ended included. A clone reads the same file.
#[derive(Clone, Debug)]
pub struct CpuClock {
    version: Version,
    file: Arc<File>,
}

impl CpuClock {
    /// CPU time since the group was made; nothing once the group is removed.
    pub fn read(&self) -> Option<Duration> {
        let mut text = [0; 64];
        let length = self.file.read_at(&mut text, 0).ok()?;
        let text = std::str::from_utf8(&text[..length]).ok()?;
        match self.version {
            Version::One => text.trim().parse().ok().map(Duration::from_nanos),
            Version::Two => {
                // The first line, by the kernel's manual.
                let line = text.strip_prefix("usage_usec ")?.lines().next()?;
                line.parse().ok().map(Duration::from_micros)
            }
        }
    }
}

impl ControlGroup {
    pub(super) fn make(branches: &[Branch], name: &str) -> io::Result<Self> {
        let mut group = Self {
            parts: Vec::new(),
            freezer: None,
            clock: None,
            shares: false,
        };
        for branch in branches {
            let folder = branch.folder.join(name);
            fs::create_dir(&folder)?;
            group.parts.push(Branch {
                folder,
                ..branch.clone()
            });
        }
        if let Some(part) = group.part(|able| able.freeze) {
            let file = OpenOptions::new()
                .write(true)
                .open(part.folder.join("cgroup.freeze"))?;
            group.freezer = Some(file);
        }
        // Version 1 is read in half the time: version 2 first adds up what each processor counted.
        let mut clocks: Vec<&Branch> = group.parts.iter().collect();
        clocks.retain(|part| part.abilities.cpu_time);
        clocks.sort_by_key(|part| part.version != Version::One);
        if let Some(part) = clocks.first() {
            let file = match part.version {
                Version::One => "cpuacct.usage",
                Version::Two => "cpu.stat",
            };
            group.clock = Some(CpuClock {
                version: part.version,
                file: Arc::new(File::open(part.folder.join(file))?),
            });
        }
        Ok(group)
    }

    /// The part that has an ability.
    pub(super) fn part(&self, has: impl Fn(&Abilities) -> bool) -> Option<&Branch> {
        self.parts.iter().find(|part| has(&part.abilities))
    }

    /// Files through which a process enters: a process that writes `0` into each of them is a
    /// member, with all the children that it has from then on. Children that it had are not. Where
    /// a hierarchy does nothing but share the processor out, [`ControlGroup::share_processor`]
    /// enters it.
    pub fn entrances(&self) -> Vec<PathBuf> {
        let parts = self.parts.iter().filter(|part| !part.only_shares());
        parts.map(|part| part.folder.join("cgroup.procs")).collect()
    }

    /// From now on the whole family has one share of the processor, however many processes and
    /// sessions it has. With version 2 it has had that from the start. With version 1 it costs
    /// every turn of a fast bot a quarter of its time: a process that is woken in a group of its
    /// own interrupts the referee. So it is for families that take their time, or their opponent's.
    ///
    /// To be called while the family is frozen: a process that forks all the time may outrun this,
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
                let _ = write_control(&entrance, &member.to_string());
            }
        }
    }

    /// Limits memory, in bytes, with no swap beyond it, and the number of processes and threads.
    /// What the host cannot limit is left out: see [`super::ControlGroups::abilities`]. With
    /// version 2, a family that is out of memory is killed as a whole.
    ///
    /// # Errors
    /// The kernel refuses a limit: it is below what is used already.
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

    /// Stops the family, and does not wait until it stands still (some microseconds later).
    ///
    /// # Errors
    /// `Unsupported` where there is no version 2 (a family frozen with version 1 could not be
    /// killed), or the group has gone.
    pub fn freeze(&self) -> io::Result<()> {
        self.set_frozen(b"1")
    }

    /// Lets the family go on.
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

    /// CPU time of all members since the group was made, of those that ended too.
    pub fn cpu_time(&self) -> Option<Duration> {
        self.clock.as_ref()?.read()
    }

    /// The clock behind [`ControlGroup::cpu_time`], if the host has one.
    pub fn clock(&self) -> Option<CpuClock> {
        self.clock.clone()
    }

    /// How many members the kernel killed because the group was out of memory.
    pub fn memory_kills(&self) -> u64 {
        let counted = self.part(|able| able.memory).and_then(|part| {
            let file = match part.version {
                Version::One => "memory.oom_control",
                Version::Two => "memory.events",
            };
            let text = fs::read_to_string(part.folder.join(file)).ok()?;
            let mut lines = text.lines();
            let count = lines.find_map(|line| line.strip_prefix("oom_kill "));
            count?.parse().ok()
        });
        counted.unwrap_or(0)
    }

    /// The most memory, in bytes, that the group ever had, file cache included.
    pub fn peak_memory(&self) -> Option<u64> {
        let part = self.part(|able| able.memory)?;
        let file = match part.version {
            Version::One => "memory.max_usage_in_bytes",
            Version::Two => "memory.peak",
        };
        let text = fs::read_to_string(part.folder.join(file)).ok()?;
        text.trim().parse().ok()
    }

    /// Kills the whole family, frozen or not, and waits until it is gone, for two seconds at most.
    /// Blocks meanwhile.
    pub fn kill(&self) {
        let end = Instant::now() + KILL_TIME;
        // A hierarchy that can kill all at once goes first: the others find no process, or one that
        // was about to enter.
        let mut parts: Vec<&Branch> = self.parts.iter().collect();
        parts.sort_by_key(|part| !part.abilities.kill);
        for part in parts {
            family::kill(&part.folder, end);
        }
    }

    /// Whether no member is alive.
    pub fn is_empty(&self) -> bool {
        self.parts.iter().all(|part| family::is_empty(&part.folder))
    }

    /// The numbers of all that are alive, as far as they can be seen from here.
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

/// With version 1 the limit for memory and swap together may never be below that for memory.
fn limit_memory_of_one(folder: &Path, bytes: u64) -> io::Result<()> {
    let (memory, both) = ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes");
    let set = |file: &str| write_control(&folder.join(file), &bytes.to_string());
    if !folder.join(both).exists() {
        // The kernel does not count swap: it is not to be used, then.
        write_control(&folder.join("memory.swappiness"), "0")?;
        return set(memory);
    }
    // Lower memory first, or raise both first.
    set(memory).or_else(|_| set(both).and_then(|()| set(memory)))?;
    set(both)
}

fn limit_memory_of_two(folder: &Path, bytes: u64) -> io::Result<()> {
    write_control(&folder.join("memory.max"), &bytes.to_string())?;
    for (file, text) in [("memory.swap.max", "0"), ("memory.oom.group", "1")] {
        // Kernels without swap, and old ones, lack these.
        let file = folder.join(file);
        if file.exists() {
            write_control(&file, text)?;
        }
    }
    Ok(())
}
