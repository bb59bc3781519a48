//! Ctrl-C and its relatives: the first lets the games that are being played end, the second drops
//! them, the third ends the program on the spot.

use super::super::exit::Exit;
use crate::tournament::Phase;
use rustix::process::Signal;
use std::io;
use std::thread;
use tokio::signal::unix::{self, SignalKind, signal};
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
    let heeds_hang_up = !ignores_hang_up();
    let mut hang_up = heeds_hang_up
        .then(|| signal(SignalKind::hangup()))
        .transpose()?;
    // A file that may not grow is an error of its write: heard, the signal kills nobody.
    drop(signal(SignalKind::from_raw(Signal::XFSZ.as_raw()))?);
    drop(guard);
    thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || {
            runtime.block_on(async {
                for phase in [Phase::Finish, Phase::Abort] {
                    tokio::select! {
                        _ = interrupt.recv() => {}
                        _ = terminate.recv() => {}
                        () = heard(hang_up.as_mut()) => {}
                    }
                    sender.send_replace(phase);
                }
                interrupt.recv().await;
                std::process::exit(i32::from(Exit::Interrupted.code()));
            });
        })?;
    Ok(receiver)
}

/// Whether hang-ups were ignored when the program began, as under `nohup`: so they stay.
fn ignores_hang_up() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .is_some_and(|mask| mask & 1 == 1)
}

async fn heard(signal: Option<&mut unix::Signal>) {
    match signal {
        Some(signal) => drop(signal.recv().await),
        None => std::future::pending().await,
    }
}
