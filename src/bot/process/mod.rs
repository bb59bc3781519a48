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
//! mod      starting and ending a process, and its parts
//! talk     a request and its answer, under the deadline
//! pipes    bytes out, lines in, and what is written without a request
//! first_moment  the same for answers within the first moment, with the fewest system calls
//! fast_path  what a process carries from one of these to the next
//! game_cpu  CPU time of the turns that are not measured one by one
//! connections  the pidfd and the pipes as events of the runtime
//! clocks   how much CPU time the bot's family has used
//! off_turn how much of that was in the opponent's turns, and when it is a fault
//! short_turns  whether a family worked beyond its answers within the first moment
//! watch    how late the host is in a wait, and how long other programs held the bot up
//! run_queue   how long the family's threads were runnable and did not run
//! core_clock  how busy the slot's cores are, whichever program runs there
//! signal_freezer  stopping and continuing the family by signals, without a control group
//! ending   asking a process to quit and ending it, in bounded time
//! wait     what is known of a wait
//! waiting  a process between two games
//! family_limits  the family's memory and processes, where the host does not limit them
//! observers  what can end the wait for an answer early
//! shortage   whose limit a bot met when it lacked memory or processes
//! own_end  how a process ended by itself, and why
//! bot_origin  the program of a process, for these messages
//! exit_report  how a process ends after it was asked to quit
//! stream   the whole output of a program that is no player
//! verdict  what an error, an exit status or a silence means
//! ```

mod bot_origin;
mod clocks;
mod connections;
mod core_clock;
mod ending;
mod exit_report;
mod family_limits;
mod fast_path;
mod first_moment;
mod game_cpu;
mod kill;
mod observers;
mod off_turn;
mod off_turn_total;
mod own_end;
mod pipes;
mod read_buffer;
mod run_queue;
mod short_turns;
mod shortage;
mod signal_freezer;
mod stream;
mod talk;
mod talk_error;
mod tick;
mod used_time;
mod verdict;
mod wait;
mod waiting;
mod watch;

pub use exit_report::ExitReport;
pub use first_moment::CpuAccounting;
use kill::end_unused;
pub use stream::StreamEnd;
pub use talk::Reply;

use super::control_group::ControlGroup;
use super::error_stream::ErrorStream;
use super::lines::LineBuffer;
use super::reading_time::ReadingTime;
use super::recorder::Recorder;
use super::sandbox::{Freezer, LastWords, SandboxedBot, StartError, Started, StatusChannel};
use super::usage;
use crate::bot::sandbox::Level;
use crate::procfs;
use crate::record::{Fault, ProcessEnd, Usage};
use crate::referee::{HostDelay, Stop};
use bot_origin::BotOrigin;
use clocks::FamilyClock;
use connections::connect;
use family_limits::FamilyLimits;
use fast_path::FastPath;
use game_cpu::GameCpu;
use observers::SleepWatch;
use off_turn_total::OffTurn;
use read_buffer::ReadBuffer;
use rustix::process::Pid;
use signal_freezer::SignalFreezer;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::process::Child;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::io::unix::AsyncFd;
use tokio::net::unix::pipe;
use tokio::task::JoinHandle;
use verdict::host_failure;
use wait::Wait;
use watch::Watch;

/// What the program that started a bot has reported.
#[derive(Debug, Default)]
struct StarterReport {
    /// Whether the bot runs; only process 1 of a box reports this.
    started: bool,
    /// How it ended.
    last_words: Option<LastWords>,
}

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

/// What the referee checks of the family of this process, because the host does not limit it.
fn family_limits(bot: &SandboxedBot, started: &Started, number: i32) -> Option<FamilyLimits> {
    let limits = bot.limits();
    let folder = started.temporary.clone();
    let counts_memory = !bot.limits_memory();
    let family_limits = FamilyLimits::new(
        number,
        holders(started.level),
        counts_memory.then_some(limits.memory_bytes),
        folder.map(|folder| (folder, limits.temporary_bytes)),
        (!bot.limits_processes()).then_some((limits.processes, bot.crowding())),
    );
    // A control group counts names as memory.
    let counts_names = counts_memory && started.level == Level::Box;
    let names = counts_names.then_some(limits.temporary_bytes);
    Some(family_limits?.with_names(names))
}

/// A running bot.
#[derive(Debug)]
pub struct Process {
    child: Child,
    group: Pid,
    /// The process and all processes that it started, where the host counts them together.
    family: Option<ControlGroup>,
    status_channel: Arc<StatusChannel>,
    /// What the status channel has delivered so far.
    heard: StarterReport,
    /// How many processes the host had killed for lack of memory when this one started.
    host_kills: Option<u64>,
    /// How many processes limits around the family had refused before this game.
    refused_before: u64,
    level: Level,
    freezer: Freezer,
    /// Stops the family by signals, where no control group does.
    signals: Option<Arc<SignalFreezer>>,
    origin: Box<BotOrigin>,
    /// A folder for temporary files, removed at the end.
    temporary: Option<PathBuf>,
    /// Readable when the process has ended.
    exit: AsyncFd<OwnedFd>,
    /// In a box, readable when the bot's first process has ended: sooner than the box.
    end_of_first: Option<OwnedFd>,
    input: Option<pipe::Sender>,
    output: pipe::Receiver,
    /// The same pipe; a read of this waits.
    waiting_output: File,
    lines: LineBuffer,
    buffer: ReadBuffer,
    /// The last line that answered a request, without its newline.
    answer: Vec<u8>,
    /// The time that the slot's thread spends on reading the bot's output.
    reading: Arc<ReadingTime>,
    recorder: Recorder,
    error: Arc<ErrorStream>,
    drain: Option<JoinHandle<()>>,
    /// Whether the process closed a pipe and ran on until it was killed.
    ran_on: bool,
    ended: bool,
    /// The processes that survived SIGKILL, in words.
    remains: Option<String>,
    /// Where a slow end is noted for the next game.
    slow_end: Arc<Mutex<Option<Fault>>>,
    /// How the process ended before the referee ended it, and what that means.
    own_end: Option<(ProcessEnd, Stop)>,
    usage: Usage,
    /// Whether the process ended or closed a pipe during an exchange.
    seen_to_end: bool,
    /// Present where no control group limits the family.
    limits: Option<FamilyLimits>,
    pub sleep_watch: SleepWatch,
    /// The family's CPU clock before the last request.
    cpu_before: Option<Duration>,
    /// The family's CPU clock at its last reading.
    cpu_now: Option<Duration>,
    /// The same when the family was told to quit, or killed.
    used_alive: Option<Duration>,
    /// When the bot answered and was frozen; `None` once its CPU time since then was read.
    answered: Option<Instant>,
    run_state: RunState,
    /// The first moments of its exchanges.
    pub moment: FastPath,
    wait: Wait,
    /// CPU time of the family in the opponent's turns of this game.
    off_turn: OffTurn,
    watch: Watch,
    /// The time that the host took from the last exchange, if it missed its deadline.
    delay: Option<HostDelay>,
    /// The same for any exchange that was long enough to be looked at.
    looked: Option<HostDelay>,
    latest: Duration,
}

impl Process {
    /// Starts a bot. Every bot is started by this function.
    ///
    /// # Errors
    /// The host has no process, descriptor or control group left. A program that cannot be started
    /// shows at the first request.
    pub fn start(sandboxed_bot: &SandboxedBot) -> Result<Self, Stop> {
        let started = sandboxed_bot.start();
        let process = started.and_then(|started| Self::adopt(started, sandboxed_bot));
        process.map_err(|error| {
            let error = StartError::from(&error);
            host_failure("cannot start a bot's process", &error)
        })
    }

    fn adopt(mut started: Started, sandboxed_bot: &SandboxedBot) -> io::Result<Self> {
        let group = Pid::from_child(&started.child);
        let connected = connect(&mut started.child, group);
        let prepared = connected.and_then(|ends| Ok((ends, sandboxed_bot.fast_reply_timer()?)));
        if prepared.is_err() {
            end_unused(&mut started);
        }
        let (connections, fast_reply_timer) = prepared?;
        let family = FamilyClock::new(group.as_raw_nonzero().get(), started.group.as_ref());
        let limits = sandboxed_bot.limits();
        let family_limits = family_limits(sandboxed_bot, &started, group.as_raw_nonzero().get());
        let reading = Arc::<ReadingTime>::default();
        let error = ErrorStream::new(connections.error, limits, Arc::clone(&reading));
        let error = Arc::new(error);
        let status_channel = Arc::new(started.status_channel);
        let signals = SignalFreezer::new(started.freezer, group, &status_channel).map(Arc::new);
        let mut process = Self {
            child: started.child,
            group,
            family: started.group,
            status_channel,
            signals: signals.clone(),
            heard: StarterReport::default(),
            host_kills: procfs::host_kills(),
            refused_before: 0,
            level: started.level,
            freezer: started.freezer,
            temporary: started.temporary,
            origin: Box::new(BotOrigin::of(sandboxed_bot)),
            exit: connections.exit,
            end_of_first: None,
            input: Some(connections.input),
            output: connections.output,
            waiting_output: connections.waiting_output,
            lines: LineBuffer::new(limits.line_bytes, limits.output_bytes),
            buffer: ReadBuffer::new(),
            answer: Vec::new(),
            reading: Arc::clone(&reading),
            recorder: Recorder::new(),
            drain: Some(error.spawn_drain()),
            error,
            ran_on: false,
            ended: false,
            remains: None,
            slow_end: Arc::clone(sandboxed_bot.slow_end()),
            own_end: None,
            usage: Usage::default(),
            seen_to_end: false,
            limits: family_limits,
            sleep_watch: SleepWatch::default(),
            cpu_before: None,
            cpu_now: None,
            used_alive: None,
            answered: None,
            run_state: RunState::OnTurn,
            moment: FastPath::new(fast_reply_timer),
            wait: Wait::default(),
            off_turn: OffTurn::default(),
            watch: Watch::new(family, signals, reading),
            delay: None,
            looked: None,
            latest: Duration::ZERO,
        };
        process.refused_before = process.refused_processes();
        Ok(process)
    }

    /// Counts output towards a new game from here on.
    pub fn begin_game(&mut self, game: &str) {
        self.lines.begin_game();
        self.recorder.begin_game(game);
        self.off_turn = OffTurn::default();
        self.moment.game_cpu = GameCpu::default();
        self.end_wait();
        if self.watch.begin_game() {
            self.refused_before = self.refused_processes();
        }
    }

    /// The process id of the process that was started.
    pub fn number(&self) -> i32 {
        self.group.as_raw_nonzero().get()
    }

    /// CPU time and memory used so far. The first process of a box is not the bot.
    fn used(&self) -> Usage {
        let first = (self.level < Level::Box).then(|| usage::of_process(self.group));
        let family = self.family.as_ref().map(usage::of_family);
        first.unwrap_or_default().then(family.unwrap_or_default())
    }

    /// Stops the bot until the next request.
    fn freeze(&mut self) {
        self.run_state = RunState::Frozen;
        match (&self.signals, &self.family) {
            (Some(signals), _) => signals.freeze(),
            (None, Some(family)) if self.freezer == Freezer::Group => drop(family.freeze()),
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

    /// Lets a frozen bot run. A bot that was not frozen costs nothing.
    fn thaw(&mut self) {
        if std::mem::replace(&mut self.run_state, RunState::OnTurn) != RunState::Frozen {
            return;
        }
        match (&self.signals, &self.family) {
            (Some(signals), _) => signals.thaw(),
            (None, Some(family)) if self.freezer == Freezer::Group => drop(family.thaw()),
            _ => {}
        }
    }

    /// Keeps what the bot wrote to standard error since its last game apart from the game that
    /// begins now, and returns it.
    pub fn set_log_aside(&self) -> Vec<u8> {
        self.error.begin_game()
    }

    /// What the bot wrote to standard error so far is not about its end, should it end later.
    pub fn forget_log(&self) {
        self.error.forget();
    }

    /// Everything that the bot wrote to standard error since the last call. If the process has
    /// ended before its first turn, also what it wrote since its last game.
    pub fn take_log(&self) -> Vec<u8> {
        if self.own_end.is_some() {
            self.error.take_since_game()
        } else {
            self.error.take()
        }
    }
}
