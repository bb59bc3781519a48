//! Is a bot correct? Some fifty small steps, each with its reason and its remedy, green or red.
//!
//! ```text
//! steps           the steps as data: title, reason, remedy, what they need, what is done
//! examine         takes them one after the other, and plays
//!   greet         the first of them, message by message
//!   leave         the last: the bot is asked to leave
//!   again         what fails on time alone is tried again
//!   arrangement   what a game is played under
//!   scene         positions to play from
//!   partner       whom the bot plays against
//!   style         how messages are written
//!   observe       what the system tells of the bot's process
//!   bot_under_test  the protocol over a conversation that is kept
//!   diagnosis     from a fault to the mistake behind it
//!   measure       what is judged from what was seen
//! outcome         what came out
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
