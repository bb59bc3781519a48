//! The thread that ends the first moments of a run's exchanges.
//!
//! A wait with a time limit of its own would program the processor's timer for every ply. In a
//! virtual machine that alone takes as long as two plies (12 µs where a bare exchange takes 6). So
//! one thread looks at the exchanges of all slots every 200 µs, on any core, and tells only the
//! slot of an old one, by a signal. The cost for a slot is one atomic store per exchange. A timer of
//! each slot's own, which ticked on its core, took 1.2 µs of each ply of 10.
//!
//! Where every core has a slot, each look costs the slot on its core 38 µs in a virtual machine, 18
//! of them for the processor's timer: two slots on two cores lose 8 % of their plies. Alarms of the
//! kernel, one for each slot, which are set anew every 190 µs so that they never ring, cost more:
//! 22 µs each time, because every change of the processor's timer leaves the virtual machine.
//!
//! The thread sleeps while no exchange is in its first moment.
//!
//! Each thread notes in its timer when its exchange begins and ends, and reads the bot's output,
//! which waits. The watchdog interrupts the read by a signal. So a wait needs one system call and
//! one descriptor: a `ppoll` on the output, the end of the process and an event of the watchdog
//! took a fifth of the time of a bare exchange more. The signal is `SIGURG`, which does nothing
//! where no handler is installed. It may come after the exchange that it is for: any system call of
//! a slot's thread may be interrupted.

use crate::log::LogError as _;
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};
use rustix::process::getpid;
use rustix::thread::{
    CpuSet, gettid, sched_getaffinity, sched_setaffinity, set_current_timer_slack,
};
use std::collections::HashMap;
use std::ffi::{c_int, c_long};
use std::io;
use std::num::NonZeroU64;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::{self, JoinHandle, Thread, ThreadId};
use std::time::{Duration, Instant};

/// The time between two looks.
const PERIOD: Duration = Duration::from_micros(200);
/// The time to the next look after a first signal: the thread may not have waited when it came.
const AFTER_SIGNAL: Duration = Duration::from_micros(20);
/// Exchanges that are younger than this wait for the next look.
pub const MIN_AGE: Duration = Duration::from_micros(30);

type Timers = HashMap<ThreadId, Arc<FastReplyTimer>>;

/// The timers of all threads that exchange lines with bots, and the thread that ticks for them.
#[derive(Debug)]
pub struct FastReplyWatchdog {
    /// The cores of the thread that made this: a slot's thread has fewer.
    cores: Option<CpuSet>,
    timers: Arc<Mutex<Timers>>,
    state: Arc<WatchdogState>,
    ticker: Mutex<Option<JoinHandle<()>>>,
}

impl Default for FastReplyWatchdog {
    fn default() -> Self {
        Self {
            cores: sched_getaffinity(None).ok(),
            timers: Arc::default(),
            state: Arc::default(),
            ticker: Mutex::default(),
        }
    }
}

impl FastReplyWatchdog {
    /// The timer of the calling thread.
    ///
    /// # Errors
    /// The host has no thread left, or refuses to set how a signal is taken.
    pub fn of_this_thread(&self) -> io::Result<Arc<FastReplyTimer>> {
        self.start()?;
        let mut timers = lock(&self.timers);
        let thread = thread::current().id();
        if let Some(timer) = timers.get(&thread) {
            return Ok(Arc::clone(timer));
        }
        let timer = FastReplyTimer::of_this_thread(Arc::clone(&self.state))?;
        let timer = Arc::new(timer);
        timers.insert(thread, Arc::clone(&timer));
        Ok(timer)
    }

    /// Starts the thread, if it was not.
    fn start(&self) -> io::Result<()> {
        let mut ticker = lock(&self.ticker);
        if ticker.is_some() {
            return Ok(());
        }
        let (cores, timers) = (self.cores, Arc::clone(&self.timers));
        let state = Arc::clone(&self.state);
        let handle = thread::Builder::new().name("moments".to_owned());
        let handle = handle.spawn(move || {
            // Without these it still ticks, only less exactly or on fewer cores.
            set_current_timer_slack(NonZeroU64::new(1)).log_error("make timers exact");
            if let Some(cores) = cores {
                sched_setaffinity(None, &cores).log_error("let the watchdog run on all cores");
            }
            while !state.ends.load(Ordering::SeqCst) {
                thread::park();
                tick_while_needed(&state, &timers);
            }
        })?;
        self.state.thread.get_or_init(|| handle.thread().clone());
        *ticker = Some(handle);
        Ok(())
    }
}

/// Ticks until two looks one after the other find no exchange.
fn tick_while_needed(state: &WatchdogState, timers: &Mutex<Timers>) {
    let (mut before, mut last) = (Found::None, Found::Young);
    while state.ticks.load(Ordering::SeqCst) && !state.ends.load(Ordering::SeqCst) {
        // A thread that does not run must not be sent one signal after another.
        let is_first_signal = last == Found::Old && before != Found::Old;
        thread::park_timeout(if is_first_signal {
            AFTER_SIGNAL
        } else {
            PERIOD
        });
        let found = look(timers);
        if (found, last) == (Found::None, Found::None) {
            state.ticks.store(false, Ordering::SeqCst);
            // An exchange that began before this was said does not wake the thread.
            if look(timers) != Found::None {
                state.ticks.store(true, Ordering::SeqCst);
            }
        }
        (before, last) = (last, found);
    }
}

/// The oldest exchange in its first moment, as a look found it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Found {
    None,
    /// It waits for the next look.
    Young,
    /// Its thread was sent a signal.
    Old,
}

/// Interrupts the threads of old exchanges.
fn look(timers: &Mutex<Timers>) -> Found {
    let look_at = |timer: &Arc<FastReplyTimer>| match timer.age() {
        None => Found::None,
        Some(age) if age < MIN_AGE => Found::Young,
        Some(_) => {
            timer.interrupt();
            Found::Old
        }
    };
    let timers = lock(timers);
    timers.values().map(look_at).max().unwrap_or(Found::None)
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for FastReplyWatchdog {
    fn drop(&mut self) {
        self.state.ends.store(true, Ordering::SeqCst);
        if let Some(handle) = lock(&self.ticker).take() {
            handle.thread().unpark();
            let _ = handle.join();
        }
    }
}

/// Interrupts a read.
const SIGNAL: Signal = Signal::SIGURG;

/// The thread that ticks, as its timers see it.
#[derive(Debug)]
pub struct WatchdogState {
    /// The origin of the times in the notes.
    origin: Instant,
    /// Whether the thread looks at the notes; otherwise it sleeps until it is woken.
    ticks: AtomicBool,
    ends: AtomicBool,
    thread: OnceLock<Thread>,
}

/// The state of a thread that was not started.
impl Default for WatchdogState {
    fn default() -> Self {
        Self {
            origin: Instant::now(),
            ticks: AtomicBool::default(),
            ends: AtomicBool::default(),
            thread: OnceLock::new(),
        }
    }
}

impl WatchdogState {
    fn wake(&self) {
        if !self.ticks.swap(true, Ordering::SeqCst)
            && let Some(thread) = self.thread.get()
        {
            thread.unpark();
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

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::io::Errno;
    use rustix::pipe::pipe;

    /// Reads a pipe into which nothing is written, until the moment that begins now is over.
    fn wait_for_the_end_of_a_moment(timer: &FastReplyTimer) {
        let (reader, _writer) = pipe().unwrap();
        let started = Instant::now();
        timer.begin(started);
        let mut bytes = [0; 8];
        loop {
            let read = rustix::io::read(&reader, &mut bytes[..]);
            assert_eq!(read, Err(Errno::INTR));
            // A signal may be late, for an earlier exchange.
            if started.elapsed() >= MIN_AGE {
                break;
            }
        }
        timer.end();
    }

    #[test]
    fn it_interrupts_a_read_that_waits_beyond_the_first_moment() {
        let ticker = FastReplyWatchdog::default();
        let timer = ticker.of_this_thread().unwrap();
        for _ in 0..300 {
            wait_for_the_end_of_a_moment(&timer);
        }
    }

    /// The thread falls asleep between exchanges, and none is forgotten.
    #[test]
    fn an_exchange_that_begins_while_it_falls_asleep_is_seen() {
        let ticker = FastReplyWatchdog::default();
        let timer = ticker.of_this_thread().unwrap();
        for pause in 0..600 {
            thread::sleep(Duration::from_micros(pause));
            wait_for_the_end_of_a_moment(&timer);
        }
    }

    /// A signal that came before the read is lost; another one comes.
    #[test]
    fn a_read_that_begins_late_is_interrupted_too() {
        let ticker = FastReplyWatchdog::default();
        let timer = ticker.of_this_thread().unwrap();
        let (reader, _writer) = pipe().unwrap();
        for late_us in (0..600).step_by(20) {
            timer.begin(Instant::now());
            let begun = Instant::now();
            while begun.elapsed() < Duration::from_micros(late_us) {}
            let read = rustix::io::read(&reader, &mut [0; 8][..]);
            assert_eq!(read, Err(Errno::INTR));
            timer.end();
        }
    }

    /// A program may be started with signals blocked.
    #[test]
    fn a_thread_that_had_blocked_the_signal_is_interrupted() {
        use nix::sys::signal::{SigSet, Signal};
        let ticker = FastReplyWatchdog::default();
        thread::scope(|scope| {
            scope.spawn(|| {
                SigSet::from(Signal::SIGURG).thread_block().unwrap();
                wait_for_the_end_of_a_moment(&ticker.of_this_thread().unwrap());
            });
        });
    }

    #[test]
    fn each_thread_has_one() {
        let ticker = FastReplyWatchdog::default();
        let here = ticker.of_this_thread().unwrap();
        assert!(Arc::ptr_eq(&here, &ticker.of_this_thread().unwrap()));
        thread::scope(|scope| {
            scope.spawn(|| assert!(!Arc::ptr_eq(&here, &ticker.of_this_thread().unwrap())));
        });
    }
}
