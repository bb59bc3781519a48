//! The gate and the first process of the namespace.
//!
//! The gate enters new namespaces and starts the first process there, because the process that
//! creates a PID namespace does not enter it. It is a process of its own, so that the parent stays
//! in the user's namespaces and can continue where this fails. It reports the first process to the
//! parent and ends; the parent adopts its child.
//!
//! The first process prepares its mounts, starts the referee, reaps orphans, and ends when
//! the referee or the parent has ended. With it, every process of the namespace ends.
//!
//! It begins a session without a terminal, for itself, the referee and all bots: where Linux shares
//! the processors between sessions first, other programs of the user's terminal take no bot's
//! share. The parent passes on an interruption and a stop. A command with which a person plays
//! stays in the user's session: the kernel stops it when it reads the terminal in the background.

use crate::bot::init::{give_up_capabilities, unshare};
use crate::isolation::saying;
use crate::isolation::supervisor::channel::{self, CONTINUE, Message, STOP};
use crate::isolation::supervisor::guard::{
    RefereeContext, SupervisorKind, remove_traces, temporary_folder,
};
use crate::isolation::supervisor::roles::{Role, reads_a_terminal, start};
use crate::isolation::supervisor::{descendants, parent};
use crate::log::LogError as _;
use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_change};
use rustix::process::{Pid, Signal, getegid, geteuid, getpid, kill_process, setsid};
use rustix::thread::{
    CapabilitySet, UnshareFlags, capabilities, clear_ambient_capability_set,
    configure_capability_in_ambient_set, set_capabilities,
};
use std::ffi::{CStr, OsString};
use std::fs;
use std::io::{self, Read as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitCode, Stdio};
use tokio::io::AsyncReadExt as _;
use tokio::signal::unix::{SignalKind, signal};

/// The folder of shared memory, which is replaced by one of the run's own.
const SHARED_MEMORY: &str = "/dev/shm";
/// The run's own shared memory. It holds programs, which start sooner, and are copied and freed
/// sooner, from large pages. A kernel without them refuses the first options.
const SHARED_MEMORY_OPTIONS: [&CStr; 2] =
    [c"size=1g,mode=1777,huge=within_size", c"size=1g,mode=1777"];

/// The exit code if the referee has left none.
const FAILURE: u8 = 1;

/// Serves until the end, and returns the referee's exit code.
pub fn serve(run: &str, words: &[OsString]) -> ExitCode {
    let Ok(socket) = channel::inherited() else {
        return ExitCode::FAILURE;
    };
    // The command was typed by hand, or the parent is dead: there is nothing to do.
    let Ok(referees) = channel::receive(&socket) else {
        return ExitCode::FAILURE;
    };
    if !reads_a_terminal(words) {
        // Boxes look for themselves whether they may share the session.
        setsid().log_error("begin a session");
    }
    let started = furnish(run, words).and_then(|folder| {
        let role = Role::Referee(RefereeContext {
            run: run.to_owned(),
            kind: SupervisorKind::Namespace,
            folder,
        });
        start(&role, words, referees.into(), &std::env::temp_dir())
            .map_err(saying("start the referee"))
    });
    let referee = match started {
        Ok(referee) => referee,
        Err(reason) => {
            let told = Message::Refused(reason).send(&socket);
            told.log_error("report to the parent");
            return ExitCode::FAILURE;
        }
    };
    let code = watch(&referee, &socket).ok().flatten();
    if code.is_none() {
        // The parent has ended, or nothing can be watched.
        end(referee);
    }
    // The parent does the same if it exists: its end may be the reason for the referee's.
    remove_traces(&std::env::temp_dir(), run);
    let code = code.unwrap_or(FAILURE);
    // This process ends only after all others of the namespace.
    let told = Message::Ended(code).send(&socket);
    told.log_error("report to the parent");
    ExitCode::from(code)
}

/// Mounts what belongs to the namespace, and returns the folder for the run's temporary files.
fn furnish(run: &str, words: &[OsString]) -> Result<PathBuf, String> {
    if !getpid().is_init() {
        return Err("the first process is not the first".to_owned());
    }
    // Later mounts of the host appear here, but mounts made here do not appear there.
    let flags = MountPropagationFlags::DOWNSTREAM | MountPropagationFlags::REC;
    mount_change("/", flags).map_err(saying("make mounts private"))?;
    let careful = MountFlags::NOSUID | MountFlags::NODEV;
    let no_programs = careful | MountFlags::NOEXEC;
    mount("proc", "/proc", "proc", no_programs, None).map_err(saying("mount /proc"))?;
    let mount_shared = |options| mount("tmpfs", SHARED_MEMORY, "tmpfs", careful, options).is_ok();
    let hidden = !names_shared_memory(words) && SHARED_MEMORY_OPTIONS.into_iter().any(mount_shared);
    drop_rights().map_err(saying("drop the right to mount"))?;
    Ok(if hidden {
        // Bots see this path inside that memory; its name reveals nothing about the run.
        Path::new(SHARED_MEMORY).join("run")
    } else {
        temporary_folder(&std::env::temp_dir(), run)
    })
}

/// Whether the user's files may be in shared memory: then it must not be hidden.
fn names_shared_memory(words: &[OsString]) -> bool {
    let is_there = |path: PathBuf| path.starts_with(SHARED_MEMORY);
    let names = |text: &[u8]| {
        let name = SHARED_MEMORY.as_bytes();
        text.windows(name.len()).any(|part| part == name)
    };
    // A path that does not exist yet is in its parent folder.
    let leads_there = |path: &Path| {
        let mut found = path.ancestors().filter_map(|path| path.canonicalize().ok());
        found.next().is_some_and(is_there)
    };
    let named = words.iter().skip(1).any(|word| {
        let path = Path::new(word);
        names(word.as_encoded_bytes())
            || leads_there(path)
            || beginning_of(path).is_ok_and(|text| names(&text))
    });
    named
        || leads_there(Path::new("."))
        || leads_there(Path::new("results"))
        || leads_there(&std::env::temp_dir())
}

/// The first MiB of a regular file: a configuration may name shared memory too.
fn beginning_of(path: &Path) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    if path.is_file() {
        fs::File::open(path)?.take(1 << 20).read_to_end(&mut text)?;
    }
    Ok(text)
}

/// Drops the rights that an ordinary user has in the user namespace; root stays root.
fn drop_rights() -> io::Result<()> {
    if geteuid().is_root() {
        return Ok(());
    }
    clear_ambient_capability_set()?;
    give_up_capabilities()
}

/// Waits for the referee's end, and returns its exit code, or for the parent's, and returns `None`.
fn watch(referee: &Child, socket: &UnixStream) -> io::Result<Option<u8>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()?;
    runtime.block_on(async {
        let mut ended = signal(SignalKind::child())?;
        socket.set_nonblocking(true)?;
        let mut socket = tokio::net::UnixStream::from_std(socket.try_clone()?)?;
        loop {
            let mut code = None;
            descendants::reap(|pid, status| {
                if pid == Pid::from_child(referee) {
                    code = Some(parent::code_of(status));
                }
            });
            if code.is_some() {
                return Ok(code);
            }
            tokio::select! {
                _ = ended.recv() => {}
                sent = socket.read_u8() => match sent {
                    Ok(STOP) => pass_on(referee, Signal::STOP),
                    Ok(CONTINUE) => pass_on(referee, Signal::CONT),
                    // The end of the parent.
                    Ok(_) | Err(_) => return Ok(None),
                },
            }
        }
    })
}

/// Stops the referee or lets it go on. It is not reaped, so the number is its own.
fn pass_on(referee: &Child, signal: Signal) {
    let sent = kill_process(Pid::from_child(referee), signal);
    sent.log_error("stop the referee, or let it go on");
}

fn end(mut referee: Child) {
    referee.kill().log_error("kill the referee");
    referee.wait().log_error("wait for the referee");
}

/// Starts the first process, reports it through its socket and ends; the parent adopts its child.
pub fn pass_gate(run: &str, words: &[OsString]) -> ExitCode {
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
