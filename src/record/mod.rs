//! Values that describe finished games. Their serde forms are what the journal holds; no other type
//! copies them.
//!
//! ```text
//! evidence   the bytes in both directions, kept when a game ended by a fault
//! fault      the faults of bots
//! hint       what an author can do about a fault
//! game_id    the ids of pairs and games
//! game       GameRecord and how it ended
//! summary    what tables need of a game: sums of times instead of its plies
//! grading    how a class is graded
//! sample     hand-made records for tests
//! exclusion  what does not count: entrants not admitted or withdrawn, open pairs
//! ```

mod evidence;
mod exclusion;
mod fault;
mod game;
mod game_id;
mod grading;
mod hint;
#[cfg(test)]
pub(crate) mod sample;
mod summary;

pub use evidence::{Chunk, Evidence, ProcessEnd, Transcript, Usage, Writer};
pub use exclusion::{Admission, Examiner, Exclusions, Refusal, Withdrawal};
pub use fault::{AT_THE_FIRST_MESSAGE, DOES_NOT_BUILD, Fault, FaultKind};
pub use game::{GameEnding, GameRecord, PlayedAt, PlyRecord, Said, Void};
pub use game_id::{GameId, GameKey, GameNumber, LONGEST_ID, LONGEST_LABEL, PairId, is_of_labels};
pub use grading::{
    GRADES_TABLE, Grading, OlderVersion, Person, PointsItem, RosterStatus, ShownNames,
};
pub use hint::{
    BYTE_ORDER_MARK, COMPUTED_ALL_THE_TIME, EMPTY_PIT, FORBIDDEN_PIT, HELD_BACK, NO_INTERPRETER,
    NO_NEWLINE, NOTHING_CAME, SLEEPS, WINDOWS_LINE_END, WRONG_SIDE, fix, hint,
};
pub use summary::{GameSummary, MoveTimes};
