//! The house players: a random one, a greedy one, and one that searches.
//!
//! May import `rules` and std alone. This room knows no pipes and no clocks: how long it may
//! think comes as a [`Budget`] that it asks now and then. Nor does it know tournaments: our own
//! players come in by the front door, as a process that speaks the protocol like any stranger.
//!
//! ```text
//! house     House, Engine, Choice     who plays, and what was chosen
//! search    alpha-beta                private: the minimax player's thinking
//! order     good moves first          private
//! evaluate  estimate of a position    private
//! score     Score, endings' values    what estimates and certain results are worth
//! path      repetition                private: what a line can come back to
//! table     transposition table       private
//! rng      random numbers            private: from a seed, the same everywhere
//! endgame/  (its place is here: exact values of small positions; it must not know `search`)
//! ```
//!
//! A move for South at the start, four plies deep:
//!
//! ```
//! use awale::engine::{Budget, Engine, House, MinimaxOptions};
//! use awale::rules::{Game, Position, RuleSet};
//!
//! let game = Game::new(RuleSet::default(), Position::START);
//! let mut engine = Engine::new(House::Minimax(MinimaxOptions { depth: Some(4), table_mib: 1 }));
//! engine.new_game(7);
//! let choice = engine.choose(&game, &Budget::default()).expect("the game is not over");
//! assert!(game.legal_moves().contains(choice.pit));
//! assert_eq!(choice.depth, 4);
//! ```

mod evaluate;
mod house;
mod order;
mod path;
mod rng;
mod score;
mod search;
mod table;
#[cfg(test)]
mod tests;

pub use house::{
    Budget, DEFAULT_DEPTH, DEFAULT_TABLE_MIB, Engine, EngineChoice, House, MinimaxOptions,
};
pub use score::Score;
