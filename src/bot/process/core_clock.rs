//! How busy the cores of a slot are, whichever program runs there.
//!
//! ```text
//! /proc/schedstat                 exact (ns), where the kernel is built with it
//! cpuacct.usage_percpu            exact (ns), of the topmost control group of version 1
//! /proc/stat                      what is not idle, in hundredths of a second
//! ```
//!
//! Where a hypervisor stole time, only the last source shows it and is used. Time that a quota
//! forbids to this program and its bots together is added. All three count the time of every
//! program on the host. A bot can write none of them.

use crate::bot::control_group::Throttling;
use crate::procfs::{idle_and_stolen, read_from_start, run_times};
use crate::referee::Stolen;
use rustix::thread::sched_getaffinity;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// The topmost group has this file; no other has.
const TOPMOST: &str = "release_agent";
/// Where the controller for CPU time is usually mounted.
const CONTROLLERS: [&str; 3] = [
    "/sys/fs/cgroup/cpuacct",
    "/sys/fs/cgroup/cpu,cpuacct",
    "/sys/fs/cgroup/cpuacct,cpu",
];

/// The clock of some cores.
#[derive(Debug)]
pub struct CoreClock {
    cores: Vec<usize>,
    source: TimeSource,
    throttling: Throttling,
}

/// Where exact times come from.
#[derive(Debug)]
enum TimeSource {
    SchedStat(fs::File),
    PerCpu(fs::File),
    Idle,
}

/// One reading of a clock.
#[derive(Clone, Debug)]
pub struct ClockReading {
    at: Instant,
    /// Time that programs ran, where an exact source exists.
    exact: Option<Duration>,
    idle: Duration,
    /// Of each core.
    stolen: Vec<Duration>,
    throttled: Duration,
}

/// What happened between two readings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Activity {
    /// How long the cores were busy, stolen by a hypervisor, or forbidden by a quota.
    pub busy: Duration,
    /// The part that a hypervisor stole.
    pub stolen: Stolen,
    /// How long programs ran by the exact clock, plus the time that a quota forbade. May or may not
    /// include stolen time.
    pub ran: Option<Duration>,
}

impl Activity {
    /// The longest time that other programs can have had the cores, if ours used `used` of CPU
    /// time. Some kernels count stolen time as CPU time of the interrupted program. Some count it
    /// as idle time if it delayed the wake-up of a core: then other programs' time and the stolen
    /// time add up to more.
    pub fn besides(self, used: Duration) -> Duration {
        let stolen = self.stolen.total;
        let own = used.saturating_sub(stolen);
        let not_idle = self.busy.saturating_sub(own);
        if stolen.is_zero() {
            return not_idle;
        }
        let ran = self
            .ran
            .map_or(Duration::ZERO, |ran| ran.saturating_sub(used));
        not_idle.max(ran.saturating_add(stolen))
    }

    /// The sum of both.
    pub fn and(self, more: Self) -> Self {
        Self {
            busy: self.busy.saturating_add(more.busy),
            stolen: self.stolen.and(more.stolen),
            ran: self
                .ran
                .zip(more.ran)
                .map(|(one, other)| one.saturating_add(other)),
        }
    }

    /// The same, limited to what fits into `elapsed`.
    pub fn at_most(self, elapsed: Duration) -> Self {
        Self {
            busy: self.busy.min(elapsed),
            stolen: Stolen {
                total: self.stolen.total.min(elapsed),
                most: self.stolen.most.min(elapsed),
            },
            ran: self.ran.map(|ran| ran.min(elapsed)),
        }
    }
}

impl CoreClock {
    /// The clock of the cores on which the calling thread may run: those of a slot and its bots.
    pub fn of_this_thread() -> Option<Self> {
        let set = sched_getaffinity(None).ok()?;
        let cores: Vec<usize> = (0..rustix::thread::CpuSet::MAX_CPU)
            .filter(|&core| set.is_set(core))
            .collect();
        let clock = |source| Self {
            cores: cores.clone(),
            source,
            throttling: Throttling::of_this_process(),
        };
        let per_cpu = CONTROLLERS
            .iter()
            .map(Path::new)
            .filter(|folder| folder.join(TOPMOST).exists())
            .filter_map(|folder| fs::File::open(folder.join("cpuacct.usage_percpu")).ok())
            .map(TimeSource::PerCpu);
        let sources = fs::File::open("/proc/schedstat")
            .ok()
            .map(TimeSource::SchedStat)
            .into_iter()
            .chain(per_cpu);
        let exact = sources
            .map(clock)
            .find(|clock| clock.exact().is_some_and(|busy| !busy.is_zero()));
        Some(exact.unwrap_or_else(|| clock(TimeSource::Idle)))
    }

    /// How many cores there are.
    pub fn cores(&self) -> u32 {
        u32::try_from(self.cores.len()).unwrap_or(u32::MAX).max(1)
    }

    /// Reads the clock.
    pub fn read(&self) -> Option<ClockReading> {
        let (idle, stolen) = idle_and_stolen(&self.cores)?;
        let at = Instant::now();
        Some(ClockReading {
            at,
            exact: self.exact(),
            idle,
            stolen,
            throttled: self.throttling.total(),
        })
    }

    fn exact(&self) -> Option<Duration> {
        match &self.source {
            TimeSource::SchedStat(file) => run_times(file, &self.cores),
            TimeSource::PerCpu(file) => per_cpu(&read_from_start(file)?, &self.cores),
            TimeSource::Idle => None,
        }
    }

    /// What happened between two readings.
    pub fn activity(&self, before: &ClockReading, now: &ClockReading) -> Activity {
        let elapsed = now.at.saturating_duration_since(before.at) * self.cores();
        let of_each = now.stolen.iter().zip(&before.stolen);
        let of_each = of_each.map(|(now, before)| now.saturating_sub(*before));
        let stolen = Stolen {
            total: of_each.clone().sum(),
            most: of_each.max().unwrap_or_default(),
        };
        let not_idle = elapsed.saturating_sub(now.idle.saturating_sub(before.idle));
        let throttled = now.throttled.saturating_sub(before.throttled);
        let with_throttled = |time: Duration| time.saturating_add(throttled).min(elapsed);
        let exact = before.exact.zip(now.exact);
        let ran = exact.map(|(before, now)| with_throttled(now.saturating_sub(before)));
        Activity {
            busy: match ran {
                Some(ran) if stolen.total.is_zero() => ran,
                _ => with_throttled(not_idle),
            },
            stolen,
            ran,
        }
    }
}

/// Time that programs ran on some cores: one number for each core, in ns.
fn per_cpu(text: &str, cores: &[usize]) -> Option<Duration> {
    let numbers: Vec<u64> = text
        .split_ascii_whitespace()
        .map_while(|word| word.parse().ok())
        .collect();
    let times = cores.iter().map(|&core| numbers.get(core).copied());
    let total: Option<u64> = times.sum();
    total.map(Duration::from_nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn the_kernels_tables_are_understood() {
        assert_eq!(per_cpu("1000000 2000000 \n", &[0, 1]), Some(ms(3)));
        assert_eq!(per_cpu("1000000 2000000 \n", &[2]), None);
    }

    /// A quota forbids 10 of the 100 ms.
    #[test]
    fn idle_time_is_not_busy_and_stolen_time_is() {
        let clock = CoreClock {
            cores: vec![0, 1],
            source: TimeSource::Idle,
            throttling: Throttling::of_this_process(),
        };
        let start = Instant::now();
        let reading = |at: u64, exact: Option<u64>, idle: u64, stolen: u64| ClockReading {
            at: start + ms(at),
            exact: exact.map(ms),
            idle: ms(idle),
            stolen: vec![ms(stolen / 5), ms(stolen * 4 / 5)],
            throttled: ms(at / 100 * 10),
        };
        let activity = |before: &ClockReading, now: ClockReading| {
            let Activity { busy, stolen, .. } = clock.activity(before, &now);
            assert_eq!(stolen.most, stolen.total * 4 / 5);
            (busy, stolen.total)
        };
        let begin = reading(0, Some(1000), 70, 0);
        assert_eq!(
            activity(&begin, reading(100, Some(1150), 110, 0)),
            (ms(160), ms(0))
        );
        // Without exact times, or with stolen time, everything that is not idle counts.
        assert_eq!(
            activity(&begin, reading(100, None, 110, 0)),
            (ms(170), ms(0))
        );
        assert_eq!(
            activity(&begin, reading(100, Some(1100), 110, 50)),
            (ms(170), ms(50))
        );
        assert_eq!(activity(&begin, reading(100, Some(9000), 70, 0)).0, ms(200));
    }

    #[test]
    fn what_was_stolen_is_no_programs_own() {
        let activity = |busy, stolen| Activity {
            busy: ms(busy),
            stolen: Stolen {
                total: ms(stolen),
                most: ms(stolen),
            },
            ran: None,
        };
        assert_eq!(activity(100, 0).besides(ms(30)), ms(70));
        // Stolen time was counted as time of the interrupted program.
        assert_eq!(activity(110, 100).besides(ms(110)), ms(100));
        // The same, while other programs ran for 240 ms.
        assert_eq!(activity(600, 190).besides(ms(170)), ms(600));
        assert_eq!(activity(600, 190).besides(ms(360)), ms(430));
        assert_eq!(activity(110, 100).at_most(ms(40)), activity(40, 40));
        // Stolen time was counted as idle time of a core that was about to wake up: 40 of 100 ms.
        let halted = |ran| Activity {
            ran: Some(ms(ran)),
            ..activity(60, 50)
        };
        assert_eq!(halted(50).besides(ms(10)), ms(90));
        // By the exact clock, other programs ran for less than the time that the core was not idle.
        assert_eq!(halted(10).besides(ms(10)), ms(60));
        assert_eq!(halted(0).besides(Duration::MAX), ms(50));
    }

    #[test]
    fn a_program_that_computes_makes_its_core_busy() {
        let clock = CoreClock::of_this_thread().expect("a clock");
        let before = clock.read().expect("a reading");
        let thread_time = || nix::time::ClockId::CLOCK_THREAD_CPUTIME_ID.now();
        let start = Duration::from(thread_time().expect("a time"));
        while Duration::from(thread_time().expect("a time")) < start + ms(100) {}
        // The kernel updates its counters when a thread stops running, or at a tick.
        std::thread::sleep(ms(20));
        let now = clock.read().expect("a reading");
        let activity = clock.activity(&before, &now);
        assert!(activity.busy >= ms(80), "{activity:?} {clock:?}");
    }
}
