//! The memory of processes, and the processes that the host killed for lack of memory.

use std::fs;

/// Bytes that a process holds resident: the second number of `/proc/PID/statm`, in pages (proc(5)).
pub fn resident_bytes(process: i32) -> u64 {
    let page = rustix::param::page_size() as u64;
    let text = fs::read_to_string(format!("/proc/{process}/statm")).unwrap_or_default();
    let pages = text
        .split(' ')
        .nth(1)
        .and_then(|word| word.parse::<u64>().ok());
    pages.unwrap_or_default() * page
}

/// The same with only a proportional part of shared memory: `Pss` of `/proc/PID/smaps_rollup`
/// (proc(5)), which takes longer to read. `None` if it is not available.
pub fn proportional_bytes(process: i32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{process}/smaps_rollup")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("Pss:"))?;
    let kib: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kib << 10)
}

/// The memory of this machine, in bytes: `MemTotal` of `/proc/meminfo`.
pub fn machine_memory_bytes() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kib: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kib << 10)
}

/// How many processes the whole host has killed for lack of memory since it started, in any group;
/// `None` where the kernel does not count them.
pub fn host_kills() -> Option<u64> {
    let text = fs::read_to_string("/proc/vmstat").ok()?;
    let mut lines = text.lines();
    let count = lines.find_map(|line| line.strip_prefix("oom_kill "));
    count?.parse().ok()
}

/// Bytes that were read from storage for a process (`/proc/PID/io`).
pub fn storage_bytes_read(process: i32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{process}/io")).ok()?;
    let line = text
        .lines()
        .find_map(|it| it.strip_prefix("read_bytes: "))?;
    line.parse().ok()
}

/// The peak memory of a process, in KiB: `VmHWM` of `/proc/PID/status`.
pub fn peak_memory_kib(process: i32) -> Option<u64> {
    // The file has the program's name, which can be any bytes.
    let status = fs::read(format!("/proc/{process}/status")).ok()?;
    peak_kib(&String::from_utf8_lossy(&status))
}

fn peak_kib(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|it| it.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peak_is_in_kib_and_may_be_missing() {
        let status = "Name:\tVmHWM: 9 kB\nVmPeak:\t  99 kB\nVmHWM:\t   1024 kB\n";
        assert_eq!(peak_kib(status), Some(1024));
        assert_eq!(peak_kib("Name:\tzombie\nState:\tZ\n"), None);
    }
}
