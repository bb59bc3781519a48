//! The cores on which a box is set up, and those on which its bot begins.

use rustix::thread::{CpuSet, sched_setaffinity};
use std::io;

/// Stays on these cores from now on, as all that this process starts does. No cores change nothing.
pub fn stay_on(cores: &[usize]) -> io::Result<()> {
    if cores.is_empty() {
        return Ok(());
    }
    let mut set = CpuSet::new();
    let known = cores.iter().filter(|&&core| core < CpuSet::MAX_CPU);
    known.for_each(|&core| set.set(core));
    Ok(sched_setaffinity(None, &set)?)
}
