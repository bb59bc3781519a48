//! The interface from which a slot gets its players.

use crate::record::Evidence;
use crate::referee::Player;
use crate::tournament::plan::EntrantIndex;
use std::time::Duration;
use tokio::task::JoinSet;

/// Creates players.
pub trait PlayerFactory: Sync {
    /// A player.
    type Player: Player;

    /// Creates a player for an entrant, to be used on the calling slot.
    fn player(&self, entrant: EntrantIndex) -> Self::Player;

    /// Creates a player for the examination of an entrant.
    fn candidate(&self, entrant: EntrantIndex) -> Self::Player {
        self.player(entrant)
    }

    /// Creates a player of the house bot `random`, as the opponent in an examination.
    fn random(&self) -> Self::Player;

    /// The player's log of the last game.
    fn take_log(&self, player: &mut Self::Player) -> Vec<u8>;

    /// Other evidence of the player's last game, which ended by a fault of one side.
    fn take_evidence(&self, _player: &mut Self::Player) -> Evidence {
        Evidence::default()
    }

    /// The processes of the player that survive their kill, in words: then the slot's cores are not
    /// free, and no other entrant may play there.
    fn remains(&self, _player: &mut Self::Player) -> Option<String> {
        None
    }

    /// Lets a player wait while others play: it stands still until its next game. False if it must
    /// leave instead.
    fn park(&self, _player: &mut Self::Player) -> bool {
        true
    }

    /// Waits, then starts this many processes of an entrant, which live at the same time, and ends
    /// them again, to see whether the host can.
    ///
    /// # Errors
    /// It cannot, in words.
    fn try_starts(
        &self,
        _entrant: EntrantIndex,
        _processes: usize,
        _after: Duration,
    ) -> impl Future<Output = Result<(), String>> {
        std::future::ready(Ok(()))
    }

    /// Whether the player has a process.
    fn has_process(&self, _player: &Self::Player) -> bool {
        true
    }

    /// Bytes of memory that the player holds.
    fn held_bytes(&self, _player: &Self::Player) -> u64 {
        0
    }

    /// Lets a player go that the slot does not need any more. The task for this is added to
    /// `leaving` and returns the surviving processes, as [`PlayerFactory::remains`] does. The slot
    /// waits for the task before the next game: a leaving player may still use its cores.
    fn dismiss(&self, player: Self::Player, leaving: &mut JoinSet<Option<String>>);
}
