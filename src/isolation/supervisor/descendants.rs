//! Kills all descendants of this process, for a supervisor without a namespace: as a subreaper it
//! adopts every process that loses its parent, so that no process leaves its family.

use crate::log::LogError as _;
use crate::procfs::{Stat, children_of_all, may_have_children};
use crate::text::printable;
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, WaitStatus, getpid, pidfd_open, pidfd_send_signal, wait,
};
use std::collections::BTreeSet;
use std::thread;
use std::time::{Duration, Instant};

/// How long to try: longer than any killed process takes that does end.
const PATIENCE: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(1);

/// The family of a supervisor, without the children that it had before: a program that starts
/// `awale` with `exec` may have some. They stay, with their descendants as long as those have their
/// parents.
#[derive(Debug)]
pub struct Descendants {
    strangers: BTreeSet<i32>,
}

impl Descendants {
    /// The present children of this process do not belong to the family.
    pub fn new() -> Self {
        let own = getpid().as_raw_pid();
        // The list of all processes of the host takes milliseconds.
        let children = may_have_children(own).then(children_of_all);
        Self {
            strangers: children
                .and_then(|mut children| children.remove(&own))
                .unwrap_or_default(),
        }
    }

    /// Reaps the processes that have ended. The kernel may give their ids to later processes of the
    /// run.
    pub fn reap(&mut self, mut ended: impl FnMut(Pid, WaitStatus)) {
        reap(|pid, status| {
            self.strangers.remove(&pid.as_raw_pid());
            ended(pid, status);
        });
    }

    /// Kills repeatedly until no process is left.
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

    /// Names processes that survive SIGKILL, except the first process, which only waits for them.
    pub fn survivors(&self, first: Pid) -> Option<String> {
        let mut members = self.members();
        members.remove(&first.as_raw_pid());
        let members: Vec<String> = members.into_iter().filter_map(alive).collect();
        (!members.is_empty()).then(|| {
            let members = members.join(", ");
            format!("warning: killed, and the kernel does not let them end: {members}")
        })
    }

    /// Returns whether there was any process, dead or alive.
    fn kill_once(&self) -> bool {
        let found = self.members();
        let open = |pid: &i32| {
            let process = pidfd_open(Pid::from_raw(*pid)?, PidfdFlags::empty());
            Some((*pid, process.ok()?))
        };
        let held: Vec<_> = found.iter().filter_map(open).collect();
        // A process id may have been reused before the pidfd was opened. If it is in the list now,
        // the pidfd refers to a member or to a dead process.
        let still = self.members();
        for (pid, process) in held {
            if still.contains(&pid) {
                let killed = pidfd_send_signal(&process, Signal::KILL);
                killed.log_error("kill a process that is left");
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

/// A process with its id, program name and state; `None` if it is dead.
fn alive(pid: i32) -> Option<String> {
    let stat = Stat::of(pid)?;
    let state = stat.state();
    let name = stat.name();
    (!"ZX".contains(state)).then(|| format!("{pid} ({}, state {state})", printable(&name)))
}

/// Reaps every child that has ended, and reports it.
pub fn reap(mut ended: impl FnMut(Pid, WaitStatus)) {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some((pid, status))) => ended(pid, status),
            Err(Errno::INTR) => {}
            Ok(None) | Err(_) => return,
        }
    }
}
