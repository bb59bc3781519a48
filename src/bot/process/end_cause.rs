//! How a process ended by itself, and why; and whose limit a bot met when it lacked memory or
//! processes: its own, or one around it.
//!
//! A control group limits memory and processes at every level of its tree. A bot's own limit is its
//! fault. A limit above its group, and the host's memory, are shared with other bots and with
//! programs of strangers: what is killed or refused there is the host's trouble. At the start the
//! limits of all bots together are made to fit into those above (`config/capacity.rs`), so bots
//! within their limits meet none of them.
//!
//! The evidence is the kernel's. Where no group counts a bot's memory, it is the host's count of
//! such kills together with SIGKILL for the bot, which the referee did not send.

use super::Process;
use super::verdict::{
    ExitEvidence, FIRST_BYTES, flaw_of_script, host_out_of_memory, out_of_memory, process_end,
    verdict,
};
use crate::bot::cause::cause;
use crate::bot::control_group::ControlGroup;
use crate::bot::sandbox::{LastWords, Level, StartError};
use crate::bot::submission::beginning;
use crate::procfs;
use crate::record::{Fault, ProcessEnd};
use crate::referee::Stop;
use rustix::io::Errno;
use std::process::ExitStatus;
use std::time::Duration;

/// What the host had killed and refused before a game.
#[derive(Debug, Default)]
pub struct HostCounts {
    /// How many processes the host had killed for lack of memory when this one started.
    pub host_kills: Option<u64>,
    /// How many processes limits around the family had refused before this game.
    pub refused: u64,
}

/// How long the referee waits for a process that closed its output, to learn how it ended.
const EXIT_GRACE: Duration = Duration::from_secs(1);
/// How many such waits there are at most: a busy host needs time to end a whole box.
const EXIT_GRACES: u32 = 5;

impl Process {
    /// Ends a process that ended or closed a pipe, and returns what that means.
    pub async fn crash(&mut self) -> Stop {
        // The status channel delivers the last words only once.
        if let Some((_, stop)) = &self.ending.own {
            return stop.clone();
        }
        // A frozen box cannot report how its bot ended.
        self.thaw();
        let ended = self.ends_by_itself().await;
        // This comes before the referee ends the process. A bot can end long before its box.
        self.hear_last_words();
        self.ending.ran_on |= !ended && self.ending.last_words.is_none();
        let status = self.end().await;
        self.hear_last_words();
        let evidence = self.evidence_of_end(status);
        let stop = self.with_cause(verdict(&evidence));
        self.ending.own = Some((process_end(&evidence), stop.clone()));
        stop
    }

    /// What is wrong with a script that could not be started, if that is known.
    fn flaw_of_program(&self) -> Option<&'static str> {
        let Some(LastWords::NotStarted(StartError { errno, .. })) = &self.ending.last_words else {
            return None;
        };
        let errno = errno.map(Errno::from_raw_os_error)?;
        flaw_of_script(&beginning(&self.bot.program, FIRST_BYTES)?, errno)
    }

    /// Completes the verdict on a process that has ended by the cause that it wrote to standard
    /// error. All that it wrote is in the pipe by then.
    pub fn with_cause(&self, stop: Stop) -> Stop {
        stop.map_fault(|fault| Fault {
            detail: fault.detail + &cause(&self.error.since_forgotten(), &self.bot.directory),
            ..fault
        })
    }

    pub fn evidence_of_end(&self, status: Option<ExitStatus>) -> ExitEvidence<'_> {
        ExitEvidence {
            place: &self.bot.place,
            level: self.level,
            status: status.filter(|_| !self.ending.ran_on),
            last_words: self.ending.last_words.clone(),
            ran_on: self.ending.ran_on,
            started: self.ending.started,
            flaw: self.flaw_of_program(),
        }
    }

    /// Stores what the status channel delivers: it does so only once, and the caller may be dropped
    /// before it reaches a verdict.
    pub fn hear_last_words(&mut self) {
        self.ending.started |= self.status_channel.has_started();
        let last_words = self.ending.last_words.take();
        self.ending.last_words = last_words.or_else(|| self.status_channel.last_words());
    }

    /// Whether the process ends soon. If it is idle instead, it will not end by itself.
    async fn ends_by_itself(&self) -> bool {
        for _ in 0..EXIT_GRACES {
            if self.pipes.ends_within(EXIT_GRACE).await {
                return true;
            }
            if !procfs::is_busy(self.number()) {
                return false;
            }
        }
        false
    }

    /// Replaces a verdict if a lack of memory or processes is the cause: by the memory fault if the
    /// family reached its own limit, which includes process 1 of its box, or by a void.
    pub fn or_shortage(&self, stop: Stop) -> Stop {
        let time_us = match &stop {
            Stop::Fault(fault) => fault.time_us,
            Stop::Void(_) | Stop::Unstarted(_) => None,
        };
        if let Some(fault) = self.memory_fault() {
            return Stop::Fault(Fault { time_us, ..fault });
        }
        match self.shortage().filter(|_| matches!(stop, Stop::Fault(_))) {
            Some(cause) => Stop::Void(cause),
            None => stop,
        }
    }

    /// The fault of a family that lost a process to its own memory limit.
    pub fn memory_fault(&self) -> Option<Fault> {
        let family = self.family.as_ref()?;
        let kills = family.memory_kills().filter(|&kills| kills > 0)?;
        let is_own = family.has_reached_memory_limit();
        is_own.then(|| out_of_memory(kills, self.bot.limits.memory_bytes))
    }

    /// Whether the kernel killed a process of the family for lack of memory, as its group counts.
    pub fn has_lost_processes(&self) -> bool {
        let kills = self.family.as_ref().and_then(ControlGroup::memory_kills);
        kills.unwrap_or(0) > 0
    }

    /// What the host took from a family that was within its limits, or refused to it.
    pub fn shortage(&self) -> Option<String> {
        let counted = self.family.as_ref().and_then(ControlGroup::memory_kills);
        let is_killed = || self.was_killed() && procfs::host_kills() > self.counts.host_kills;
        let kills = counted.unwrap_or_else(|| u64::from(is_killed()));
        if kills > 0 {
            return Some(host_out_of_memory(kills, self.bot.limits.memory_bytes));
        }
        (self.refused_processes() > self.counts.refused).then(|| {
            "a control group around this program refused a process or thread to a bot that was \
             within its own limit; give the run more processes (`pids.max`), or take fewer slots"
                .to_owned()
        })
    }

    /// How many processes limits above the family's own have refused so far. Without any limit of
    /// its own (`Level::None` and `Level::Landlock` without control groups) a family could make
    /// others refuse, so nothing counts there.
    pub(super) fn refused_processes(&self) -> u64 {
        let Some(family) = &self.family else { return 0 };
        let is_limited = self.level == Level::Box || family.limits_processes();
        if !is_limited || family.has_reached_process_limit() {
            return 0;
        }
        family.refused_processes()
    }

    /// Whether SIGKILL ended the bot's first process or process 1 of its box. bubblewrap reports
    /// the latter as 128 + 9; a bot that exits with that code has last words.
    fn was_killed(&self) -> bool {
        match &self.ending.own {
            Some((ProcessEnd::Signalled(signal), _)) => *signal == libc::SIGKILL,
            Some((ProcessEnd::Exited(code), _)) => {
                *code == 128 + libc::SIGKILL && self.ending.last_words.is_none()
            }
            _ => false,
        }
    }
}
