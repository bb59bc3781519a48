//! What an error, a status or a silence means for the game.

use crate::bot::sandbox::{LastWords, Level};
use crate::record::{Fault, FaultKind, ProcessEnd};
use crate::referee::Stop;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::time::Duration;

/// What is known of a process that is no more.
pub(super) struct Evidence<'a> {
    /// Its program and folder.
    pub(super) place: &'a str,
    pub(super) level: Level,
    /// The status of the process that the referee started, unless it was the referee's doing.
    pub(super) status: Option<ExitStatus>,
    /// What process 1 of a box, or whatever prepared the bot, said last.
    pub(super) last_words: Option<LastWords>,
    /// Whether it went on running after it had closed a pipe.
    pub(super) ran_on: bool,
}

/// Why there will be no more answers.
pub(super) fn verdict(evidence: &Evidence<'_>) -> Stop {
    let crash = |detail: &str| Stop::Fault(Fault::new(FaultKind::Crash, detail));
    match (&evidence.last_words, evidence.status) {
        (Some(LastWords::NotStarted(reason)), _) => not_started(evidence.place, reason),
        (Some(LastWords::Unprepared(reason)), _) => {
            Stop::Void(format!("a bot could not be prepared: {reason}"))
        }
        _ if evidence.ran_on => crash(&ProcessEnd::Closed.to_string()),
        (Some(LastWords::Exited(code)), _) => crash(&exited(*code)),
        (Some(LastWords::Signalled(signal)), _) => crash(&killed(*signal)),
        // Process 1 always says how the bot ended: here there was no bot.
        (None, Some(status)) if evidence.level == Level::Box => Stop::Void(format!(
            "bubblewrap could not make a box ({}); its own words are in the bot's log",
            describe(status)
        )),
        (None, Some(status)) => crash(&describe(status)),
        (None, None) => crash("ended"),
    }
}

/// How a process that is no more has ended.
pub(super) fn process_end(evidence: &Evidence<'_>) -> ProcessEnd {
    let of_status = |status: ExitStatus| {
        let exited = status.code().map(ProcessEnd::Exited);
        exited.or_else(|| status.signal().map(ProcessEnd::Signalled))
    };
    match (&evidence.last_words, evidence.status) {
        (Some(LastWords::NotStarted(_) | LastWords::Unprepared(_)), _) => ProcessEnd::NeverStarted,
        _ if evidence.ran_on => ProcessEnd::Closed,
        (Some(LastWords::Exited(code)), _) => ProcessEnd::Exited(*code),
        (Some(LastWords::Signalled(signal)), _) => ProcessEnd::Signalled(*signal),
        (None, Some(_)) if evidence.level == Level::Box => ProcessEnd::NeverStarted,
        (None, status) => status.and_then(of_status).unwrap_or(ProcessEnd::Stopped),
    }
}

/// Out of processes, memory or descriptors: that is the host's trouble, not the bot's.
fn not_started(place: &str, reason: &str) -> Stop {
    use rustix::io::Errno;
    let exhausted = [Errno::AGAIN, Errno::NOMEM, Errno::MFILE, Errno::NFILE];
    let is = |errno: &Errno| reason.ends_with(&format!("(os error {})", errno.raw_os_error()));
    let detail = format!("cannot start {place}: {reason}");
    if exhausted.iter().any(is) {
        Stop::Void(detail)
    } else {
        Stop::Fault(Fault::new(FaultKind::StartFailure, detail))
    }
}

fn describe(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => exited(code),
        (None, Some(signal)) => killed(signal),
        (None, None) => "ended".to_owned(),
    }
}

fn exited(code: i32) -> String {
    format!("exited with code {code}")
}

fn killed(signal: i32) -> String {
    format!("killed by signal {signal}")
}

/// More than its memory: the control group says so, whatever else was seen first.
pub(super) fn out_of_memory(kills: u64) -> Fault {
    let processes = if kills == 1 { "process" } else { "processes" };
    let detail = format!("used more than its memory: the host killed {kills} {processes} of it");
    Fault::new(FaultKind::MemoryLimit, detail)
}

/// More than its memory, as it was seen to hold where no control group counts.
pub(super) fn too_large(held_bytes: u64) -> Fault {
    let detail = format!("held {} MiB of memory, more than it may", held_bytes >> 20);
    Fault::new(FaultKind::MemoryLimit, detail)
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
