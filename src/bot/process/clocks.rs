//! How much CPU time a bot and all that it started have used.
//!
//! The control group's own count is exact: it has every process of the family, also those that
//! ended. Where there is none, the clocks of the processes are added up that the family had when it
//! was last looked at, before a game: that is one system call for each. It lacks processes that are
//! started during a game, and those beyond [`MOST`].

use crate::bot::control_group::ControlGroup;
use crate::bot::sandbox::Level;
use nix::time::ClockId;
use nix::unistd::Pid;
use std::fs;
use std::time::Duration;

/// More processes are not looked at.
const MOST: usize = 8;
/// In a box: bubblewrap, then its process 1, then the bot.
const DEPTH_IN_A_BOX: u32 = 2;

/// The clocks of one bot's processes.
#[derive(Debug)]
pub(super) struct FamilyClock {
    /// The process that the referee started.
    started: i32,
    level: Level,
    clocks: Vec<ClockId>,
}

impl FamilyClock {
    /// Of the family of a process that was started.
    pub(super) const fn new(started: i32, level: Level) -> Self {
        Self {
            started,
            level,
            clocks: Vec::new(),
        }
    }

    /// Finds the bot's own first process, as the referee numbers it.
    pub(super) fn first_process(&self) -> impl Fn() -> Option<i32> + use<> {
        let started = self.started;
        let depth = match self.level {
            Level::Box => DEPTH_IN_A_BOX,
            Level::None | Level::Landlock => 0,
        };
        move || (0..depth).try_fold(started, |parent, _| children(parent).into_iter().next())
    }

    /// Looks who is there. Costs some tens of µs, and nothing where a group counts.
    pub(super) fn look(&mut self, group: Option<&ControlGroup>) {
        if group.and_then(ControlGroup::cpu_time).is_some() {
            return;
        }
        let mut family: Vec<i32> = self.first_process()().into_iter().collect();
        let mut next = 0;
        while next < family.len() && family.len() < MOST {
            family.extend(children(family[next]));
            next += 1;
        }
        family.truncate(MOST);
        let clocks = family
            .into_iter()
            .filter_map(|process| ClockId::pid_cpu_clock_id(Pid::from_raw(process)).ok());
        self.clocks = clocks.collect();
    }

    /// CPU time so far; only differences mean anything.
    pub(super) fn read(&self, group: Option<&ControlGroup>) -> Option<Duration> {
        if let Some(time) = group.and_then(ControlGroup::cpu_time) {
            return Some(time);
        }
        // A process that has ended has no clock any more.
        let times = self.clocks.iter().filter_map(|clock| clock.now().ok());
        (!self.clocks.is_empty()).then(|| times.map(Duration::from).sum())
    }
}

/// The processes that the first thread of a process has started and that are alive.
fn children(process: i32) -> Vec<i32> {
    let list = fs::read_to_string(format!("/proc/{process}/task/{process}/children"));
    let list = list.unwrap_or_default();
    list.split_whitespace()
        .filter_map(|number| number.parse().ok())
        .collect()
}
