//! The supervisor: commands that start bots run inside a PID namespace of their own, so that
//! whatever dies, and however, the kernel ends every process that the run started.
//!
//! ```text
//!   the user's shell
//!     parent          what the user started: signals in, exit code out      (parent)
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
//! * If the parent is killed, the first process finds its socket closed, and ends. A socket, since
//!   the kernel closes it whatever the parent dies of, and since nothing is lost before somebody
//!   listens. A death signal of the parent is not enough: it comes when the parent's *thread* ends,
//!   it is lost if the parent dies before it is asked for, and an exec with new rights forgets it.
//! * If the referee ends, so does the first process, with its exit code. It says the code first,
//!   because the kernel lets it end only after the last process in there: one that does not die
//!   when it is killed is named, and waited for in bounded time.
//!
//! Whichever of them lives on removes the run's control groups and its temporary folder; if none
//! does, the next run does.
//!
//! Signals: a terminal sends Ctrl-C to all of them, but it must count once. Only the parent
//! heeds it, and passes it on as a byte; the third ends the run on the spot. A terminal's Ctrl-Z
//! stops parent and referee (number 1 cannot be stopped by it), and `fg` lets them go on.
//!
//! Each process gets its socket in place of standard input and the user's own standard input
//! through the socket, since all else that is inherited could be taken over by no safe code.
//!
//! Where namespaces are not to be had, the parent is the supervisor itself, as subreaper
//! (`descendants`), and the user is told what that does not cover.

mod channel;
mod delegation;
mod descendants;
mod first_process;
mod gate;
mod guard;
mod parent;
mod roles;
mod supervisor_error;

pub use guard::{Guard, SupervisorKind};
pub use roles::{CommandLine, Role};
pub use supervisor_error::SupervisorError;

use std::process::ExitCode;

/// What [`enter`] came to.
#[derive(Debug)]
pub enum Entered {
    /// This is the referee: go on.
    Inside(Guard),
    /// This is the parent, and the referee has ended with this code.
    Ended(u8),
}

/// Where a command that starts bots begins: in the process that the user started, runs the command
/// again as a guarded referee and returns when it has ended; in the referee, returns its guard.
/// Must come before any thread is started, and before the command has any effect.
///
/// `tell` says something to the user, a line each.
///
/// # Errors
/// The machine starts no process, or the run went wrong around the referee.
pub fn enter(line: CommandLine, tell: fn(&str)) -> Result<Entered, SupervisorError> {
    if let Role::Referee(place) = line.role {
        let guard = Guard::take(place).map_err(SupervisorError::NoGuard)?;
        return Ok(Entered::Inside(guard));
    }
    delegation::take_scope(&line.words, tell);
    parent::watch_over(&line.words, tell).map(Entered::Ended)
}

/// Plays the parts between parent and referee; nothing if this process has neither of them.
pub fn between(line: &CommandLine) -> Option<ExitCode> {
    match &line.role {
        Role::Gate { run } => Some(gate::pass(run, &line.words)),
        Role::FirstProcess { run } => Some(first_process::serve(run, &line.words)),
        Role::User | Role::Referee(_) => None,
    }
}
