//! How a process takes signals.

use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};
use std::ffi::c_int;
use std::io;

/// The largest number of a signal on Linux.
const LAST: c_int = 64;

/// Takes every signal as a new process does: no handler of our runtime is left (it has one for
/// accesses out of bounds), and none is ignored or blocked because the process that started the
/// referee did so. What is blocked stays so in whatever is started.
#[expect(unsafe_code, reason = "setting how a signal is taken has no safe form")]
pub fn restore_defaults() -> io::Result<()> {
    for number in 1..=LAST {
        // SAFETY: no handler is installed, only defaults restored; there is one thread. The signals
        // that the kernel or the C library keep to themselves are refused, which changes nothing.
        unsafe { libc::signal(number, libc::SIG_DFL) };
    }
    Ok(SigSet::empty().thread_set_mask()?)
}

/// From now on a child that is stopped or goes on sends no signal; one that ends still does. To be
/// said once nothing more is started.
#[expect(unsafe_code, reason = "setting how a signal is taken has no safe form")]
pub fn hear_only_ends() -> io::Result<()> {
    let take = SigAction::new(SigHandler::SigDfl, SaFlags::SA_NOCLDSTOP, SigSet::empty());
    // SAFETY: no handler is installed.
    unsafe { sigaction(Signal::SIGCHLD, &take) }?;
    Ok(())
}
