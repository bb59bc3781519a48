//! The pipes to and from a process: requests, answers, and output without a request.

use super::Process;
use crate::bot::process::talk_error::TalkError;
use crate::record::{Fault, FaultKind};
use crate::referee::Stop;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::time::Instant;

impl Process {
    /// Writes the request and reads one line, which becomes the answer. The future may be dropped
    /// and called again with the rest of the request.
    pub async fn write_and_read(&mut self, request: &mut &[u8]) -> Result<(), TalkError> {
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

    async fn read_line(&mut self) -> Result<(), TalkError> {
        while !self.lines.take_line(&mut self.answer) {
            self.read_more().await?;
        }
        Ok(())
    }

    /// Waits until more output is read. If the process has ended, its output is read completely
    /// first.
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

    /// Reads and measures the time for it. The first read of a wait is usually the answer, and
    /// measuring it would take longer than the read.
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
                self.feed(count, Instant::now())
            }
        })
    }

    /// Takes the bytes of the last read, which was at this moment.
    pub fn feed(&mut self, count: usize, now: Instant) -> Result<(), TalkError> {
        let bytes = &self.buffer.bytes[..count];
        self.recorder.received(now, bytes);
        self.lines.feed(bytes).map_err(|overflow| {
            let fault = Fault::new(FaultKind::OutputLimit, overflow.describe());
            TalkError::Stop(Stop::Fault(fault))
        })
    }

    /// Fails if the bot has written or ended without a request.
    pub fn reject_unasked(&mut self) -> Result<(), TalkError> {
        let (has_output, has_ended) = self.poll_state();
        if has_output {
            match rustix::io::read(&self.output, &mut self.buffer.bytes[..]) {
                Ok(0) => return Err(TalkError::Ended),
                Ok(count) => self.feed(count, Instant::now())?,
                Err(_) => {}
            }
        }
        if !self.lines.unread().is_empty() {
            return Err(TalkError::Stop(Stop::Fault(self.unasked())));
        }
        // A bot whose first process has ended must not answer, although one of its children could.
        if has_ended {
            return Err(TalkError::Ended);
        }
        Ok(())
    }

    /// Whether there is output to read, or its end, and whether the first process has ended. The
    /// kernel is asked: what the runtime knows may be older than the last event.
    pub fn poll_state(&self) -> (bool, bool) {
        let mut events = [
            PollFd::new(&self.output, PollFlags::IN),
            PollFd::from_borrowed_fd(self.end_of_bot(), PollFlags::IN),
        ];
        // If this fails, the read that follows finds out.
        let failed = poll(&mut events, Some(&Timespec::default())).is_err();
        let [output, exit] = events.map(|event| !event.revents().is_empty());
        (output || failed, exit)
    }

    /// Readable when the bot's first process has ended, as far as that is known apart from its box.
    fn end_of_bot(&self) -> BorrowedFd<'_> {
        let end = self.end_of_first.as_ref().map(AsFd::as_fd);
        end.unwrap_or_else(|| self.exit.as_fd())
    }

    fn unasked(&self) -> Fault {
        let rest = self.lines.unread();
        let quoted: String = String::from_utf8_lossy(rest).chars().take(120).collect();
        let detail = format!("wrote {quoted:?} without being asked");
        Fault::new(FaultKind::BadOutput, detail)
    }

    /// Waits for output or an end that the bot must not have outside its turn.
    pub async fn misbehaviour(&mut self) -> Stop {
        if self.lines.unread().is_empty()
            && let Err(error) = self.read_more().await
        {
            return self.stop(error).await;
        }
        Stop::Fault(self.unasked())
    }

    /// Sends a message without an answer; false if the pipe cannot take it at once because the bot
    /// does not read. A bot that has ended is found at its next request: it is unknown whether it
    /// ended before the message or after it.
    pub fn post(&mut self, message: &[u8]) -> bool {
        self.recorder.asked(Instant::now(), message);
        match self.input.as_ref().map(|input| input.try_write(message)) {
            Some(Ok(written)) => written == message.len(),
            Some(Err(error)) => error.kind() == io::ErrorKind::BrokenPipe,
            None => false,
        }
    }
}
