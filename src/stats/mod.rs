//! Statistics: counts in, numbers out. Knows nothing of awalé, of names of files, or of printing.
//!
//! ```text
//! games → tally (counts per ordered pair of entrants)
//! ```
//!
//! Everything here is a function of the *set* of games: their order changes nothing.

pub mod tally;
