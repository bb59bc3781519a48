//! One running program: started by one function, talked to in lines under one absolute deadline,
//! ended with its whole process group.
//!
//! * Started with `posix_spawn` (no `fork` of a referee that may be large), in a process group of
//!   its own, with an explicit environment and working directory.
//! * Nothing here ever blocks: writes and reads are tried, then awaited, and every wait ends with
//!   an event (a readable pipe, the process's pidfd) or with the deadline.
//! * Standard error is drained by a task of its own from start to end.
//! * The process is reaped by its pidfd, and only after its group was killed, so that the group's
//!   number cannot have been given to strangers.

use super::error_stream::ErrorStream;
use super::launch::{Launch, Limits};
use super::lines::LineBuffer;
use crate::record::{Fault, FaultKind};
use crate::referee::Stop;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::unix::AsyncFd;
use tokio::net::unix::pipe;
use tokio::task::JoinHandle;

/// How long a bot that was asked to quit may take.
const QUIT_GRACE: Duration = Duration::from_millis(200);
/// How long a process that closed its output is waited for, to learn how it ended.
const EXIT_GRACE: Duration = Duration::from_millis(100);
/// How late the referee may notice a deadline; later, the host stalled and nobody loses by it.
const STALL: Duration = Duration::from_millis(250);
/// Bytes of one read.
const READ_BYTES: usize = 8 << 10;

/// A running bot.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    group: Pid,
    /// Readable when the process has ended.
    exit: AsyncFd<OwnedFd>,
    input: Option<pipe::Sender>,
    output: pipe::Receiver,
    lines: LineBuffer,
    error: Arc<ErrorStream>,
    drain: Option<JoinHandle<()>>,
    /// It closed a pipe and went on running until it was killed.
    ran_on: bool,
    ended: bool,
    /// Whether it was ever asked anything.
    greeted: bool,
}

/// A line and the time from just before the request to its newline.
pub(super) struct Reply {
    pub(super) line: Vec<u8>,
    pub(super) time: Duration,
}

impl Process {
    /// Starts a bot under its limits: the one place where a bot comes to life.
    ///
    /// # Errors
    /// A `start-failure` of the bot's, or a void if the host has no process or descriptor left.
    pub(super) fn start(launch: &Launch, limits: &Limits) -> Result<Self, Stop> {
        let spawned = Command::new(&launch.program)
            .args(&launch.arguments)
            .current_dir(&launch.directory)
            .env_clear()
            .envs(launch.environment.iter().map(|(key, value)| (key, value)))
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let child = spawned.map_err(|error| spawn_failure(launch, &error))?;
        Self::adopt(child, limits)
            .map_err(|error| Stop::Void(format!("cannot watch a bot's process: {error}")))
    }

    fn adopt(mut child: Child, limits: &Limits) -> io::Result<Self> {
        let group = Pid::from_child(&child);
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
        let connected = connect(&mut child);
        if connected.is_err() {
            kill(&mut child, group);
            let _ = child.wait();
        }
        let (exit, input, output, error) = connected?;
        let error = Arc::new(ErrorStream::new(error, limits));
        let drained = Arc::clone(&error);
        let drain = tokio::spawn(async move { drained.drain().await });
        let lines = LineBuffer::new(limits.line_bytes, limits.output_bytes);
        let input = Some(input);
        Ok(Self {
            child,
            group,
            exit,
            input,
            output,
            lines,
            error,
            drain: Some(drain),
            ran_on: false,
            ended: false,
            greeted: false,
        })
    }

    /// Counts a game's output from here on.
    pub(super) fn begin_game(&mut self) {
        self.lines.begin_game();
    }

    /// Sends a request and waits for a line, both before one absolute deadline that nothing
    /// re-arms. The clock is read before the write: a bot on the same core would otherwise think
    /// for free.
    pub(super) async fn exchange(
        &mut self,
        request: &[u8],
        deadline: Duration,
    ) -> Result<Reply, Stop> {
        let started = Instant::now();
        // Whether a new process says `ready` before or after it is greeted depends on the host.
        if std::mem::replace(&mut self.greeted, true)
            && let Err(trouble) = self.reject_unasked()
        {
            return Err(self.stop(trouble).await);
        }
        let until = tokio::time::Instant::from_std(started + deadline);
        let answered = tokio::time::timeout_at(until, self.write_and_read(request)).await;
        let time = started.elapsed();
        // Awake, we would have seen the deadline pass: it was us, or the whole host, that slept.
        let overslept = time.saturating_sub(deadline);
        match answered {
            Ok(Ok(_)) | Err(_) if overslept > STALL => Err(stalled(overslept)),
            Ok(Ok(line)) => Ok(Reply { line, time }),
            // How the process ended is found out on nobody's clock.
            Ok(Err(trouble)) => Err(timed(self.stop(trouble).await, time)),
            Err(_) => Err(Stop::Fault(self.silence_fault(time))),
        }
    }

    async fn write_and_read(&mut self, request: &[u8]) -> Result<Vec<u8>, Trouble> {
        if !self.write(request).await {
            return Err(Trouble::Ended);
        }
        self.read_line().await
    }

    /// Writes all of a message; false if the bot has closed its input.
    async fn write(&self, mut message: &[u8]) -> bool {
        let Some(input) = &self.input else {
            return false;
        };
        while !message.is_empty() {
            match input.try_write(message) {
                Ok(written) => message = &message[written..],
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if input.writable().await.is_err() {
                        return false;
                    }
                }
                Err(_) => return false,
            }
        }
        true
    }

    async fn read_line(&mut self) -> Result<Vec<u8>, Trouble> {
        loop {
            if let Some(line) = self.lines.take_line() {
                return Ok(line);
            }
            self.read_more().await?;
        }
    }

    /// Waits until more output is read; a process that ends is read to its last byte first.
    async fn read_more(&mut self) -> Result<(), Trouble> {
        loop {
            let exited = tokio::select! {
                biased;
                _ = self.output.readable() => false,
                _ = self.exit.readable() => true,
            };
            let mut bytes = [0; READ_BYTES];
            match self.output.try_read(&mut bytes) {
                Ok(0) => return Err(Trouble::Ended),
                Ok(count) => return self.feed(&bytes[..count]),
                Err(error) if error.kind() != io::ErrorKind::WouldBlock => {
                    let cause = format!("cannot read from a bot: {error}");
                    return Err(Trouble::Stop(Stop::Void(cause)));
                }
                Err(_) if exited => return Err(Trouble::Ended),
                Err(_) => {}
            }
        }
    }

    fn feed(&mut self, bytes: &[u8]) -> Result<(), Trouble> {
        self.lines.feed(bytes).map_err(|overflow| {
            let fault = Fault::new(FaultKind::OutputLimit, overflow.describe());
            Trouble::Stop(Stop::Fault(fault))
        })
    }

    /// A bot that has written, or died, while nobody asked it.
    fn reject_unasked(&mut self) -> Result<(), Trouble> {
        // The readiness that the runtime remembers may be older than the last event: the pipe
        // itself is asked, in a read of its own.
        let mut bytes = [0; READ_BYTES];
        match rustix::io::read(&self.output, &mut bytes) {
            Ok(0) => return Err(Trouble::Ended),
            Ok(count) => self.feed(&bytes[..count])?,
            Err(_) => {}
        }
        if self.lines.rest().is_empty() {
            Ok(())
        } else {
            Err(Trouble::Stop(Stop::Fault(self.unasked())))
        }
    }

    fn unasked(&self) -> Fault {
        let rest = self.lines.rest();
        let quoted: String = String::from_utf8_lossy(rest).chars().take(120).collect();
        let detail = format!("wrote {quoted:?} when nobody had asked");
        Fault::new(FaultKind::BadOutput, detail)
    }

    fn silence_fault(&self, time: Duration) -> Fault {
        let half = match self.lines.rest().len() {
            0 => String::new(),
            bytes => format!(" (half a line of {bytes} bytes without its newline)"),
        };
        let detail = format!("no answer after {:.3} ms{half}", time.as_secs_f64() * 1e3);
        Fault::new(FaultKind::Timeout, detail).after(micros(time))
    }

    /// Waits for something that a bot must not do while it is not its turn.
    pub(super) async fn misbehaviour(&mut self) -> Stop {
        if self.lines.rest().is_empty()
            && let Err(trouble) = self.read_more().await
        {
            return self.stop(trouble).await;
        }
        Stop::Fault(self.unasked())
    }

    /// Trouble as the referee is told it. May be dropped in the middle and asked again.
    async fn stop(&mut self, trouble: Trouble) -> Stop {
        match trouble {
            Trouble::Stop(stop) => stop,
            Trouble::Ended => Stop::Fault(Fault::new(FaultKind::Crash, self.crash().await)),
        }
    }

    /// Ends a process that ended or closed a pipe, and says which.
    async fn crash(&mut self) -> String {
        let exit = tokio::time::timeout(EXIT_GRACE, self.exit.readable());
        self.ran_on |= exit.await.is_err();
        match self.end().await {
            Some(status) if !self.ran_on => describe(status),
            _ => "closed its input or output and went on running".to_owned(),
        }
    }

    /// Sends a message that has no answer; false if the bot reads so little that the pipe does
    /// not take it at once. A bot that has gone is found out when it is asked next: nobody knows
    /// whether it went before the message or after.
    pub(super) fn post(&self, message: &[u8]) -> bool {
        match self.input.as_ref().map(|input| input.try_write(message)) {
            Some(Ok(written)) => written == message.len(),
            Some(Err(error)) => error.kind() == io::ErrorKind::BrokenPipe,
            None => false,
        }
    }

    /// Asks the bot to quit, gives it a moment, and ends what is left of its group.
    pub(super) async fn quit(mut self, request: &[u8]) {
        let _ = self.post(request);
        self.input = None;
        let _ = tokio::time::timeout(QUIT_GRACE, self.exit.readable()).await;
        self.end().await;
    }

    /// Kills the whole group and reaps the process. May be dropped in the middle and asked again.
    pub(super) async fn end(&mut self) -> Option<ExitStatus> {
        if !self.ended {
            kill(&mut self.child, self.group);
            let _ = self.exit.readable().await;
            self.ended = true;
        }
        // Reaped now, or remembered.
        let status = self.child.wait().ok();
        // All that the process wrote is in the pipe by now: who else holds it is not waited for.
        if let Some(drain) = self.drain.take() {
            drain.abort();
            let _ = drain.await;
        }
        status
    }

    /// What the bot wrote to standard error since this was last asked, to the last byte.
    pub(super) fn take_log(&self) -> Vec<u8> {
        self.error.take()
    }
}

/// A game that is dropped in the middle leaves no process behind.
impl Drop for Process {
    fn drop(&mut self) {
        if let Some(drain) = &self.drain {
            drain.abort();
        }
        if !self.ended {
            kill(&mut self.child, self.group);
            let _ = self.child.wait();
        }
    }
}

/// Kills a group and, since it may have gone to another, its first process.
fn kill(child: &mut Child, group: Pid) {
    let _ = kill_process_group(group, Signal::KILL);
    let _ = child.kill();
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

/// Why there is no line.
enum Trouble {
    /// The process ended or closed a pipe; how it ended is not known yet.
    Ended,
    /// The referee can be told at once.
    Stop(Stop),
}

/// Out of processes, memory or descriptors: that is the host's trouble, not the bot's.
fn spawn_failure(launch: &Launch, error: &io::Error) -> Stop {
    use rustix::io::Errno;
    let exhausted = [Errno::AGAIN, Errno::NOMEM, Errno::MFILE, Errno::NFILE];
    let host = exhausted
        .iter()
        .any(|errno| error.raw_os_error() == Some(errno.raw_os_error()));
    let program = launch.program.display();
    let directory = launch.directory.display();
    let detail = format!("cannot start {program} in {directory}: {error}");
    if host {
        Stop::Void(detail)
    } else {
        Stop::Fault(Fault::new(FaultKind::StartFailure, detail))
    }
}

fn describe(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exited with code {code}"),
        (None, Some(signal)) => format!("killed by signal {signal}"),
        (None, None) => "ended".to_owned(),
    }
}

fn stalled(late: Duration) -> Stop {
    let late = late.as_millis();
    Stop::Void(format!("the host stalled: woke {late} ms too late"))
}

fn timed(stop: Stop, time: Duration) -> Stop {
    match stop {
        Stop::Fault(fault) => Stop::Fault(fault.after(micros(time))),
        void @ Stop::Void(_) => void,
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
