//! Which games can be played again, and how one that was compares with its journal.
//!
//! ```text
//! draw     which games, by a seed
//! compare  one game against the same game played again
//! ```

pub mod compare;
pub mod draw;
