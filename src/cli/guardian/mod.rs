//! The guardian: commands that start bots run inside a PID namespace of their own, so that
//! whatever dies, and however, the kernel ends every process that the run started.
//!
//! ```text
//!   the user's shell
//!     outside         what the user started: signals in, exit code out      (outside)
//!       gate          goes into new namespaces, starts the next one, ends   (gate)
//!   ┌─────────────────────────────────────────────────────────────────────┐
//!   │   first process   number 1 of the PID namespace: reaps orphans      │ (first_process)
//!   │     referee       the command itself, with a [`Guard`]              │ (guard)
//!   │       bots                                                          │
//!   └─────────────────────────────────────────────────────────────────────┘
//! ```
//!
//! * If the first process ends, the kernel kills the whole namespace: no double fork, session or
//!   process group leads out of it.
//! * If the outside is killed, the first process finds its socket closed, and ends. A socket, since
//!   the kernel closes it whatever the outside dies of, and since nothing is lost before somebody
//!   listens. A death signal of the parent is not enough: it comes when the parent's *thread* ends,
//!   it is lost if the parent dies before it is asked for, and an exec with new rights forgets it.
//! * If the referee ends, so does the first process, with its exit code. It says the code first,
//!   because the kernel lets it end only after the last process in there: one that does not die
//!   when it is killed is named, and waited for in bounded time.
//!
//! Whichever of them lives on removes the run's control groups and its temporary folder; if nobody
//! does, the next run does.
//!
//! Signals: a terminal sends Ctrl-C to all of them, but it must count once. Only the outside
//! heeds it, and passes it on as a byte; the third ends the run on the spot. A terminal's Ctrl-Z
//! stops outside and referee (number 1 cannot be stopped by it), and `fg` lets them go on.
//!
//! Each process gets its socket in place of standard input and the user's own standard input
//! through the socket, since all else that is inherited could be taken over by no safe code.
//!
//! Where namespaces are not to be had, the outside is the guardian itself, as subreaper
//! (`descendants`), and the user is told what that does not cover.

mod channel;
mod delegation;
mod descendants;
mod first_process;
mod gate;
mod guard;
mod outside;
mod roles;

pub(super) use guard::{Guard, Kind};
pub(super) use outside::ignores_hang_up;
pub(super) use roles::{CommandLine, Role};

use super::exit::Failure;
use std::process::ExitCode;

/// What [`enter`] came to.
#[derive(Debug)]
pub(super) enum Entered {
    /// This is the referee: go on.
    Inside(Guard),
    /// This is the outside, and the referee has ended with this code.
    Ended(u8),
}

/// Where a command that starts bots begins: in the process that the user started, runs the command
/// again as a guarded referee and returns when it has ended; in the referee, returns its guard.
/// Must come before any thread is started, and before the command has any effect.
///
/// # Errors
/// The machine starts no process.
pub(super) fn enter(line: CommandLine) -> Result<Entered, Failure> {
    if let Role::Referee(place) = line.role {
        return Guard::take(place).map(Entered::Inside).map_err(|error| {
            Failure::machine(format!("the guardian does not say who guards: {error}"))
        });
    }
    delegation::take_scope(&line.words);
    outside::watch_over(&line.words)
        .map(Entered::Ended)
        .map_err(|error| Failure::machine(format!("cannot start the referee: {error}")))
}

/// Plays the parts between outside and referee; nothing if this process has neither of them.
pub(super) fn between(line: &CommandLine) -> Option<ExitCode> {
    match &line.role {
        Role::Gate { run } => Some(gate::pass(run, &line.words)),
        Role::FirstProcess { run } => Some(first_process::serve(run, &line.words)),
        Role::User | Role::Referee(_) => None,
    }
}
