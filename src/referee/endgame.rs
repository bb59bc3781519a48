//! Games that end before the rules end them, because perfect play from there on is known.
//!
//! Values of endgames are exact for a game in which no earlier position can come back: at its
//! start and right after a capture. Only there is a game ended.

use crate::rules::Game;
use std::fmt::Debug;

/// Knows perfect play with few seeds on the board. The referee does not know where from.
pub trait EndgameJudge: Debug + Send + Sync {
    /// The final stores of South and North if both sides play perfectly from here on, under all
    /// rules of the game; `None` if that is not known, or the game is over.
    fn final_stores(&self, game: &Game) -> Option<[u8; 2]>;
}

/// Whether a game is one that a judge ends who knows all positions of up to so many seeds.
pub fn is_solved(game: &Game, seeds: u8) -> bool {
    game.ending().is_none()
        && game.history().len() == 1
        && game.position().seeds_on_board() <= seeds
}
