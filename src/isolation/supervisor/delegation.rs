//! Control groups for ordinary users: where this user cannot create any, and systemd grants them on
//! request, the command runs in a scope of its own, as with
//! ```text
//! systemd-run --user --scope -p Delegate=yes awale …
//! ```

use crate::bot::{ControlGroups, run_name};
use crate::isolation::equip::in_path;
use crate::log::LogError as _;
use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// An environment variable of a command that already runs in such a scope.
const MARK: &str = "AWALE_SCOPE";
/// The request for a scope.
const SCOPE: [&str; 5] = ["--user", "--scope", "--quiet", "-p", "Delegate=yes"];
/// How long systemd may take to grant it.
const PATIENCE: Duration = Duration::from_secs(3);
/// The time between two checks of that.
const PAUSE: Duration = Duration::from_millis(5);

/// Replaces this process by the same command in a scope, if that gives it control groups. `words`
/// are its command line, with the program's name first. Returns where it has control groups
/// already, or where no scope is available.
pub fn take_scope(words: &[OsString], tell: fn(&str)) {
    let is_root = rustix::process::geteuid().is_root();
    if is_root || std::env::var_os(MARK).is_some() || has_groups() {
        return;
    }
    let (Some(systemd_run), Ok(program)) = (in_path("systemd-run"), std::env::current_exe()) else {
        return;
    };
    if !gives_scopes(&systemd_run) {
        return;
    }
    tell("control groups come from systemd-run --user --scope -p Delegate=yes");
    let error = Command::new(&systemd_run)
        .args(SCOPE)
        .arg("--")
        .arg(program)
        .args(words.iter().skip(1))
        .env(MARK, "yes")
        .exec();
    tell(&format!("warning: cannot start systemd-run: {error}"));
}

/// Whether control groups for a box can be created without help.
fn has_groups() -> bool {
    let able = ControlGroups::abilities_here(&run_name());
    able.freeze && able.memory
}

/// Whether systemd grants this user a scope: it does not without a user session.
fn gives_scopes(systemd_run: &Path) -> bool {
    let tried = Command::new(systemd_run)
        .args(SCOPE)
        .args(["--", "true"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut tried) = tried else { return false };
    let end = Instant::now() + PATIENCE;
    while Instant::now() < end {
        match tried.try_wait() {
            Ok(None) => sleep(PAUSE),
            Ok(Some(status)) => return status.success(),
            Err(_) => return false,
        }
    }
    tried.kill().log_error("end systemd-run");
    tried.wait().log_error("wait for systemd-run");
    false
}
