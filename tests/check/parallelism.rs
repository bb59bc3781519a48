//! How many examinations share the machine: many, since they wait more than they work, or one.

use std::cell::Cell;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Examinations at a time, of all tests together.
const AT_A_TIME: usize = 16;

struct Examinations {
    running: usize,
    /// Threads that wait to be alone, or are: no other examination begins.
    alone: usize,
}

static EXAMINATIONS: Mutex<Examinations> = Mutex::new(Examinations {
    running: 0,
    alone: 0,
});
static CHANGED: Condvar = Condvar::new();

thread_local! {
    static IS_ALONE: Cell<bool> = const { Cell::new(false) };
}

/// A place among the others until it is dropped.
pub struct Place {
    counted: bool,
}

/// Waits for a place; a thread that is alone has one.
pub fn enter() -> Place {
    if IS_ALONE.get() {
        return Place { counted: false };
    }
    let mut examinations =
        wait_while(|examinations| examinations.running >= AT_A_TIME || examinations.alone > 0);
    examinations.running += 1;
    Place { counted: true }
}

impl Drop for Place {
    fn drop(&mut self) {
        if self.counted {
            lock().running -= 1;
            CHANGED.notify_all();
        }
    }
}

/// Does something while no other thread has a place.
pub fn alone<T>(job: impl FnOnce() -> T) -> T {
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let _alone = Alone::new();
    job()
}

/// The only place, until it is dropped: also by a job that panics.
struct Alone;

impl Alone {
    fn new() -> Self {
        lock().alone += 1;
        drop(wait_while(|examinations| examinations.running > 0));
        IS_ALONE.set(true);
        Self
    }
}

impl Drop for Alone {
    fn drop(&mut self) {
        IS_ALONE.set(false);
        lock().alone -= 1;
        CHANGED.notify_all();
    }
}

fn lock() -> MutexGuard<'static, Examinations> {
    EXAMINATIONS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn wait_while(busy: impl Fn(&Examinations) -> bool) -> MutexGuard<'static, Examinations> {
    CHANGED
        .wait_while(lock(), |examinations| busy(examinations))
        .unwrap_or_else(PoisonError::into_inner)
}
