//! The pipes to and from a process, and its end as an event of the runtime: requests, answers, and
//! output without a request. All bytes in both directions are recorded with their times, for the
//! evidence of a fault.

use crate::bot::error_stream::ReadingTime;
use crate::bot::limits::Limits;
use crate::bot::lines::LineBuffer;
use crate::record::{Fault, FaultKind, Transcript, Writer};
use crate::referee::Stop;
use crate::text::micros;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_setfl};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt as _;
use std::process::Child;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::unix::AsyncFd;
use tokio::net::unix::pipe;

/// Bytes of one read.
const READ_BYTES: usize = 8 << 10;

/// Why no line was read.
pub enum ExchangeError {
    /// The process ended or closed a pipe; the referee does not know yet how it ended.
    Ended,
    /// A verdict that needs no further look.
    Stop(Stop),
}

/// The pipes of one process.
#[derive(Debug)]
pub struct Pipes {
    /// Readable when the process has ended.
    pub exit: AsyncFd<OwnedFd>,
    /// In a box, readable when the bot's first process has ended: sooner than the box.
    pub end_of_first: Option<OwnedFd>,
    pub(super) input: Option<pipe::Sender>,
    pub(super) output: pipe::Receiver,
    /// The same pipe; a read of this waits.
    pub(super) waiting_output: File,
    pub lines: LineBuffer,
    /// The bytes of the last read.
    pub(super) buffer: Box<[u8; READ_BYTES]>,
    /// The last line that answered a request, without its newline.
    pub answer: Vec<u8>,
    /// The time that the slot's thread spends on reading the bot's output.
    reading: Arc<ReadingTime>,
    pub transcript: Transcript,
    /// When the process was started: the origin of the times in the transcript.
    started: Instant,
}

impl Pipes {
    /// Takes the pipes of a process that was just started; its standard error apart.
    ///
    /// # Errors
    /// The host has no descriptor left.
    pub fn connect(
        child: &mut Child,
        limits: &Limits,
        reading: Arc<ReadingTime>,
    ) -> io::Result<(Self, pipe::Receiver)> {
        let exit = watch(pidfd_open(Pid::from_child(child), PidfdFlags::NONBLOCK)?)?;
        let input = child.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let output = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let error = child.stderr.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let pipes = Self {
            exit,
            end_of_first: None,
            input: Some(pipe::Sender::from_owned_fd(input.into())?),
            waiting_output: reopen_to_wait(&output)?,
            output: pipe::Receiver::from_owned_fd(output.into())?,
            lines: LineBuffer::new(limits.line_bytes, limits.output_bytes),
            buffer: Box::new([0; READ_BYTES]),
            answer: Vec::new(),
            reading,
            transcript: Transcript::default(),
            started: Instant::now(),
        };
        Ok((pipes, pipe::Receiver::from_owned_fd(error.into())?))
    }

    /// Begins a game. The transcript may remove old games here, because no clock runs.
    pub fn begin_game(&mut self, game: &str) {
        self.lines.begin_game();
        self.transcript.begin_game(game);
    }

    /// Whether any request was recorded.
    pub fn has_begun(&self) -> bool {
        self.transcript.chunks().next().is_some()
    }

    /// Records a request that is about to be written at this moment. It is recorded whole, even if
    /// a dying bot does not receive it: only the host's timing decides that.
    pub fn record_request(&mut self, now: Instant, request: &[u8]) {
        let time_us = self.time_us(now);
        self.transcript.push(time_us, Writer::Referee, request);
    }

    /// µs from the start of the process until then.
    pub fn time_us(&self, now: Instant) -> u64 {
        micros(now.saturating_duration_since(self.started))
    }

    /// Ends the bot's input.
    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// Waits for the end of the process; false if it runs on after this time.
    pub async fn ends_within(&self, time: Duration) -> bool {
        let exit = tokio::time::timeout(time, self.exit.readable());
        exit.await.is_ok()
    }

    /// Writes the request and reads one line, which becomes the answer. The future may be dropped
    /// and called again with the rest of the request.
    pub async fn write_and_read(&mut self, request: &mut &[u8]) -> Result<(), ExchangeError> {
        if !self.write(request).await {
            return Err(ExchangeError::Ended);
        }
        while !self.lines.take_line(&mut self.answer) {
            self.read_more().await?;
        }
        Ok(())
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

    /// Waits until more output is read. If the process has ended, its output is read completely
    /// first.
    pub async fn read_more(&mut self) -> Result<(), ExchangeError> {
        loop {
            let exited = tokio::select! {
                biased;
                _ = self.output.readable() => false,
                _ = self.exit.readable() => true,
            };
            let reading = Arc::clone(&self.reading);
            match reading.measure(|| self.read_some()) {
                Ok(read) => return read,
                Err(error) if error.kind() != io::ErrorKind::WouldBlock => {
                    let cause = format!("cannot read from a bot: {error}");
                    return Err(ExchangeError::Stop(Stop::Void(cause)));
                }
                Err(_) if exited => return Err(ExchangeError::Ended),
                Err(_) => {}
            }
        }
    }

    fn read_some(&mut self) -> io::Result<Result<(), ExchangeError>> {
        Ok(match self.output.try_read(&mut self.buffer[..])? {
            0 => Err(ExchangeError::Ended),
            count => self.feed(count, Instant::now()),
        })
    }

    /// Takes the bytes of the last read, which was at this moment.
    pub fn feed(&mut self, count: usize, now: Instant) -> Result<(), ExchangeError> {
        let time_us = self.time_us(now);
        let bytes = &self.buffer[..count];
        self.transcript.push(time_us, Writer::Bot, bytes);
        self.lines.feed(bytes).map_err(|overflow| {
            let fault = Fault::new(FaultKind::OutputLimit, overflow.describe());
            ExchangeError::Stop(Stop::Fault(fault))
        })
    }

    /// Fails if the bot has written or ended without a request.
    pub fn reject_unasked(&mut self) -> Result<(), ExchangeError> {
        let (has_output, has_ended) = self.poll_state();
        if has_output {
            match rustix::io::read(&self.output, &mut self.buffer[..]) {
                Ok(0) => return Err(ExchangeError::Ended),
                Ok(count) => self.feed(count, Instant::now())?,
                Err(_) => {}
            }
        }
        if !self.lines.unread().is_empty() {
            return Err(ExchangeError::Stop(Stop::Fault(self.unasked())));
        }
        // A bot whose first process has ended must not answer, although one of its children could.
        if has_ended {
            return Err(ExchangeError::Ended);
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

    /// The fault of output without a request.
    pub fn unasked(&self) -> Fault {
        let unread = String::from_utf8_lossy(self.lines.unread());
        let quoted: String = unread.chars().take(120).collect();
        let detail = format!("wrote {quoted:?} without being asked");
        Fault::new(FaultKind::BadOutput, detail)
    }

    /// Sends a message without an answer; false if the pipe cannot take it at once because the bot
    /// does not read. A bot that has ended is found at its next request: it is unknown whether it
    /// ended before the message or after it.
    pub fn post(&mut self, message: &[u8]) -> bool {
        self.record_request(Instant::now(), message);
        match self.input.as_ref().map(|input| input.try_write(message)) {
            Some(Ok(written)) => written == message.len(),
            Some(Err(error)) => error.kind() == io::ErrorKind::BrokenPipe,
            None => false,
        }
    }
}

/// Opens the read end of a pipe once more, so that its reads wait. A duplicate would not do: it
/// shares the flag with the end that the runtime reads, whose reads must not wait.
fn reopen_to_wait(pipe: &impl AsFd) -> io::Result<File> {
    let path = format!("/proc/self/fd/{}", pipe.as_fd().as_raw_fd());
    // Opening a pipe whose writers have all ended would wait for a new one.
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let file = File::options().read(true).custom_flags(flags).open(path)?;
    fcntl_setfl(&file, OFlags::empty())?;
    Ok(file)
}

/// Makes the end of a process an event of the runtime.
#[expect(
    unsafe_code,
    reason = "the runtime's only way to watch a descriptor of our own"
)]
fn watch(pidfd: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    // SAFETY: the descriptor is owned by the value that is handed over, so it stays open, and
    // stays the same one, for as long as it is registered.
    Ok(unsafe { AsyncFd::register(pidfd) }?)
}
