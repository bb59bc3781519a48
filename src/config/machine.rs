//! What the machine offers: processors that may be used, physical cores among them, its name, and
//! the hard limits of this process.

use crate::bot::HostLimits;
use rustix::process::{Resource, geteuid, getrlimit};
use std::collections::BTreeSet;
use std::fs;
use std::thread;

/// What the slots need of each hard limit, in the order of [`Machine::hard_limits`]: its name, the
/// option of `ulimit`, the need of a run without slots, and that of each slot. Two bots of a slot
/// have 25 open files and up to 8 processes and threads of helpers; both were counted in runs of 1
/// to 8 slots.
const NEEDS: [(&str, &str, u64, u64); 2] = [
    ("open files", "-n", 32, 28),
    ("processes and threads", "-u", 12, 8),
];

/// What a resolution depends on besides the files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// The numbers of the processors that we may use, in the order in which slots take them: one
    /// of each physical core first, then their siblings.
    pub processors: Vec<usize>,
    /// Physical cores among them; fewer if a quota allows less.
    pub physical_cores: u32,
    /// The host's name.
    pub host: String,
    /// What the control groups around this program allow.
    pub allowed: HostLimits,
    /// How many open files this process may have, and its user how many processes and threads.
    pub hard_limits: [u64; NEEDS.len()],
}

impl Machine {
    /// This machine. What cannot be found out is replaced by a cautious guess.
    pub fn this() -> Self {
        let quota = thread::available_parallelism().map_or(1, usize::from);
        let allowed = affinity().unwrap_or_else(|| (0..quota).collect());
        let (processors, cores) = in_order_of_cores(&allowed, core_of);
        let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        Self {
            physical_cores: u32::try_from(cores.min(quota).max(1)).unwrap_or(1),
            processors: processors.into_iter().take(quota.max(1)).collect(),
            host: host.trim().to_owned(),
            allowed: HostLimits::of_this_process(),
            hard_limits: hard_limits(),
        }
    }

    /// How many slots the hard limits leave room for, and the limit that leaves the least room, in
    /// words.
    pub fn most_slots(&self) -> (u32, String) {
        let needs = NEEDS.into_iter().zip(self.hard_limits);
        let rooms = needs.map(|((what, option, own, of_slot), most)| {
            let slots = u32::try_from(most.saturating_sub(own) / of_slot).unwrap_or(u32::MAX);
            let least = own + of_slot;
            let words = format!(
                "this user may have only {most} {what} here (`ulimit -H {option}`), and one slot \
                 needs {least}"
            );
            (slots, words)
        });
        rooms.min_by_key(|(slots, _)| *slots).expect("two limits")
    }

    /// How many processors we may use.
    pub fn processor_count(&self) -> u32 {
        u32::try_from(self.processors.len()).unwrap_or(u32::MAX)
    }
}

/// Root may have any number of processes.
fn hard_limits() -> [u64; NEEDS.len()] {
    let most = |resource| getrlimit(resource).maximum.unwrap_or(u64::MAX);
    let processes = if geteuid().is_root() {
        u64::MAX
    } else {
        most(Resource::Nproc)
    };
    [most(Resource::Nofile), processes]
}

/// The processors that this process may run on.
fn affinity() -> Option<Vec<usize>> {
    let set = rustix::thread::sched_getaffinity(None).ok()?;
    let allowed: Vec<usize> = (0..rustix::thread::CpuSet::MAX_CPU)
        .filter(|&processor| set.is_set(processor))
        .collect();
    (!allowed.is_empty()).then_some(allowed)
}

/// The processors of the same physical core, as the kernel writes them: `0,4` or `0-1`.
fn siblings(processor: usize) -> Option<String> {
    let folder = format!("/sys/devices/system/cpu/cpu{processor}/topology");
    ["core_cpus_list", "thread_siblings_list"]
        .iter()
        .find_map(|name| fs::read_to_string(format!("{folder}/{name}")).ok())
        .map(|text| text.trim().to_owned())
}

/// The physical core of a processor, as the list of its processors. Without a topology every
/// processor counts as a core of its own.
pub fn core_of(processor: usize) -> String {
    siblings(processor).unwrap_or_else(|| processor.to_string())
}

/// The processors with one of each core first, and the number of cores.
fn in_order_of_cores(allowed: &[usize], core_of: impl Fn(usize) -> String) -> (Vec<usize>, usize) {
    let mut rest = allowed.to_vec();
    let mut ordered = Vec::new();
    let mut cores = 0;
    while !rest.is_empty() {
        let mut seen = BTreeSet::new();
        let (firsts, others): (Vec<usize>, Vec<usize>) = rest
            .into_iter()
            .partition(|&processor| seen.insert(core_of(processor)));
        cores = cores.max(firsts.len());
        ordered.extend(firsts);
        rest = others;
    }
    (ordered, cores)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_core_comes_once_before_any_comes_twice() {
        // Four cores of two threads, siblings four apart; the third core is not ours to use.
        let core_of = |processor: usize| format!("{},{}", processor % 4, processor % 4 + 4);
        let allowed = [0, 1, 3, 4, 5, 7];
        let (order, cores) = in_order_of_cores(&allowed, core_of);
        assert_eq!(order, [0, 1, 3, 4, 5, 7]);
        assert_eq!(cores, 3);
        let neighbours = |processor: usize| format!("{}", processor / 2);
        assert_eq!(
            in_order_of_cores(&[0, 1, 2, 3], neighbours),
            (vec![0, 2, 1, 3], 2)
        );
        assert_eq!(super::core_of(1_000_000), "1000000");
    }

    #[test]
    fn the_least_room_decides_how_many_slots_there_are() {
        for (hard_limits, slots, word) in [
            ([59, u64::MAX], 0, "59 open files"),
            ([60, u64::MAX], 1, "60 open files"),
            ([256, u64::MAX], 8, "open files"),
            ([u64::MAX, 19], 0, "19 processes"),
            ([1 << 20, 28], 2, "(`ulimit -H -u`)"),
        ] {
            let machine = Machine {
                hard_limits,
                ..Machine::this()
            };
            let (most, words) = machine.most_slots();
            assert_eq!(most, slots, "{words}");
            assert!(words.contains(word), "{words}");
        }
    }

    #[test]
    fn this_machine_has_at_least_one_core() {
        let machine = Machine::this();
        assert!(machine.physical_cores >= 1);
        assert!(machine.processor_count() >= machine.physical_cores);
    }
}
