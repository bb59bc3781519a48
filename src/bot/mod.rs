//! Bots: programs as processes behind the referee's `Player`. Knows nothing of what is legal, of
//! who is winning, or of tournaments: faults come back as data.
//!
//! ```text
//! launch   what to start, and the limits it is started under
//! ```

mod launch;

pub use launch::{BotSettings, Launch, Limits, Restart};
