//! The players that a slot has at hand: those of the pair that it plays.

use crate::record::Evidence;
use crate::tournament::entrant::EntrantIndex;
use crate::tournament::player_factory::PlayerFactory;
use tokio::task::JoinSet;

/// The two players of a slot.
pub struct SlotPlayers<'a, B: PlayerFactory> {
    factory: &'a B,
    players: Vec<(EntrantIndex, B::Player)>,
    /// The entrant whose processes cannot be ended here, and which of them go on.
    pub blocked: Option<(EntrantIndex, String)>,
}

impl<'a, B: PlayerFactory> SlotPlayers<'a, B> {
    /// No player is there yet.
    pub const fn new(factory: &'a B) -> Self {
        Self {
            factory,
            players: Vec::new(),
            blocked: None,
        }
    }

    /// Players of the next pair stay, missing ones are made, others leave, and are gone when this
    /// returns: they would work in the turns of those that stay.
    pub async fn make_room(&mut self, entrants: [EntrantIndex; 2]) {
        let (stay, leave): (Vec<_>, Vec<_>) = self
            .players
            .drain(..)
            .partition(|(entrant, _)| entrants.contains(entrant));
        self.players = stay;
        self.dismiss(leave).await;
        for entrant in entrants {
            if !self.players.iter().any(|(seated, _)| *seated == entrant) {
                self.players.push((entrant, self.factory.player(entrant)));
            }
        }
    }

    /// All leave at the same time.
    async fn dismiss(&mut self, players: Vec<(EntrantIndex, B::Player)>) {
        let mut all = Vec::new();
        for (entrant, player) in players {
            let mut leaving = JoinSet::new();
            self.factory.dismiss(player, &mut leaving);
            all.push((entrant, leaving));
        }
        for (entrant, leaving) in all {
            self.await_leaving(entrant, leaving).await;
        }
    }

    /// Waits until whatever leaves is gone, and takes note of what cannot be ended.
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

    /// Looks after a game whether something of the two could not be ended.
    pub fn look(&mut self, entrants: [EntrantIndex; 2]) {
        let factory = self.factory;
        for (entrant, player) in &mut self.players {
            if entrants.contains(entrant)
                && let Some(remains) = factory.remains(player)
            {
                self.blocked = Some((*entrant, remains));
            }
        }
    }

    /// The two players, South first.
    pub fn take_places(&mut self, [south, _]: [EntrantIndex; 2]) -> [&mut B::Player; 2] {
        let [(entrant, one), (_, other)] = self.players.as_mut_slice() else {
            unreachable!("a slot has exactly the two players of its pair at hand")
        };
        if *entrant == south {
            [one, other]
        } else {
            [other, one]
        }
    }

    /// What the two wrote to their logs in the last game, South first.
    pub fn logs(&mut self, entrants: [EntrantIndex; 2]) -> [Vec<u8>; 2] {
        let factory = self.factory;
        self.take_places(entrants)
            .map(|player| factory.take_log(player))
    }

    /// What else is known of the two, South first.
    pub fn evidence(&mut self, entrants: [EntrantIndex; 2]) -> [Evidence; 2] {
        let factory = self.factory;
        self.take_places(entrants)
            .map(|player| factory.take_evidence(player))
    }

    /// After a game that was dropped in the middle no player can be used again.
    pub fn drop_all(&mut self) {
        self.players.clear();
    }

    /// Lets everybody go.
    pub async fn close(&mut self) {
        let players = std::mem::take(&mut self.players);
        self.dismiss(players).await;
    }
}
