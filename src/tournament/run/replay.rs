//! Plays games of a plan again, to compare them with a journal. It writes no journal, and the
//! results decide nothing.

use super::{RunSetup, on_slots, permit, told_to_stop, until};
use crate::record::{GameId, GameRecord};
use crate::tournament::plan::EntrantIndex;
use crate::tournament::player_factory::PlayerFactory;
use crate::tournament::run::outcome::RunError;
use crate::tournament::slots::{Assignment, Job, Order, Phase, Report};
use std::time::Duration;
use tokio::sync::{mpsc, watch};

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
    let assignments = games.iter().filter_map(|game| {
        let pair = setup.schedule.pair(&game.pair)?.clone();
        let games = vec![(game.number, 1)];
        Some(Assignment::new(
            setup.plan,
            setup.openings,
            Job { pair, games },
        ))
    });
    let (phase, _) = watch::channel(Phase::Play);
    let mut again = Again {
        phase: &phase,
        grace: setup.grace,
        interrupted: false,
        blocked: None,
        unstarted: None,
        on_record,
    };
    on_slots(setup, factory, &phase, |runtime, orders, reports| {
        runtime.block_on(again.play(assignments, orders, reports, interrupt));
    })?;
    let name = |entrant: EntrantIndex| setup.plan.entrants[entrant.index()].name.clone();
    if let Some((entrant, cause)) = again.unstarted {
        let entrant = name(entrant);
        return Err(RunError::Unstarted { entrant, cause });
    }
    match again.blocked {
        Some((entrant, remains)) => Err(RunError::Blocked {
            entrant: name(entrant),
            remains,
        }),
        None => Ok(again.interrupted),
    }
}

/// The loop that gives orders to the slots.
struct Again<'a> {
    phase: &'a watch::Sender<Phase>,
    grace: Duration,
    interrupted: bool,
    /// The entrant whose processes survive SIGKILL on a slot, and which ones.
    blocked: Option<(EntrantIndex, String)>,
    /// The entrant that cannot be started although no bot lives, and why.
    unstarted: Option<(EntrantIndex, String)>,
    on_record: &'a mut dyn FnMut(&GameRecord),
}

impl Again<'_> {
    async fn play(
        &mut self,
        mut assignments: impl Iterator<Item = Assignment>,
        orders: mpsc::Sender<Order>,
        mut reports: mpsc::Receiver<Report>,
        mut interrupt: watch::Receiver<Phase>,
    ) {
        let mut orders = Some(orders);
        let mut next = assignments.next();
        let mut deadline = None;
        loop {
            if next.is_none() {
                // When the sender is dropped, every slot learns that nothing is left to do.
                orders = None;
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
                permit = permit(orders.as_ref()), if next.is_some() => {
                    if let (Some(permit), Some(assignment)) = (permit, next.take()) {
                        permit.send(Order::Play(assignment));
                        next = assignments.next();
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
            } => self.blocked = Some((entrant, remains)),
            // The panic continues when the slot's thread is joined.
            Report::Panicked => drop(self.phase.send_replace(Phase::Abort)),
            Report::Unstarted { entrant, cause } => {
                self.phase.send_replace(Phase::Abort);
                self.unstarted = Some((entrant, cause));
            }
            Report::NotPinned { .. }
            | Report::Slots(_)
            | Report::Notice { .. }
            | Report::StartFailed { .. }
            | Report::Examined { .. }
            | Report::TaskDone => {}
        }
    }
}
