//! The players of a real tournament: bots as processes.

use crate::bot::{BotPlayer, BotSettings, Cell};
use crate::record::Evidence;
use crate::tournament::{Bench, EntrantIndex};
use tokio::task::JoinSet;

/// The bots of all entrants, by their place in the plan.
#[derive(Debug)]
pub(super) struct BotBench {
    pub(super) bots: Vec<(BotSettings, Cell)>,
    /// The house bot `random`.
    pub(super) random: (BotSettings, Cell),
}

impl Bench for BotBench {
    type Player = BotPlayer;

    fn player(&self, entrant: EntrantIndex) -> BotPlayer {
        let (settings, cell) = self.bots[entrant.index()].clone();
        BotPlayer::new(settings, cell)
    }

    fn random(&self) -> BotPlayer {
        let (settings, cell) = self.random.clone();
        BotPlayer::new(settings, cell)
    }

    fn take_log(&self, player: &mut BotPlayer) -> Vec<u8> {
        player.take_log()
    }

    fn take_evidence(&self, player: &mut BotPlayer) -> Evidence {
        player.take_evidence()
    }

    fn dismiss(&self, player: BotPlayer, leaving: &mut JoinSet<()>) {
        leaving.spawn(player.close());
    }
}
