//! The timer that ends the first moment of an exchange, one for each thread.
//!
//! A thread notes here when its exchange begins and ends, and reads the bot's output, which waits.
//! The run's watchdog reads these notes ([`super::fast_reply_watchdog`]) and interrupts the read by
//! a signal. So a wait needs one system call and one descriptor: a `ppoll` on the output, the end of
//! the process and an event of the ticker took a fifth of the time of a bare exchange more.
//!
//! The signal is `SIGURG`, which does nothing where no handler is installed. It may come after the
//! exchange that it is for: any system call of a slot's thread may be interrupted.

use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};
use rustix::process::getpid;
use rustix::thread::gettid;
use std::ffi::{c_int, c_long};
use std::io;
use std::num::NonZeroU64;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::Thread;
use std::time::{Duration, Instant};

/// Interrupts a read.
const SIGNAL: Signal = Signal::SIGURG;

/// The thread that ticks, as its timers see it.
#[derive(Debug)]
pub struct WatchdogState {
    /// The origin of the times in the notes.
    origin: Instant,
    /// Whether the thread looks at the notes; otherwise it sleeps until it is woken.
    pub ticks: AtomicBool,
    pub thread: Thread,
}

impl WatchdogState {
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
pub struct FastReplyTimer {
    /// The kernel's number of the thread.
    thread: i32,
    /// When the exchange began, in ns after the origin; 0 if there is none in its first moment.
    begun: AtomicU64,
    ticker: Arc<WatchdogState>,
}

impl FastReplyTimer {
    /// A timer of the calling thread, without an exchange. From now on a signal can interrupt this
    /// thread.
    ///
    /// # Errors
    /// The kernel refuses to set how a signal is taken.
    pub fn of_this_thread(ticker: Arc<WatchdogState>) -> io::Result<Self> {
        install_handler()?;
        // The program that started this one may have blocked it.
        SigSet::from(SIGNAL).thread_unblock()?;
        Ok(Self {
            thread: gettid().as_raw_nonzero().get(),
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

    /// Interrupts the thread's read, if it waits in one at this moment.
    #[expect(
        unsafe_code,
        reason = "no crate sends a signal to one thread by its number"
    )]
    pub fn interrupt(&self) {
        let process = c_long::from(getpid().as_raw_nonzero().get());
        let (thread, signal) = (c_long::from(self.thread), SIGNAL as c_long);
        // SAFETY: the call reads and writes no memory of this process. If the thread has ended,
        // the kernel finds no thread of this process, or one for which the signal does nothing.
        unsafe { libc::syscall(libc::SYS_tgkill, process, thread, signal) };
    }
}

/// Makes the signal interrupt system calls, and do nothing else.
#[expect(unsafe_code, reason = "setting how a signal is taken has no safe form")]
fn install_handler() -> io::Result<()> {
    extern "C" fn do_nothing(_: c_int) {}
    // Without SA_RESTART: the read must not go on.
    let action = SigAction::new(
        SigHandler::Handler(do_nothing),
        SaFlags::empty(),
        SigSet::empty(),
    );
    // SAFETY: the handler does nothing, so it is safe at any moment.
    unsafe { sigaction(SIGNAL, &action) }?;
    Ok(())
}
