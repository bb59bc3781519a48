//! A whole tournament: what is to be played, who plays it where, and the journal of what was.
//!
//! Knows neither the protocol's JSON, nor TOML, nor which program a bot is: players come from
//! whoever calls, and the journal writes to what the caller opened.
//!
//! ```text
//! plan      Plan: everything that decides games, resolved; its identity and hash
//! openings  the positions that pairs start from
//! schedule  plan → pairs with stable ids, a pure function
//! ```

mod openings;
mod plan;
mod schedule;

pub use openings::{Opening, OpeningError, Openings, parse_openings, random_openings};
pub use plan::{Entrant, EntrantIndex, Format, OpeningSource, Plan};
pub use schedule::{Pair, Schedule};
