//! Landlock: this process and its descendants can use only these files, and reach neither processes
//! nor abstract sockets of the host.

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _,
    RulesetCreatedAttr as _, Scope, path_beneath_rules,
};
use std::io;
use std::path::PathBuf;

/// The newest version whose rights are requested. An older kernel grants what it has; the sandbox's
/// probe measures what that is worth.
const WANTED: ABI = ABI::V6;

/// Denies access to all files except these. A path that does not exist is skipped.
///
/// # Errors
/// The kernel has no Landlock.
pub fn apply(readable: &[PathBuf], writable: &[PathBuf]) -> io::Result<()> {
    restrict(readable, writable).map_err(io::Error::other)
}

fn restrict(readable: &[PathBuf], writable: &[PathBuf]) -> Result<(), landlock::RulesetError> {
    let read = AccessFs::from_read(WANTED);
    let all = AccessFs::from_all(WANTED);
    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(ABI::V1))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(all)?
        .handle_access(AccessNet::from_all(WANTED))?
        .scope(Scope::from_all(WANTED))?
        .create()?
        .add_rules(path_beneath_rules(readable, read))?
        .add_rules(path_beneath_rules(writable, all))?
        .restrict_self()?;
    Ok(())
}
