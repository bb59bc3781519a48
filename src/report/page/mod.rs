//! `report.html`: one file with everything that a run has to show. It needs no network, and nothing
//! else but a browser.
//!
//! ```text
//! records in schedule order ─┬─ games     what is known of every game at once; moves, times, what
//!                            │            the bots said, and the fault of each
//!                            └─ times     how many moves took how long
//! tables ─── summary   what happened, in sentences, and the tables
//!            class     the students of a class, week by week
//! packing   the games as compressed blocks of text
//! document  the file: the page, its style, its program, the data
//! assets    the page's program, by view, and its style
//! ```
//!
//! The page draws what it is given: no number is computed twice. Text of bots is data in JSON, and
//! the page shows it as text only.

mod class;
mod document;
mod games;
mod packing;
mod summary;
mod times;

#[cfg(test)]
mod tests;

pub use class::{ClassFacts, ClassSecrets, EarlierGrade, StudentFacts};
pub use document::{
    PageHtml, feedback_page, live_page, person_page, play_page, puzzles_page, write_page,
};
pub use games::{BoardGame, Chain, ExactPart, GameColumns, GameDetails, InfoLimit, ShownFault};
pub use packing::PackedGames;
pub use summary::{PageFacts, PageSummary, Reader, TestCurve};
pub use times::TimeHistograms;
