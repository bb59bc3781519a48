//! The players of a slot: those of the pair that it plays.

use crate::record::Evidence;
use crate::tournament::entrant::EntrantIndex;
use crate::tournament::player_factory::PlayerFactory;
use tokio::task::JoinSet;

/// The two players of a slot.
pub struct SlotPlayers<'a, B: PlayerFactory> {
    factory: &'a B,
    players: Vec<(EntrantIndex, B::Player)>,
    /// The entrant whose processes survive their kill, and which processes these are.
    pub blocked: Option<(EntrantIndex, String)>,
}

impl<'a, B: PlayerFactory> SlotPlayers<'a, B> {
    /// A slot without players.
    pub const fn new(factory: &'a B) -> Self {
        Self {
            factory,
            players: Vec::new(),
            blocked: None,
        }
    }

    /// Prepares the players of the next pair: keeps those that stay, creates missing ones, and lets
    /// the others go. The latter have ended when this returns, so that they cannot compute in later
    /// turns.
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

    /// Lets several players go at the same time.
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

    /// Drops all players: after a game that was aborted none can be used again.
    pub fn drop_all(&mut self) {
        self.players.clear();
    }

    /// Lets all players go.
    pub async fn close(&mut self) {
        let players = std::mem::take(&mut self.players);
        self.dismiss(players).await;
    }
}
