//! The memory of processes, and the processes that the host killed for lack of memory.

use super::threads;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// What a process holds, at one moment.
#[derive(Debug)]
pub struct ProcessMemory {
    process: i32,
    /// The folder of one of its threads.
    folder: String,
    /// The file `status` of it.
    status: String,
}

impl ProcessMemory {
    /// Reads it; `None` if the process has ended. The first thread of a process can end before the
    /// others, and then shows nothing.
    pub fn of(process: i32) -> Option<Self> {
        let of_thread = |thread| {
            let folder = format!("/proc/{process}/task/{thread}");
            let status = fs::read(format!("{folder}/status")).ok()?;
            let status = String::from_utf8_lossy(&status).into_owned();
            value_of(&status, "VmRSS:")?;
            Some(Self {
                process,
                folder,
                status,
            })
        };
        of_thread(process).or_else(|| threads(process).into_iter().find_map(of_thread))
    }

    /// Whether it has not ended since it was read. What can be read no more of a process that has
    /// ended is nothing, and not the most that it could be.
    fn lives(&self) -> bool {
        Self::of(self.process).is_some()
    }

    /// Bytes that it holds in memory and on swap, with the tables of its pages, which grow with
    /// every page that it only reads. Shared memory counts in full.
    pub fn held_bytes(&self) -> u64 {
        self.kib(&["VmRSS:", "VmSwap:"]) + self.own_bytes()
    }

    /// The same with only a proportional part of shared memory (`smaps_rollup`, which takes longer
    /// to read), if it is available.
    pub fn proportional_bytes(&self) -> u64 {
        let rollup = fs::read_to_string(format!("{}/smaps_rollup", self.folder));
        let value = |name| value_of(rollup.as_deref().ok()?, name);
        match (value("Pss:"), value("SwapPss:")) {
            (Some(resident), Some(swapped)) => ((resident + swapped) << 10) + self.own_bytes(),
            _ if self.lives() => self.held_bytes(),
            _ => 0,
        }
    }

    /// Descriptors that it can have without a larger table.
    pub fn most_descriptors(&self) -> u64 {
        value_of(&self.status, "FDSize:").unwrap_or_default()
    }

    /// The pipes and sockets that it has open, by kind and number; `None` if it does not show them.
    pub fn pipes_and_sockets(&self) -> Option<Vec<String>> {
        let Ok(links) = fs::read_dir(format!("{}/fd", self.folder)) else {
            return (!self.lives()).then(Vec::new);
        };
        let targets = links
            .flatten()
            .filter_map(|it| fs::read_link(it.path()).ok());
        let names = targets.filter_map(|target| target.into_os_string().into_string().ok());
        let is_one = |name: &String| name.starts_with("pipe:") || name.starts_with("socket:");
        Some(names.filter(is_one).collect())
    }

    /// The deleted files below a folder that the process has open or mapped, by inode, with their
    /// bytes. Of a file that is only mapped, no more is known than how far the mapping reaches, and
    /// that counts as `least` at least.
    pub fn deleted_files(&self, folder: &Path, least: u64) -> Vec<(u64, u64)> {
        let is_deleted = |place: &str| {
            let place = place.strip_suffix(" (deleted)");
            place.is_some_and(|place| Path::new(place).starts_with(folder))
        };
        let links = fs::read_dir(format!("{}/fd", self.folder)).into_iter();
        let open = links.flatten().flatten().filter_map(|link| {
            let link = link.path();
            let target = fs::read_link(&link).ok()?;
            let file = is_deleted(target.to_str()?)
                .then(|| fs::metadata(&link))?
                .ok()?;
            Some((file.ino(), 512 * file.blocks()))
        });
        let mut found: Vec<(u64, u64)> = open.collect();
        let maps = fs::read(format!("{}/maps", self.folder)).unwrap_or_default();
        for line in String::from_utf8_lossy(&maps).lines() {
            let mapped = mapping_of(line).filter(|(_, _, place)| is_deleted(place));
            let Some((inode, end, _)) = mapped else {
                continue;
            };
            if found.iter().all(|(known, _)| *known != inode) {
                found.push((inode, end.max(least)));
            }
        }
        found
    }

    /// Memory that is not among its pages.
    fn own_bytes(&self) -> u64 {
        self.kib(&["VmPTE:", "HugetlbPages:"])
    }

    /// The sum of some lines of `status`, in bytes.
    fn kib(&self, names: &[&str]) -> u64 {
        let values = names.iter().filter_map(|name| value_of(&self.status, name));
        values.sum::<u64>() << 10
    }
}

/// The inode and the place of a mapped file, and how far into it the mapping reaches: a line of
/// `maps` (proc(5)).
fn mapping_of(line: &str) -> Option<(u64, u64, &str)> {
    let (columns, place) = line.split_at_checked(line.find('/')?)?;
    let mut words = columns.split_ascii_whitespace();
    let (from, to) = words.next()?.split_once('-')?;
    let number = |hexadecimal| u64::from_str_radix(hexadecimal, 16).ok();
    let length = number(to)?.checked_sub(number(from)?)?;
    let offset = number(words.nth(1)?)?;
    let inode = words.nth(1)?.parse().ok()?;
    Some((inode, offset.saturating_add(length), place))
}

/// The number of a line of `/proc`, in KiB where it is a size. The program's name, which can be any
/// bytes, is on a line of its own, in which the kernel escapes newlines.
fn value_of(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The memory of this machine, in bytes: `MemTotal` of `/proc/meminfo`.
pub fn machine_memory_bytes() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    value_of(&text, "MemTotal:").map(|kib| kib << 10)
}

/// How many processes the whole host has killed for lack of memory since it started, in any group;
/// `None` where the kernel does not count them.
pub fn host_kills() -> Option<u64> {
    value_of(&fs::read_to_string("/proc/vmstat").ok()?, "oom_kill ")
}

/// Bytes that were read from storage for a process (`/proc/PID/io`).
pub fn storage_bytes_read(process: i32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{process}/io")).ok()?;
    value_of(&text, "read_bytes: ")
}

/// The peak memory of a process, in KiB: `VmHWM` of `/proc/PID/status`.
pub fn peak_memory_kib(process: i32) -> Option<u64> {
    let status = fs::read(format!("/proc/{process}/status")).ok()?;
    value_of(&String::from_utf8_lossy(&status), "VmHWM:")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    /// Many processes may end at once between two readings of them.
    #[test]
    fn a_process_that_has_ended_holds_nothing() {
        let mut sleep = Command::new("sleep").arg("60").spawn().unwrap();
        let memory = ProcessMemory::of(i32::try_from(sleep.id()).unwrap()).unwrap();
        assert!(memory.proportional_bytes() > 0);
        sleep.kill().unwrap();
        sleep.wait().unwrap();
        assert_eq!(memory.pipes_and_sockets(), Some(Vec::new()));
        assert_eq!(memory.proportional_bytes(), 0);
    }

    #[test]
    fn a_mapping_reaches_into_its_file() {
        let line = "7f10-7f30 rw-s 00000040 00:21 77    /tmp/a b (deleted)";
        assert_eq!(mapping_of(line), Some((77, 0x60, "/tmp/a b (deleted)")));
        assert_eq!(mapping_of("7f10-7f30 rw-p 00000000 00:00 0 "), None);
    }

    #[test]
    fn a_peak_is_in_kib_and_may_be_missing() {
        let status = "Name:\tVmHWM: 9 kB\nVmPeak:\t  99 kB\nVmHWM:\t   1024 kB\n";
        assert_eq!(value_of(status, "VmHWM:"), Some(1024));
        assert_eq!(value_of("Name:\tzombie\nState:\tZ\n", "VmHWM:"), None);
    }
}
