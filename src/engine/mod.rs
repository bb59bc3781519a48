//! The house players: a random one, a greedy one, and one that searches.
//!
//! This room may import only `rules`, std and serde's derives. It knows no pipes and no clocks: a
//! [`Budget`], which it asks at intervals, limits its thinking. It knows no tournaments either:
//! house players run as processes that speak the protocol, like every other bot.
//!
//! ```text
//! house     House, Engine, Choice     the players and their choices
//! search    alpha-beta                private: the search of `minimax`
//! order     good moves first          private
//! endgame   perfect play            the values of all positions of few seeds
//! puzzles   one move wins           positions of few seeds, each with its solution
//! evaluate  estimate of a position    private
//! weights/  its weights               data: made by `scripts/tune-minimax`
//! score     Score, endings' values    the scale of estimates and certain results
//! path      repetition                private: positions to which a line can return
//! table     transposition table       private
//! rng       random numbers            private: from a seed, the same on every machine
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

pub mod endgame;
mod evaluate;
mod house;
mod order;
mod path;
pub mod puzzles;
mod rng;
mod score;
mod search;
mod table;

/// The form of the evaluation's network: for the example `tune`, which fits its weights.
pub mod tuning {
    pub use super::evaluate::{FEATURES, LANES, LOGISTIC_SCALE, ROWS, UNIT, features};
}

/// The values of positions: for the plain search in `tests/engine.rs`, which must find the same.
pub mod reference {
    pub use super::evaluate::Evaluation;
    pub use super::rng::Rng;
    pub use super::score::{Score, Scoring, WIN};
}

pub use house::{
    Budget, DEFAULT_DEPTH, DEFAULT_TABLE_MIB, Engine, EngineChoice, House, MinimaxOptions,
};
pub use score::Score;
