//! Ctrl-C during an examination: it ends the bot too.

use crate::isolation::supervisor::Guard;
use crate::procfs::ignores_hang_up;
use std::io;
use tokio::io::AsyncReadExt as _;
use tokio::net::UnixStream;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// What ends an examination: the supervisor's message, its end, or a signal to this process.
#[derive(Debug)]
pub struct Interrupt {
    supervisor: UnixStream,
    ctrl_c: Signal,
    terminate: Signal,
    hang_up: Option<Signal>,
}

impl Interrupt {
    /// Starts listening.
    ///
    /// # Errors
    /// The host does not allow it.
    pub fn listen(guard: &Guard) -> io::Result<Self> {
        let supervisor = guard.interruptions()?;
        supervisor.set_nonblocking(true)?;
        let hang_up = (!ignores_hang_up()).then(|| signal(SignalKind::hangup()));
        Ok(Self {
            supervisor: UnixStream::from_std(supervisor)?,
            ctrl_c: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: hang_up.transpose()?,
        })
    }

    /// Waits for one of them.
    pub async fn heard(&mut self) {
        let hang_up = async {
            match &mut self.hang_up {
                Some(signal) => signal.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = self.supervisor.read_u8() => {}
            _ = self.ctrl_c.recv() => {}
            _ = self.terminate.recv() => {}
            _ = hang_up => {}
        }
    }
}
