//! Ctrl-C and its relatives: the first lets the games that are being played end, the second drops
//! them, the third ends the program on the spot.

use super::super::exit::Exit;
use crate::tournament::Phase;
use std::io;
use std::thread;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// Listens to signals from now on; the receiver tells how far to stop.
///
/// # Errors
/// The host has no thread, or does not let us listen.
pub(super) fn listen() -> io::Result<watch::Receiver<Phase>> {
    let (sender, receiver) = watch::channel(Phase::Play);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let guard = runtime.enter();
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hang_up = signal(SignalKind::hangup())?;
    drop(guard);
    thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || {
            runtime.block_on(async {
                for phase in [Phase::Finish, Phase::Abort] {
                    tokio::select! {
                        _ = interrupt.recv() => {}
                        _ = terminate.recv() => {}
                        _ = hang_up.recv() => {}
                    }
                    sender.send_replace(phase);
                }
                interrupt.recv().await;
                std::process::exit(i32::from(Exit::Interrupted.code()));
            });
        })?;
    Ok(receiver)
}
