//! `awale __init` runs between the referee and a bot's first instruction. The referee starts only
//! this program: preparing a process between `fork` and `exec` would take longer as the referee
//! grows, and code there must not allocate or lock.
//!
//! ```text
//! referee ─posix_spawn▶ outer: enters the control groups, becomes another user, takes limits
//!                         │ none, landlock: becomes the bot
//!                         ▼ box:
//!                       bubblewrap: namespaces, mounts
//!                         │
//!                         ▼
//!                       inner: process 1 of the box: covers, limits, filters; starts the bot,
//!                       reaps, freezes, tells the referee how the bot ended, and ends the box
//!                       with it
//! ```
//!
//! `init_spec` is what the referee says to it, and `own_process` what it does to itself.
//!
//! Each end of the status channel ends the other: if the referee ends, so does the box.
//!
//! Nothing here is logged: standard error is the bot's. Steps that no promise depends on may fail
//! silently, and the status channel reports all others.

mod init_spec;
mod inner;
mod outer;
mod own_process;

pub use inner::unshare;
pub use outer::give_up_capabilities;
pub use own_process::restore_defaults;

pub(super) use init_spec::{InitSpec, InnerSpec, LandlockAccess, OuterSpec, ResourceLimits};
#[cfg(test)]
pub(super) use inner::tell_of_start;
pub(super) use inner::{FREEZE, RIGHTS, THAW};
pub(super) use own_process::passed_on;

use own_process::ProcessVariables;
use std::ffi::OsString;
use std::process::ExitCode;

/// The hidden command that runs this.
pub const COMMAND: &str = "__init";

/// Carries out the specification in `words`, the arguments after [`COMMAND`], with the variables of
/// this process. It returns only if that fails, or when the box has ended.
pub fn main(words: Vec<OsString>, variables: ProcessVariables) -> ExitCode {
    let Some((spec, command)) = InitSpec::parse(words) else {
        let refusal = format!("error: {COMMAND} is how awale starts bots; not for use by hand\n");
        let _ = rustix::io::write(rustix::stdio::stderr(), refusal.as_bytes());
        return ExitCode::from(2);
    };
    let outcome = match spec {
        InitSpec::Inner(spec) => inner::run(&spec, command, variables),
        InitSpec::Outer(spec) => outer::run(spec, command, variables),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::from(127),
    }
}
