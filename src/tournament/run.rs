//! The one loop that owns the truth: feeds pairs to the slots in schedule order, appends what
//! they report to the journal, and tells whoever watches.
//!
//! ```text
//! schedule ──jobs──▶ slots ──reports──▶ loop ──▶ journal, synced
//!                                        │
//!                                        └────▶ events
//! ```

use super::event::Event;
use super::journal::{Journal, Storage};
use super::openings::Openings;
use super::plan::Plan;
use super::schedule::{Pair, Schedule};
use super::slots::{Bench, Job, Phase, Report, Slot};
use crate::record::{GameEnding, GameId, GameRecord};
use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use thiserror::Error;
use tokio::sync::{Mutex, mpsc, watch};

/// How often a game that the host spoils is tried in one run.
const ATTEMPTS: u32 = 3;

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

/// What is already known of a tournament's games when a run begins.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    attempts: HashMap<GameId, Played>,
}

#[derive(Clone, Copy, Debug)]
struct Played {
    attempts: u32,
    done: bool,
}

impl Progress {
    /// Takes note of a record of the journal.
    pub fn note(&mut self, record: &GameRecord) {
        let entry = self.attempts.entry(record.id).or_insert(Played {
            attempts: 0,
            done: false,
        });
        entry.attempts = entry.attempts.max(record.attempt);
        entry.done |= !record.is_void();
    }

    /// Whether a game has a record that counts.
    pub fn is_done(&self, game: GameId) -> bool {
        self.attempts.get(&game).is_some_and(|played| played.done)
    }

    /// Games with a record that counts.
    pub fn games_done(&self) -> usize {
        self.attempts.values().filter(|played| played.done).count()
    }

    fn next_attempt(&self, game: GameId) -> u32 {
        self.attempts
            .get(&game)
            .map_or(1, |played| played.attempts + 1)
    }
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

/// What is still to be played, in schedule order; spoilt games come again before new ones.
struct Feed<'a> {
    schedule: std::slice::Iter<'a, Pair>,
    by_id: &'a Schedule,
    progress: &'a Progress,
    again: VecDeque<Job>,
    out: usize,
    tried: HashMap<GameId, u32>,
}

impl<'a> Feed<'a> {
    fn new(schedule: &'a Schedule, progress: &'a Progress) -> Self {
        Self {
            schedule: schedule.pairs.iter(),
            by_id: schedule,
            progress,
            again: VecDeque::new(),
            out: 0,
            tried: HashMap::new(),
        }
    }

    fn next(&mut self) -> Option<Job> {
        if let Some(job) = self.again.pop_front() {
            return Some(job);
        }
        self.schedule.by_ref().find_map(|pair| {
            let games: Vec<_> = pair
                .game_ids()
                .into_iter()
                .filter(|&game| !self.progress.is_done(game))
                .map(|game| (game.number, self.progress.next_attempt(game)))
                .collect();
            (!games.is_empty()).then_some(Job { pair: *pair, games })
        })
    }

    /// Puts a spoilt game back; false if it was tried often enough.
    fn put_back(&mut self, record: &GameRecord) -> bool {
        let tried = self.tried.entry(record.id).or_insert(0);
        *tried += 1;
        let Some(pair) = self
            .by_id
            .pair(record.id.pair)
            .filter(|_| *tried < ATTEMPTS)
        else {
            return false;
        };
        let games = vec![(record.id.number, record.attempt + 1)];
        self.again.push_back(Job { pair: *pair, games });
        true
    }
}

/// What the loop has just learnt.
enum Step {
    Stop,
    LosePatience,
    Fed,
    Heard(Option<Report>),
}

struct Loop<'a, S> {
    journal: &'a mut Journal<S>,
    feed: Feed<'a>,
    on_event: &'a mut dyn FnMut(&Event<'_>),
    phase: watch::Sender<Phase>,
    grace: Duration,
    outcome: RunOutcome,
}

impl<S: Storage> Loop<'_, S> {
    async fn play(
        &mut self,
        jobs: mpsc::Sender<Job>,
        mut reports: mpsc::Receiver<Report>,
        mut interrupt: watch::Receiver<Phase>,
    ) -> Result<(), RunError> {
        let mut jobs = Some(jobs);
        let mut next = self.feed.next();
        let mut deadline = None;
        loop {
            if next.is_none() && self.feed.out == 0 {
                // Without a sender every slot hears that there is no more to do.
                jobs = None;
            }
            let step = tokio::select! {
                biased;
                () = told_to_stop(&mut interrupt, *self.phase.borrow()) => Step::Stop,
                () = until(deadline) => Step::LosePatience,
                permit = permit(jobs.as_ref()), if next.is_some() => {
                    if let (Some(permit), Some(job)) = (permit, next.take()) {
                        permit.send(job);
                        self.feed.out += 1;
                    }
                    Step::Fed
                }
                report = reports.recv() => Step::Heard(report),
            };
            match step {
                Step::Stop => {
                    deadline = self.stop(*interrupt.borrow(), deadline);
                    jobs = None;
                }
                Step::LosePatience => {
                    deadline = None;
                    self.phase.send_replace(Phase::Abort);
                }
                Step::Heard(None) => return Ok(()),
                Step::Heard(Some(report)) => self.take(report, &mut reports)?,
                Step::Fed => {}
            }
            next = if jobs.is_none() {
                None
            } else {
                next.or_else(|| self.feed.next())
            };
        }
    }

    /// Passes on how far to stop; returns when patience ends.
    fn stop(
        &mut self,
        wanted: Phase,
        deadline: Option<tokio::time::Instant>,
    ) -> Option<tokio::time::Instant> {
        self.outcome.interrupted = true;
        self.phase.send_replace(wanted);
        if wanted == Phase::Abort {
            return None;
        }
        (self.on_event)(&Event::Stopping);
        deadline.or_else(|| Some(tokio::time::Instant::now() + self.grace))
    }

    /// Takes a report and all that wait behind it, so that one sync serves them all.
    fn take(
        &mut self,
        first: Report,
        reports: &mut mpsc::Receiver<Report>,
    ) -> Result<(), RunError> {
        let mut finished = Vec::new();
        let mut report = Some(first);
        while let Some(this) = report {
            match this {
                Report::NotPinned { slot, reason } => {
                    (self.on_event)(&Event::NotPinned { slot, reason });
                }
                Report::Finished { record, logs } => finished.push((record, logs)),
                Report::JobDone => self.feed.out -= 1,
                // The panic itself goes on when the slot's thread is joined.
                Report::Panicked => drop(self.phase.send_replace(Phase::Abort)),
            }
            report = reports.try_recv().ok();
        }
        self.keep(&finished)
    }

    fn keep(&mut self, finished: &[(Box<GameRecord>, [Vec<u8>; 2])]) -> Result<(), RunError> {
        if finished.is_empty() {
            return Ok(());
        }
        let appended = self
            .journal
            .append(finished.iter().map(|(record, _)| record.as_ref()));
        if let Err(error) = appended {
            // Nothing that is played from here on could be kept.
            self.phase.send_replace(Phase::Abort);
            return Err(RunError::Journal(error));
        }
        for (record, logs) in finished {
            (self.on_event)(&Event::Finished { record, logs });
            if let GameEnding::Void(cause) = &record.ending
                && !self.feed.put_back(record)
            {
                self.outcome.given_up.push(record.id);
                (self.on_event)(&Event::GivenUp {
                    game: record.id,
                    cause: cause.clone(),
                });
            }
        }
        Ok(())
    }
}

async fn permit(jobs: Option<&mpsc::Sender<Job>>) -> Option<mpsc::Permit<'_, Job>> {
    match jobs {
        Some(jobs) => jobs.reserve().await.ok(),
        None => std::future::pending().await,
    }
}

async fn until(deadline: Option<tokio::time::Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

/// Waits until whoever watches wants more of a stop than there is now.
async fn told_to_stop(interrupt: &mut watch::Receiver<Phase>, now: Phase) {
    let wanted = interrupt.wait_for(|wanted| *wanted > now).await.is_ok();
    if !wanted {
        std::future::pending::<()>().await;
    }
}
