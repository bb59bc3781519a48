//! One running program: one function starts it, every exchange of lines has one absolute deadline,
//! and its whole process group is killed at the end.
//!
//! * The process starts inside its sandbox by `posix_spawn` (a `fork` would copy a referee that may
//!   be large), in a process group of its own and with an explicit environment.
//! * No call blocks: each write or read is tried first and then awaited, and every wait ends with
//!   an event (a readable pipe, the process's pidfd) or at the deadline.
//! * A separate task drains standard error from start to end.
//! * The process is reaped by its pidfd, and only after its group was killed: until then the kernel
//!   cannot give the group's number to another process.
//!
//! ```text
//! mod             the process and its parts, their start, freezing
//! pipes           bytes out, lines in, the end as an event; and their record
//! exchange        a request and its answer, under the deadline
//! fast_path       the same for answers within the first moment, with the fewest system calls
//! off_turn        the account of CPU time, and when CPU time out of turn is a fault
//! waiting         a process between two games
//! observers       what can end the wait for an answer early
//! family_limits   the family's memory and processes, where the host does not limit them
//! family_clock    how much CPU time the bot's family has used
//! watch           how late the host is in a wait, and how long other programs held the bot up
//! run_queue       how long the family's threads were runnable and did not run
//! core_clock      how busy the slot's cores are, whichever program runs there
//! signal_freezer  stopping and continuing the family by signals, without a control group
//! ending          asking a process to quit and ending it, in bounded time
//! end_cause       how a process ended by itself, and whose limit it met
//! verdict         what an error, an exit status or a silence means
//! stream          the whole output of a program that is no player
//! ```

mod core_clock;
mod end_cause;
mod ending;
mod exchange;
mod family_clock;
mod family_limits;
mod fast_path;
mod observers;
mod off_turn;
mod pipes;
mod run_queue;
mod signal_freezer;
mod stream;
mod verdict;
mod waiting;
mod watch;

pub use ending::ExitReport;
pub use exchange::Reply;
pub use fast_path::CpuAccounting;
pub use stream::StreamEnd;

use super::control_group::ControlGroup;
use super::crowding::ProcessLimit;
use super::error_stream::{ErrorStream, ReadingTime};
use super::sandbox::{Freezer, Level, SandboxedBot, StartError, Started, StatusChannel};
use crate::log::LogError as _;
use crate::procfs::{self, Stat, peak_memory_kib};
use crate::record::Usage;
use crate::referee::Stop;
use end_cause::HostCounts;
use ending::Ending;
use exchange::LastExchange;
use family_clock::FamilyClock;
use family_limits::FamilyLimits;
use fast_path::FastPath;
use observers::SleepWatch;
use off_turn::CpuAccount;
use pipes::Pipes;
use rustix::process::{Pid, Signal, kill_process_group};
use signal_freezer::SignalFreezer;
use std::io;
use std::path::PathBuf;
use std::process::Child;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;
use verdict::host_failure;
use waiting::Wait;
use watch::Watch;

/// Whether a bot may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RunState {
    /// It has a request, or had none yet.
    OnTurn,
    /// It answered within the first moment, and was not frozen since.
    RunsOn,
    /// It is frozen, as far as the host can freeze it.
    Frozen,
}

/// How many processes around a bot's first process hold its box: bubblewrap, and process 1.
fn holders(level: Level) -> usize {
    if level == Level::Box { 2 } else { 0 }
}

/// A running bot.
#[derive(Debug)]
pub struct Process {
    /// Its program, for messages, and its limits.
    bot: Box<SandboxedBot>,
    child: Child,
    group: Pid,
    /// The process and all processes that it started, where the host counts them together.
    family: Option<ControlGroup>,
    status_channel: Arc<StatusChannel>,
    level: Level,
    freezer: Freezer,
    /// Stops the family by signals, where no control group does.
    signals: Option<Arc<SignalFreezer>>,
    run_state: RunState,
    /// A folder for temporary files, removed at the end.
    temporary: Option<PathBuf>,
    pub pipes: Pipes,
    /// What the bot writes to standard error.
    pub error: Arc<ErrorStream>,
    drain: Option<JoinHandle<()>>,
    /// Present where no control group limits the family.
    limits: Option<FamilyLimits>,
    pub sleep_watch: SleepWatch,
    pub cpu: CpuAccount,
    pub fast_path: FastPath,
    wait: Wait,
    pub watch: Watch,
    pub last: LastExchange,
    pub ending: Ending,
    counts: HostCounts,
}

impl Process {
    /// Starts a bot. Every bot is started by this function.
    ///
    /// # Errors
    /// The host has no process, descriptor or control group left. A program that cannot be started
    /// shows at the first request.
    pub fn start(bot: &SandboxedBot) -> Result<Self, Stop> {
        let process = bot.start().and_then(|started| Self::adopt(started, bot));
        process.map_err(|error| {
            let error = StartError::from(&error);
            host_failure("cannot start a bot's process", &error)
        })
    }

    fn adopt(mut started: Started, bot: &SandboxedBot) -> io::Result<Self> {
        let reading = Arc::<ReadingTime>::default();
        let connected = Pipes::connect(&mut started.child, &bot.limits, Arc::clone(&reading));
        let prepared = connected.and_then(|pipes| Ok((pipes, bot.fast_reply_timer()?)));
        if prepared.is_err() {
            end_unused(&mut started);
        }
        let ((pipes, error), timer) = prepared?;
        let group = Pid::from_child(&started.child);
        let number = group.as_raw_nonzero().get();
        let family = FamilyClock::new(number, started.group.as_ref());
        let limits = family_limits(bot, &started, number);
        let error = Arc::new(ErrorStream::new(error, &bot.limits, Arc::clone(&reading)));
        let status_channel = Arc::new(started.status_channel);
        let signals = SignalFreezer::new(started.freezer, group, &status_channel).map(Arc::new);
        let mut process = Self {
            bot: Box::new(bot.clone()),
            child: started.child,
            group,
            family: started.group,
            status_channel,
            level: started.level,
            freezer: started.freezer,
            signals: signals.clone(),
            run_state: RunState::OnTurn,
            temporary: started.temporary,
            pipes,
            drain: Some(error.spawn_drain()),
            error,
            limits,
            sleep_watch: SleepWatch::default(),
            cpu: CpuAccount::default(),
            fast_path: FastPath::new(timer),
            wait: Wait::default(),
            watch: Watch::new(family, signals, reading),
            last: LastExchange::default(),
            ending: Ending::default(),
            counts: HostCounts::default(),
        };
        process.counts.host_kills = procfs::host_kills();
        process.counts.refused = process.refused_processes();
        Ok(process)
    }

    /// Counts output and CPU time towards a new game from here on.
    pub fn begin_game(&mut self, game: &str) {
        self.pipes.begin_game(game);
        self.cpu.begin_game();
        self.end_wait();
        if self.watch.begin_game() {
            self.counts.refused = self.refused_processes();
        }
    }

    /// The process id of the process that was started.
    pub fn number(&self) -> i32 {
        self.group.as_raw_nonzero().get()
    }

    /// CPU time and memory used so far. The first process of a box is not the bot.
    fn used(&self) -> Usage {
        let first = (self.level < Level::Box).then(|| usage_of_process(self.number()));
        let family = self.family.as_ref().map(usage_of_family);
        first.unwrap_or_default().then(family.unwrap_or_default())
    }

    /// Stops the bot until the next request.
    fn freeze(&mut self) {
        self.run_state = RunState::Frozen;
        match (&self.signals, &self.family) {
            (Some(signals), _) => signals.freeze(),
            (None, Some(family)) if self.freezer == Freezer::Group => {
                family.freeze().log_error("freeze a bot");
            }
            _ => {}
        }
    }

    /// Lets a frozen bot run. A bot that was not frozen costs nothing.
    fn thaw(&mut self) {
        if std::mem::replace(&mut self.run_state, RunState::OnTurn) != RunState::Frozen {
            return;
        }
        match (&self.signals, &self.family) {
            (Some(signals), _) => signals.thaw(),
            (None, Some(family)) if self.freezer == Freezer::Group => {
                family.thaw().log_error("thaw a bot");
            }
            _ => {}
        }
    }

    /// Limits a family that uses much CPU time in a turn, its own or the opponent's, to one share
    /// of the processor from now on. No clock runs during this call.
    fn share_processor(&mut self) {
        if let Some(family) = &mut self.family {
            family.share_processor();
        }
    }

    /// Everything that the bot wrote to standard error since the last call. If the process has
    /// ended before its first turn, also what it wrote since its last game.
    pub fn take_log(&self) -> Vec<u8> {
        if self.ending.own.is_some() {
            self.error.take_since_game()
        } else {
            self.error.take()
        }
    }
}

/// What the referee checks of the family of this process, because the host does not limit it.
fn family_limits(bot: &SandboxedBot, started: &Started, number: i32) -> Option<FamilyLimits> {
    let limits = &bot.limits;
    let holders = holders(started.level);
    let counts_memory = !bot.limits_memory();
    // A control group counts names as memory.
    let counts_names = counts_memory && started.level == Level::Box;
    let process_limit = || ProcessLimit::new(bot.crowding(), number, limits.processes);
    let temporary = started.temporary.clone();
    let checked = FamilyLimits {
        memory_bytes: counts_memory.then_some(limits.memory_bytes),
        temporary: temporary.map(|folder| (folder, limits.temporary_bytes)),
        names_bytes: counts_names.then_some(limits.temporary_bytes),
        processes: (!bot.limits_processes()).then(process_limit),
        ..FamilyLimits::new(number, holders)
    };
    (!checked.is_empty()).then_some(checked)
}

/// Kills a process group, and its first process too, which may have moved to another group.
fn kill(child: &mut Child, group: Pid) {
    kill_process_group(group, Signal::KILL).log_error("kill a bot's process group");
    child.kill().log_error("kill a bot's process");
}

/// Ends a process that was started and is not used, and waits until it has ended.
fn end_unused(started: &mut Started) {
    started.status_channel.cut();
    let group = Pid::from_child(&started.child);
    kill(&mut started.child, group);
    started.child.wait().log_error("wait for a bot's process");
}

/// The usage of a process that was not reaped yet. One that has ended still shows its CPU time, but
/// no memory.
fn usage_of_process(process: i32) -> Usage {
    Usage {
        wall_us: None,
        cpu_us: Stat::of(process).and_then(|stat| stat.cpu_time_us()),
        peak_memory_bytes: peak_memory_kib(process).map(|kib| kib << 10),
    }
}

/// The usage of a family, as far as the host counts it.
fn usage_of_family(group: &ControlGroup) -> Usage {
    let cpu_us = |time: Duration| u64::try_from(time.as_micros()).ok();
    Usage {
        wall_us: None,
        cpu_us: group.cpu_time().and_then(cpu_us),
        peak_memory_bytes: group.peak_memory(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_tells_of_this_very_process() {
        let held = vec![1_u8; 32 << 20];
        let usage = usage_of_process(rustix::process::getpid().as_raw_pid());
        assert!(usage.peak_memory_bytes >= Some(held.iter().map(|&it| u64::from(it)).sum()));
        assert!(usage.cpu_us.is_some());
    }
}
