//! The whole output of a program that is no player: it reads nothing, and writes until it ends.

use super::Process;
use super::ending::ExitReport;
use super::family_limits::exceeded;
use crate::record::{Fault, FaultKind};
use std::fs::File;
use std::io::{self, Write as _};
use std::time::Duration;

/// How long a program may run on after it has closed its output.
const EXIT_GRACE: Duration = Duration::from_secs(5);
/// Bytes of one read.
const CHUNK: usize = 64 << 10;

/// How a program's output ended.
#[derive(Debug)]
pub enum StreamEnd {
    /// It closed its output, and ended like this.
    Ended(ExitReport),
    /// It wrote more than it may.
    TooLarge,
    /// It took longer than it may.
    TooLong,
    /// It exceeded another limit.
    Fault(Fault),
}

impl Process {
    /// Copies everything that the program writes to standard output to a file, at most this many
    /// bytes and in this time, and ends its family.
    ///
    /// # Errors
    /// The file cannot be written, or the output cannot be read.
    pub async fn stream(
        &mut self,
        to: &mut File,
        most_bytes: u64,
        time_limit: Duration,
    ) -> io::Result<StreamEnd> {
        self.pipes.close_input();
        let mut limits = self.limits.take();
        let end = tokio::select! {
            biased;
            fault = exceeded(limits.as_mut()) => Some(StreamEnd::Fault(fault)),
            copied = self.copy(to, most_bytes) => {
                (!copied?).then_some(StreamEnd::TooLarge)
            }
            () = tokio::time::sleep(time_limit) => Some(StreamEnd::TooLong),
        };
        self.limits = limits;
        let report = self
            .part(if end.is_some() {
                Duration::ZERO
            } else {
                EXIT_GRACE
            })
            .await;
        let host = || Some(Fault::new(FaultKind::Crash, self.shortage()?));
        if let Some(fault) = self.memory_fault().or_else(host) {
            return Ok(StreamEnd::Fault(fault));
        }
        Ok(end.unwrap_or(StreamEnd::Ended(report)))
    }

    /// Copies the output until it is closed; false if it is longer than this.
    async fn copy(&self, to: &mut File, most_bytes: u64) -> io::Result<bool> {
        let (mut chunk, mut left) = (vec![0; CHUNK], most_bytes);
        loop {
            self.pipes.output.readable().await?;
            match self.pipes.output.try_read(&mut chunk) {
                Ok(0) => return Ok(true),
                Ok(count) => {
                    let Some(rest) = left.checked_sub(count as u64) else {
                        return Ok(false);
                    };
                    left = rest;
                    to.write_all(&chunk[..count])?;
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
        }
    }
}
