//! How a process ended by itself, and why.

use super::Process;
use super::verdict::{ExitEvidence, process_end, verdict};
use crate::bot::cause::cause;
use crate::bot::sandbox::{LastWords, StartError};
use crate::bot::script::{FIRST_BYTES, flaw_of_script};
use crate::bot::submission::beginning;
use crate::procfs;
use crate::referee::Stop;
use std::process::ExitStatus;
use std::time::Duration;

/// How long the referee waits for a process that closed its output, to learn how it ended.
const EXIT_GRACE: Duration = Duration::from_secs(1);
/// How many such waits there are at most: a busy host needs time to end a whole box.
const EXIT_GRACES: u32 = 5;

impl Process {
    /// Ends a process that ended or closed a pipe, and returns what that means.
    pub async fn crash(&mut self) -> Stop {
        // The status channel delivers the last words only once.
        if let Some((_, stop)) = &self.own_end {
            return stop.clone();
        }
        // A frozen box cannot report how its bot ended.
        self.thaw();
        let ended = self.ends_by_itself().await;
        // This comes before the referee ends the process. A bot can end long before its box.
        self.hear_last_words();
        self.ran_on |= !ended && self.heard.last_words.is_none();
        let status = self.end().await;
        self.hear_last_words();
        let evidence = self.evidence_of_end(status);
        let stop = self.with_cause(verdict(&evidence));
        self.own_end = Some((process_end(&evidence), stop.clone()));
        stop
    }

    /// What is wrong with a script that could not be started, if that is known.
    fn flaw_of_program(&self) -> Option<&'static str> {
        let Some(LastWords::NotStarted(StartError { errno, .. })) = &self.heard.last_words else {
            return None;
        };
        flaw_of_script(&beginning(&self.origin.program, FIRST_BYTES)?, (*errno)?)
    }

    /// Completes the verdict on a process that has ended by the cause that it wrote to standard
    /// error. All that it wrote is in the pipe by then.
    pub fn with_cause(&self, stop: Stop) -> Stop {
        match stop {
            Stop::Fault(mut fault) => {
                fault.detail += &cause(&self.error.since_forgotten(), &self.origin.directory);
                Stop::Fault(fault)
            }
            not_its_own @ (Stop::Void(_) | Stop::Unstarted(_)) => not_its_own,
        }
    }

    pub fn evidence_of_end(&self, status: Option<ExitStatus>) -> ExitEvidence<'_> {
        ExitEvidence {
            place: &self.origin.place,
            level: self.level,
            status: status.filter(|_| !self.ran_on),
            last_words: self.heard.last_words.clone(),
            ran_on: self.ran_on,
            started: self.heard.started,
            flaw: self.flaw_of_program(),
        }
    }

    /// Stores what the status channel delivers: it does so only once, and the caller may be dropped
    /// before it reaches a verdict.
    pub fn hear_last_words(&mut self) {
        self.heard.started |= self.status_channel.has_started();
        self.heard.last_words = self
            .heard
            .last_words
            .take()
            .or_else(|| self.status_channel.last_words());
    }

    /// Whether the process ends soon. If it is idle instead, it will not end by itself.
    async fn ends_by_itself(&self) -> bool {
        for _ in 0..EXIT_GRACES {
            let exit = tokio::time::timeout(EXIT_GRACE, self.exit.readable());
            if exit.await.is_ok() {
                return true;
            }
            if !procfs::is_busy(self.group.as_raw_nonzero().get()) {
                return false;
            }
        }
        false
    }
}
