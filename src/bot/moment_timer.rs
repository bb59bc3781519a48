//! The timer that ends the first moment of an exchange, one for each thread.
//!
//! A thread notes here when its exchange begins and ends, and waits for an event beside the bot's
//! output. The run's ticker looks at these notes ([`super::moment_ticker`]).

use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd};
use std::io;
use std::num::NonZeroU64;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::Thread;
use std::time::{Duration, Instant};

/// The thread that ticks, as its timers see it.
#[derive(Debug)]
pub struct TickerState {
    /// The origin of the times in the notes.
    origin: Instant,
    /// Whether the thread looks at the notes; otherwise it sleeps until it is woken.
    pub ticks: AtomicBool,
    pub thread: Thread,
}

impl TickerState {
    /// The state of a thread that sleeps.
    pub fn new(thread: Thread) -> Self {
        Self {
            origin: Instant::now(),
            ticks: AtomicBool::new(false),
            thread,
        }
    }

    fn wake(&self) {
        if !self.ticks.swap(true, Ordering::SeqCst) {
            self.thread.unpark();
        }
    }
}

/// The timer of one thread.
#[derive(Debug)]
pub struct MomentTimer {
    event: OwnedFd,
    /// When the exchange began, in ns after the origin; 0 if there is none in its first moment.
    begun: AtomicU64,
    ticker: Arc<TickerState>,
}

impl MomentTimer {
    /// A timer without an exchange.
    ///
    /// # Errors
    /// The host has no descriptor left.
    pub fn new(ticker: Arc<TickerState>) -> io::Result<Self> {
        let flags = EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC;
        Ok(Self {
            event: eventfd(0, flags)?,
            begun: AtomicU64::new(0),
            ticker,
        })
    }

    /// Begins the first moment of an exchange.
    pub fn begin(&self, started: Instant) {
        let since = started.saturating_duration_since(self.ticker.origin);
        let begun = u64::try_from(since.as_nanos()).unwrap_or(u64::MAX).max(1);
        // The ticker goes to sleep in the opposite order: it says so, then looks at the notes.
        self.begun.store(begun, Ordering::SeqCst);
        if !self.ticker.ticks.load(Ordering::SeqCst) {
            self.ticker.wake();
        }
    }

    /// Ends the first moment.
    pub fn end(&self) {
        self.begun.store(0, Ordering::Release);
    }

    /// The age of the exchange in its first moment, if there is one.
    pub fn age(&self) -> Option<Duration> {
        let begun = NonZeroU64::new(self.begun.load(Ordering::SeqCst))?;
        Some(
            self.ticker
                .origin
                .elapsed()
                .saturating_sub(Duration::from_nanos(begun.get())),
        )
    }

    /// Tells the thread that its exchange is too old.
    pub fn tick(&self) {
        let _ = rustix::io::write(&self.event, &1_u64.to_ne_bytes());
    }

    /// The event of a tick.
    pub fn event(&self) -> PollFd<'_> {
        PollFd::new(&self.event, PollFlags::IN)
    }

    /// Takes the ticks so far, so that the next event is a new one.
    pub fn take_ticks(&self) {
        let mut ticks = [0; 8];
        let _ = rustix::io::read(&self.event, &mut ticks[..]);
    }
}
