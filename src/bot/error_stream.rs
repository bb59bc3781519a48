//! A process's standard error: always drained, its beginning and its end kept, never parsed.

use super::limits::Limits;
use super::log::CappedLog;
use super::reading_time::ReadingTime;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::net::unix::pipe;

/// Bytes of one read.
const READ_BYTES: usize = 8 << 10;
/// The most that a pipe holds: a reader that asks for its contents reads no more, however fast the
/// bot fills it again.
const PIPE_BYTES: usize = 1 << 20;

/// The reading end and what was kept.
#[derive(Debug)]
pub struct ErrorStream {
    pipe: pipe::Receiver,
    /// Held from each read to its end, so that the bytes stay in order.
    log: Mutex<CappedLog>,
    reading: Arc<ReadingTime>,
}

impl ErrorStream {
    /// `reading` is told what reading takes.
    pub fn new(pipe: pipe::Receiver, limits: &Limits, reading: Arc<ReadingTime>) -> Self {
        let log = CappedLog::new(limits.stderr_head_bytes, limits.stderr_tail_bytes);
        Self {
            pipe,
            log: Mutex::new(log),
            reading,
        }
    }

    /// Reads for as long as anybody holds the other end.
    pub async fn drain(&self) {
        while self.pipe.readable().await.is_ok() {
            match self.keep(|bytes| self.pipe.try_read(bytes)) {
                Ok(0) => return,
                // Bots' answers and deadlines come first, however fast a log grows.
                Ok(_) => tokio::task::yield_now().await,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(_) => return,
            }
        }
    }

    /// What was written since this was last asked, to the last byte.
    pub fn take(&self) -> Vec<u8> {
        self.drain_now();
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        log.take()
    }

    /// Reads what is in the pipe, without waiting.
    fn drain_now(&self) {
        let mut left = PIPE_BYTES;
        // The readiness that the runtime remembers may be older: the pipe itself is asked.
        let read = |bytes: &mut [u8]| Ok(rustix::io::read(&self.pipe, bytes)?);
        while left > 0 {
            match self.keep(read) {
                Ok(0) | Err(_) => return,
                Ok(count) => left = left.saturating_sub(count),
            }
        }
    }

    fn keep(&self, read: impl FnOnce(&mut [u8]) -> io::Result<usize>) -> io::Result<usize> {
        self.reading.measure(|| {
            let mut bytes = [0; READ_BYTES];
            let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
            let count = read(&mut bytes)?;
            log.push(&bytes[..count]);
            Ok(count)
        })
    }
}
