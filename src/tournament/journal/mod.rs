//! The journal: the append-only record of finished games, and the only truth of a run.
//!
//! ```text
//! {"sum":"91b2…","kind":"plan","format":1,"plan":"<sha-256>","identity":{…}}      first line
//! {"sum":"03fe…","kind":"game","id":"1.1","south":"greedy",…}                    one a game
//! ```
//!
//! Every line carries a checksum of the rest of it. A line is appended whole and synced before
//! anybody hears of its game; a torn last line is what a crash leaves, and is cut off. A line
//! that is damaged anywhere else is an error that names it.
//!
//! ```text
//! line   a record or a plan as a line of JSON, and back
//! read   a whole journal
//! write  Journal: appends to whatever storage the caller opened
//! ```

mod line;
mod read;
mod write;

pub use read::{JournalError, JournalReader, JournalText, PlanDifference};
pub use write::{Journal, Storage};

/// The version that this program writes. It reads this and every older one.
pub const FORMAT: u32 = 1;
