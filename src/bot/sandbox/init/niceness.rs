//! The niceness of bots.

use rustix::process::nice;

/// The niceness of bots above the referee's: the referee's clock must not wait for a bot.
const NICENESS: i32 = 10;

/// Gives way to the referee from now on, as all that this process starts does. In a box this comes
/// last: a start that gave way would wait for every busy program of the host.
pub fn be_nice() {
    // A host that refuses this changes no promise.
    let _ = nice(NICENESS);
}
