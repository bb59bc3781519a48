//! Plays games of a plan again, to compare them with a journal. It writes no journal, and the
//! results decide nothing.

use super::{RunSetup, runtime, start_slots};
use crate::record::{GameId, GameRecord};
use crate::tournament::player_factory::PlayerFactory;
use crate::tournament::run::outcome::RunError;
use crate::tournament::run::waits::{permit, told_to_stop, until};
use crate::tournament::slots::{Job, Phase, Report, Task};
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use tokio::sync::{Mutex, mpsc, watch};

/// Plays these games of the schedule once each, in this order, and passes every record to
/// `on_record`, in the order in which the games end. An interruption skips the rest. The setup's
/// gate and pause are not used. Returns whether it was interrupted.
///
/// # Errors
/// A slot could not be started, or a process of a bot survives SIGKILL.
pub fn play_again<B: PlayerFactory>(
    setup: &RunSetup<'_>,
    factory: &B,
    games: &[GameId],
    interrupt: watch::Receiver<Phase>,
    on_record: &mut dyn FnMut(&GameRecord),
) -> Result<bool, RunError> {
    let jobs = games.iter().filter_map(|game| {
        let pair = setup.schedule.pair(&game.pair)?.clone();
        let games = vec![(game.number, 1)];
        Some(Job { pair, games })
    });
    let runtime = runtime().map_err(RunError::Slot)?;
    let (tasks, task_queue) = mpsc::channel(setup.slots.len().max(1));
    let (reports, report_queue) = mpsc::channel(4 * setup.slots.len().max(1));
    let (phase, _) = watch::channel(Phase::Play);
    thread::scope(|scope| {
        let queue = Arc::new(Mutex::new(task_queue));
        let threads = start_slots(scope, setup, factory, (queue, reports), &phase)?;
        let mut again = Again {
            phase,
            grace: setup.grace,
            interrupted: false,
            blocked: None,
            unstarted: None,
            on_record,
        };
        runtime.block_on(again.play(jobs, tasks, report_queue, interrupt));
        for thread in threads {
            match thread.join() {
                Ok(ended) => ended.map_err(RunError::Slot)?,
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        if let Some((entrant, cause)) = again.unstarted {
            let entrant = setup.plan.entrants[entrant].name.clone();
            return Err(RunError::Unstarted { entrant, cause });
        }
        match again.blocked {
            Some((entrant, remains)) => Err(RunError::Blocked {
                entrant: setup.plan.entrants[entrant].name.clone(),
                remains,
            }),
            None => Ok(again.interrupted),
        }
    })
}

/// The loop that gives tasks to the slots.
struct Again<'a> {
    phase: watch::Sender<Phase>,
    grace: Duration,
    interrupted: bool,
    /// The entrant, by its index in the plan, whose processes survive SIGKILL on a slot, and which
    /// ones.
    blocked: Option<(usize, String)>,
    /// The entrant that cannot be started although no bot lives, and why.
    unstarted: Option<(usize, String)>,
    on_record: &'a mut dyn FnMut(&GameRecord),
}

impl Again<'_> {
    async fn play(
        &mut self,
        mut jobs: impl Iterator<Item = Job>,
        tasks: mpsc::Sender<Task>,
        mut reports: mpsc::Receiver<Report>,
        mut interrupt: watch::Receiver<Phase>,
    ) {
        let mut tasks = Some(tasks);
        let mut next = jobs.next();
        let mut deadline = None;
        loop {
            if next.is_none() {
                // When the sender is dropped, every slot learns that nothing is left to do.
                tasks = None;
            }
            tokio::select! {
                biased;
                () = told_to_stop(&mut interrupt, *self.phase.borrow()) => {
                    let wanted = *interrupt.borrow();
                    self.interrupted = true;
                    self.phase.send_replace(wanted);
                    next = None;
                    deadline = (wanted < Phase::Abort)
                        .then(|| tokio::time::Instant::now() + self.grace);
                }
                () = until(deadline) => {
                    deadline = None;
                    self.phase.send_replace(Phase::Abort);
                }
                permit = permit(tasks.as_ref()), if next.is_some() => {
                    if let (Some(permit), Some(job)) = (permit, next.take()) {
                        permit.send(Task::Play(job));
                        next = jobs.next();
                    }
                }
                report = reports.recv() => match report {
                    Some(report) => self.take(report),
                    None => return,
                }
            }
        }
    }

    fn take(&mut self, report: Report) {
        match report {
            Report::Finished { record, .. } => (self.on_record)(&record),
            Report::Blocked {
                entrant, remains, ..
            } => self.blocked = Some((entrant.index(), remains)),
            // The panic continues when the slot's thread is joined.
            Report::Panicked => drop(self.phase.send_replace(Phase::Abort)),
            Report::Unstarted { entrant, cause } => {
                self.phase.send_replace(Phase::Abort);
                self.unstarted = Some((entrant.index(), cause));
            }
            Report::NotPinned { .. }
            | Report::StartFailed { .. }
            | Report::Examined { .. }
            | Report::TaskDone => {}
        }
    }
}
