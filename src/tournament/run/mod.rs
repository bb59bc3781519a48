//! The one loop that owns the truth: feeds pairs to the slots in schedule order, appends what
//! they report to the journal, and tells whoever watches.
//!
//! ```text
//! schedule ──jobs──▶ slots ──reports──▶ loop ──▶ journal, synced
//!                                        │
//!                                        └────▶ events
//! ```
//!
//! ```text
//! progress   what the journal has already
//! feed       what is still to be played, in schedule order
//! conductor  the loop
//! ```

mod conductor;
mod feed;
mod progress;

pub use progress::Progress;

use super::event::Event;
use super::journal::{Journal, Storage};
use super::openings::Openings;
use super::plan::Plan;
use super::schedule::Schedule;
use super::slots::{Bench, Phase, Slot};
use crate::record::GameId;
use conductor::Loop;
use feed::Feed;
use std::io;
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use thiserror::Error;
use tokio::sync::{Mutex, mpsc, watch};

/// Why a run had to be stopped.
#[derive(Debug, Error)]
pub enum RunError {
    /// The journal could not be written. What was written is safe.
    #[error("cannot write to the journal; the games before are safe in it")]
    Journal(#[source] io::Error),
    /// A slot's thread or runtime could not be had.
    #[error("cannot start a slot")]
    Slot(#[source] io::Error),
}

/// What a run is made of.
#[derive(Clone, Debug)]
pub struct RunSetup<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// Its schedule.
    pub schedule: &'a Schedule,
    /// Its openings.
    pub openings: &'a Openings,
    /// The cores of each slot; a slot without any is not pinned.
    pub slots: Vec<Vec<usize>>,
    /// How long games that are being played may go on after an interruption.
    pub grace: Duration,
}

/// How a run ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunOutcome {
    /// Whether it was interrupted before every game was played.
    pub interrupted: bool,
    /// Games that the host spoilt too often.
    pub given_up: Vec<GameId>,
}

/// Plays what `progress` does not have yet.
///
/// # Errors
/// The journal could not be written, or a slot not be started. Every game of which an event told
/// is in the journal.
pub fn run<B: Bench, S: Storage>(
    setup: &RunSetup<'_>,
    bench: &B,
    journal: &mut Journal<S>,
    progress: &Progress,
    interrupt: watch::Receiver<Phase>,
    on_event: &mut dyn FnMut(&Event<'_>),
) -> Result<RunOutcome, RunError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = runtime.map_err(RunError::Slot)?;
    let (jobs, job_queue) = mpsc::channel(setup.slots.len().max(1));
    let job_queue = Arc::new(Mutex::new(job_queue));
    let (reports, report_queue) = mpsc::channel(4 * setup.slots.len().max(1));
    let (phase, _) = watch::channel(Phase::Play);
    thread::scope(|scope| {
        let mut threads = Vec::new();
        for (number, cores) in (0..).zip(&setup.slots) {
            let slot = Slot {
                number,
                cores: cores.clone(),
                plan: setup.plan,
                openings: setup.openings,
                bench,
                jobs: Arc::clone(&job_queue),
                reports: reports.clone(),
                phase: phase.subscribe(),
            };
            let builder = thread::Builder::new().name(format!("slot-{number}"));
            threads.push(
                builder
                    .spawn_scoped(scope, || slot.run())
                    .map_err(RunError::Slot)?,
            );
        }
        drop(reports);
        let feed = Feed::new(setup.schedule, progress);
        let mut referee_loop = Loop {
            journal,
            feed,
            on_event,
            phase,
            grace: setup.grace,
            outcome: RunOutcome::default(),
        };
        let played = runtime.block_on(referee_loop.play(jobs, report_queue, interrupt));
        let outcome = referee_loop.outcome;
        for thread in threads {
            match thread.join() {
                Ok(ended) => ended.map_err(RunError::Slot)?,
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        played.map(|()| outcome)
    })
}
