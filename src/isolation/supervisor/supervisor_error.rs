//! Why a command that starts bots cannot be run.

use std::io;

/// Why a command that starts bots could not be run.
#[derive(Debug, thiserror::Error)]
pub enum SupervisorError {
    /// The referee was not started by a supervisor.
    #[error("the supervisor does not say who guards: {0}")]
    NoGuard(io::Error),
    /// No process could be started or listened to.
    #[error("cannot start the referee: {0}")]
    Start(io::Error),
    /// The process between ended, and nothing was heard of the referee.
    #[error("cannot start the referee: the process that starts it ended without a word")]
    NoWord,
    /// Nothing shows what the kernel has open.
    #[error(
        "/proc is not mounted, and awale starts itself and watches bots by it; mount it with \
         `mount -t proc proc /proc`"
    )]
    NoProc,
    /// The kernel, or the container around, has no such system call.
    #[error(
        "this system refuses the call {0} ({1}), without which no bot can be started and watched: \
         awale needs Linux 5.3 or newer, and in a container one that allows this call"
    )]
    NoCall(&'static str, io::Error),
    /// No folder serves for temporary files.
    #[error(
        "no folder serves for the copies of bots: {0}; name one that can be written, on a file \
         system from which programs may be started, with TMPDIR=…"
    )]
    NoTemporaryFolder(String),
    /// The referee ended by SIGXFSZ.
    #[error(
        "a file would have become larger than this machine allows (ulimit -f); what was played is \
         safe, and with more space the same command goes on"
    )]
    FileTooLarge,
}

impl From<io::Error> for SupervisorError {
    fn from(error: io::Error) -> Self {
        Self::Start(error)
    }
}
