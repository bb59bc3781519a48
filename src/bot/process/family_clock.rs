//! The CPU time of a bot and of all processes that it started.
//!
//! A control group counts exactly: every process of the family, including those that have ended.
//! Without a group the clocks of all processes of the family are added up; a process that has ended
//! counts with its last reading. The family is looked up when a game begins (games of a few ms
//! share a look), around every turn that is long enough, and at intervals while the referee waits
//! for the bot. A process that starts and ends between two looks is missing.
//! `has_turned_over` says when that may have happened.

use crate::bot::control_group::{ControlGroup, CpuClock};
use crate::procfs::{Stat, family, thread_states};
use nix::time::ClockId;
use nix::unistd::Pid;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// The CPU clock of one bot's family.
#[derive(Debug, Default)]
pub struct FamilyClock {
    /// The process that the referee started.
    started: i32,
    group: Option<CpuClock>,
    /// The family's processes, where no group counts.
    members: BTreeMap<i32, Member>,
    /// CPU time of members that have ended.
    ended: Duration,
    /// Whether a process was seen that started and ended in this turn, where no group counts. There
    /// may have been any number of such processes, with unknown CPU time.
    pub has_turned_over: bool,
}

/// A process of a family.
#[derive(Clone, Copy, Debug)]
struct Member {
    clock: ClockId,
    /// The last reading of its clock.
    last: Duration,
    /// The part of that reading that does not count.
    before: Duration,
    /// Whether it was unknown when the turn began.
    is_new: bool,
}

impl FamilyClock {
    /// The clock of the family of this process.
    pub fn new(started: i32, group: Option<&ControlGroup>) -> Self {
        let group = group.and_then(ControlGroup::clock);
        Self {
            started,
            group: group.filter(|group| group.read().is_some()),
            ..Self::default()
        }
    }

    /// Whether the host counts the whole family by itself.
    pub const fn is_exact(&self) -> bool {
        self.group.is_some()
    }

    /// Whether the family's processes must be looked up one by one.
    pub const fn is_looked_up(&self) -> bool {
        self.started != 0 && self.group.is_none()
    }

    /// All living processes of the family.
    pub fn processes(&self) -> Vec<i32> {
        family(self.started)
    }

    /// Begins a turn of the bot.
    pub fn begin_turn(&mut self) {
        self.has_turned_over = false;
        for member in self.members.values_mut() {
            member.is_new = false;
        }
    }

    /// Looks up the family, where no group counts. A process that is new counts with its whole
    /// time.
    pub fn refresh(&mut self) {
        self.refresh_after(None);
    }

    /// The same after a turn of the opponent that began at `since`, on a slot with this number of
    /// cores. A new process that is older than the turn counts only with time that it cannot have
    /// used before the turn.
    pub fn refresh_off_turn(&mut self, since: Instant, cores: u32) {
        self.refresh_after(Some((since.elapsed(), cores)));
    }

    fn refresh_after(&mut self, turn: Option<(Duration, u32)>) {
        if !self.is_looked_up() {
            return;
        }
        for process in self.processes() {
            if self.members.contains_key(&process) {
                continue;
            }
            let Ok(clock) = ClockId::pid_cpu_clock_id(Pid::from_raw(process)) else {
                continue;
            };
            let Ok(used) = clock.now().map(Duration::from) else {
                continue;
            };
            let before = turn.map_or(Duration::ZERO, |turn| {
                let age = Stat::of(process).and_then(|stat| stat.age());
                used_before(used, age.unwrap_or(Duration::MAX), turn)
            });
            let member = Member {
                clock,
                last: used,
                before,
                is_new: true,
            };
            self.members.insert(process, member);
        }
    }

    /// CPU time so far. Only differences have a meaning.
    pub fn read(&mut self) -> Option<Duration> {
        if let Some(group) = &self.group {
            return group.read();
        }
        let mut total = self.ended;
        self.members.retain(|_, member| {
            let now = member.clock.now().map(Duration::from);
            // If the number belongs to another process now, its clock shows less.
            let is_alive = now.is_ok_and(|now| now >= member.last);
            member.last = now.unwrap_or_default().max(member.last);
            let counted = member.last.saturating_sub(member.before);
            total += counted;
            if !is_alive {
                self.ended += counted;
                self.has_turned_over |= member.is_new;
            }
            is_alive
        });
        (self.started != 0).then_some(total)
    }
}

impl FamilyClock {
    /// The processes that were looked up and have not ended.
    pub fn living(&mut self) -> Vec<u32> {
        self.read();
        let is_alive = |it: &&i32| thread_states(**it).iter().any(|it| !"XZ".contains(*it));
        let living = self.members.keys().filter(is_alive);
        living.filter_map(|it| u32::try_from(*it).ok()).collect()
    }
}

/// The part of a process's CPU time that it may have used before a turn of this length. Threads run
/// on several cores at the same time.
fn used_before(used: Duration, age: Duration, (turn, cores): (Duration, u32)) -> Duration {
    used.min(age.saturating_sub(turn).saturating_mul(cores))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Child, Command, Stdio};

    fn busy() -> Child {
        let shell = Command::new("sh")
            .args(["-c", "while :; do :; done"])
            .stdin(Stdio::null())
            .spawn();
        shell.expect("a shell")
    }

    fn end(mut child: Child) {
        child.kill().expect("a signal");
        child.wait().expect("its end");
    }

    #[test]
    fn what_a_process_used_is_kept_after_its_end() {
        let child = busy();
        let mut clock = FamilyClock::new(child.id().try_into().expect("a number"), None);
        clock.refresh();
        let before = clock.read().expect("a time");
        while clock.read().expect("a time") < before + Duration::from_millis(20) {
            std::thread::yield_now();
        }
        let at_least = clock.read().expect("a time");
        end(child);
        let after = clock.read().expect("a time");
        assert!(after >= at_least, "{after:?} < {at_least:?}");
        assert_eq!(clock.read(), Some(after));
    }

    /// A bot that starts a process that ends in the same turn may have started any number of them.
    #[test]
    fn a_family_turns_over_if_a_new_process_ends() {
        let shell = Command::new("sh")
            .args(["-c", "while read line; do sleep 600; done"])
            .stdin(Stdio::piped())
            .spawn();
        let mut shell = shell.expect("a shell");
        let number: i32 = shell.id().try_into().expect("a number");
        let mut input = shell.stdin.take().expect("its input");
        let mut clock = FamilyClock::new(number, None);
        let others = |clock: &FamilyClock| -> Vec<i32> {
            let family = clock.processes().into_iter();
            family.filter(|&it| it != number).collect()
        };
        let mut start_another = |clock: &FamilyClock| {
            std::io::Write::write_all(&mut input, b"once more\n").expect("a line");
            loop {
                if let [process] = others(clock)[..] {
                    return process;
                }
                std::thread::yield_now();
            }
        };
        let end = |clock: &FamilyClock, process: i32| {
            let process = rustix::process::Pid::from_raw(process).expect("a number");
            rustix::process::kill_process(process, rustix::process::Signal::TERM)
                .expect("a signal");
            while !others(clock).is_empty() {
                std::thread::yield_now();
            }
        };
        // This process exists before the turn and ends in it.
        let process = start_another(&clock);
        clock.refresh();
        clock.begin_turn();
        end(&clock, process);
        clock.read();
        assert!(!clock.has_turned_over);
        // This process starts in the turn
        let process = start_another(&clock);
        clock.refresh();
        clock.read();
        assert!(!clock.has_turned_over);
        // and ends in it.
        end(&clock, process);
        clock.read();
        assert!(clock.has_turned_over);
        clock.begin_turn();
        assert!(!clock.has_turned_over);
        drop(input);
        shell.wait().expect("its end");
    }

    #[test]
    fn time_before_a_turn_is_on_every_core() {
        let ms = Duration::from_millis;
        // CPU time, age, length of the turn, cores, and what may be of before.
        for (used, age, turn, cores, expected) in [
            (10, 100, 20, 1, 10),
            (90, 100, 20, 1, 80),
            // Two threads for 80 ms.
            (160, 100, 20, 2, 160),
            (180, 100, 20, 2, 160),
            (15, 10, 20, 2, 0),
        ] {
            let before = used_before(ms(used), ms(age), (ms(turn), cores));
            assert_eq!(before, ms(expected), "{used} of {age}, {turn} on {cores}");
        }
        assert_eq!(used_before(ms(5), Duration::MAX, (ms(1), 4)), ms(5));
    }

    #[test]
    fn a_process_that_is_new_counts_only_what_it_used_off_turn() {
        let child = busy();
        let mut clock = FamilyClock::new(child.id().try_into().expect("a number"), None);
        let process = child.id().try_into().expect("a number");
        let age = || Stat::of(process)?.age();
        while age().expect("an age") < Duration::from_millis(200) {
            std::thread::yield_now();
        }
        // The process is new here and 200 ms older than the turn: it may have used all of its time
        // before.
        clock.refresh_off_turn(Instant::now(), 1);
        assert!(clock.read().expect("a time") < Duration::from_millis(100));
        end(child);
    }
}
