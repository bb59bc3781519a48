//! Ctrl-C and similar signals: the first one lets games in progress end, the second one aborts
//! them. The third ends the program at once, and the supervisor cleans up.

use super::super::exit::{Exit, Failure};
use crate::isolation::supervisor::Guard;
use crate::procfs::ignores_signal;
use crate::tournament::Phase;
use rustix::process::Signal;
use std::io::{self, Read as _};
use std::thread;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// How long a run may take to abort its games when its supervisor has ended.
const LAST_GRACE: Duration = Duration::from_secs(2);

/// Starts listening to the supervisor; the receiver holds the state of the shutdown.
///
/// # Errors
/// The host has no thread, or does not allow it.
pub fn listen(guard: &Guard) -> Result<watch::Receiver<Phase>, Failure> {
    listen_for(guard, None)
}

/// The same; after the time to stop, if there is one, the run ends as after a first signal.
///
/// # Errors
/// Those of [`listen`].
pub fn listen_for(
    guard: &Guard,
    stop_after: Option<Duration>,
) -> Result<watch::Receiver<Phase>, Failure> {
    listen_to(guard, stop_after)
        .map_err(|error| Failure::machine(format!("cannot listen to signals: {error}")))
}

/// Waits for the first signal.
pub async fn interrupted(phase: &mut watch::Receiver<Phase>) {
    // The sender lives as long as the program.
    let _ = phase.wait_for(|phase| *phase > Phase::Play).await;
}

fn listen_to(guard: &Guard, stop_after: Option<Duration>) -> io::Result<watch::Receiver<Phase>> {
    let (sender, receiver) = watch::channel(Phase::Play);
    if let Some(time) = stop_after {
        let sender = sender.clone();
        let timer = thread::Builder::new().name("timer".to_owned());
        timer.spawn(move || {
            thread::sleep(time);
            sender.send_if_modified(|phase| {
                let is_playing = *phase == Phase::Play;
                if is_playing {
                    *phase = Phase::Finish;
                }
                is_playing
            });
        })?;
    }
    swallow_signals()?;
    let mut interruptions = guard.interruptions()?;
    thread::Builder::new()
        .name("interruptions".to_owned())
        .spawn(move || {
            for phase in [Phase::Finish, Phase::Abort] {
                if interruptions.read_exact(&mut [0]).is_err() {
                    break;
                }
                sender.send_replace(phase);
            }
            // Without its supervisor, a run ends while it can still end its bots itself.
            while interruptions.read_exact(&mut [0]).is_ok() {}
            sender.send_replace(Phase::Abort);
            thread::sleep(LAST_GRACE);
            std::process::exit(i32::from(Exit::Interrupted.code()));
        })?;
    Ok(receiver)
}

/// A terminal or a program may send a signal to every process of the run, and the supervisor
/// passes on the one that counts. This process handles and drops them; ignoring them would be
/// inherited by bots.
fn swallow_signals() -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()?;
    let _entered = runtime.enter();
    let mut kinds = vec![
        SignalKind::interrupt(),
        SignalKind::terminate(),
        // Writing beyond the file size limit returns an error: handled, the signal does not kill
        // the run.
        SignalKind::from_raw(Signal::XFSZ.as_raw()),
    ];
    kinds.extend((!ignores_signal(Signal::HUP)).then(SignalKind::hangup));
    for kind in kinds {
        drop(signal(kind)?);
    }
    Ok(())
}
