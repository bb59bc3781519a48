//! Whose limit a bot met when it lacked memory or processes: its own, or one around it.
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
use super::verdict::{host_out_of_memory, out_of_memory};
use crate::bot::control_group::ControlGroup;
use crate::bot::sandbox::Level;
use crate::procfs;
use crate::record::{Fault, ProcessEnd};
use crate::referee::Stop;

impl Process {
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
        is_own.then(|| out_of_memory(kills, self.origin.memory_limit))
    }

    /// Whether the kernel killed a process of the family for lack of memory, as its group counts.
    pub fn has_lost_processes(&self) -> bool {
        let kills = self.family.as_ref().and_then(ControlGroup::memory_kills);
        kills.unwrap_or(0) > 0
    }

    /// What the host took from a family that was within its limits, or refused to it.
    pub fn shortage(&self) -> Option<String> {
        let counted = self.family.as_ref().and_then(ControlGroup::memory_kills);
        let is_killed = || self.was_killed() && procfs::host_kills() > self.host_kills;
        let kills = counted.unwrap_or_else(|| u64::from(is_killed()));
        if kills > 0 {
            return Some(host_out_of_memory(kills, self.origin.memory_limit));
        }
        (self.refused_processes() > self.refused_before).then(|| {
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
        match &self.own_end {
            Some((ProcessEnd::Signalled(signal), _)) => *signal == libc::SIGKILL,
            Some((ProcessEnd::Exited(code), _)) => {
                *code == 128 + libc::SIGKILL && self.heard.last_words.is_none()
            }
            _ => false,
        }
    }
}
