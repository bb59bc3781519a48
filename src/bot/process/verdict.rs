//! What an error, an exit status or a silence means for the game.

use crate::bot::sandbox::{LastWords, Level, StartError};
use crate::record::{
    BYTE_ORDER_MARK, Fault, FaultKind, NO_INTERPRETER, ProcessEnd, WINDOWS_LINE_END,
};
use crate::referee::Stop;
use crate::text::size_text;
use rustix::io::Errno;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::time::Duration;

/// What is known of a process that has ended.
pub struct ExitEvidence<'a> {
    /// Its program and folder.
    pub place: &'a str,
    pub level: Level,
    /// The exit status of the process that the referee started, unless the referee ended it.
    pub status: Option<ExitStatus>,
    /// The last message of process 1 of a box, or of the program that prepared the bot.
    pub last_words: Option<LastWords>,
    /// Whether it ran on after it had closed a pipe.
    pub ran_on: bool,
    /// Whether process 1 of its box has reported that the bot runs.
    pub started: bool,
    /// What is wrong with a script that could not be started.
    pub flaw: Option<&'static str>,
}

/// Why no answer will come.
pub fn verdict(evidence: &ExitEvidence<'_>) -> Stop {
    match (&evidence.last_words, evidence.status) {
        (Some(LastWords::NotStarted(error)), _) => not_started(evidence, error),
        (Some(LastWords::Unprepared(error)), _) => {
            host_failure("a bot could not be prepared", error)
        }
        (None, Some(status)) if evidence.level == Level::Box && !evidence.ran_on => {
            silent_end(evidence, status)
        }
        _ => Stop::Fault(Fault::new(FaultKind::Crash, words(process_end(evidence)))),
    }
}

/// Describes how a process ended by itself.
fn words(end: ProcessEnd) -> String {
    match end {
        ProcessEnd::Stopped => "ended".to_owned(),
        end => end.to_string(),
    }
}

/// The verdict on a box that ended although process 1 has not reported the bot's end. Before the
/// bot started, the host is the cause. Afterwards the bot is, because its box holds nothing else,
/// unless somebody outside has ended bubblewrap, which a bot cannot reach.
fn silent_end(evidence: &ExitEvidence<'_>, status: ExitStatus) -> Stop {
    let how = words(end_of(status));
    if !evidence.started {
        return Stop::Unstarted(format!(
            "bubblewrap could not make a box ({how}); its own words are in the bot's log"
        ));
    }
    if status.signal().is_some() {
        return Stop::Void(format!(
            "a bot's box was ended from outside: bubblewrap was {how}"
        ));
    }
    let detail = format!("its box ended before process 1 could say how ({how})");
    Stop::Fault(Fault::new(FaultKind::Crash, detail))
}

/// How a process ended.
pub fn process_end(evidence: &ExitEvidence<'_>) -> ProcessEnd {
    match (&evidence.last_words, evidence.status) {
        (Some(LastWords::NotStarted(_) | LastWords::Unprepared(_)), _) => ProcessEnd::NeverStarted,
        _ if evidence.ran_on => ProcessEnd::Closed,
        (Some(LastWords::Exited(code)), _) => ProcessEnd::Exited(*code),
        (Some(LastWords::Signalled(signal)), _) => ProcessEnd::Signalled(*signal),
        (None, Some(_)) if evidence.level == Level::Box && !evidence.started => {
            ProcessEnd::NeverStarted
        }
        (None, status) => status.map_or(ProcessEnd::Stopped, end_of),
    }
}

fn end_of(status: ExitStatus) -> ProcessEnd {
    let exited = status.code().map(ProcessEnd::Exited);
    let ended = exited.or_else(|| status.signal().map(ProcessEnd::Signalled));
    ended.unwrap_or(ProcessEnd::Stopped)
}

/// A lack of processes, memory or descriptors is the host's failure; every other error is the
/// bot's.
fn not_started(evidence: &ExitEvidence<'_>, error: &StartError) -> Stop {
    const EXHAUSTED: [Errno; 5] = [
        Errno::NOMEM,
        Errno::MFILE,
        Errno::NFILE,
        Errno::AGAIN,
        Errno::NOSPC,
    ];
    let flaw = evidence.flaw.map(|flaw| format!("; {flaw}"));
    let flaw = flaw.unwrap_or_default();
    let detail = format!("cannot start {}: {}{flaw}", evidence.place, error.words);
    match error.errno.map(Errno::from_raw_os_error) {
        Some(errno) if EXHAUSTED.contains(&errno) => Stop::Unstarted(detail),
        _ => Stop::Fault(Fault::new(FaultKind::StartFailure, detail)),
    }
}

/// Why the host could not start a bot's process.
pub fn host_failure(attempt: &str, error: &StartError) -> Stop {
    Stop::Unstarted(format!("{attempt}: {}", error.words))
}

/// The memory fault that the control group reports, whatever was noticed first.
pub fn out_of_memory(kills: u64, limit_bytes: u64) -> Fault {
    let processes = processes(kills);
    let limit = spaced_size(limit_bytes);
    let detail = format!(
        "used more than its memory limit of {limit}: the host killed {kills} {processes} of it"
    );
    Fault::new(FaultKind::MemoryLimit, detail)
}

/// Why the host, and not a bot's memory limit, is responsible for a kill.
pub fn host_out_of_memory(kills: u64, limit_bytes: u64) -> String {
    format!(
        "the host, or a control group around this program, ran out of memory and killed {kills} \
         {} of a bot that was within its memory limit of {}; give the run more memory, or take \
         fewer slots",
        processes(kills),
        spaced_size(limit_bytes)
    )
}

const fn processes(count: u64) -> &'static str {
    if count == 1 { "process" } else { "processes" }
}

/// The memory fault where no control group counts.
pub fn too_large(page_bytes: u64, buffer_bytes: u64, limit_bytes: u64) -> Fault {
    let (held, limit) = ((page_bytes + buffer_bytes) >> 20, spaced_size(limit_bytes));
    let buffers = match buffer_bytes >> 20 {
        0 => String::new(),
        buffers => format!(", {buffers} MiB of it room in pipes and sockets"),
    };
    let detail =
        format!("held {held} MiB of memory{buffers}, more than its memory limit of {limit}");
    Fault::new(FaultKind::MemoryLimit, detail)
}

/// The fault of temporary files that are too large, where no file system of their own limits them.
pub fn too_much_stored(limit_bytes: u64) -> Fault {
    let limit = spaced_size(limit_bytes);
    let detail = format!(
        "had more temporary files than {limit} (`temporary` in `[limits]`), deleted ones that it \
         still uses included; each name counts 4 KiB at least"
    );
    Fault::new(FaultKind::TemporaryLimit, detail)
}

/// A size in sentences: `512 MiB`.
fn spaced_size(bytes: u64) -> String {
    let text = size_text(bytes);
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    format!("{number} {unit}")
}

/// The fault of too many processes and threads, where the host does not limit them.
pub fn too_many(count: usize, limit: u32) -> Fault {
    let detail = format!(
        "had {count} processes and threads; {limit} are allowed (`processes` in `[limits]`)"
    );
    Fault::new(FaultKind::ProcessLimit, detail)
}

/// The fault of processes that used more CPU time than they may after they were killed.
pub fn slow_to_quit(used: Duration, most: Duration) -> Fault {
    let (used, most) = (used.as_secs_f64(), most.as_secs());
    let detail = format!(
        "its processes of an earlier game used {used:.1} s of processor time after they were told \
         to quit; {most} s is allowed"
    );
    Fault::new(FaultKind::SlowToQuit, detail)
}

/// Bytes of a script that are looked at: the kernel reads no more of a `#!` line.
pub const FIRST_BYTES: usize = 256;

/// What is wrong with the first bytes of a program that could not be started for this reason, if it
/// is a script.
pub fn flaw_of_script(beginning: &[u8], errno: Errno) -> Option<&'static str> {
    const ELF: &[u8] = b"\x7fELF";
    const MARK: &[u8] = b"\xef\xbb\xbf";
    let text = beginning.strip_prefix(MARK);
    let first_line = text
        .unwrap_or(beginning)
        .split(|&byte| byte == b'\n')
        .next()?;
    match (errno, first_line.starts_with(b"#!")) {
        (Errno::NOEXEC, true) if text.is_some() => Some(BYTE_ORDER_MARK),
        (Errno::NOENT, true) if first_line.ends_with(b"\r") => Some(WINDOWS_LINE_END),
        (Errno::NOENT, true) => Some("the program in its `#!` line is not here"),
        (Errno::NOEXEC, false) if !beginning.starts_with(ELF) => Some(NO_INTERPRETER),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A box without last words: the exit status of bubblewrap, and whether the bot had started.
    fn silent(status: i32, started: bool) -> Stop {
        verdict(&ExitEvidence {
            place: "bot in /",
            level: Level::Box,
            status: Some(ExitStatus::from_raw(status)),
            last_words: None,
            ran_on: false,
            started,
            flaw: None,
        })
    }

    #[test]
    fn a_box_that_ends_without_a_word_after_its_bot_started_is_a_crash() {
        let exited = |code: i32| code << 8;
        for status in [exited(0), exited(1), exited(137), exited(139)] {
            let stop = silent(status, true);
            assert!(
                matches!(&stop, Stop::Fault(fault) if fault.kind == FaultKind::Crash),
                "{status}: {stop:?}"
            );
        }
    }

    #[test]
    fn a_box_that_was_never_made_is_no_game() {
        assert!(matches!(silent(0, false), Stop::Unstarted(_)));
    }

    #[test]
    fn a_box_that_the_host_ends_is_void() {
        let stop = silent(9, true);
        assert!(
            matches!(&stop, Stop::Void(cause) if cause.contains("from outside")),
            "{stop:?}"
        );
    }

    #[test]
    fn what_is_wrong_with_a_first_line_is_found() {
        let flaw = |text: &[u8], errno| flaw_of_script(text, errno);
        let missing = Some("the program in its `#!` line is not here");
        for (text, errno, expected) in [
            (&b"print(1)\n"[..], Errno::NOEXEC, Some(NO_INTERPRETER)),
            (b"", Errno::NOEXEC, Some(NO_INTERPRETER)),
            (
                b"\xef\xbb\xbfprint(1)\n",
                Errno::NOEXEC,
                Some(NO_INTERPRETER),
            ),
            (
                b"\xef\xbb\xbf#!/bin/sh\n",
                Errno::NOEXEC,
                Some(BYTE_ORDER_MARK),
            ),
            (
                b"#!/bin/sh\r\nexit\r\n",
                Errno::NOENT,
                Some(WINDOWS_LINE_END),
            ),
            (b"#!/usr/bin/python9\nexit\r\n", Errno::NOENT, missing),
            (b"\x7fELF\x02\x01", Errno::NOEXEC, None),
            (b"\x7fELF\x02\x01", Errno::NOENT, None),
            (b"#!/bin/sh\n", Errno::ACCESS, None),
        ] {
            assert_eq!(flaw(text, errno), expected, "{text:?} {errno}");
        }
    }
}
