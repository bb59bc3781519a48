//! The stage outside of any box: a process of the referee that gives up its rights before it
//! becomes the bot or bubblewrap.

use super::super::seccomp::{self, Confinement};
use crate::bot::launch::OWN_PROGRAM;
use crate::bot::sandbox::init::COMMAND;
use crate::bot::sandbox::init::init_spec::{InitSpec, InnerSpec, LandlockAccess, OuterSpec};
use crate::bot::sandbox::init::own_process::{
    FIRST_TO_GO, ProcessVariables, adopt, be_nice, keep_to_ourselves, leave_open, of_bot, pass_on,
    restore_defaults, set_limit,
};
use crate::bot::sandbox::status_channel::{START, report};
use landlock::{
    ABI, Access as _, AccessFs, AccessNet, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _,
    RulesetCreatedAttr as _, RulesetError, Scope, path_beneath_rules,
};
use rustix::process::Resource;
use rustix::thread::{
    CapabilitySet, CapabilitySets, set_capabilities, set_thread_groups, set_thread_res_gid,
    set_thread_res_uid,
};
use std::ffi::{CString, NulError, OsString};
use std::fs::{self, File};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt as _;

/// The kernel kills the processes that hold a box, process 1 among them, after the bot and before
/// everything else.
const SOON_TO_GO: &str = "900";

/// Executes the command of the specification; returns only if that failed.
pub fn run(spec: OuterSpec, command: Vec<OsString>, variables: ProcessVariables) -> io::Result<()> {
    let status = adopt(spec.status)?;
    let is_boxed = spec.boxed.is_some();
    let told = File::from(status.try_clone()?);
    let attempt =
        |what: &str, done: io::Result<()>| done.map_err(|error| report(&told, what, error));
    attempt("close what others left open", keep_to_ourselves())?;
    for group in &spec.enter {
        let entered = fs::write(group, "0");
        attempt(&format!("enter {}", group.display()), entered)?;
    }
    if !is_boxed {
        be_nice();
    }
    let limited = set_limit((Resource::Core, 0)).and_then(|()| spec.limits.set());
    attempt("set limits", limited)?;
    // This must happen while the process still has the right to. A value that root writes is also
    // the lowest one that its descendants may set.
    let score = if is_boxed { SOON_TO_GO } else { FIRST_TO_GO };
    let _ = fs::write("/proc/self/oom_score_adj", score);
    if !is_boxed {
        // Processes that the bot leaves behind stay its descendants, where the referee looks for
        // them.
        attempt("adopt orphans", adopt_orphans())?;
    }
    if let Some(user) = spec.user {
        attempt("become another user", become_user(user))?;
    }
    if let Some(access) = &spec.landlock {
        attempt("give up capabilities", give_up_capabilities())?;
        attempt(
            "shut out the files of the host",
            restrict_files(access).map_err(io::Error::other),
        )?;
        attempt("filter system calls", seccomp::apply(Confinement::Host))?;
    }
    let (command, variables) = match spec.boxed {
        Some(boxed) => (attempt_streams(boxed, command, status)?, variables),
        None => (command, of_bot(variables)),
    };
    if let Some(directory) = &spec.directory {
        attempt(
            START,
            rustix::process::chdir(directory).map_err(io::Error::from),
        )?;
    }
    Err(report(&told, START, become_command(command, variables)))
}

/// Executes the command by its path. The library's search would pass a file that is not a program
/// to a shell.
pub(super) fn become_command(command: Vec<OsString>, variables: ProcessVariables) -> io::Error {
    let join = |(name, value): (OsString, OsString)| [name, value].join("=".as_ref());
    let words = c_strings(command.into_iter());
    let variables = c_strings(variables.into_iter().map(join));
    let (Ok(words), Ok(variables)) = (words, variables) else {
        return io::ErrorKind::InvalidInput.into();
    };
    restore_defaults();
    match nix::unistd::execve(&words[0], &words, &variables) {
        Err(errno) => errno.into(),
    }
}

fn c_strings(texts: impl Iterator<Item = OsString>) -> Result<Vec<CString>, NulError> {
    texts.map(|text| CString::new(text.into_vec())).collect()
}

/// Makes this process the subreaper of its descendants. The bot inherits that and cannot change it,
/// because a filter refuses the call.
fn adopt_orphans() -> io::Result<()> {
    Ok(rustix::process::set_child_subreaper(Some(
        rustix::process::getpid(),
    ))?)
}

/// Switches from root to a user that owns nothing on the host.
fn become_user(user: u32) -> io::Result<()> {
    let (uid, gid) = (
        rustix::process::Uid::from_raw(user),
        rustix::process::Gid::from_raw(user),
    );
    set_thread_groups(&[])?;
    set_thread_res_gid(gid, gid, gid)?;
    set_thread_res_uid(uid, uid, uid)?;
    Ok(())
}

/// Empties the sets of this process.
///
/// # Errors
/// The kernel refuses it.
pub fn give_up_capabilities() -> io::Result<()> {
    let none = CapabilitySets {
        effective: CapabilitySet::empty(),
        permitted: CapabilitySet::empty(),
        inheritable: CapabilitySet::empty(),
    };
    Ok(set_capabilities(None, none)?)
}

/// Gives bubblewrap standard streams of its own, which stay open: input and output lead to
/// `/dev/null`, so that the referee notices when a bot closes its streams. The bot's streams are
/// passed as other descriptors. Messages of bubblewrap go to the bot's log.
fn attempt_streams(
    (inner, words): (InnerSpec, usize),
    mut command: Vec<OsString>,
    status: OwnedFd,
) -> io::Result<Vec<OsString>> {
    let streams = [
        pass_on(rustix::stdio::stdin())?,
        pass_on(rustix::stdio::stdout())?,
        pass_on(rustix::stdio::stderr())?,
    ];
    let nowhere = File::options().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&nowhere)?;
    rustix::stdio::dup2_stdout(&nowhere)?;
    let inner = InnerSpec {
        status: leave_open(status)?,
        program: pass_on(File::open(OWN_PROGRAM)?)?,
        proc: pass_on(File::open("/proc")?)?,
        streams,
        ..inner
    };
    // bubblewrap starts this program by its open file: it has no path in the box.
    let program = format!("/proc/self/fd/{}", inner.program);
    let bot = command.split_off(words);
    command.extend(["--", program.as_str(), COMMAND].map(OsString::from));
    command.extend(InitSpec::Inner(inner).words(bot));
    Ok(command)
}

/// The newest version whose rights are requested. An older kernel grants what it has; the sandbox's
/// probe measures what that is worth.
const LANDLOCK: ABI = ABI::V6;

/// Denies this process and its descendants access to all files except these, and to processes and
/// abstract sockets of the host. A path that does not exist is skipped.
fn restrict_files(access: &LandlockAccess) -> Result<(), RulesetError> {
    let read = AccessFs::from_read(LANDLOCK);
    let all = AccessFs::from_all(LANDLOCK);
    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(ABI::V1))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(all)?
        .handle_access(AccessNet::from_all(LANDLOCK))?
        .scope(Scope::from_all(LANDLOCK))?
        .create()?
        .add_rules(path_beneath_rules(&access.read, read))?
        .add_rules(path_beneath_rules(&access.write, all))?
        .restrict_self()?;
    Ok(())
}
