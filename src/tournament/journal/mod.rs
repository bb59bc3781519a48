//! The journal: the append-only record of finished games. Everything else of a run derives from it.
//!
//! ```text
//! {"sum":"91b2…","kind":"plan","format":1,"plan":{…},"sha256":"…","settings":{…}}   first
//! {"sum":"5ac1…","kind":"admission","entrant":"ada","admitted":true}       one an entrant
//! {"sum":"03fe…","kind":"game","id":"ada~bob.1.1","south":"ada",…}         one a game
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
//! line   an entry or a plan as a line of JSON, and back
//! damage describes the damage of a line
//! damaged_lines  finds damaged lines, with their places in the file
//! repair_line  which lines a repair has set aside
//! admission_lines  the lines that are not games
//! take   the bytes of one line, if they can be one
//! numbers  a list of numbers in a line
//! part   a line as it is parsed, independent of all others
//! read   a journal, line by line
//! parallel  a whole journal, with several threads
//! recorded_plan  the definition of the run in a line, and what may follow it
//! write  Journal: appends to whatever storage the caller opened
//! ```

mod admission_lines;
mod checksum;
mod damage;
mod damaged_lines;
mod entry;
mod journal_error;
mod line;
mod numbers;
mod parallel;
mod part;
mod plan_difference;
mod read;
mod recorded_plan;
mod repair_line;
mod take;
mod write;

pub use crate::tournament::journal::entry::{Entry, IdentifiedGame};
pub use crate::tournament::journal::journal_error::JournalError;
pub use crate::tournament::journal::plan_difference::PlanDifference;
pub use damaged_lines::{FoundLine, FoundLines};
pub use read::{EarlierPlan, JournalReader, JournalState, JournalText};
pub use recorded_plan::{RecordedPlan, check_update};
pub use repair_line::{Repair, SetAsideLine};
pub use take::LONGEST_LINE;
pub use write::{Journal, Storage};

/// The format that this program writes and reads.
pub const FORMAT: u32 = 1;
