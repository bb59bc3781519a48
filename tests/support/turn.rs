//! Tests that look at their whole process, or at the whole machine, take turns.

use std::cell::RefCell;
use std::sync::{Mutex, MutexGuard, PoisonError};

static TURN: Mutex<()> = Mutex::new(());

thread_local! {
    static HELD: RefCell<Option<MutexGuard<'static, ()>>> = const { RefCell::new(None) };
}

/// Waits until no other test has the turn. This test keeps it to its end, with all that it drops
/// there: the harness gives each test a thread of its own.
pub fn take_turn() {
    HELD.with_borrow_mut(|held| {
        held.get_or_insert_with(|| TURN.lock().unwrap_or_else(PoisonError::into_inner));
    });
}
