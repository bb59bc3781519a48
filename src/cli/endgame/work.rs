//! Work that takes long: its threads, a line that shows how far it is, and Ctrl-C.

use crate::cli::exit::{Failure, runtime};
use crate::cli::paint::takes_escapes;
use crate::engine::endgame::Work;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rustix::process::Signal;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use tokio::signal::unix::{SignalKind, signal};

/// Whether a signal has asked this process to stop.
static STOPPED: AtomicBool = AtomicBool::new(false);

/// Calls `work` with the threads that were asked for. On a terminal a line shows how many of the
/// positions are done; Ctrl-C stops the work.
pub fn watched<T>(
    positions: u64,
    threads: Option<u16>,
    work: impl FnOnce(Work<'_>, &ProgressBar) -> T,
) -> Result<T, Failure> {
    stop_at_signals()?;
    let target = if takes_escapes(&io::stderr()) {
        ProgressDrawTarget::stderr()
    } else {
        ProgressDrawTarget::hidden()
    };
    let bar = ProgressBar::with_draw_target(Some(positions), target);
    let style = "{bar:20} {percent} % of {human_len} positions, {eta} left";
    bar.set_style(ProgressStyle::with_template(style).expect("a valid template"));
    let threads = threads.map_or_else(
        || thread::available_parallelism().map_or(1, usize::from),
        usize::from,
    );
    let done = work(
        Work {
            threads,
            progress: &|positions| bar.inc(positions),
            stop: &|| STOPPED.load(Relaxed),
        },
        &bar,
    );
    bar.finish_and_clear();
    Ok(done)
}

/// Whether the work was stopped.
pub fn was_stopped() -> bool {
    STOPPED.load(Relaxed)
}

/// The first signal stops the work at the next block; a second one ends the process.
fn stop_at_signals() -> Result<(), Failure> {
    let runtime = runtime()?;
    let entered = runtime.enter();
    let signals = [SignalKind::interrupt(), SignalKind::terminate()].map(signal);
    // Writing beyond the file size limit returns an error: handled, the signal does not kill.
    let xfsz = signal(SignalKind::from_raw(Signal::XFSZ.as_raw()));
    drop(entered);
    let failed = |error: io::Error| Failure::machine(format!("cannot listen to signals: {error}"));
    let [interrupt, terminate] = signals;
    drop(xfsz.map_err(failed)?);
    let (mut interrupt, mut terminate) = (interrupt.map_err(failed)?, terminate.map_err(failed)?);
    let listener = move || {
        runtime.block_on(async {
            loop {
                tokio::select! {
                    _ = interrupt.recv() => {}
                    _ = terminate.recv() => {}
                }
                if STOPPED.swap(true, Relaxed) {
                    std::process::exit(130);
                }
            }
        });
    };
    thread::Builder::new().spawn(listener).map_err(failed)?;
    Ok(())
}
