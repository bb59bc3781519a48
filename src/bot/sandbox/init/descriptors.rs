//! Descriptors that a stage finds open because the stage before it left them so.

use rustix::fd::AsFd;
use rustix::io::{FdFlags, fcntl_setfd};
use std::fs;
use std::io;
use std::os::fd::{AsRawFd as _, BorrowedFd, FromRawFd as _, IntoRawFd as _, OwnedFd, RawFd};

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
