//! A process's standard error: drained at all times, never parsed; its head and its tail are kept.
//!
//! The referee's thread spends CPU time on reading one bot's output, here and from standard output.
//! The bot causes this time, and it causes no other time in which the referee uses its core.

use crate::bot::limits::Limits;
use nix::time::ClockId;
use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
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

/// Keeps the head and the tail of a stream of any length.
#[derive(Debug)]
pub struct CappedLog {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    head_limit: usize,
    tail_limit: usize,
    left_out: u64,
}

impl CappedLog {
    /// An empty log that keeps this many bytes of the head and of the tail.
    pub fn new(head_limit: usize, tail_limit: usize) -> Self {
        Self {
            head: Vec::new(),
            tail: VecDeque::new(),
            head_limit,
            tail_limit,
            left_out: 0,
        }
    }

    /// Takes the next bytes of the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        let (head, rest) = bytes.split_at(bytes.len().min(self.head_limit - self.head.len()));
        self.head.extend_from_slice(head);
        self.tail.extend(rest);
        let surplus = self.tail.len().saturating_sub(self.tail_limit);
        self.tail.drain(..surplus);
        self.left_out += surplus as u64;
    }

    /// The kept bytes, with a line that says how many are missing.
    pub fn kept(&self) -> Vec<u8> {
        let mut kept = self.head.clone();
        if self.left_out > 0 {
            kept.extend(format!("\n[{} bytes left out here]\n", self.left_out).bytes());
        }
        kept.extend(&self.tail);
        kept
    }

    /// The same; empties the log.
    pub fn take(&mut self) -> Vec<u8> {
        let kept = self.kept();
        self.head.clear();
        self.tail.clear();
        self.left_out = 0;
        kept
    }
}

/// CPU time of reading one bot's output so far. One thread reads all of it.
#[derive(Debug, Default)]
pub struct ReadingTime(AtomicU64);

impl ReadingTime {
    /// Runs `read` and adds its CPU time.
    pub fn measure<T>(&self, read: impl FnOnce() -> T) -> T {
        let before = thread_cpu();
        let result = read();
        let took = thread_cpu().saturating_sub(before);
        let took = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        self.0.fetch_add(took, Ordering::Relaxed);
        result
    }

    /// The sum so far. Only differences have a meaning.
    pub fn total(&self) -> Duration {
        Duration::from_nanos(self.0.load(Ordering::Relaxed))
    }
}

/// CPU time of this thread so far.
pub fn thread_cpu() -> Duration {
    let now = ClockId::CLOCK_THREAD_CPUTIME_ID.now();
    now.map(Duration::from).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_stream_is_kept_whole() {
        let mut log = CappedLog::new(4, 4);
        log.push(b"123");
        log.push(b"45678");
        assert_eq!(log.take(), b"12345678");
        assert_eq!(log.take(), b"");
    }

    #[test]
    fn a_long_stream_keeps_its_ends() {
        let mut log = CappedLog::new(4, 4);
        for _ in 0..1000 {
            log.push(b"abcdefghij");
        }
        assert_eq!(log.take(), b"abcd\n[9992 bytes left out here]\nghij");
    }

    #[test]
    fn what_is_measured_is_counted_and_nothing_else() {
        let reading = ReadingTime::default();
        let work = || {
            let end = thread_cpu() + Duration::from_millis(5);
            while thread_cpu() < end {}
            7
        };
        assert_eq!(reading.measure(work), 7);
        let once = reading.total();
        assert!(once >= Duration::from_millis(5), "{once:?}");
        work();
        assert_eq!(reading.total(), once);
        reading.measure(work);
        assert!(reading.total() >= once + Duration::from_millis(5));
    }
}
