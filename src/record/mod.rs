//! What is known of a finished game: a value, whatever stores or shows it.
//!
//! ```text
//! evidence   what went both ways, kept when a game ended by a fault
//! fault      what a bot did wrong
//! game_id    what pairs and games are called
//! game       GameRecord and how it ended
//! void       how the host disturbed a game, and who was on turn
//! exclusion  what does not count: who was not admitted or was withdrawn, pairs given up
//! ```

mod evidence;
mod exclusion;
mod fault;
mod game;
mod game_id;
mod void;

pub use evidence::{Chunk, Evidence, ProcessEnd, Transcript, Usage, Writer};
pub use exclusion::{Admission, Charge, ChargedGame, Examiner, Exclusions, Refusal, Withdrawal};
pub use fault::{Fault, FaultKind};
pub use game::{GameEnding, GameRecord, PlyRecord};
pub use game_id::{GameId, GameNumber, LONGEST_ID, LONGEST_LABEL, PairId, is_of_labels};
pub use void::Void;
