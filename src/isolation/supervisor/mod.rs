//! The supervisor: commands that start bots run inside a PID namespace of their own, so that the
//! kernel ends every process that the run started, however any of them ends.
//!
//! ```text
//!   the user's shell
//!     parent          what the user started: signals in, exit code out      (parent)
//!       gate          goes into new namespaces, starts the next one, ends   (first_process)
//!   ┌─────────────────────────────────────────────────────────────────────┐
//!   │   first process   number 1 of the PID namespace: reaps orphans      │ (first_process)
//!   │     referee       the command itself, with a [`Guard`]              │ (guard)
//!   │       bots                                                          │
//!   └─────────────────────────────────────────────────────────────────────┘
//! ```
//!
//! * If the first process ends, the kernel kills the whole namespace: no double fork, session or
//!   process group leads out of it.
//! * If the parent is killed, the first process finds its socket closed, and ends. The kernel
//!   closes a socket however its process ends, and nothing is lost before the other end reads. A
//!   parent-death signal is not enough: it is sent when the parent's *thread* ends, it is lost if
//!   the parent ends before it is requested, and an exec with new rights clears it.
//! * When the referee ends, the first process ends with the same exit code. It reports the code
//!   before, because the kernel lets it end only after the last process of the namespace: a process
//!   that survives its kill is named, and waited for in bounded time.
//!
//! The process that survives the others removes the run's control groups and its temporary folder;
//! if none survives, the next run does it.
//!
//! Signals: the first process begins a session without a terminal, so Ctrl-C reaches the parent,
//! and without a namespace the referee too. It must count once: only the parent handles it, and
//! passes it on as a byte; the third Ctrl-C ends the run at once. A terminal's Ctrl-Z stops the
//! parent, which has the referee stopped before, and `fg` continues both (`stopping`). A run in the
//! background gets no terminal to read from.
//!
//! `roles` names the processes, `channel` carries bytes between them, and `delegation` has systemd
//! delegate a control group.
//!
//! Each process gets its socket in place of standard input, and the user's own standard input
//! through the socket, because safe code cannot take over any other inherited descriptor.
//!
//! Where namespaces are not available, the parent itself supervises, as a subreaper
//! (`descendants`), and the user is told what this does not cover.

use crate::log::LogError as _;
// rustix cannot tell that getrlimit is refused.
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::sys::signal::SigSet;
use rustix::process::{PidfdFlags, getpid, pidfd_open};
use std::io;
use std::process::ExitCode;

mod channel;
mod delegation;
mod descendants;
mod first_process;
mod guard;
mod parent;
mod roles;
mod stopping;

pub use guard::{Guard, SupervisorKind};
pub use roles::{CommandLine, Role};

/// The result of [`enter`].
#[derive(Debug)]
pub enum Entered {
    /// This is the referee: go on.
    Inside(Guard),
    /// This is the parent, and the referee has ended with this code.
    Ended(u8),
}

/// Begins a command that starts bots. In the process that the user started, this runs the command
/// again as a guarded referee and returns when that has ended; in the referee, it returns the
/// guard. It must come before any thread is started, and before the command has any effect.
///
/// `tell` prints one line for the user.
///
/// # Errors
/// A process could not be started, or the supervision failed.
pub fn enter(line: CommandLine, tell: fn(&str)) -> Result<Entered, SupervisorError> {
    if let Role::Referee(place) = line.role {
        let guard = Guard::take(place).map_err(SupervisorError::NoGuard)?;
        return Ok(Entered::Inside(guard));
    }
    raise_soft_limits()?;
    pidfd_open(getpid(), PidfdFlags::empty())
        .map_err(|error| SupervisorError::NoCall("pidfd_open", error.into()))?;
    delegation::take_scope(&line.words, tell);
    parent::watch_over(&line.words, tell).map(Entered::Ended)
}

/// Lets all signals through, before any thread is started. The program that started this one may
/// have blocked some, and a blocked SIGCHLD hides the end of every process.
pub fn unblock_signals() {
    // It cannot fail: the mask is valid.
    let _ = SigSet::empty().thread_set_mask();
}

/// Takes what the hard limits allow. Bots have limits of their own.
fn raise_soft_limits() -> Result<(), SupervisorError> {
    for resource in [Resource::RLIMIT_NOFILE, Resource::RLIMIT_NPROC] {
        let (_, hard) = getrlimit(resource)
            .map_err(|error| SupervisorError::NoCall("prlimit64", error.into()))?;
        // Where this is refused, the run takes what the limits leave.
        setrlimit(resource, hard, hard).log_error("raise a limit of this process");
    }
    Ok(())
}

/// Runs the gate or the first process; `None` if this process is neither of them.
pub fn between(line: &CommandLine) -> Option<ExitCode> {
    match &line.role {
        Role::Gate { run } => Some(first_process::pass_gate(run, &line.words)),
        Role::FirstProcess { run } => Some(first_process::serve(run, &line.words)),
        Role::User | Role::Referee(_) => None,
    }
}

/// Why a command that starts bots could not be run.
#[derive(Debug, thiserror::Error)]
pub enum SupervisorError {
    /// The referee was not started by a supervisor.
    #[error("the supervisor does not say who guards: {0}")]
    NoGuard(io::Error),
    /// No process could be started or listened to.
    #[error("cannot start the referee: {0}")]
    Start(io::Error),
    /// The process between ended, and nothing was heard of the referee.
    #[error("cannot start the referee: the process that starts it ended without a word")]
    NoWord,
    /// Nothing shows what the kernel has open.
    #[error(
        "/proc is not mounted, and awale starts itself and watches bots by it; mount it with \
         `mount -t proc proc /proc`"
    )]
    NoProc,
    /// The kernel, or the container around, has no such system call.
    #[error(
        "this system refuses the call {0} ({1}), without which no bot can be started and watched: \
         awale needs Linux 5.3 or newer, and in a container one that allows this call"
    )]
    NoCall(&'static str, io::Error),
    /// No folder serves for temporary files.
    #[error(
        "no folder serves for the copies of bots: {0}; name one that can be written, on a file \
         system from which programs may be started, with TMPDIR=…"
    )]
    NoTemporaryFolder(String),
    /// The referee ended by SIGXFSZ.
    #[error(
        "a file would have become larger than this machine allows (ulimit -f); what was played is \
         safe, and with more space the same command goes on"
    )]
    FileTooLarge,
}

impl From<io::Error> for SupervisorError {
    fn from(error: io::Error) -> Self {
        Self::Start(error)
    }
}
