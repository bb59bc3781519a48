//! What the machine offers: processors that may be used, physical cores among them, its name, and
//! the hard limits of this process.
//!
//! Runs on one machine lock the physical cores that they use, so that they share none.

use crate::bot::HostLimits;
use rustix::process::{Resource, geteuid, getrlimit};
use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::{fs, thread};

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

/// Locks of physical cores, held until this is dropped.
#[derive(Debug, Default)]
pub struct CoreLocks {
    _sockets: Vec<UnixDatagram>,
}

/// Processors in the order in which a run takes them.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct CoreOrder {
    /// The processors.
    pub processors: Vec<usize>,
    /// How many of them, at the beginning, are of different cores that no other run uses.
    pub free: usize,
}

impl CoreLocks {
    /// Locks as many cores as are needed, as far as other runs leave them. The first `cores` of the
    /// processors are of different cores. Those that other runs use come last.
    pub fn take(processors: &[usize], cores: usize, needed: usize) -> (Self, CoreOrder) {
        let (firsts, siblings) = processors.split_at(cores.min(processors.len()));
        let (mut locks, mut free, mut used) = (Vec::new(), Vec::new(), Vec::new());
        for &processor in firsts {
            let name = name_of(processor);
            let is_free = if free.len() < needed {
                lock(name.as_ref(), &mut locks)
            } else {
                !is_locked(name.as_ref())
            };
            if is_free { &mut free } else { &mut used }.push(processor);
        }
        let count = free.len();
        free.extend(siblings);
        free.append(&mut used);
        let order = CoreOrder {
            processors: free,
            free: count,
        };
        (Self { _sockets: locks }, order)
    }
}

fn name_of(processor: usize) -> Option<SocketAddr> {
    SocketAddr::from_abstract_name(format!("awale-core-{}", core_of(processor))).ok()
}

/// Locks a core; false if another program has it. A host without such sockets has no locks, and
/// then every core counts as free.
fn lock(name: Option<&SocketAddr>, locks: &mut Vec<UnixDatagram>) -> bool {
    let Some(bound) = name.map(UnixDatagram::bind_addr) else {
        return true;
    };
    match bound {
        Ok(socket) => locks.push(socket),
        Err(error) => return error.kind() != ErrorKind::AddrInUse,
    }
    true
}

/// Whether a program has the lock; to ask takes it from nobody, not even for a moment.
fn is_locked(name: Option<&SocketAddr>) -> bool {
    let connected = name.zip(UnixDatagram::unbound().ok());
    connected.is_some_and(|(name, socket)| socket.connect_addr(name).is_ok())
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

    #[test]
    fn two_runs_take_different_cores_while_there_are_some() {
        // No machine has such processors, so that no run of it takes part.
        let first = 1_000_000 + 10 * usize::try_from(std::process::id()).unwrap();
        let numbers = |numbers: &[usize]| numbers.iter().map(|it| first + it).collect::<Vec<_>>();
        let all = numbers(&[0, 1, 2, 3]);
        let take = |needed| CoreLocks::take(&all, 3, needed);
        let (_one, order) = take(1);
        assert_eq!(order.free, 3);
        assert_eq!(order.processors, all);
        let (two, order) = take(1);
        assert_eq!(order.free, 2);
        assert_eq!(order.processors, numbers(&[1, 2, 3, 0]));
        // The second core that this one needs is not there.
        let (_three, order) = take(2);
        assert_eq!(order.free, 1);
        assert_eq!(order.processors, numbers(&[2, 3, 0, 1]));
        let (_none, order) = take(1);
        assert_eq!(order.free, 0);
        assert_eq!(order.processors, numbers(&[3, 0, 1, 2]));
        drop(two);
        let (_again, order) = take(1);
        assert_eq!(order.free, 1);
        assert_eq!(order.processors, numbers(&[1, 3, 0, 2]));
    }
}
