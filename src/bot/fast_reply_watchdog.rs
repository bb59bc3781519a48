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

use super::fast_reply_timer::{FastReplyTimer, WatchdogState};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity, set_current_timer_slack};
use std::collections::HashMap;
use std::io;
use std::num::NonZeroU64;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle, ThreadId};
use std::time::Duration;

/// The time between two looks.
const PERIOD: Duration = Duration::from_micros(200);
/// The time to the next look after a first signal: the thread may not have waited when it came.
const AFTER_SIGNAL: Duration = Duration::from_micros(20);
/// Exchanges that are younger than this wait for the next look.
pub const MIN_AGE: Duration = Duration::from_micros(30);

/// The timers of all threads that exchange lines with bots, and the thread that ticks for them.
#[derive(Debug)]
pub struct FastReplyWatchdog {
    /// The cores of the thread that made this: a slot's thread has fewer.
    cores: Option<CpuSet>,
    timers: Arc<Mutex<Timers>>,
    ends: Arc<AtomicBool>,
    ticker: Mutex<Option<(JoinHandle<()>, Arc<WatchdogState>)>>,
}

type Timers = HashMap<ThreadId, Arc<FastReplyTimer>>;

impl Default for FastReplyWatchdog {
    fn default() -> Self {
        Self {
            cores: sched_getaffinity(None).ok(),
            timers: Arc::default(),
            ends: Arc::default(),
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
        let state = self.state()?;
        let mut timers = lock(&self.timers);
        let thread = thread::current().id();
        if let Some(timer) = timers.get(&thread) {
            return Ok(Arc::clone(timer));
        }
        let timer = Arc::new(FastReplyTimer::of_this_thread(state)?);
        timers.insert(thread, Arc::clone(&timer));
        Ok(timer)
    }

    /// The state of the thread, which is started now if it was not.
    fn state(&self) -> io::Result<Arc<WatchdogState>> {
        let mut ticker = lock(&self.ticker);
        if let Some((_, state)) = &*ticker {
            return Ok(Arc::clone(state));
        }
        let (cores, timers, ends) = (self.cores, Arc::clone(&self.timers), Arc::clone(&self.ends));
        let own = Arc::<Mutex<Option<Arc<WatchdogState>>>>::default();
        let given = Arc::clone(&own);
        let thread = thread::Builder::new().name("moments".to_owned());
        let handle = thread.spawn(move || {
            // Without these it still ticks, only less exactly or on fewer cores.
            let _ = set_current_timer_slack(NonZeroU64::new(1));
            let _ = cores.map(|cores| sched_setaffinity(None, &cores));
            while !ends.load(Ordering::SeqCst) {
                thread::park();
                if let Some(state) = &*lock(&given) {
                    tick_while_needed(state, &timers, &ends);
                }
            }
        })?;
        let state = Arc::new(WatchdogState::new(handle.thread().clone()));
        *lock(&own) = Some(Arc::clone(&state));
        *ticker = Some((handle, Arc::clone(&state)));
        Ok(state)
    }
}

/// Ticks until two looks one after the other find no exchange.
fn tick_while_needed(state: &WatchdogState, timers: &Mutex<Timers>, ends: &AtomicBool) {
    let (mut before, mut last) = (Found::None, Found::Young);
    while state.ticks.load(Ordering::SeqCst) && !ends.load(Ordering::SeqCst) {
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
        self.ends.store(true, Ordering::SeqCst);
        if let Some((handle, _)) = lock(&self.ticker).take() {
            handle.thread().unpark();
            let _ = handle.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::io::Errno;
    use rustix::pipe::pipe;
    use std::time::Instant;

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
