//! Bots that cannot be started. The kernel counts processes, descriptors on their way and more for
//! each user, and bots of an ordinary user share one: a bot may hold what the start of another one
//! needs. A start that fails is no game: it is neither a loss nor a void.
//!
//! ```text
//! a start fails          no slot begins another game, and games in progress end
//!   ├─ it works now      the game is played
//!   ├─ kept processes are ended, entrant by entrant: those that are suspected least come first,
//!   │  among them those that hold most memory; the opponent comes last
//!   │    └─ it works     the last entrant may have held what was lacking. Where as many processes
//!   │                    of the entrant that waits find room in place of it, it has held more
//!   │                    than they; three times make it the fault of its next game
//!   └─ nothing lives     it is tried after each of some pauses; then the run stops
//! ```
//!
//! The slot whose start failed does this, while the others wait, and plays the game alone on the
//! host. The others end the processes that they keep when it asks for that. If the game does not
//! begin after some climbs, the host has no room for two bots, and the run stops.

use super::plan::EntrantIndex;
use super::player_factory::PlayerFactory;
use super::slot_players::{EndOrder, SlotPlayers};
use crate::record::{Fault, FaultKind};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{RwLock, mpsc};

/// So many starts that worked as soon as an entrant's processes had ended are its fault.
const PROOF: u32 = 3;
/// So many climbs for one game show that the host has no room for it.
pub const MOST_CLIMBS: u32 = 10;
/// The kernel may take a moment to give back what an ended process held.
const MOMENT: Duration = Duration::from_millis(100);
/// The pauses before further tries, when no bot lives, in ms.
const PAUSES_MS: [u64; 5] = [100, 500, 2_000, 10_000, 30_000];

/// What the slots of a run share about starts.
#[derive(Debug)]
pub struct Starts {
    /// Games hold it together; the slot whose start failed holds it alone.
    pub games: RwLock<()>,
    slots: Vec<mpsc::UnboundedSender<EndOrder>>,
    blame: Mutex<BTreeMap<EntrantIndex, Blame>>,
}

/// The processes of an entrant that are kept.
#[derive(Clone, Copy, Debug, Default)]
struct KeptProcesses {
    processes: usize,
    bytes: u64,
}

/// What speaks against an entrant.
#[derive(Clone, Copy, Debug, Default)]
struct Blame {
    /// How many times a start worked as soon as its processes had ended.
    times: u32,
    /// The tries that failed before.
    failed: u32,
}

impl Starts {
    /// For this number of slots, with the orders that each of them hears.
    pub fn new(slots: usize) -> (Self, Vec<mpsc::UnboundedReceiver<EndOrder>>) {
        let (slots, orders) = (0..slots).map(|_| mpsc::unbounded_channel()).unzip();
        let starts = Self {
            games: RwLock::new(()),
            slots,
            blame: Mutex::default(),
        };
        (starts, orders)
    }

    fn blame(&self) -> MutexGuard<'_, BTreeMap<EntrantIndex, Blame>> {
        self.blame.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The fault of an entrant whose processes have kept others from their starts. It is told once.
    pub fn take_fault(&self, entrant: EntrantIndex) -> Option<Fault> {
        let mut blame = self.blame();
        let found = blame
            .get(&entrant)
            .copied()
            .filter(|it| it.times >= PROOF)?;
        blame.remove(&entrant);
        let Blame { times, failed } = found;
        let detail = format!(
            "{failed} starts of bots failed; {times} times a bot could be started as soon as the \
             processes of this one had ended"
        );
        Some(Fault::new(FaultKind::BlocksStarts, detail))
    }

    /// Tries to start an entrant for a game with its opponent until it works, while no game is
    /// played. `own` is the number of the calling slot.
    ///
    /// # Errors
    /// Why nothing can be started although no bot lives.
    pub async fn climb<B: PlayerFactory>(
        &self,
        entrant: EntrantIndex,
        opponent: EntrantIndex,
        own: u32,
        players: &mut SlotPlayers<'_, B>,
        factory: &B,
    ) -> Result<(), String> {
        let one = async |pause| factory.try_starts(entrant, 1, pause).await;
        if one(Duration::ZERO).await.is_ok() {
            return Ok(());
        }
        let mut failed = 1;
        let mut kept = self.end(None, own, players).await;
        while let Some((holder, held)) = self.next_holder(&kept, opponent) {
            kept = self.end(Some(holder), own, players).await;
            kept.remove(&holder);
            for pause in [Duration::ZERO, MOMENT] {
                if one(pause).await.is_ok() {
                    let in_its_place = held.processes + 1;
                    let all = factory.try_starts(entrant, in_its_place, Duration::ZERO);
                    if all.await.is_ok() {
                        self.note(holder, failed);
                    }
                    return Ok(());
                }
                failed += 1;
            }
        }
        let mut last = String::new();
        for pause in PAUSES_MS {
            match one(Duration::from_millis(pause)).await {
                Ok(()) => return Ok(()),
                Err(cause) => last = cause,
            }
        }
        Err(format!(
            "{last}; no bot is left that could hold what it needs"
        ))
    }

    /// The entrant whose processes end next.
    fn next_holder(
        &self,
        kept: &BTreeMap<EntrantIndex, KeptProcesses>,
        opponent: EntrantIndex,
    ) -> Option<(EntrantIndex, KeptProcesses)> {
        let blame = self.blame();
        let times = |entrant| blame.get(entrant).map_or(0, |blame: &Blame| blame.times);
        let next = kept.iter().min_by_key(|&(entrant, held)| {
            (*entrant == opponent, times(entrant), Reverse(held.bytes))
        });
        next.map(|(entrant, held)| (*entrant, *held))
    }

    fn note(&self, holder: EntrantIndex, failed: u32) {
        let mut blame = self.blame();
        let blame = blame.entry(holder).or_default();
        blame.times += 1;
        blame.failed += failed;
    }

    /// Has the kept processes of an entrant ended on all slots. Returns the entrants whose
    /// processes are still kept.
    async fn end<B: PlayerFactory>(
        &self,
        entrant: Option<EntrantIndex>,
        own: u32,
        players: &mut SlotPlayers<'_, B>,
    ) -> BTreeMap<EntrantIndex, KeptProcesses> {
        let (sender, mut answers) = mpsc::unbounded_channel();
        let order = EndOrder {
            entrant,
            kept: sender,
        };
        for (_, slot) in (0..).zip(&self.slots).filter(|(number, _)| *number != own) {
            // A slot that has ended keeps nothing.
            let _ = slot.send(order.clone());
        }
        players.obey(order).await;
        let mut kept = BTreeMap::<_, KeptProcesses>::new();
        while let Some((entrant, bytes)) = answers.recv().await {
            let of_it = kept.entry(entrant).or_default();
            of_it.processes += 1;
            of_it.bytes += bytes;
        }
        kept
    }
}
