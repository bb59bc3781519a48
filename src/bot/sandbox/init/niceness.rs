//! The niceness of bots.

use rustix::process::nice;

/// The niceness of bots above the referee's: the referee's clock must not wait for a bot.
///
/// Measured (`docs/design/performance.md`): from 4 on, a thread that sleeps wakes within 0.04 ms beside a
/// busy bot in 99 of 100 times, and at 0 up to 4 ms late. From 8 to 11, a ply of bots that answer
/// at once takes a quarter longer: the scheduler resumes the bot that has answered before the one
/// that was asked. From 13 on it does not, but beside another program of its session a bot gets 5 %
/// of a processor or less. At 7 it gets 17 %.
const NICENESS: i32 = 7;

/// Gives way to the referee from now on, as all that this process starts does.
pub fn be_nice() {
    // A host that refuses this changes no promise.
    let _ = nice(NICENESS);
}
