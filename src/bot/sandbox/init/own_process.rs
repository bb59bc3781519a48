//! What a process sets for itself before it becomes a bot: descriptors, variables, niceness, limits
//! and signals.

use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};
use rustix::fd::AsFd;
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::process::{Resource, Rlimit, getrlimit, nice, setrlimit};
use std::ffi::{OsStr, OsString, c_int};
use std::os::fd::{AsRawFd as _, BorrowedFd, FromRawFd as _, IntoRawFd as _, OwnedFd, RawFd};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::{fs, io};

/// Numbers above those that this program or its runtime would use.
const HIGH: RawFd = 100;

/// Takes over an open descriptor by its number, and keeps it from what is started.
#[expect(
    unsafe_code,
    reason = "a descriptor that is inherited is known by its number only"
)]
pub fn adopt(number: RawFd) -> io::Result<OwnedFd> {
    // SAFETY: the number stands in the spec because the stage before left that descriptor open
    // for this one; each number is adopted once, and nothing else here knows it.
    let descriptor = unsafe { OwnedFd::from_raw_fd(number) };
    fcntl_setfd(&descriptor, FdFlags::CLOEXEC)?;
    Ok(descriptor)
}

/// Keeps all descriptors but the standard streams from what this process becomes: the process that
/// started the referee may have left some open, and a folder among them leads out of any box.
pub fn keep_to_ourselves() -> io::Result<()> {
    for entry in fs::read_dir("/proc/self/fd")? {
        let name = entry?.file_name();
        let number: Option<RawFd> = name.to_str().and_then(|name| name.parse().ok());
        if let Some(number) = number.filter(|&number| number > rustix::stdio::raw_stderr()) {
            mark(number)?;
        }
    }
    Ok(())
}

#[expect(
    unsafe_code,
    reason = "a descriptor that is inherited is known by its number only"
)]
fn mark(number: RawFd) -> io::Result<()> {
    // SAFETY: the number was just listed as open, there is one thread, and nothing is closed before
    // the flag is set.
    let descriptor = unsafe { BorrowedFd::borrow_raw(number) };
    Ok(fcntl_setfd(descriptor, FdFlags::CLOEXEC)?)
}

/// Leaves a copy of a descriptor open for what this process becomes; says its number.
pub fn pass_on(descriptor: impl AsFd) -> io::Result<RawFd> {
    let copy = rustix::io::fcntl_dupfd_cloexec(descriptor, HIGH)?;
    fcntl_setfd(&copy, FdFlags::empty())?;
    Ok(copy.into_raw_fd())
}

/// Leaves the descriptor itself open for what this process becomes.
pub fn leave_open(descriptor: OwnedFd) -> io::Result<RawFd> {
    fcntl_setfd(&descriptor, FdFlags::empty())?;
    let number = descriptor.as_raw_fd();
    let _ = descriptor.into_raw_fd();
    Ok(number)
}

/// No program looks for a name that begins like this.
const PREFIX: &[u8] = b"bot:";
/// bubblewrap sets it to the directory in which the bot starts.
const DIRECTORY: &str = "PWD";

/// The name under which the programs that start a bot pass its variable on.
pub fn passed_on(name: &OsStr) -> OsString {
    OsString::from_vec([PREFIX, name.as_bytes()].concat())
}

/// The variables of a process.
pub type ProcessVariables = Vec<(OsString, OsString)>;

/// The variables of the bot, from those of the process that starts it.
pub fn of_bot(variables: ProcessVariables) -> ProcessVariables {
    let bare = |(name, value): (OsString, OsString)| {
        if name == DIRECTORY {
            return Some((name, value));
        }
        let name = name.as_bytes().strip_prefix(PREFIX)?;
        Some((OsStr::from_bytes(name).to_owned(), value))
    };
    let mut found: Vec<_> = variables.into_iter().filter_map(bare).collect();
    // The bot's own value takes precedence: it comes last where names are equal.
    found.sort_by_key(|(name, _)| name != DIRECTORY);
    found
}

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

/// The kernel kills such a process before all others when the host's memory runs out.
pub const FIRST_TO_GO: &str = "1000";

/// Sets the soft and the hard limit, or the host's hard limit where that is smaller.
pub fn set_limit((resource, limit): (Resource, u64)) -> io::Result<()> {
    let limit = limit.min(getrlimit(resource).maximum.unwrap_or(u64::MAX));
    let both = Rlimit {
        current: Some(limit),
        maximum: Some(limit),
    };
    Ok(setrlimit(resource, both)?)
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_variables_that_were_passed_on_reach_the_bot() {
        let own = [("LD_PRELOAD", "x.so"), ("EMPTY", ""), ("bot:odd", "1")];
        let others = [("PATH", "/usr/bin"), ("PWD", "/bot"), ("bo", "2")];
        let passed = own.map(|(name, value)| (passed_on(name.as_ref()), value.into()));
        assert!(
            passed
                .iter()
                .all(|(name, _)| name.as_bytes().starts_with(b"bot:"))
        );
        let others = others.map(|(name, value)| (name.into(), value.into()));
        let found = of_bot(passed.into_iter().chain(others).collect());
        let expected = [("PWD", "/bot")].into_iter().chain(own);
        let expected: Vec<(OsString, OsString)> = expected
            .map(|(name, value)| (name.into(), value.into()))
            .collect();
        assert_eq!(found, expected);
    }
}
