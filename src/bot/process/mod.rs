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
//!
//! ```text
//! mod      start, end, what a process is made of
//! talk     requests out, lines in, under the deadline
//! verdict  what an error, a status or a silence means
//! ```

mod talk;
mod verdict;

pub(super) use talk::Reply;

use super::error_stream::ErrorStream;
use super::launch::{Launch, Limits};
use super::lines::LineBuffer;
use crate::referee::Stop;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::unix::AsyncFd;
use tokio::net::unix::pipe;
use tokio::task::JoinHandle;
use verdict::{describe, spawn_failure};

/// How long a bot that was asked to quit may take.
const QUIT_GRACE: Duration = Duration::from_millis(200);
/// How long a process that closed its output is waited for, to learn how it ended.
const EXIT_GRACE: Duration = Duration::from_millis(100);

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

    /// Ends a process that ended or closed a pipe, and says which.
    async fn crash(&mut self) -> String {
        let exit = tokio::time::timeout(EXIT_GRACE, self.exit.readable());
        self.ran_on |= exit.await.is_err();
        match self.end().await {
            Some(status) if !self.ran_on => describe(status),
            _ => "closed its input or output and went on running".to_owned(),
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
