//! Who watches a game while it is played.

use super::player::Turn;
use crate::rules::Side;

/// Watches a game. It changes nothing, and the game waits while it looks: it must return at once.
pub trait Spectator: Sync {
    /// The turn of this side begins.
    fn turn(&self, side: Side, turn: &Turn);
}
