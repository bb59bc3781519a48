//! What a bot used: its control group counts the whole family, `/proc` one process. A process that
//! has ended and was not reaped still shows its CPU time there, but no memory.

use super::control_group::ControlGroup;
use crate::record::Usage;
use rustix::process::Pid;
use std::time::Duration;

/// Ticks per second of the processor times in `/proc/PID/stat`: `USER_HZ`, a part of the kernel's
/// interface that is 100 on all its present machines.
const TICKS_PER_SECOND: u64 = 100;

/// The usage of a process that was not reaped yet.
pub fn of_process(pid: Pid) -> Usage {
    let file = |name: &str| read(&format!("/proc/{pid}/{name}"));
    Usage {
        wall_us: None,
        cpu_us: file("stat").as_deref().and_then(cpu_us),
        peak_memory_bytes: file("status").as_deref().and_then(peak_memory_bytes),
    }
}

/// The usage of a family, as far as the host counts it.
pub fn of_family(group: &ControlGroup) -> Usage {
    let cpu_us = |time: Duration| u64::try_from(time.as_micros()).ok();
    Usage {
        wall_us: None,
        cpu_us: group.cpu_time().and_then(cpu_us),
        peak_memory_bytes: group.peak_memory(),
    }
}

fn read(path: &str) -> Option<String> {
    let bytes = std::fs::read(path).ok()?;
    // These files contain the bot's name, which can be any bytes.
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// User and system time of the process and of its reaped children: fields 14 to 17 of
/// `/proc/PID/stat` (proc(5)). Field 2, the name, may contain spaces and parentheses, so fields are
/// counted from the last parenthesis.
fn cpu_us(stat: &str) -> Option<u64> {
    let (_, from_third) = stat.rsplit_once(") ")?;
    let times = from_third.split(' ').skip(14 - 3).take(4);
    let ticks: Vec<u64> = times.map(|time| time.parse().ok()).collect::<Option<_>>()?;
    (ticks.len() == 4).then(|| ticks.iter().sum::<u64>() * (1_000_000 / TICKS_PER_SECOND))
}

/// The peak of resident memory: `VmHWM` of `/proc/PID/status`, in KiB.
fn peak_memory_bytes(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|it| it.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_brackets_and_numbers_misleads_nobody() {
        let stat = "7 (a) R 1 (b) S 1 7 7 0 -1 4194560 97 0 1 0 20 30 4 5 20 0 1 0 99 0\n";
        assert_eq!(cpu_us(stat), Some(590_000));
        assert_eq!(cpu_us("7 (a) S 1 7"), None);
        assert_eq!(cpu_us(""), None);
    }

    #[test]
    fn a_peak_is_in_kib_and_may_be_missing() {
        let status = "Name:\tVmHWM: 9 kB\nVmPeak:\t  99 kB\nVmHWM:\t   1024 kB\n";
        assert_eq!(peak_memory_bytes(status), Some(1 << 20));
        assert_eq!(peak_memory_bytes("Name:\tzombie\nState:\tZ\n"), None);
    }

    #[test]
    fn the_kernel_tells_of_this_very_process() {
        let held = vec![1_u8; 32 << 20];
        let usage = of_process(rustix::process::getpid());
        assert!(usage.peak_memory_bytes >= Some(held.iter().map(|&it| u64::from(it)).sum()));
        assert!(usage.cpu_us.is_some());
    }
}
