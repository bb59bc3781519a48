//! The journal: the append-only record of finished games. Everything else of a run derives from it.
//!
//! ```text
//! {"sum":"91b2…","kind":"plan","format":1,"plan":{…},"sha256":"…","settings":{…}}   first
//! {"sum":"5ac1…","kind":"admission","entrant":"ada"}                       one an entrant
//! {"sum":"03fe…","kind":"game","id":"ada~bob.1.1","attempt":1,…}           one a game
//! {"sum":"77d0…","kind":"withdrawal","entrant":"ada","after":"ada~bob.9.2",…}     if any
//! {"sum":"2b90…","kind":"settings","settings":{…}}             if a run goes on with others
//! {"sum":"e4c7…","kind":"plan",…}                              if its plan changes: a revision
//! {"sum":"d1f0…","kind":"repair","set_aside":[…]}              if damaged lines were set aside
//! ```
//!
//! After a revision, games of earlier ones stay in the journal. A reader that is told for which
//! plan results are to count says of each entry whether it does.
//!
//! Every line begins with a checksum of its rest. A line is appended whole and synced before any
//! event reports it. A crash leaves a torn last line, which is cut off; damage in any other line is
//! an error that names the line.
//!
//! ```text
//! line      an entry or a plan as a line of JSON, and back
//! part      takes one line after the other from a file, and parses them
//! read      a journal, line by line, and the plan in it
//! parallel  a whole journal, with several threads
//! write     Journal: appends to whatever storage the caller opened
//! damage    finds damaged lines, and describes the damage
//! error     why a journal cannot be used
//! ```

mod damage;
mod error;
mod line;
mod parallel;
mod part;
mod read;
mod write;

pub use damage::{FoundLine, FoundLines};
pub use error::{JournalError, PlanDifference};
pub use line::{Entry, IdentifiedGame, Repair, SetAsideLine};
pub use part::LONGEST_LINE;
pub use read::{EarlierPlan, JournalReader, JournalState, JournalText, RecordedPlan, check_update};
pub use write::{Journal, Storage};

/// The format that this program writes and reads.
pub const FORMAT: u32 = 1;
