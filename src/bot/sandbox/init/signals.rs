//! How a process handles signals.

use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};
use std::ffi::c_int;
use std::io;

/// The highest signal number on Linux.
const LAST: c_int = 64;

/// Restores the default action of every signal. No handler of the Rust runtime is left (it installs
/// one for invalid memory accesses), and no signal is ignored because the program that started the
/// referee ignored it.
#[expect(unsafe_code, reason = "setting how a signal is taken has no safe form")]
pub fn restore_defaults() {
    for number in 1..=LAST {
        // SAFETY: this installs no handler and only restores defaults, in a process with one
        // thread. The kernel refuses this for signals that it or the C library reserves, which
        // changes nothing.
        unsafe { libc::signal(number, libc::SIG_DFL) };
    }
}

/// From now on, children that stop or continue send no signal; those that end still do. To be
/// called after the last start.
#[expect(unsafe_code, reason = "setting how a signal is taken has no safe form")]
pub fn hear_only_ends() -> io::Result<()> {
    let take = SigAction::new(SigHandler::SigDfl, SaFlags::SA_NOCLDSTOP, SigSet::empty());
    // SAFETY: no handler is installed.
    unsafe { sigaction(Signal::SIGCHLD, &take) }?;
    Ok(())
}
