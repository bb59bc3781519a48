//! What each move of a finished game was worth: how many seeds it lost, and which move was better.
//!
//! ```text
//! endgame   exact, where few seeds are left   Analyst: from the values of a database
//! estimate  before that                       from a search of a fixed number of positions
//! moves     both together                     all moves of a game
//! ```
//!
//! A game is given as its start and its moves. This room reads no record and no file.

mod endgame;
mod estimate;
mod moves;

pub use endgame::{Analyst, Due, GameAnalysis, PlyAnalysis, SolvedPosition};
pub use estimate::{Estimate, Estimator};
pub use moves::{MoveAnalysis, Outlook, all_moves};
