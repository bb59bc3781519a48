//! Descriptors that a stage finds open because the stage before it left them so.

use rustix::fd::AsFd;
use rustix::io::{FdFlags, fcntl_setfd};
use std::io;
use std::os::fd::{AsRawFd as _, FromRawFd as _, IntoRawFd as _, OwnedFd, RawFd};

/// Numbers above those that this program or its runtime would use.
const HIGH: RawFd = 100;

/// Takes over an open descriptor by its number, and keeps it from what is started.
#[expect(
    unsafe_code,
    reason = "a descriptor that is inherited is known by its number only"
)]
pub(super) fn adopt(number: RawFd) -> io::Result<OwnedFd> {
    // SAFETY: the number stands in the orders because the stage before left that descriptor open
    // for this one; each number is adopted once, and nothing else here knows it.
    let descriptor = unsafe { OwnedFd::from_raw_fd(number) };
    fcntl_setfd(&descriptor, FdFlags::CLOEXEC)?;
    Ok(descriptor)
}

/// Leaves a copy of a descriptor open for what this process becomes; says its number.
pub(super) fn pass_on(descriptor: impl AsFd) -> io::Result<RawFd> {
    let copy = rustix::io::fcntl_dupfd_cloexec(descriptor, HIGH)?;
    fcntl_setfd(&copy, FdFlags::empty())?;
    Ok(copy.into_raw_fd())
}

/// Leaves the descriptor itself open for what this process becomes.
pub(super) fn leave_open(descriptor: OwnedFd) -> io::Result<RawFd> {
    fcntl_setfd(&descriptor, FdFlags::empty())?;
    let number = descriptor.as_raw_fd();
    let _ = descriptor.into_raw_fd();
    Ok(number)
}
