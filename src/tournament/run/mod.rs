//! The loop that holds the state of a run: it gives pairs to the slots in the order of play,
//! appends their reports to the journal, and informs the observer.
//!
//! ```text
//! schedule ─tasks──▶ slots ──reports──▶ loop ◀──▶ journal's thread: append, sync
//!                                        │
//!                                        └────▶ events
//! ```
//!
//! ```text
//! coordinator  the loop
//! journal_thread  appends and syncs meanwhile
//! journal_pace  how often it does
//! work_queue   the remaining work
//! pair_order   which pair is handed out next
//! replay       plays games once more, without a journal
//! judgement    judges known games without playing
//! waits        what the coordinator waits for
//! ```

mod coordinator;
mod journal_pace;
mod journal_thread;
mod judgement;
pub mod outcome;
mod pair_order;
mod replay;
mod waits;
mod work_queue;

pub use journal_pace::MOST_TOGETHER;
pub use judgement::judge;
pub use replay::play_again;

use super::boards::Boards;
use super::event::Event;
use super::examination::Gate;
use super::journal::{Journal, Storage};
use super::keep_limits::KeepLimits;
use super::openings::Openings;
use super::plan::Plan;
use super::play_order::PlayOrder;
use super::progress::Progress;
use super::schedule::Schedule;
use super::slots::{Phase, Report, Slot, Task};
use super::start_ladder::Starts;
use crate::tournament::player_factory::PlayerFactory;
use crate::tournament::run::outcome::{RunError, RunOutcome};
use coordinator::Coordinator;
use journal_pace::JournalPace;
use journal_thread::JournalThread;
use std::io;
use std::sync::Arc;
use std::thread::{self, Scope, ScopedJoinHandle};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{Mutex, mpsc, watch};
use work_queue::WorkQueue;

/// The setup of a run.
#[derive(Clone, Debug)]
pub struct RunSetup<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// Its schedule.
    pub schedule: &'a Schedule,
    /// Its openings.
    pub openings: &'a Openings,
    /// The entrants that are examined before the first game.
    pub gate: Gate,
    /// The cores of each slot; a slot without any is not pinned.
    pub slots: Vec<Vec<usize>>,
    /// How many players each slot keeps.
    pub keep: KeepLimits,
    /// Where the games in play are shown, if anybody watches.
    pub boards: Option<&'a Boards>,
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
            gate: Gate::default(),
            slots: vec![Vec::new()],
            keep: KeepLimits::default(),
            boards: None,
            grace: Duration::from_secs(10),
            pause: Duration::from_secs(5),
        }
    }
}

fn runtime() -> io::Result<Runtime> {
    Builder::new_current_thread().enable_all().build()
}

/// Where slots take their tasks and send their reports.
type Queues = (Arc<Mutex<mpsc::Receiver<Task>>>, mpsc::Sender<Report>);

/// Starts a thread for each slot of the setup. The threads end when there are no more tasks, or
/// when they are told to stop.
fn start_slots<'scope, 'env: 'scope, B: PlayerFactory>(
    scope: &'scope Scope<'scope, 'env>,
    setup: &'env RunSetup<'env>,
    factory: &'env B,
    (tasks, reports): Queues,
    phase: &watch::Sender<Phase>,
) -> Result<Vec<ScopedJoinHandle<'scope, io::Result<()>>>, RunError> {
    let (starts, orders) = Starts::new(setup.slots.len());
    let starts = Arc::new(starts);
    let slots = (0..).zip(&setup.slots).zip(orders);
    let threads = slots.map(|((number, cores), orders)| {
        let slot = Slot {
            number,
            cores: cores.clone(),
            plan: setup.plan,
            openings: setup.openings,
            factory,
            keep: setup.keep,
            boards: setup.boards,
            tasks: Arc::clone(&tasks),
            reports: reports.clone(),
            phase: phase.subscribe(),
            starts: Arc::clone(&starts),
            orders,
        };
        let builder = thread::Builder::new().name(format!("slot-{number}"));
        let run = tracing::Span::current();
        builder.spawn_scoped(scope, move || run.in_scope(|| slot.run()))
    });
    threads.collect::<io::Result<_>>().map_err(RunError::Slot)
}

/// Plays all games that `progress` does not contain.
///
/// # Errors
/// The journal could not be written or contradicts itself, a slot could not be started, or the host
/// disturbed every examination. Every game that an event reported is in the journal.
pub fn run<B: PlayerFactory, S: Storage + Send>(
    setup: &RunSetup<'_>,
    factory: &B,
    journal: &mut Journal<S>,
    progress: Progress,
    interrupt: watch::Receiver<Phase>,
    on_event: &mut dyn FnMut(&Event<'_>),
) -> Result<RunOutcome, RunError> {
    let pace = JournalPace::new(progress.has_failures());
    let mut work_queue = WorkQueue::new(
        setup.plan,
        setup.schedule,
        &setup.gate,
        (
            setup.slots.len(),
            PlayOrder::new(setup.plan, setup.keep.players),
        ),
        progress,
    );
    let unannounced = work_queue.begin()?;
    let runtime = runtime().map_err(RunError::Slot)?;
    let (tasks, task_queue) = mpsc::channel(setup.slots.len().max(1));
    let task_queue = Arc::new(Mutex::new(task_queue));
    let (reports, report_queue) = mpsc::channel(4 * setup.slots.len().max(1));
    let (phase, _) = watch::channel(Phase::Play);
    thread::scope(|scope| {
        let threads = start_slots(scope, setup, factory, (task_queue, reports), &phase)?;
        let mut referee_loop = Coordinator {
            plan: setup.plan,
            journal: JournalThread::start(scope, journal).map_err(RunError::Slot)?,
            slots: setup.slots.len().max(1),
            finished: Vec::new(),
            pace,
            work_queue,
            on_event,
            phase,
            grace: setup.grace,
            pause: setup.pause,
            interrupted: false,
            blocked: None,
        };
        referee_loop.announce_beginning();
        let played = referee_loop
            .announce(&unannounced)
            .and_then(|()| referee_loop.refuse_unfit(&setup.gate.unfit))
            .and_then(|()| runtime.block_on(referee_loop.play(tasks, report_queue, interrupt)));
        let outcome = referee_loop.outcome();
        for thread in threads {
            match thread.join() {
                Ok(ended) => ended.map_err(RunError::Slot)?,
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        played.map(|()| outcome)
    })
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
