//! Where the players of a slot come from.

use crate::record::Evidence;
use crate::referee::Player;
use crate::tournament::entrant::EntrantIndex;
use tokio::task::JoinSet;

/// Where players come from.
pub trait PlayerFactory: Sync {
    /// A player.
    type Player: Player;

    /// A player for an entrant, on a slot that needs one.
    fn player(&self, entrant: EntrantIndex) -> Self::Player;

    /// A player of the house bot `random`, for an entrant that is examined.
    fn random(&self) -> Self::Player;

    /// What the player wrote to its log in the last game.
    fn take_log(&self, player: &mut Self::Player) -> Vec<u8>;

    /// What else is known of the player's last game, which ended by a fault of one of the two.
    fn take_evidence(&self, _player: &mut Self::Player) -> Evidence {
        Evidence::default()
    }

    /// What of the player goes on although it was ended, in words: the slot's cores are not free
    /// then, and no other entrant plays there.
    fn remains(&self, _player: &mut Self::Player) -> Option<String> {
        None
    }

    /// The slot does not need the player any more. What it takes to let it go is added to
    /// `leaving`; it says what goes on of it, as [`PlayerFactory::remains`] does. The slot waits
    /// for it before anybody else plays: a player that leaves may still use its cores.
    fn dismiss(&self, player: Self::Player, leaving: &mut JoinSet<Option<String>>);
}
