//! The gate enters new namespaces and starts the first process there, because the process that
//! creates a PID namespace does not enter it. It is a process of its own, so that the parent stays
//! in the user's namespaces and can continue where this fails.

use super::channel::{self, Message};
use super::roles::{Role, start};
use crate::log::LogError as _;
use rustix::process::{getegid, geteuid};
use rustix::thread::{
    CapabilitySet, UnshareFlags, capabilities, configure_capability_in_ambient_set,
    set_capabilities, unshare_unsafe,
};
use std::ffi::OsString;
use std::fmt::Display;
use std::fs;
use std::io;
use std::process::{ExitCode, Stdio};

/// Starts the first process, reports it through its socket and ends; the parent adopts its child.
pub fn pass(run: &str, words: &[OsString]) -> ExitCode {
    let role = Role::FirstProcess {
        run: run.to_owned(),
    };
    let passed = separate().and_then(|()| {
        let started = start(&role, words, Stdio::inherit(), &std::env::temp_dir());
        started.map_err(saying("start the first process"))
    });
    let (message, code) = match passed {
        Ok(first) => (Message::Started(first.id()), ExitCode::SUCCESS),
        Err(reason) => (Message::Refused(reason), ExitCode::FAILURE),
    };
    // If the parent has ended, the first process notices it by itself.
    let told = channel::inherited().and_then(|socket| message.send(&socket));
    told.log_error("report to the parent");
    code
}

/// Enters new namespaces; an ordinary user gets the rights for that from a user namespace.
fn separate() -> Result<(), String> {
    let spaces = UnshareFlags::NEWPID | UnshareFlags::NEWNS;
    if unshare(spaces).is_ok() {
        return Ok(());
    }
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    unshare(spaces | UnshareFlags::NEWUSER).map_err(saying("make namespaces"))?;
    let write = |file: &str, text: String| {
        fs::write(format!("/proc/self/{file}"), text).map_err(saying("map the user"))
    };
    // Maps ids to themselves: files keep their owners.
    write("setgroups", "deny".to_owned())?;
    write("uid_map", format!("{user} {user} 1"))?;
    write("gid_map", format!("{group} {group} 1"))?;
    keep_right_to_mount().map_err(saying("keep the right to mount"))
}

/// Executing the next program would drop all rights that an ordinary user has in the new user
/// namespace, except ambient ones.
fn keep_right_to_mount() -> io::Result<()> {
    let mut sets = capabilities(None)?;
    sets.inheritable |= CapabilitySet::SYS_ADMIN;
    set_capabilities(None, sets)?;
    Ok(configure_capability_in_ambient_set(
        CapabilitySet::SYS_ADMIN,
        true,
    )?)
}

#[expect(unsafe_code, reason = "the only way into new namespaces")]
fn unshare(spaces: UnshareFlags) -> io::Result<()> {
    // SAFETY: only a separate table of descriptors would be dangerous, and these flags do not
    // create one; this process has one thread.
    Ok(unsafe { unshare_unsafe(spaces) }?)
}

pub fn saying<E: Display>(attempt: &str) -> impl FnOnce(E) -> String {
    move |error| format!("cannot {attempt}: {error}")
}
