//! The players of a slot: the two of the pair that it plays, and those that wait for a later pair
//! of theirs. A player that waits keeps its process, which stands still, so that its next game
//! starts none.
//!
//! The least recently used players leave when there are too many, or when their processes hold too
//! much memory. A slot without room for a third player keeps those that the next pair shares with
//! the last one, and no others.
//!
//! The memory of a player is measured after each of its pairs. A process that stands still holds
//! what it held before; because not every host can hold every process still, one of the waiting
//! players is measured as well each time, in turn.

use crate::record::Evidence;
use crate::tournament::plan::EntrantIndex;
use crate::tournament::player_factory::PlayerFactory;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// A request to a slot to end the processes of an entrant that it keeps. The slot answers with
/// those that it still keeps, and with the bytes that they hold, and drops the sender then.
#[derive(Clone, Debug)]
pub struct EndOrder {
    /// Whose processes end; `None` only asks which are kept.
    pub entrant: Option<EntrantIndex>,
    /// Takes the answer.
    pub kept: mpsc::UnboundedSender<(EntrantIndex, u64)>,
}

/// The players of a slot.
pub struct SlotPlayers<'a, B: PlayerFactory> {
    factory: &'a B,
    limits: KeepLimits,
    /// The least recently used first: the two of the present pair are the last.
    players: Vec<SlotPlayer<B::Player>>,
    /// How many times a waiting player was measured.
    measured: usize,
    /// The entrant whose processes survive their kill, and which processes these are.
    pub blocked: Option<(EntrantIndex, String)>,
}

struct SlotPlayer<P> {
    entrant: EntrantIndex,
    player: P,
    /// Whether it waits while others play.
    waits: bool,
    /// Bytes of memory at the last measurement.
    held_bytes: u64,
}

impl<'a, B: PlayerFactory> SlotPlayers<'a, B> {
    /// A slot without players.
    pub const fn new(factory: &'a B, limits: KeepLimits) -> Self {
        Self {
            factory,
            limits,
            players: Vec::new(),
            measured: 0,
            blocked: None,
        }
    }

    /// Prepares the players of the next pair: takes those that the slot has, creates missing ones,
    /// and lets others wait or go. The latter have ended when this returns, so that they cannot
    /// compute in later turns.
    pub async fn make_room(&mut self, entrants: [EntrantIndex; 2]) {
        let (mut pair, others): (Vec<_>, Vec<_>) = self
            .players
            .drain(..)
            .partition(|it| entrants.contains(&it.entrant));
        let mut leaving = Vec::new();
        for mut other in others {
            if self.may_wait(&mut other) {
                self.players.push(other);
            } else {
                leaving.push(other);
            }
        }
        let held = pair.iter().map(|it| it.held_bytes).sum();
        leaving.extend(self.superfluous(held));
        self.dismiss(leaving).await;
        for entrant in entrants {
            let place = pair.iter().position(|it| it.entrant == entrant);
            let player = place.map_or_else(|| self.create(entrant), |it| pair.swap_remove(it));
            self.players.push(SlotPlayer {
                waits: false,
                ..player
            });
        }
    }

    fn create(&self, entrant: EntrantIndex) -> SlotPlayer<B::Player> {
        SlotPlayer {
            entrant,
            player: self.factory.player(entrant),
            waits: false,
            held_bytes: 0,
        }
    }

    /// Whether a player waits from now on while others play.
    fn may_wait(&self, it: &mut SlotPlayer<B::Player>) -> bool {
        it.waits |= self.limits.keeps_any() && self.factory.park(&mut it.player);
        it.waits
    }

    /// Removes the least recently used of the waiting players until the two of the next pair, which
    /// hold so much memory, have room beside the others.
    fn superfluous(&mut self, mut held: u64) -> Vec<SlotPlayer<B::Player>> {
        let room = self.limits.players.saturating_sub(2);
        let mut kept = 0;
        for it in self.players.iter().rev() {
            held = held.saturating_add(it.held_bytes);
            if kept == room || held > self.limits.memory_bytes {
                break;
            }
            kept += 1;
        }
        let leaving = self.players.len() - kept;
        self.players.drain(..leaving).collect()
    }

    /// Ends the processes of an entrant, and answers with those that are kept still.
    pub async fn obey(&mut self, order: EndOrder) {
        self.dismiss_where(|it| Some(it.entrant) == order.entrant)
            .await;
        let running = self.players.iter();
        for it in running.filter(|it| self.factory.has_process(&it.player)) {
            let _ = order
                .kept
                .send((it.entrant, self.factory.held_bytes(&it.player)));
        }
    }

    /// Ends the processes of the pair: they were told of a game that did not begin.
    pub async fn end_pair(&mut self) {
        self.dismiss_where(|it| !it.waits).await;
    }

    /// Whether the players of the pair are there.
    pub fn are_at_hand(&self) -> bool {
        self.players.iter().filter(|it| !it.waits).count() == 2
    }

    /// Lets all waiting players go: the host has failed, and they may hold what it lacks.
    pub async fn release_waiting(&mut self) {
        self.dismiss_where(|it| it.waits).await;
    }

    async fn dismiss_where(&mut self, goes: impl Fn(&SlotPlayer<B::Player>) -> bool) {
        let leaving = self.players.extract_if(.., |it| goes(it)).collect();
        self.dismiss(leaving).await;
    }

    /// Lets several players go at the same time.
    async fn dismiss(&mut self, players: Vec<SlotPlayer<B::Player>>) {
        let mut all = Vec::new();
        for it in players {
            let mut leaving = JoinSet::new();
            self.factory.dismiss(it.player, &mut leaving);
            all.push((it.entrant, leaving));
        }
        for (entrant, leaving) in all {
            self.await_leaving(entrant, leaving).await;
        }
    }

    /// Waits until leaving players have ended, and notes processes that survive.
    pub async fn await_leaving(
        &mut self,
        entrant: EntrantIndex,
        mut leaving: JoinSet<Option<String>>,
    ) {
        while let Some(left) = leaving.join_next().await {
            if let Ok(Some(remains)) = left {
                self.blocked = Some((entrant, remains));
            }
        }
    }

    /// Checks after a game whether a process of the two survived its kill.
    pub fn note_survivors(&mut self) {
        let factory = self.factory;
        for it in self.players.iter_mut().filter(|it| !it.waits) {
            if let Some(remains) = factory.remains(&mut it.player) {
                self.blocked = Some((it.entrant, remains));
            }
        }
    }

    /// Measures the memory of the two after their pair, and that of one that waits.
    pub fn measure(&mut self) {
        if !self.limits.keeps_any() {
            return;
        }
        let waiting = self.players.iter().filter(|it| it.waits).count();
        let in_turn = self.measured.checked_rem(waiting);
        self.measured = self.measured.wrapping_add(1);
        for (place, it) in self.players.iter_mut().enumerate() {
            if !it.waits || Some(place) == in_turn {
                it.held_bytes = self.factory.held_bytes(&it.player);
            }
        }
    }

    /// The two players of the pair, South first.
    pub fn take_places(&mut self, [south, _]: [EntrantIndex; 2]) -> [&mut B::Player; 2] {
        let [.., one, other] = self.players.as_mut_slice() else {
            unreachable!("a slot has the two players of its pair at hand")
        };
        if one.entrant == south {
            [&mut one.player, &mut other.player]
        } else {
            [&mut other.player, &mut one.player]
        }
    }

    /// The logs of the two in the last game, South's first.
    pub fn logs(&mut self, entrants: [EntrantIndex; 2]) -> [Vec<u8>; 2] {
        let factory = self.factory;
        self.take_places(entrants)
            .map(|player| factory.take_log(player))
    }

    /// Other evidence of the two, South's first.
    pub fn evidence(&mut self, entrants: [EntrantIndex; 2]) -> [Evidence; 2] {
        let factory = self.factory;
        self.take_places(entrants)
            .map(|player| factory.take_evidence(player))
    }

    /// Drops the two players of the pair: after a game that was aborted they cannot be used again.
    pub fn drop_pair(&mut self) {
        self.players.retain(|it| it.waits);
    }

    /// Lets all players go.
    pub async fn close(&mut self) {
        let players = std::mem::take(&mut self.players);
        self.dismiss(players).await;
    }
}

/// The limits of what a slot keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeepLimits {
    /// The number of players that a slot has at most, the two that play included. With two or less
    /// a player leaves as soon as the next pair is not its own.
    pub players: usize,
    /// Bytes of memory beyond which the least recently used players leave.
    pub memory_bytes: u64,
}

impl KeepLimits {
    /// Whether any player may wait while two others play.
    pub const fn keeps_any(&self) -> bool {
        self.players > 2
    }
}
