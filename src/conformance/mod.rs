//! Checks whether a bot is correct: about fifty small steps, each with its reason and its fix.
//!
//! ```text
//! steps           the steps as data: title, reason, fix, the steps they need, their action
//! examine         takes them one after the other, and plays
//!   greet         the first of them, message by message
//!   leave         the last of them: the bot is asked to quit
//!   again         repeats what fails only because of time
//!   arrangement   the terms of a game
//!   scene         positions to play from
//!   partner       the opponent of the bot
//!   style         how messages are written
//!   observe       what the system reports of the bot's process
//!   bot_under_test  the protocol over a conversation that is kept
//!   diagnosis     from a fault to the mistake behind it
//!   measure       judges what was observed
//! outcome         the results
//! ```

mod again;
mod arrangement;
mod bot_under_test;
mod diagnosis;
mod examine;
mod greet;
mod leave;
mod measure;
mod observe;
mod outcome;
mod partner;
mod scene;
pub mod steps;
mod style;

pub use arrangement::ExaminationTerms;
pub use bot_under_test::Budgets;
pub use examine::examine;
pub use outcome::{StepCounts, StepReport, StepVerdict};
