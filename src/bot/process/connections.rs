//! The pidfd and the pipes of a process as events of the runtime.

use rustix::fs::{OFlags, fcntl_setfl};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};
use std::os::unix::fs::OpenOptionsExt as _;
use std::process::Child;
use tokio::io::unix::AsyncFd;
use tokio::net::unix::pipe;

/// The ends of a process's pipes, and its pidfd.
pub struct Connections {
    /// Readable when the process has ended.
    pub exit: AsyncFd<OwnedFd>,
    /// Its standard input.
    pub input: pipe::Sender,
    /// Its standard output.
    pub output: pipe::Receiver,
    /// Its standard output once more: a read of this waits.
    pub waiting_output: File,
    /// Its standard error.
    pub error: pipe::Receiver,
}

/// Takes the pipes of a process that was just started.
///
/// # Errors
/// The host has no descriptor left.
pub fn connect(child: &mut Child, group: Pid) -> io::Result<Connections> {
    let exit = watch(pidfd_open(group, PidfdFlags::NONBLOCK)?)?;
    let input = child.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
    let output = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
    let error = child.stderr.take().ok_or(io::ErrorKind::BrokenPipe)?;
    Ok(Connections {
        exit,
        input: pipe::Sender::from_owned_fd(input.into())?,
        waiting_output: reopen_to_wait(&output)?,
        output: pipe::Receiver::from_owned_fd(output.into())?,
        error: pipe::Receiver::from_owned_fd(error.into())?,
    })
}

/// Opens the read end of a pipe once more, so that its reads wait. A duplicate would not do: it
/// shares the flag with the end that the runtime reads, whose reads must not wait.
fn reopen_to_wait(pipe: &impl AsFd) -> io::Result<File> {
    let path = format!("/proc/self/fd/{}", pipe.as_fd().as_raw_fd());
    // Opening a pipe whose writers have all ended would wait for a new one.
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let file = File::options().read(true).custom_flags(flags).open(path)?;
    fcntl_setfl(&file, OFlags::empty())?;
    Ok(file)
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
