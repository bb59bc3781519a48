//! What a bot used: its control group counts the whole family, `/proc` one process. A process that
//! has ended and was not reaped still shows its CPU time there, but no memory.

use super::control_group::ControlGroup;
use crate::procfs::{Stat, peak_memory_kib};
use crate::record::Usage;
use rustix::process::Pid;
use std::time::Duration;

/// The usage of a process that was not reaped yet.
pub fn of_process(pid: Pid) -> Usage {
    let process = pid.as_raw_pid();
    Usage {
        wall_us: None,
        cpu_us: Stat::of(process).and_then(|stat| stat.cpu_time_us()),
        peak_memory_bytes: peak_memory_kib(process).map(|kib| kib << 10),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_tells_of_this_very_process() {
        let held = vec![1_u8; 32 << 20];
        let usage = of_process(rustix::process::getpid());
        assert!(usage.peak_memory_bytes >= Some(held.iter().map(|&it| u64::from(it)).sum()));
        assert!(usage.cpu_us.is_some());
    }
}
