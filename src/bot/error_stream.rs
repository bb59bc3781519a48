//! A process's standard error: drained at all times, never parsed; its head and its tail are kept.

use super::limits::Limits;
use super::log::CappedLog;
use super::reading_time::ReadingTime;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::net::unix::pipe;
use tokio::task::JoinHandle;

/// Bytes of one read.
const READ_BYTES: usize = 8 << 10;
/// The capacity of a pipe: a reader that wants the present contents reads no more than this, even
/// if the bot refills the pipe at once.
const PIPE_BYTES: usize = 1 << 20;

/// Bytes that are kept of what was taken.
const MOST_BEFORE: usize = 16 << 10;

/// What a process wrote before its first turn of a game. A process that ends between two games has
/// said why by then.
#[derive(Debug, Default)]
struct Before {
    /// The last bytes that were taken.
    taken: Vec<u8>,
    /// What was written between the last game and this one.
    between: Vec<u8>,
}

/// The read end and the kept bytes.
#[derive(Debug)]
pub struct ErrorStream {
    pipe: pipe::Receiver,
    /// Locked during a read and the append after it, so that the bytes stay in order.
    log: Mutex<CappedLog>,
    before: Mutex<Before>,
    reading: Arc<ReadingTime>,
}

impl ErrorStream {
    /// `reading` counts the time of reads.
    pub fn new(pipe: pipe::Receiver, limits: &Limits, reading: Arc<ReadingTime>) -> Self {
        let log = CappedLog::new(limits.stderr_head_bytes, limits.stderr_tail_bytes);
        Self {
            pipe,
            log: Mutex::new(log),
            before: Mutex::default(),
            reading,
        }
    }

    /// Starts the task that reads from now on.
    pub fn spawn_drain(self: &Arc<Self>) -> JoinHandle<()> {
        let drained = Arc::clone(self);
        tokio::spawn(async move { drained.drain().await })
    }

    /// Reads until every write end is closed.
    async fn drain(&self) {
        while self.pipe.readable().await.is_ok() {
            match self.keep(|bytes| self.pipe.try_read(bytes)) {
                Ok(0) => return,
                // A fast log must not delay answers and deadlines.
                Ok(_) => tokio::task::yield_now().await,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(_) => return,
            }
        }
    }

    /// Everything written since the last call.
    pub fn take(&self) -> Vec<u8> {
        self.drain_now();
        let taken = locked(&self.log).take();
        let mut before = locked(&self.before);
        before.taken.extend(&taken);
        let surplus = before.taken.len().saturating_sub(MOST_BEFORE);
        before.taken.drain(..surplus);
        taken
    }

    /// Begins a game: what was written since the last call is kept apart, and returned.
    pub fn begin_game(&self) -> Vec<u8> {
        let between = self.take();
        locked(&self.before).between.clone_from(&between);
        between
    }

    /// Forgets what was written before: it is not about an end of the process from here on.
    pub fn forget(&self) {
        *locked(&self.before) = Before::default();
    }

    /// Everything that can be about the end of the process, because it was written since the last
    /// call of [`Self::forget`].
    pub fn since_forgotten(&self) -> Vec<u8> {
        self.drain_now();
        [&locked(&self.before).taken, &*locked(&self.log).kept()].concat()
    }

    /// Everything written since the last game.
    pub fn take_since_game(&self) -> Vec<u8> {
        let between = std::mem::take(&mut locked(&self.before).between);
        [between, self.take()].concat()
    }

    /// Reads the present contents of the pipe without waiting.
    fn drain_now(&self) {
        let mut left = PIPE_BYTES;
        // The runtime's readiness may be outdated, so this reads from the pipe directly.
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
            let mut log = locked(&self.log);
            let count = read(&mut bytes)?;
            log.push(&bytes[..count]);
            Ok(count)
        })
    }
}

fn locked<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}
