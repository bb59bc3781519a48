//! Bots: programs that run as processes behind the referee's `Player`. This room takes no part in
//! decisions: it knows no tables and no tournaments, and returns faults as data.
//!
//! ```text
//! limits        the limits of a bot, and what this host has of them
//! launch        what to start, and the limits it is started under
//! lines         bytes in, lines out, within bounds                  (pure)
//! cause         the cause of an end, as standard error names it     (pure)
//! fast_reply_watchdog  ends the first moments of exchanges
//! error_stream  drains standard error into the log                  (tokio)
//! temporary_files what a bot's temporary files hold, where only the referee limits them
//! crowding      which bots of a run have more processes than their limit
//! submission    the submitted files: hashed and copied, within bounds
//! process       one running program: start, exchange lines, end     (tokio)
//! sandbox       what a bot sees and may do, and how its process is started
//! program_identity  what identifies a program
//! requests      the referee's questions as messages of the protocol  (pure)
//! player        the protocol over a process: implements Player
//! control_group limits, CPU clock and kill for a bot's whole family (blocking: control files)
//! build         a submission's program, built in its sandbox
//! conversation  lines to and from a process, every one kept
//! ```

mod build;
mod cause;
mod control_group;
mod conversation;
mod crowding;
mod error_stream;
mod fast_reply_watchdog;
mod launch;
mod limits;
mod lines;
mod player;
mod process;
mod program_identity;
mod requests;
mod sandbox;
mod submission;
mod temporary_files;

pub use crate::bot::sandbox::Level;
pub use build::{
    Build, BuildError, BuildFailure, BuildLimits, BuildReport, build_arguments, build_warning,
};
pub use control_group::{
    Abilities, ControlGroup, ControlGroups, HostLimits, is_stale_run, run_name, self_test_name,
};
pub use conversation::{Conversation, ConversationEntry};
pub use error_stream::CappedLog;
pub use launch::{ADAPTER, BotSettings, FileAccess, GivenFile, Launch, OWN_PROGRAM, Own, Restart};
pub use limits::{InPlan, LIMIT_NAMES, LIMITS, LimitKey, LimitUnit, Limits};
pub use player::{BotPlayer, PostGameLog};
pub use process::ExitReport;
pub use program_identity::ProgramIdentity;
pub use requests::{bad_output, choice, game_over_request, new_game_request, turn_line};
pub use sandbox::{
    LAST_USER, ProcMask, Sandbox, SandboxSettings, SandboxedBot, init, receive_descriptor,
    remove_store, send_descriptor,
};
pub use submission::{Contents, Submission, SubmissionError, read_file, small_file};
