//! Ctrl-Z: the parent stops as a shell expects it of its job, and the referee with it, which is not
//! in the terminal's session. A `SIGSTOP` cannot be handled: it stops the parent alone.

use super::channel::{CONTINUE, STOP};
use crate::log::LogError as _;
use crate::procfs::{Stat, ignores_signal};
use rustix::process::{Signal, getpid, kill_process};
use std::io::{self, Write as _};
use std::os::unix::net::UnixStream;
use std::time::Duration;
use tokio::signal::unix::{self, SignalKind, signal};

/// How long a `SIGCONT` that follows a `SIGTSTP` may take to be noticed.
const NOTICED: Duration = Duration::from_millis(1);

/// The signals with which a shell stops and continues the parent.
#[derive(Debug)]
pub struct StopSignals {
    /// `None` if this process was started to ignore it.
    stop: Option<unix::Signal>,
    go_on: unix::Signal,
}

impl StopSignals {
    /// Handles them from now on.
    pub fn new() -> io::Result<Self> {
        let stop = SignalKind::from_raw(Signal::TSTP.as_raw());
        let stop = (!ignores_signal(Signal::TSTP)).then(|| signal(stop));
        Ok(Self {
            stop: stop.transpose()?,
            go_on: signal(SignalKind::from_raw(Signal::CONT.as_raw()))?,
        })
    }

    /// Waits for a stop, and lets the referee go on after a continuation. The future may be dropped
    /// and called again.
    pub async fn recv(&mut self, first: Option<&UnixStream>) {
        loop {
            tokio::select! {
                biased;
                () = heard(self.stop.as_mut()) => return,
                // Somebody may have stopped the referee alone.
                _ = self.go_on.recv() => ask(first, CONTINUE),
            }
        }
    }

    /// Stops the referee and this process until a shell continues this process.
    pub async fn stop(&mut self, first: Option<&UnixStream>) {
        if !may_stop() {
            return;
        }
        ask(first, STOP);
        // A program may have sent both signals at once: they come in no order.
        if !self.goes_on().await {
            kill_process(getpid(), Signal::STOP).log_error("stop this process");
            self.goes_on().await;
        }
        // Another stop that came before the continuation is over. After the request below, the next
        // one counts.
        let _ = tokio::time::timeout(Duration::ZERO, heard(self.stop.as_mut())).await;
        ask(first, CONTINUE);
    }

    /// Whether this process was continued.
    async fn goes_on(&mut self) -> bool {
        let continued = tokio::time::timeout(NOTICED, self.go_on.recv());
        continued.await.is_ok()
    }
}

/// Sends a request to the first process. One that has ended needs none.
fn ask(first: Option<&UnixStream>, request: u8) {
    if let Some(mut first) = first {
        first
            .write_all(&[request])
            .log_error("stop the referee, or let it go on");
    }
}

/// Whether somebody can continue this process after a stop. Otherwise the kernel would ignore the
/// signal for a process without a handler: its group is orphaned (setpgid(2)).
fn may_stop() -> bool {
    Stat::of_this_process().is_some_and(|own| !is_orphaned(&own))
}

/// Whether no process above it in its session is outside its group. The system calls for groups and
/// sessions count as `/proc` does, but rustix takes no 0, which stands for all that is outside the
/// namespace: programs there have started this one, and can continue it. So can a parent of another
/// user that `/proc` hides (`hidepid`).
fn is_orphaned(own: &Stat) -> bool {
    let mut parent = own.parent();
    while let Some(number) = parent.filter(|number| *number > 0) {
        let Some(ancestor) = Stat::of(number) else {
            return false;
        };
        if ancestor.group() != own.group() {
            return ancestor.session() != own.session();
        }
        parent = ancestor.parent();
    }
    own.group() != Some(0)
}

/// Waits for a signal; forever, if it is ignored.
pub async fn heard(signal: Option<&mut unix::Signal>) {
    match signal {
        Some(signal) => drop(signal.recv().await),
        None => std::future::pending().await,
    }
}
