//! Bots: programs as processes behind the referee's `Player`. Knows nothing of what is legal, of
//! who is winning, or of tournaments: faults come back as data.
//!
//! ```text
//! launch        what to start, and the limits it is started under
//! lines         bytes in, lines out, within bounds                  (pure)
//! log           the first and the last bytes of standard error      (pure)
//! reading_time  what the referee spends on reading what one bot writes
//! error_stream  drains standard error into the log                  (tokio)
//! folder_removal  removes what a bot left, however deep
//! crowding      which bots of a run have more processes than they may
//! submission    the folder of files that a stranger gave: hashed and copied, within bounds
//! recorder      what went both ways, with times, for the evidence of a fault
//! usage         what a process used, from /proc
//! process       one running program: start, exchange lines, end     (tokio)
//! sandbox       what a bot sees and may do, and how a process of it is started
//! program_identity  what makes a program this one and no other
//! player        the protocol over a process: implements Player
//! control_group limits, clocks and an end for a bot's whole family (blocking: control files)
//! conversation  lines with a process, as they are, every one kept
//! ```

mod control_group;
mod conversation;
mod crowding;
mod error_stream;
mod folder_removal;
mod launch;
mod limits;
mod lines;
mod log;
mod player;
mod process;
mod program_identity;
mod reading_time;
mod recorder;
mod sandbox;
mod submission;
mod usage;

pub use crate::bot::sandbox::Level;
pub use crate::bot::submission::submission_error::SubmissionError;
pub use control_group::{Abilities, ControlGroup, ControlGroups, is_stale_run, run_name};
pub use conversation::{Conversation, Speaker, Utterance};
pub use launch::{BotSettings, FileAccess, GivenFile, Launch, Own, Restart};
pub use limits::{InPlan, LIMIT_NAMES, LIMITS, LimitKey, LimitUnit, Limits};
pub use log::CappedLog;
pub use player::{BotPlayer, game_over_request, new_game_request, turn_request};
pub use process::ExitReport;
pub use program_identity::ProgramIdentity;
pub use sandbox::{Sandbox, SandboxSettings, SandboxedBot, init, remove_store};
pub use submission::{Contents, Submission, read_file};
