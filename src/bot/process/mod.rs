//! One running program: started by one function, talked to in lines under one absolute deadline,
//! ended with its whole process group.
//!
//! * Started from its place in the sandbox, with `posix_spawn` (no `fork` of a referee that may be
//!   large), in a process group of its own, with an explicit environment.
//! * Nothing here ever blocks: writes and reads are tried, then awaited, and every wait ends with
//!   an event (a readable pipe, the process's pidfd) or with the deadline.
//! * Standard error is drained by a task of its own from start to end.
//! * The process is reaped by its pidfd, and only after its group was killed, so that the group's
//!   number cannot have been given to strangers.
//!
//! ```text
//! mod      start, end, what a process is made of
//! talk     a request and its answer, under the deadline
//! pipes    bytes out, lines in, and what is written without a request
//! clocks   how much CPU time the bot's family has used
//! off_turn what of it was in the opponent's turns, and when that is a fault
//! watch    how late the host is meanwhile, and how long others held the bot up
//! run_queue   how long the family's threads could run and did not
//! core_clock  how busy the slot's cores are, whatever runs there
//! signal_freezer  stopping the family and letting it go on, where no control group does
//! ending   how it is asked to quit and made to end, in bounded time
//! family_limits  what memory and processes the family takes, where the host does not limit it
//! exit_report  how a process leaves when it is let go
//! verdict  what an error, a status or a silence means
//! ```

mod clocks;
mod core_clock;
mod ending;
mod exit_report;
mod family_limits;
mod kill;
mod off_turn;
mod off_turn_total;
mod pipes;
mod read_buffer;
mod run_queue;
mod signal_freezer;
mod talk;
mod talk_error;
mod tick;
mod used_time;
mod verdict;
mod watch;

pub use exit_report::ExitReport;
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
use crate::record::{ProcessEnd, Usage};
use crate::referee::{HostDelay, Stop};
use clocks::FamilyClock;
use family_limits::FamilyLimits;
use kill::kill;
use off_turn_total::OffTurn;
use read_buffer::ReadBuffer;
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use signal_freezer::SignalFreezer;
use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::process::{Child, ExitStatus};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::unix::AsyncFd;
use tokio::net::unix::pipe;
use tokio::task::JoinHandle;
use verdict::{ExitEvidence, host_failure, process_end, verdict};
use watch::Watch;

/// How long a process that closed its output is waited for, to learn how it ended.
const EXIT_GRACE: Duration = Duration::from_secs(1);
/// How often at most: a busy host needs its time to end a whole box.
const EXIT_GRACES: u32 = 5;

/// What whatever started a bot has said.
#[derive(Debug, Default)]
struct StarterReport {
    /// That the bot runs; only process 1 of a box says so.
    started: bool,
    /// How it ended.
    last_words: Option<LastWords>,
}

/// A running bot.
#[derive(Debug)]
pub struct Process {
    child: Child,
    group: Pid,
    /// The process and all that it started, where the host counts them together.
    family: Option<ControlGroup>,
    status_channel: Arc<StatusChannel>,
    /// What was heard there.
    heard: StarterReport,
    /// How many processes the host had killed for want of memory when this one started.
    host_kills: Option<u64>,
    level: Level,
    freezer: Freezer,
    /// What freezes it if no control group does.
    signals: Option<Arc<SignalFreezer>>,
    /// The program and its folder, for messages.
    place: String,
    /// A folder for temporary files, removed at the end.
    temporary: Option<PathBuf>,
    /// Readable when the process has ended.
    exit: AsyncFd<OwnedFd>,
    input: Option<pipe::Sender>,
    output: pipe::Receiver,
    lines: LineBuffer,
    buffer: ReadBuffer,
    /// What reading takes.
    reading: Arc<ReadingTime>,
    recorder: Recorder,
    error: Arc<ErrorStream>,
    drain: Option<JoinHandle<()>>,
    /// It closed a pipe and went on running until it was killed.
    ran_on: bool,
    ended: bool,
    /// What went on after it was killed, in words.
    remains: Option<String>,
    /// How it ended before the referee ended it, and what that means.
    own_end: Option<(ProcessEnd, Stop)>,
    usage: Usage,
    /// Whether it was seen to end or to close a pipe while it was asked.
    seen_to_end: bool,
    /// Where no control group limits it.
    limits: Option<FamilyLimits>,
    /// What its family's clock said before the last request,
    cpu_before: Option<Duration>,
    /// and when it was read last.
    cpu_now: Option<Duration>,
    /// When it last answered, and has been frozen since; until its CPU time since is asked for.
    answered: Option<Instant>,
    /// What the family used in the opponent's turns of this game.
    off_turn: OffTurn,
    watch: Watch,
    /// What the host took from the last exchange, and how late it was there at the latest.
    delay: Option<HostDelay>,
    /// What was seen of the host in the last exchange, if that was long enough to look.
    looked: Option<HostDelay>,
    latest: Duration,
}

impl Process {
    /// Starts a bot: the one place where a bot comes to life.
    ///
    /// # Errors
    /// The host's: it has no process, descriptor or control group left. That a program cannot
    /// be started shows when it is asked something.
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
        let connect = |child: &mut Child| -> io::Result<_> {
            let exit = watch(pidfd_open(group, PidfdFlags::NONBLOCK)?)?;
            let input = child.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
            let output = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
            let error = child.stderr.take().ok_or(io::ErrorKind::BrokenPipe)?;
            let input = pipe::Sender::from_owned_fd(input.into())?;
            let output = pipe::Receiver::from_owned_fd(output.into())?;
            let error = pipe::Receiver::from_owned_fd(error.into())?;
            Ok((exit, input, output, error))
        };
        let connected = connect(&mut started.child);
        if connected.is_err() {
            kill(&mut started.child, group);
            let _ = started.child.wait();
        }
        let (exit, input, output, error) = connected?;
        let family = FamilyClock::new(group.as_raw_nonzero().get(), started.group.as_ref());
        let limits = sandboxed_bot.limits();
        let polls_memory = !sandboxed_bot.limits_memory();
        let polls_processes = !sandboxed_bot.limits_processes();
        let reading = Arc::<ReadingTime>::default();
        let error = Arc::new(ErrorStream::new(error, limits, Arc::clone(&reading)));
        let drained = Arc::clone(&error);
        let drain = tokio::spawn(async move { drained.drain().await });
        let status_channel = Arc::new(started.status_channel);
        let signals = SignalFreezer::new(started.freezer, group, &status_channel).map(Arc::new);
        Ok(Self {
            child: started.child,
            group,
            family: started.group,
            status_channel,
            signals: signals.clone(),
            heard: StarterReport::default(),
            host_kills: procfs::host_kills(),
            level: started.level,
            freezer: started.freezer,
            temporary: started.temporary,
            place: sandboxed_bot.place().to_owned(),
            exit,
            input: Some(input),
            output,
            lines: LineBuffer::new(limits.line_bytes, limits.output_bytes),
            buffer: ReadBuffer::new(),
            reading: Arc::clone(&reading),
            recorder: Recorder::new(),
            error,
            drain: Some(drain),
            ran_on: false,
            ended: false,
            remains: None,
            own_end: None,
            usage: Usage::default(),
            seen_to_end: false,
            limits: FamilyLimits::new(
                group.as_raw_nonzero().get(),
                polls_memory.then_some(limits.memory_bytes),
                polls_processes.then_some((limits.processes, sandboxed_bot.crowding())),
            ),
            cpu_before: None,
            cpu_now: None,
            answered: None,
            off_turn: OffTurn::default(),
            watch: Watch::new(family, signals, reading),
            delay: None,
            looked: None,
            latest: Duration::ZERO,
        })
    }

    /// Counts a game's output from here on.
    pub fn begin_game(&mut self, game: &str) {
        self.lines.begin_game();
        self.recorder.begin_game(game);
        self.off_turn = OffTurn::default();
        self.watch.begin_game();
    }

    /// The process that was started, by its number.
    pub fn number(&self) -> i32 {
        self.group.as_raw_nonzero().get()
    }

    /// Ends a process that ended or closed a pipe, and says what that means.
    async fn crash(&mut self) -> Stop {
        // Its last words are said once.
        if let Some((_, stop)) = &self.own_end {
            return stop.clone();
        }
        // A box that is frozen cannot tell how its bot ended.
        self.thaw();
        let ended = self.ends_by_itself().await;
        // Asked before the referee ends it. A bot can have ended long before its box.
        self.hear_last_words();
        self.ran_on |= !ended && self.heard.last_words.is_none();
        let status = self.end().await;
        self.hear_last_words();
        let evidence = self.evidence_of_end(status);
        let stop = verdict(&evidence);
        self.own_end = Some((process_end(&evidence), stop.clone()));
        stop
    }

    fn evidence_of_end(&self, status: Option<ExitStatus>) -> ExitEvidence<'_> {
        ExitEvidence {
            place: &self.place,
            level: self.level,
            status: status.filter(|_| !self.ran_on),
            last_words: self.heard.last_words.clone(),
            ran_on: self.ran_on,
            started: self.heard.started,
            host_out_of_memory: procfs::host_kills() > self.host_kills,
        }
    }

    /// They are said once, and the caller may be dropped before it comes to a verdict.
    fn hear_last_words(&mut self) {
        self.heard.started |= self.status_channel.has_started();
        self.heard.last_words = self
            .heard
            .last_words
            .take()
            .or_else(|| self.status_channel.last_words());
    }

    /// Whether it ends soon. A caller that only waits then has nothing more to do for its end.
    async fn ends_by_itself(&self) -> bool {
        for _ in 0..EXIT_GRACES {
            let exit = tokio::time::timeout(EXIT_GRACE, self.exit.readable());
            if exit.await.is_ok() {
                return true;
            }
            if !procfs::is_busy(self.group.as_raw_nonzero().get()) {
                return false;
            }
        }
        false
    }

    /// What it has used so far. The first process of a box is not the bot.
    fn used(&self) -> Usage {
        let first = (self.level < Level::Box).then(|| usage::of_process(self.group));
        let family = self.family.as_ref().map(usage::of_family);
        first.unwrap_or_default().then(family.unwrap_or_default())
    }

    /// How many processes of the family were killed for its memory.
    fn memory_kills(&self) -> u64 {
        self.family.as_ref().map_or(0, ControlGroup::memory_kills)
    }

    /// Keeps the bot from thinking until it is asked again.
    fn freeze(&self) {
        match (&self.signals, &self.family) {
            (Some(signals), _) => signals.freeze(),
            (None, Some(family)) if self.freezer == Freezer::Group => drop(family.freeze()),
            _ => {}
        }
    }

    /// A family that takes its time, or its opponent's, has one share of the processor from then
    /// on. No clock runs meanwhile.
    fn share_processor(&mut self) {
        if let Some(family) = &mut self.family {
            family.share_processor();
        }
    }

    fn thaw(&self) {
        match (&self.signals, &self.family) {
            (Some(signals), _) => signals.thaw(),
            (None, Some(family)) if self.freezer == Freezer::Group => drop(family.thaw()),
            _ => {}
        }
    }

    /// What the bot wrote to standard error since this was last asked, to the last byte.
    pub fn take_log(&self) -> Vec<u8> {
        self.error.take()
    }
}

/// Makes the end of a process an event.
#[expect(
    unsafe_code,
    reason = "the runtime's only way to watch a descriptor of our own"
)]
fn watch(pidfd: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    // SAFETY: the descriptor is owned by the value that is handed over, so it stays open, and
    // stays the same one, for as long as it is registered.
    Ok(unsafe { AsyncFd::register(pidfd) }?)
}
