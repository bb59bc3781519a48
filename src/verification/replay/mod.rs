//! Draws games to replay with their bots, and compares a replayed game with its journal.
//!
//! ```text
//! draw     draws games by a seed
//! compare  compares a game with its replay
//! ```

pub mod compare;
pub mod draw;
