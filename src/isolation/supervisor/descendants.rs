//! Kills all descendants of this process, for a supervisor without a namespace: as subreaper it
//! inherits each process that has lost its parent, so that no process leaves its family.

use crate::procfs::{Stat, children_of_all};
use crate::text::printable;
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, WaitStatus, getpid, pidfd_open, pidfd_send_signal, wait,
};
use std::collections::BTreeSet;
use std::thread;
use std::time::{Duration, Instant};

/// How long is tried: longer than any killed process takes that the kernel lets die.
const PATIENCE: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(1);

/// A supervisor's family, but for the children that it had before: who starts `awale` with `exec`
/// may have some. They stay, with all who descend from them as long as those have their parents.
#[derive(Debug)]
pub struct Descendants {
    strangers: BTreeSet<i32>,
}

impl Descendants {
    /// A process that is a child now was not started by us.
    pub fn new() -> Self {
        let own = getpid().as_raw_pid();
        Self {
            strangers: children_of_all().remove(&own).unwrap_or_default(),
        }
    }

    /// Reaps the processes that have ended. The kernel may give their numbers to processes of ours.
    pub fn reap(&mut self, mut ended: impl FnMut(Pid, WaitStatus)) {
        reap(|pid, status| {
            self.strangers.remove(&pid.as_raw_pid());
            ended(pid, status);
        });
    }

    /// Kills again and again until no process is left.
    pub fn kill_all(&mut self) {
        let end = Instant::now() + PATIENCE;
        loop {
            self.reap(|_, _| {});
            if !self.kill_once() || Instant::now() >= end {
                return;
            }
            thread::sleep(PAUSE);
        }
    }

    /// Which processes live although they were killed, but for the first process, which only waits
    /// for them: a sentence, if there are any.
    pub fn survivors(&self, first: Pid) -> Option<String> {
        let mut members = self.members();
        members.remove(&first.as_raw_pid());
        let members: Vec<String> = members.into_iter().filter_map(alive).collect();
        (!members.is_empty()).then(|| {
            let members = members.join(", ");
            format!("warning: killed, and the kernel does not let them end: {members}")
        })
    }

    /// Returns whether there was anybody, dead or alive.
    fn kill_once(&self) -> bool {
        let found = self.members();
        let open = |pid: &i32| {
            let process = pidfd_open(Pid::from_raw(*pid)?, PidfdFlags::empty());
            Some((*pid, process.ok()?))
        };
        let held: Vec<_> = found.iter().filter_map(open).collect();
        // A number may have gone to a stranger before it was held. If it is one of ours now, then
        // who is held either is ours or is dead.
        let still = self.members();
        for (pid, process) in held {
            if still.contains(&pid) {
                let _ = pidfd_send_signal(&process, Signal::KILL);
            }
        }
        !found.is_empty()
    }

    fn members(&self) -> BTreeSet<i32> {
        let mut children = children_of_all();
        let mut found = BTreeSet::new();
        let mut open = vec![getpid().as_raw_pid()];
        while let Some(parent) = open.pop() {
            for child in children.remove(&parent).unwrap_or_default() {
                if !self.strangers.contains(&child) && found.insert(child) {
                    open.push(child);
                }
            }
        }
        found
    }
}

/// A process with its number, its program's name and its state; nothing of one that is dead.
fn alive(pid: i32) -> Option<String> {
    let stat = Stat::of(pid)?;
    let state = stat.state();
    let name = stat.name();
    (!"ZX".contains(state)).then(|| format!("{pid} ({}, state {state})", printable(&name)))
}

/// Buries every child that has ended, and tells of it.
pub fn reap(mut ended: impl FnMut(Pid, WaitStatus)) {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some((pid, status))) => ended(pid, status),
            Err(Errno::INTR) => {}
            Ok(None) | Err(_) => return,
        }
    }
}
