//! The outside: the process that the user started. Starts the referee behind a guardian, passes
//! interruptions on, waits until nobody is left, and clears away what the run has on the host.

use super::guard::{Kind, Place, remove_stale_traces, remove_traces, temporary_folder};
use super::roles::{Role, start};
use super::{channel, descendants};
use crate::bot::run_name;
use crate::cli::exit::{Exit, tell};
use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitOptions, WaitStatus, getpid, kill_process, set_child_subreaper, wait,
};
use std::ffi::OsString;
use std::io::{self, Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use tokio::signal::unix::{self, SignalKind, signal};

/// So many interruptions are asked of the referee; then a Ctrl-C ends it unasked.
const ASKED: u32 = 2;

/// Runs the command behind a guardian and returns its exit code.
pub(super) fn watch_over(words: &[OsString]) -> io::Result<u8> {
    remove_stale_traces();
    // Adopts the first process when the gate ends, and without a namespace everybody.
    set_child_subreaper(Some(getpid()))?;
    let run = run_name();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()?;
    let code = runtime.block_on(async {
        let mut watch = Watch::new()?;
        let refused = match watch.behind_namespace(&run, words).await? {
            Outcome::Ended(code) => return Ok(code),
            Outcome::Refused(reason) => reason,
        };
        watch.behind_subreaper(&run, words, refused).await
    });
    remove_traces(&run);
    if let Ok(code) = code
        && code > 128
        && code != Exit::Interrupted.code()
    {
        tell(&format!(
            "the referee was killed by signal {}; what was played is safe, and the same command \
             goes on",
            code - 128
        ));
    }
    code
}

enum Outcome {
    Ended(u8),
    /// There is no namespace to be had, and why.
    Refused(String),
}

/// What the outside listens to, and whom it talks to.
struct Watch {
    child: unix::Signal,
    interrupt: unix::Signal,
    terminate: unix::Signal,
    hang_up: Option<unix::Signal>,
    interruptions: u32,
    /// The other end is the referee's.
    referee: Option<UnixStream>,
    /// The other end is the gate's, then the first process's: closed, it ends the namespace.
    first: Option<UnixStream>,
    was_ended: bool,
}

impl Watch {
    /// Listens from now on: nothing that is started later ends unheard.
    fn new() -> io::Result<Self> {
        let hang_up = (!ignores_hang_up()).then(|| signal(SignalKind::hangup()));
        Ok(Self {
            child: signal(SignalKind::child())?,
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: hang_up.transpose()?,
            interruptions: 0,
            referee: None,
            first: None,
            was_ended: false,
        })
    }

    /// Opens the referee's socket and puts into it what it has to get; returns its end.
    fn open_referees(&mut self) -> io::Result<UnixStream> {
        let (ours, theirs) = UnixStream::pair()?;
        channel::send(&ours, io::stdin().as_fd())?;
        ours.set_nonblocking(true)?;
        self.referee = Some(ours);
        Ok(theirs)
    }

    async fn behind_namespace(&mut self, run: &str, words: &[OsString]) -> io::Result<Outcome> {
        let referees = self.open_referees()?;
        let (ours, theirs) = UnixStream::pair()?;
        channel::send(&ours, referees.as_fd())?;
        // All other ends are closed before anybody else has one.
        drop(referees);
        ours.set_nonblocking(true)?;
        self.first = Some(ours);
        let role = Role::Gate {
            run: run.to_owned(),
        };
        let theirs = std::os::fd::OwnedFd::from(theirs);
        let gate = Pid::from_child(&start(&role, words, theirs.into())?);
        let code = self.wait_for_all(gate, false).await;
        let mut reason = String::new();
        if let Some(mut first) = self.first.take() {
            // Ends with an error where nobody has closed it: what was said counts.
            let _ = first.read_to_string(&mut reason);
        }
        Ok(if reason.is_empty() || self.was_ended {
            Outcome::Ended(code)
        } else {
            Outcome::Refused(reason)
        })
    }

    async fn behind_subreaper(
        &mut self,
        run: &str,
        words: &[OsString],
        reason: String,
    ) -> io::Result<u8> {
        let referees = std::os::fd::OwnedFd::from(self.open_referees()?);
        // What was asked of the referee that did not come to be is asked of this one.
        for _ in 0..self.interruptions {
            self.pass_on();
        }
        let role = Role::Referee(Place {
            run: run.to_owned(),
            kind: Kind::Subreaper { reason },
            folder: temporary_folder(run),
        });
        let referee = Pid::from_child(&start(&role, words, referees.into())?);
        let code = self.wait_for_all(referee, true).await;
        Ok(code)
    }

    /// Waits until there is no child any more, and returns the exit code of the last, or of the
    /// process that was `started` if that `decides`; its end then ends all others.
    async fn wait_for_all(&mut self, started: Pid, decides: bool) -> u8 {
        let mut code = Exit::Machine.code();
        loop {
            let mut has_decided = false;
            let all_gone = reap(|pid, status| {
                // A gate that did its work leaves the say to the first process.
                let counts = if decides {
                    pid == started
                } else {
                    pid != started || status.exit_status() != Some(0)
                };
                if counts {
                    code = code_of(status);
                    has_decided = decides;
                }
            });
            if has_decided {
                descendants::kill_all();
            }
            if all_gone || has_decided {
                break;
            }
            let is_interrupt = tokio::select! {
                _ = self.child.recv() => continue,
                _ = self.interrupt.recv() => true,
                _ = self.terminate.recv() => false,
                () = heard(self.hang_up.as_mut()) => false,
            };
            if self.interruptions < ASKED {
                self.interruptions += 1;
                self.pass_on();
            } else if is_interrupt {
                self.end_all(decides.then_some(started));
            }
        }
        if self.was_ended {
            Exit::Interrupted.code()
        } else {
            code
        }
    }

    fn pass_on(&mut self) {
        if let Some(referee) = &mut self.referee {
            // A referee that has ended hears nothing, and needs not.
            let _ = referee.write_all(b"!");
        }
    }

    fn end_all(&mut self, referee: Option<Pid>) {
        self.was_ended = true;
        self.first = None;
        if let Some(referee) = referee {
            // Our child, and not reaped: the number is its own.
            let _ = kill_process(referee, Signal::KILL);
        }
    }
}

/// Tells of every child that has ended; returns whether there is no other.
pub(super) fn reap(mut ended: impl FnMut(Pid, WaitStatus)) -> bool {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some((pid, status))) => ended(pid, status),
            Ok(None) => return false,
            Err(Errno::INTR) => {}
            Err(_) => return true,
        }
    }
}

/// How a shell shows the end of a process.
pub(super) fn code_of(status: WaitStatus) -> u8 {
    let code = match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => code,
        (None, signal) => 128 + signal.unwrap_or(0),
    };
    u8::try_from(code & 0xff).unwrap_or(u8::MAX)
}

/// Whether hang-ups were ignored when the program began, as under `nohup`: so they stay.
pub(in super::super) fn ignores_hang_up() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .is_some_and(|mask| mask & 1 == 1)
}

async fn heard(signal: Option<&mut unix::Signal>) {
    match signal {
        Some(signal) => drop(signal.recv().await),
        None => std::future::pending().await,
    }
}
