//! What is known of a finished game: a value, whatever stores or shows it.
//!
//! ```text
//! fault   what a bot did wrong
//! game    GameId, GameRecord and how it ended
//! ```

mod fault;
mod game;

pub use fault::{Fault, FaultKind};
pub use game::{GameEnding, GameId, GameNumber, GameRecord, PairId, PlyRecord};
