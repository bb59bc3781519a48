//! The name of a run on this host. It tells a later run whether the earlier one has ended.
//!
//! `awale-PID-START-NAMESPACE`: the process that the user started, its start time (in clock ticks
//! since the host's boot, because the kernel reuses process ids), and the inode of the PID
//! namespace of that id. The groups of the run's self-test have the same name with an ending, since
//! they are removed before those of the run.

use crate::procfs::Stat;
use std::fs;
use std::io;
use std::os::linux::fs::MetadataExt as _;

const PREFIX: &str = "awale-";
const OF_SELF_TEST: &str = "-self-test";

/// The name of a run whose first process is this one.
pub fn run_name() -> String {
    let pid = std::process::id();
    let started = started(pid).ok().flatten().unwrap_or(0);
    format!("{PREFIX}{pid}-{started}-{}", namespace().unwrap_or(0))
}

/// The name of the groups of this run's self-test.
pub fn self_test_name(run: &str) -> String {
    format!("{run}{OF_SELF_TEST}")
}

/// Whether this names a run of our PID namespace whose first process is dead, or its self-test.
pub fn is_stale_run(name: &str) -> bool {
    let Some([pid, begun, home]) = parse(name) else {
        return false;
    };
    let Ok(pid) = u32::try_from(pid) else {
        return false;
    };
    // A process counts as alive if this cannot be determined.
    let dead = started(pid).is_ok_and(|started| started != Some(begun));
    namespace() == Some(home) && dead
}

fn parse(name: &str) -> Option<[u64; 3]> {
    let name = name.strip_suffix(OF_SELF_TEST).unwrap_or(name);
    let mut numbers = name.strip_prefix(PREFIX)?.split('-');
    let mut number = || numbers.next()?.parse().ok();
    let parsed = [number()?, number()?, number()?];
    numbers.next().is_none().then_some(parsed)
}

/// The start time of a process, in clock ticks since boot; `None` if no such process is alive.
fn started(pid: u32) -> io::Result<Option<u64>> {
    let stat = Stat::read(pid.cast_signed())?;
    let alive = stat.filter(|stat| !matches!(stat.state(), 'Z' | 'X'));
    Ok(alive.and_then(|stat| stat.start_ticks()))
}

/// The inode of our own PID namespace.
fn namespace() -> Option<u64> {
    let metadata = fs::metadata("/proc/self/ns/pid").ok()?;
    Some(metadata.st_ino())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_stale_when_its_first_process_is_dead() {
        let home = namespace().expect("a namespace");
        let own = run_name();
        let [pid, begun, place] = parse(&own).expect("a name of a run");
        assert_eq!(pid, u64::from(std::process::id()));
        assert_eq!(place, home);
        assert!(!is_stale_run(&own), "we are alive: {own}");
        assert!(
            is_stale_run(&format!("awale-{pid}-{}-{home}", begun + 1)),
            "our number, but another start"
        );
        assert!(
            !is_stale_run(&format!("awale-{pid}-{}-{}", begun + 1, home + 1)),
            "numbers of another namespace say nothing"
        );
        // Process ids are below 2^22.
        let dead = format!("awale-4194305-7-{home}");
        assert!(is_stale_run(&dead) && is_stale_run(&self_test_name(&dead)));
        assert!(!is_stale_run(&self_test_name(&own)));
        for foreign in [
            "awale",
            "awale-",
            "awale-1-2",
            "awale-1-2-3-4",
            "x-1-2-3",
            "awale-self-test",
        ] {
            assert!(!is_stale_run(foreign), "{foreign}");
        }
    }

    #[test]
    fn a_zombie_counts_as_ended() {
        let spawned = std::process::Command::new("true").spawn();
        let mut child = spawned.expect("a process");
        let pid = child.id();
        let until = std::time::Instant::now() + std::time::Duration::from_secs(10);
        while started(pid).expect("its state").is_some() {
            assert!(std::time::Instant::now() < until, "`true` goes on");
            std::thread::yield_now();
        }
        child.wait().expect("its end");
    }
}
