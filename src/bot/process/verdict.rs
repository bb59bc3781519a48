//! What an error, a status or a silence means for the game.

use crate::bot::launch::Launch;
use crate::record::{Fault, FaultKind};
use crate::referee::Stop;
use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::time::Duration;

/// Out of processes, memory or descriptors: that is the host's trouble, not the bot's.
pub(super) fn spawn_failure(launch: &Launch, error: &io::Error) -> Stop {
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

pub(super) fn describe(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exited with code {code}"),
        (None, Some(signal)) => format!("killed by signal {signal}"),
        (None, None) => "ended".to_owned(),
    }
}

pub(super) fn stalled(late: Duration) -> Stop {
    let late = late.as_millis();
    Stop::Void(format!("the host stalled: woke {late} ms too late"))
}

pub(super) fn timed(stop: Stop, time: Duration) -> Stop {
    match stop {
        Stop::Fault(fault) => Stop::Fault(fault.after(micros(time))),
        void @ Stop::Void(_) => void,
    }
}

pub(super) fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
