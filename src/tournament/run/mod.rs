//! The loop that holds the state of a run: it gives pairs to the slots in the order of play,
//! appends their reports to the journal, and informs the observer.
//!
//! ```text
//! schedule ─orders─▶ slots ──reports──▶ loop ◀──▶ journal's thread: append, sync
//!               └─▶ carrier ──┘          │
//!                                        └────▶ events
//! ```
//!
//! ```text
//! coordinator  the loop
//! journal_thread  appends and syncs meanwhile
//! journal_pace  how often it does
//! work_queue   the remaining work
//! pair_order   which pair is handed out next
//! outcome      how a run ended, and its errors
//! replay       plays games once more, without a journal
//! ```

mod coordinator;
mod journal_pace;
mod journal_thread;
pub mod outcome;
mod pair_order;
mod replay;
mod work_queue;

pub use journal_pace::MOST_TOGETHER;
pub use replay::play_again;

use super::boards::Boards;
use super::carrier::{Carrier, CarrierLines};
use super::event::Event;
use super::examination::Gate;
use super::formats::next_round;
use super::journal::{Journal, Storage};
use super::openings::Openings;
use super::plan::Plan;
use super::play_order::PlayOrder;
use super::progress::Progress;
use super::schedule::Schedule;
use super::slots::{Order, Phase, Report, Slot};
use super::start_ladder::Starts;
use crate::record::PlayedAt;
use crate::referee::EndgameJudge;
use crate::tournament::player_factory::PlayerFactory;
use crate::tournament::run::outcome::{RunError, RunOutcome};
use crate::tournament::slot_players::KeepLimits;
use coordinator::Coordinator;
use journal_pace::JournalPace;
use journal_thread::JournalThread;
use std::borrow::Cow;
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{Mutex, mpsc, watch};
use tokio::time::{Instant, sleep_until};
use work_queue::WorkQueue;
pub use work_queue::{judge, missing_withdrawals, round_after};

/// A part of a run, whose games count once they are merged with those of the others.
#[derive(Clone, Debug)]
pub struct RunShard {
    /// The pairs that are played, by their places in the schedule.
    pub pairs: Range<usize>,
    /// What the records of the games say of this machine.
    pub at: PlayedAt,
}

/// The setup of a run.
#[derive(Clone, Debug)]
pub struct RunSetup<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// Its schedule.
    pub schedule: &'a Schedule,
    /// Its openings.
    pub openings: &'a Openings,
    /// Ends games as soon as perfect play decides them, if the plan says so.
    pub endgame: Option<&'a dyn EndgameJudge>,
    /// The part of the run that is played, if it is not the whole.
    pub shard: Option<RunShard>,
    /// The entrants that are examined before the first game.
    pub gate: Gate,
    /// The cores of each slot; a slot without any is not pinned.
    pub slots: Vec<Vec<usize>>,
    /// How many players each slot keeps.
    pub keep: KeepLimits,
    /// Where the games in play are shown, if anybody watches.
    pub boards: Option<&'a Boards>,
    /// Who has the pairs played elsewhere, if these slots do not play them.
    pub carrier: Option<&'a dyn Carrier>,
    /// How long games in progress may go on after an interruption.
    pub grace: Duration,
    /// The pause before disturbed examinations are repeated; each further pause is four times as
    /// long.
    pub pause: Duration,
}

impl<'a> RunSetup<'a> {
    /// One slot that is not pinned and lets no player wait, and no examinations.
    pub fn new(plan: &'a Plan, schedule: &'a Schedule, openings: &'a Openings) -> Self {
        Self {
            plan,
            schedule,
            openings,
            endgame: None,
            shard: None,
            gate: Gate::default(),
            slots: vec![Vec::new()],
            keep: KeepLimits::default(),
            boards: None,
            carrier: None,
            grace: Duration::from_secs(10),
            pause: Duration::from_secs(5),
        }
    }
}

/// Starts a thread for each slot of the setup, and calls `give_work` with the queue of their orders
/// and that of their reports. The threads end when there are no more orders, or when they are told
/// to stop. A carrier stands between.
///
/// # Errors
/// A slot could not be started.
pub fn on_slots<B: PlayerFactory, T>(
    setup: &RunSetup<'_>,
    factory: &B,
    phase: &watch::Sender<Phase>,
    give_work: impl FnOnce(&Runtime, mpsc::Sender<Order>, mpsc::Receiver<Report>) -> T,
) -> Result<T, RunError> {
    assert_eq!(
        setup.plan.endgame.is_some(),
        setup.endgame.is_some(),
        "games that values end are played with these values"
    );
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(RunError::Slot)?;
    let count = setup.slots.len().max(1);
    let (orders, order_queue) = mpsc::channel(count);
    let order_queue = Arc::new(Mutex::new(order_queue));
    let (reports, report_queue) = mpsc::channel(4 * count);
    let (starts, ends) = Starts::new(setup.slots.len());
    let starts = Arc::new(starts);
    thread::scope(|scope| {
        let mut threads = Vec::new();
        for ((number, cores), ends) in (0..).zip(&setup.slots).zip(ends) {
            let slot = Slot {
                number,
                cores: cores.clone(),
                plan: setup.plan,
                openings: setup.openings,
                endgame: setup.endgame,
                factory,
                keep: setup.keep,
                boards: setup.boards,
                orders: Arc::clone(&order_queue),
                reports: reports.clone(),
                phase: phase.subscribe(),
                starts: Arc::clone(&starts),
                ends,
            };
            let builder = thread::Builder::new().name(format!("slot-{number}"));
            let run = tracing::Span::current();
            let thread = builder.spawn_scoped(scope, move || run.in_scope(|| slot.run()));
            threads.push(thread.map_err(RunError::Slot)?);
        }
        drop((order_queue, reports));
        let (orders, report_queue) = match setup.carrier {
            None => (orders, report_queue),
            Some(carrier) => {
                let (to_carrier, carried) = mpsc::channel(1);
                let (from_carrier, told) = mpsc::channel(4 * count);
                let lines = CarrierLines {
                    orders: carried,
                    reports: from_carrier,
                    local: orders,
                    local_reports: report_queue,
                    phase: phase.subscribe(),
                };
                let builder = thread::Builder::new().name("carrier".to_owned());
                let started = builder.spawn_scoped(scope, move || carrier.carry(lines));
                started.map_err(RunError::Slot)?;
                (to_carrier, told)
            }
        };
        let worked = give_work(&runtime, orders, report_queue);
        for thread in threads {
            let ended = thread.join().unwrap_or_else(|panic| resume_unwind(panic));
            ended.map_err(RunError::Slot)?;
        }
        Ok(worked)
    })
}

/// Plays all games that `progress` does not contain. Where results decide who meets whom, each round
/// is dealt and written once those before are settled.
///
/// # Errors
/// The journal could not be written or contradicts itself, a slot could not be started, or the host
/// disturbed every examination. Every game that an event reported is in the journal.
#[expect(
    clippy::needless_pass_by_value,
    reason = "a run alone hears its interruption"
)]
pub fn run<B: PlayerFactory, S: Storage + Send>(
    setup: &RunSetup<'_>,
    factory: &B,
    journal: &mut Journal<S>,
    progress: Progress,
    interrupt: watch::Receiver<Phase>,
    on_event: &mut dyn FnMut(&Event<'_>),
) -> Result<RunOutcome, RunError> {
    let (mut outcome, mut progress) =
        play_round(setup, factory, journal, progress, &interrupt, on_event)?;
    let mut plan = Cow::Borrowed(setup.plan);
    let mut schedule = Cow::Borrowed(setup.schedule);
    while let Some(round) = next_round(&plan, &schedule, &outcome, &progress) {
        if outcome.interrupted {
            outcome.complete = false;
            break;
        }
        journal.append_round(&round).map_err(RunError::Journal)?;
        on_event(&Event::Dealt(&round));
        plan.to_mut().rounds.push(round);
        schedule = Cow::Owned(Schedule::new(&plan));
        let openings = Openings::of(&plan).expect("the plan of a run has openings");
        let setup = RunSetup {
            plan: &plan,
            schedule: &schedule,
            openings: &openings,
            ..setup.clone()
        };
        (outcome, progress) = play_round(&setup, factory, journal, progress, &interrupt, on_event)?;
    }
    Ok(RunOutcome {
        rounds: plan.into_owned().rounds,
        ..outcome
    })
}

/// Plays the games that a schedule has up to now; returns also what is known of all games then.
fn play_round<B: PlayerFactory, S: Storage + Send>(
    setup: &RunSetup<'_>,
    factory: &B,
    journal: &mut Journal<S>,
    progress: Progress,
    interrupt: &watch::Receiver<Phase>,
    on_event: &mut dyn FnMut(&Event<'_>),
) -> Result<(RunOutcome, Progress), RunError> {
    let pace = JournalPace::new(progress.has_failures());
    let order = PlayOrder::new(setup.plan, setup.keep.players);
    let slots = setup.slots.len();
    // Games of others decide who is withdrawn and when a test is over: those who merge know them.
    let undecided = setup.shard.as_ref().map(|_| Plan {
        max_faults: None,
        test: None,
        ..setup.plan.clone()
    });
    let all = 0..setup.schedule.pairs.len();
    let mut work_queue = WorkQueue::new(
        undecided.as_ref().unwrap_or(setup.plan),
        setup.schedule,
        setup.shard.as_ref().map_or(all, |it| it.pairs.clone()),
        &setup.gate,
        order,
        progress,
    );
    if setup.carrier.is_some() {
        work_queue.look_ahead = usize::MAX;
    }
    let unannounced = work_queue.begin()?;
    let (phase, _) = watch::channel(Phase::Play);
    on_slots(setup, factory, &phase, |runtime, orders, reports| {
        thread::scope(|scope| {
            let mut coordinator = Coordinator {
                setup,
                journal: JournalThread::start(scope, journal).map_err(RunError::Slot)?,
                finished: Vec::new(),
                pace,
                work_queue,
                on_event,
                slots: slots.max(1),
                phase: &phase,
                interrupted: false,
                blocked: None,
            };
            coordinator.announce_beginning();
            let played = coordinator
                .announce(&unannounced)
                .and_then(|()| coordinator.refuse_unfit())
                .and_then(|()| {
                    runtime.block_on(coordinator.play(orders, reports, interrupt.clone()))
                });
            let outcome = coordinator.outcome();
            played.map(|()| (outcome, coordinator.work_queue.into_progress()))
        })
    })?
}

/// The same for a caller that neither interrupts the run nor hears its events.
///
/// # Errors
/// Those of [`run`].
pub fn run_to_end<B: PlayerFactory, S: Storage + Send>(
    setup: &RunSetup<'_>,
    factory: &B,
    journal: &mut Journal<S>,
    progress: Progress,
) -> Result<RunOutcome, RunError> {
    // While the sender lives, nothing tells the run to stop.
    let (_sender, interrupt) = watch::channel(Phase::Play);
    run(setup, factory, journal, progress, interrupt, &mut |_| ())
}

/// A place in the queue of orders, when there is one; never, if no more are given out.
async fn permit(orders: Option<&mpsc::Sender<Order>>) -> Option<mpsc::Permit<'_, Order>> {
    match orders {
        Some(orders) => orders.reserve().await.ok(),
        None => std::future::pending().await,
    }
}

/// Waits until a moment; forever, if there is none.
async fn until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

/// Waits until the caller wants the run to stop sooner than it does now.
async fn told_to_stop(interrupt: &mut watch::Receiver<Phase>, now: Phase) {
    let wanted = interrupt.wait_for(|wanted| *wanted > now).await.is_ok();
    if !wanted {
        std::future::pending::<()>().await;
    }
}
