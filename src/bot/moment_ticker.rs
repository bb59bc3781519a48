//! The thread that ends the first moments of a run's exchanges.
//!
//! A wait with a time limit of its own would program the processor's timer for every ply. In a
//! virtual machine that alone takes as long as two plies (12 µs where a bare exchange takes 6). So
//! one thread looks at the exchanges of all slots every 200 µs, on any core, and tells only the
//! slot of an old one. Slots pay a note of when an exchange begins. A timer of each slot's own,
//! which ticked on its core, took 1.2 µs of each ply of 10.
//!
//! The thread sleeps while no exchange is in its first moment.

use super::moment_timer::{MomentTimer, TickerState};
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
/// Exchanges that are younger than this wait for the next look.
pub const YOUNG: Duration = Duration::from_micros(30);

/// The timers of all threads that exchange lines with bots, and the thread that ticks for them.
#[derive(Debug)]
pub struct MomentTicker {
    /// The cores of the thread that made this: a slot's thread has fewer.
    cores: Option<CpuSet>,
    timers: Arc<Mutex<Timers>>,
    ends: Arc<AtomicBool>,
    ticker: Mutex<Option<(JoinHandle<()>, Arc<TickerState>)>>,
}

type Timers = HashMap<ThreadId, Arc<MomentTimer>>;

impl Default for MomentTicker {
    fn default() -> Self {
        Self {
            cores: sched_getaffinity(None).ok(),
            timers: Arc::default(),
            ends: Arc::default(),
            ticker: Mutex::default(),
        }
    }
}

impl MomentTicker {
    /// The timer of the calling thread.
    ///
    /// # Errors
    /// The host has no descriptor or thread left.
    pub fn of_this_thread(&self) -> io::Result<Arc<MomentTimer>> {
        let state = self.state()?;
        let mut timers = lock(&self.timers);
        let thread = thread::current().id();
        if let Some(timer) = timers.get(&thread) {
            return Ok(Arc::clone(timer));
        }
        let timer = Arc::new(MomentTimer::new(state)?);
        timers.insert(thread, Arc::clone(&timer));
        Ok(timer)
    }

    /// The state of the thread, which is started now if it was not.
    fn state(&self) -> io::Result<Arc<TickerState>> {
        let mut ticker = lock(&self.ticker);
        if let Some((_, state)) = &*ticker {
            return Ok(Arc::clone(state));
        }
        let (cores, timers, ends) = (self.cores, Arc::clone(&self.timers), Arc::clone(&self.ends));
        let own = Arc::<Mutex<Option<Arc<TickerState>>>>::default();
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
        let state = Arc::new(TickerState::new(handle.thread().clone()));
        *lock(&own) = Some(Arc::clone(&state));
        *ticker = Some((handle, Arc::clone(&state)));
        Ok(state)
    }
}

/// Ticks until two looks one after the other find no exchange.
fn tick_while_needed(state: &TickerState, timers: &Mutex<Timers>, ends: &AtomicBool) {
    let mut was_quiet = false;
    while state.ticks.load(Ordering::SeqCst) && !ends.load(Ordering::SeqCst) {
        thread::park_timeout(PERIOD);
        let is_quiet = look(timers);
        if is_quiet && was_quiet {
            state.ticks.store(false, Ordering::SeqCst);
            // An exchange that began before this was said does not wake the thread.
            if !look(timers) {
                state.ticks.store(true, Ordering::SeqCst);
            }
        }
        was_quiet = is_quiet;
    }
}

/// Tells the threads of old exchanges; returns whether no exchange is in its first moment.
fn look(timers: &Mutex<Timers>) -> bool {
    let mut is_quiet = true;
    for timer in lock(timers).values() {
        if let Some(age) = timer.age() {
            is_quiet = false;
            if age >= YOUNG {
                timer.tick();
            }
        }
    }
    is_quiet
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for MomentTicker {
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
    use rustix::event::poll;
    use rustix::time::Timespec;
    use std::time::Instant;

    fn ticks_within(timer: &MomentTimer, time: Duration) -> bool {
        let time = Timespec::try_from(time).ok();
        poll(&mut [timer.event()], time.as_ref()) == Ok(1)
    }

    #[test]
    fn it_ticks_while_an_exchange_is_in_its_first_moment() {
        let ticker = MomentTicker::default();
        let timer = ticker.of_this_thread().unwrap();
        let minute = Duration::from_secs(60);
        for _ in 0..3 {
            assert!(!ticks_within(&timer, Duration::from_millis(5)));
            let started = Instant::now();
            timer.begin(started);
            for _ in 0..3 {
                assert!(ticks_within(&timer, minute));
                assert!(started.elapsed() >= YOUNG);
                timer.take_ticks();
            }
            timer.end();
            // The look that is under way may still see it.
            thread::sleep(2 * PERIOD);
            timer.take_ticks();
        }
    }

    /// The thread falls asleep between exchanges, and none is forgotten.
    #[test]
    fn an_exchange_that_begins_while_it_falls_asleep_is_seen() {
        let ticker = MomentTicker::default();
        let timer = ticker.of_this_thread().unwrap();
        for pause in 0..600 {
            thread::sleep(Duration::from_micros(pause));
            timer.begin(Instant::now());
            assert!(ticks_within(&timer, Duration::from_secs(60)));
            timer.end();
            timer.take_ticks();
        }
    }

    #[test]
    fn each_thread_has_one() {
        let ticker = MomentTicker::default();
        let here = ticker.of_this_thread().unwrap();
        assert!(Arc::ptr_eq(&here, &ticker.of_this_thread().unwrap()));
        thread::scope(|scope| {
            scope.spawn(|| assert!(!Arc::ptr_eq(&here, &ticker.of_this_thread().unwrap())));
        });
    }
}
