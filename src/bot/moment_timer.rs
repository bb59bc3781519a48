//! The timer that ends the first moment of an exchange.
//!
//! A wait with a time limit of its own would program the processor's timer for every ply. In a
//! virtual machine that alone takes as long as two plies (12 µs where a bare exchange takes 6). So
//! each thread has one timer that ticks all the time while exchanges are short; a tick costs about
//! 15 µs, every 220 µs. It stands still during longer waits, which have the runtime's timers.

use rustix::event::{PollFd, PollFlags};
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
    timerfd_settime,
};
use std::collections::HashMap;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Duration;

/// The time between two ticks.
const PERIOD: Duration = Duration::from_micros(220);
/// Exchanges that are younger than this at a tick wait for the next one.
pub const YOUNG: Duration = Duration::from_micros(30);

/// The timer of one thread.
#[derive(Debug)]
pub struct MomentTimer {
    timer: OwnedFd,
    ticks: AtomicBool,
}

impl MomentTimer {
    fn new() -> io::Result<Self> {
        let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
        Ok(Self {
            timer: timerfd_create(TimerfdClockId::Monotonic, flags)?,
            ticks: AtomicBool::new(false),
        })
    }

    /// Begins to tick; returns whether it ticks.
    pub fn start(&self) -> bool {
        if !self.ticks.load(Ordering::Relaxed) {
            self.ticks.store(self.set(PERIOD), Ordering::Relaxed);
        }
        self.ticks.load(Ordering::Relaxed)
    }

    /// Stands still from now on.
    pub fn stop(&self) {
        if self.ticks.swap(false, Ordering::Relaxed) {
            self.set(Duration::ZERO);
        }
    }

    fn set(&self, period: Duration) -> bool {
        let Ok(period) = Timespec::try_from(period) else {
            return false;
        };
        let times = Itimerspec {
            it_interval: period,
            it_value: period,
        };
        timerfd_settime(&self.timer, TimerfdTimerFlags::empty(), &times).is_ok()
    }

    /// The event of a tick.
    pub fn event(&self) -> PollFd<'_> {
        PollFd::new(&self.timer, PollFlags::IN)
    }

    /// Takes the ticks so far, so that the next event is a new one.
    pub fn take_ticks(&self) {
        let mut ticks = [0; 8];
        let _ = rustix::io::read(&self.timer, &mut ticks[..]);
    }
}

/// The timers of all threads that exchange lines with bots.
#[derive(Debug, Default)]
pub struct MomentTimers(Mutex<HashMap<ThreadId, Arc<MomentTimer>>>);

impl MomentTimers {
    /// The timer of the calling thread.
    ///
    /// # Errors
    /// The host has no descriptor left.
    pub fn of_this_thread(&self) -> io::Result<Arc<MomentTimer>> {
        let mut timers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let thread = thread::current().id();
        if let Some(timer) = timers.get(&thread) {
            return Ok(Arc::clone(timer));
        }
        let timer = Arc::new(MomentTimer::new()?);
        timers.insert(thread, Arc::clone(&timer));
        Ok(timer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::event::poll;

    fn ticks_within(timer: &MomentTimer, time: Duration) -> bool {
        let time = Timespec::try_from(time).ok();
        poll(&mut [timer.event()], time.as_ref()) == Ok(1)
    }

    #[test]
    fn it_ticks_until_it_is_stopped() {
        let timer = MomentTimer::new().unwrap();
        let minute = Duration::from_secs(60);
        assert!(!ticks_within(&timer, Duration::from_millis(5)));
        assert!(timer.start() && timer.start());
        for _ in 0..3 {
            assert!(ticks_within(&timer, minute));
            timer.take_ticks();
        }
        timer.stop();
        timer.stop();
        assert!(!ticks_within(&timer, Duration::from_millis(5)));
        timer.take_ticks();
        assert!(timer.start() && ticks_within(&timer, minute));
    }

    #[test]
    fn each_thread_has_one() {
        let timers = MomentTimers::default();
        let here = timers.of_this_thread().unwrap();
        assert!(Arc::ptr_eq(&here, &timers.of_this_thread().unwrap()));
        thread::scope(|scope| {
            scope.spawn(|| assert!(!Arc::ptr_eq(&here, &timers.of_this_thread().unwrap())));
        });
    }
}
