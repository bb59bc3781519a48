//! Checks whether a bot is correct: about fifty small steps, each with its reason and its fix.
//!
//! ```text
//! steps            the steps as data: title, reason, fix, the steps they need, their action
//! examine          takes them one after the other, and plays
//!   greeting       the first and the last of them, message by message
//!   arrangement    the terms of a game, its positions and the opponent of the bot
//!   message_style  how messages are written
//!   observe        what the system reports of the bot's process
//!   bot_under_test the protocol over a conversation that is kept
//!   measure        judges what was observed
//! outcome          the results
//! ```

mod arrangement;
mod bot_under_test;
mod examine;
mod greeting;
mod measure;
mod message_style;
mod observe;
mod outcome;
pub mod steps;

pub use arrangement::ExaminationTerms;
pub use bot_under_test::Budgets;
pub use examine::{Extent, examine};
pub use outcome::{Lateness, StepCounts, StepReport, StepVerdict};
