//! How a process ends after it was asked to quit.

use super::Process;
use super::verdict::{process_end, verdict};
use crate::record::ProcessEnd;
use crate::referee::Stop;
use std::time::{Duration, Instant};

/// How a process ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExitReport {
    /// The time until it ended; `None` if it had to be killed.
    pub time: Option<Duration>,
    /// Whether it ended by itself with code 0.
    pub is_success: bool,
    /// How it ended, in words: `exited with code 1`.
    pub words: String,
}

impl Process {
    /// The process id on this machine.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// The bot's output that was not read as an answer.
    pub fn unread(&self) -> &[u8] {
        self.lines.unread()
    }

    /// Ends the bot's input.
    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// Reads on until the process has ended or the time is over, then ends the rest of its family.
    pub async fn part(&mut self, grace: Duration) -> ExitReport {
        let started = Instant::now();
        let until = tokio::time::Instant::from_std(started + grace);
        let read = async { while self.read_more().await.is_ok() {} };
        let _ = tokio::time::timeout_at(until, read).await;
        // A process that closes its output may still be running.
        let gone = tokio::time::timeout_at(until, self.exit.readable()).await;
        let time = started.elapsed();
        let is_gone = gone.is_ok();
        let status = self.end().await;
        if !is_gone {
            return ExitReport {
                time: None,
                is_success: false,
                words: "went on running".to_owned(),
            };
        }
        self.hear_last_words();
        let evidence = self.evidence_of_end(status);
        let is_success = process_end(&evidence) == ProcessEnd::Exited(0);
        let end = verdict(&evidence);
        let end = if is_success {
            end
        } else {
            self.with_cause(end)
        };
        let words = match end {
            Stop::Fault(fault) => fault.detail,
            Stop::Void(cause) | Stop::Unstarted(cause) => cause,
        };
        ExitReport {
            time: Some(time),
            is_success,
            words,
        }
    }
}
