//! The pidfd and the pipes of a process as events of the runtime.

use rustix::process::{Pid, PidfdFlags, pidfd_open};
use std::io;
use std::os::fd::OwnedFd;
use std::process::Child;
use tokio::io::unix::AsyncFd;
use tokio::net::unix::pipe;

/// The pidfd, standard input, output and error of a process.
pub type Connections = (
    AsyncFd<OwnedFd>,
    pipe::Sender,
    pipe::Receiver,
    pipe::Receiver,
);

/// Takes the pipes of a process that was just started.
///
/// # Errors
/// The host has no descriptor left.
pub fn connect(child: &mut Child, group: Pid) -> io::Result<Connections> {
    let exit = watch(pidfd_open(group, PidfdFlags::NONBLOCK)?)?;
    let input = child.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
    let output = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
    let error = child.stderr.take().ok_or(io::ErrorKind::BrokenPipe)?;
    Ok((
        exit,
        pipe::Sender::from_owned_fd(input.into())?,
        pipe::Receiver::from_owned_fd(output.into())?,
        pipe::Receiver::from_owned_fd(error.into())?,
    ))
}

/// Makes the end of a process an event of the runtime.
#[expect(
    unsafe_code,
    reason = "the runtime's only way to watch a descriptor of our own"
)]
fn watch(pidfd: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    // SAFETY: the descriptor is owned by the value that is handed over, so it stays open, and
    // stays the same one, for as long as it is registered.
    Ok(unsafe { AsyncFd::register(pidfd) }?)
}
