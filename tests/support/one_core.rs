//! One core for everything, as a slot has it.

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// Keeps this thread, and all that it starts, on the first core that it may use.
pub fn stay_on_one_core() {
    let allowed = sched_getaffinity(None).expect("the cores that may be used");
    let first = (0..CpuSet::MAX_CPU).find(|core| allowed.is_set(*core));
    let mut one = CpuSet::new();
    one.set(first.expect("one core at least"));
    if let Err(error) = sched_setaffinity(None, &one) {
        eprintln!("not pinned, so what is measured is that of several cores: {error}");
    }
}
