//! The pipes to and from a process: requests out, bytes in, and what it writes without a request.

use super::Process;
use crate::bot::process::talk_error::TalkError;
use crate::record::{Fault, FaultKind};
use crate::referee::Stop;
use std::io;
use std::sync::Arc;
use std::task::{Context, Waker};

impl Process {
    /// May be dropped in the middle and called again with what is left of the request.
    pub async fn write_and_read(&mut self, request: &mut &[u8]) -> Result<Vec<u8>, TalkError> {
        if !self.write(request).await {
            return Err(TalkError::Ended);
        }
        self.read_line().await
    }

    /// Writes all of a message; false if the bot has closed its input.
    async fn write(&self, message: &mut &[u8]) -> bool {
        let Some(input) = &self.input else {
            return false;
        };
        while !message.is_empty() {
            match input.try_write(message) {
                Ok(written) => *message = &message[written..],
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if input.writable().await.is_err() {
                        return false;
                    }
                }
                Err(_) => return false,
            }
        }
        true
    }

    async fn read_line(&mut self) -> Result<Vec<u8>, TalkError> {
        loop {
            if let Some(line) = self.lines.take_line() {
                return Ok(line);
            }
            self.read_more().await?;
        }
    }

    /// Waits until more output is read; a process that ends is read to its last byte first.
    pub async fn read_more(&mut self) -> Result<(), TalkError> {
        loop {
            let exited = tokio::select! {
                biased;
                _ = self.output.readable() => false,
                _ = self.exit.readable() => true,
            };
            match self.read_counted() {
                Ok(read) => return read,
                Err(error) if error.kind() != io::ErrorKind::WouldBlock => {
                    let cause = format!("cannot read from a bot: {error}");
                    return Err(TalkError::Stop(Stop::Void(cause)));
                }
                Err(_) if exited => return Err(TalkError::Ended),
                Err(_) => {}
            }
        }
    }

    /// The first bytes of a wait are most often the answer: to measure that would take longer than
    /// it. Before them there is nothing to read.
    fn read_counted(&mut self) -> io::Result<Result<(), TalkError>> {
        if !self.buffer.has_read {
            return self.read_some();
        }
        let reading = Arc::clone(&self.reading);
        reading.measure(|| self.read_some())
    }

    fn read_some(&mut self) -> io::Result<Result<(), TalkError>> {
        Ok(match self.output.try_read(&mut self.buffer.bytes[..])? {
            0 => Err(TalkError::Ended),
            count => {
                self.buffer.has_read = true;
                self.feed(count)
            }
        })
    }

    /// Takes what was just read.
    fn feed(&mut self, count: usize) -> Result<(), TalkError> {
        let bytes = &self.buffer.bytes[..count];
        self.recorder.received(bytes);
        self.lines.feed(bytes).map_err(|overflow| {
            let fault = Fault::new(FaultKind::OutputLimit, overflow.describe());
            TalkError::Stop(Stop::Fault(fault))
        })
    }

    /// A bot that has written, or died, without a request.
    pub fn reject_unasked(&mut self) -> Result<(), TalkError> {
        // The readiness that the runtime remembers may be older than the last event: the pipe
        // itself is asked, in a read of its own.
        match rustix::io::read(&self.output, &mut self.buffer.bytes[..]) {
            Ok(0) => return Err(TalkError::Ended),
            Ok(count) => self.feed(count)?,
            Err(_) => {}
        }
        if !self.lines.rest().is_empty() {
            return Err(TalkError::Stop(Stop::Fault(self.unasked())));
        }
        // A bot whose first process has ended answers no more, although one of its children could.
        let mut nobody = Context::from_waker(Waker::noop());
        if self.exit.poll_read_ready(&mut nobody).is_ready() {
            return Err(TalkError::Ended);
        }
        Ok(())
    }

    fn unasked(&self) -> Fault {
        let rest = self.lines.rest();
        let quoted: String = String::from_utf8_lossy(rest).chars().take(120).collect();
        let detail = format!("wrote {quoted:?} without being asked");
        Fault {
            is_unasked: true,
            ..Fault::new(FaultKind::BadOutput, detail)
        }
    }

    /// Waits for something that a bot must not do while it is not its turn.
    pub async fn misbehaviour(&mut self) -> Stop {
        if self.lines.rest().is_empty()
            && let Err(error) = self.read_more().await
        {
            return self.stop(error).await;
        }
        Stop::Fault(self.unasked())
    }

    /// Sends a message that has no answer; false if the bot reads so little that the pipe does
    /// not take it at once. A bot that has gone is found out when it is asked next: it is not known
    /// whether it went before the message or after.
    pub fn post(&mut self, message: &[u8]) -> bool {
        self.recorder.asked(message);
        match self.input.as_ref().map(|input| input.try_write(message)) {
            Some(Ok(written)) => written == message.len(),
            Some(Err(error)) => error.kind() == io::ErrorKind::BrokenPipe,
            None => false,
        }
    }
}
