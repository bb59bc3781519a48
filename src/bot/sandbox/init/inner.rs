//! Process 1 of a box. When it ends, the kernel ends every process of the box.
//!
//! It has one thread and no signal handler: the kernel drops every signal that a process of the box
//! sends to its process 1, unless a handler exists for it or it is blocked. A handler would let a
//! bot interrupt a system call here. Only SIGCHLD is blocked, and it is read as data; a bot that
//! sends it wakes this process without any effect.

use crate::bot::sandbox::init::init_spec::InnerSpec;
use crate::bot::sandbox::init::outer::{become_command, give_up_capabilities};
use crate::bot::sandbox::init::own_process::{
    FIRST_TO_GO, ProcessVariables, adopt, be_nice, hear_only_ends, of_bot, restore_defaults,
};
use crate::bot::sandbox::machine::{COVERS, PROC, SYS};
use crate::bot::sandbox::seccomp::{self, Confinement};
use crate::bot::sandbox::status_channel::{
    LastWords, START, STARTED, report, send_descriptor, tell,
};
use nix::sys::signal::{SigSet, Signal, kill};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::unistd::Pid;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{Mode, OFlags, openat};
use rustix::io::Errno;
use rustix::mount::mount_bind;
use rustix::process::{
    DumpableBehavior, PidfdFlags, WaitOptions, WaitStatus, pidfd_open, set_dumpable_behavior,
    setpgid, wait,
};
use rustix::thread::{
    CapabilitySet, UnshareFlags, clear_ambient_capability_set, remove_capability_from_bounding_set,
    unshare_unsafe,
};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// All processes of this namespace except this one.
const EVERYBODY: Pid = Pid::from_raw(-1);
/// The referee's request to stop all processes.
pub(in crate::bot::sandbox) const FREEZE: u8 = b'f';
/// The referee's request to continue all processes.
pub(in crate::bot::sandbox) const THAW: u8 = b't';

/// Starts the bot and waits until it has ended.
pub fn run(spec: &InnerSpec, words: Vec<OsString>, variables: ProcessVariables) -> io::Result<()> {
    let status = File::from(adopt(spec.status)?);
    drop(adopt(spec.program));
    let failed = |attempt| {
        let status = &status;
        move |error| report(status, attempt, error)
    };
    restore_defaults();
    let (ends, blocked) = ends_of_children().map_err(failed("watch the box"))?;
    let bot = start(spec, words, variables);
    let bot = bot.map_err(|(attempt, error)| report(&status, attempt, error))?;
    // Not before the start: the bot would inherit the blocked signal.
    let blocked = blocked.thread_block();
    blocked.map_err(|error| failed("watch the box")(error.into()))?;
    hear_only_ends().map_err(failed("watch the box"))?;
    tell_of_start(&status, &bot)?;
    // If the referee has ended, it wants the end of the box.
    if let Some(ending) = watch(&status, &ends, &bot)? {
        tell(&status, &ending)?;
    }
    end_box();
    Ok(())
}

/// Ends all processes of the box and reaps them. The kernel would end them with this process, but
/// add their CPU time to nothing; so it is in the sums of this process, which the referee sees.
fn end_box() {
    let _ = kill(EVERYBODY, Signal::SIGKILL);
    while matches!(wait(WaitOptions::empty()), Ok(_) | Err(Errno::INTR)) {}
}

/// Tells that the bot runs, and passes on what becomes readable when its first process ends. The
/// referee looks at that itself: this process is frozen with the bot, and may be told of the end
/// late. Where that cannot be passed on, the referee waits for what this process tells.
pub(in crate::bot::sandbox) fn tell_of_start(mut status: &File, bot: &Child) -> io::Result<()> {
    let line = format!("{STARTED}\n");
    let Ok(end) = pidfd_open(rustix::process::Pid::from_child(bot), PidfdFlags::empty()) else {
        return status.write_all(line.as_bytes());
    };
    // Descriptors on their way are counted for each user, so other programs can use up all of them.
    match send_descriptor(status, line.as_bytes(), end.as_fd()) {
        Ok(()) => Ok(()),
        Err(_) => status.write_all(line.as_bytes()),
    }
}

/// Waits for the bot's end and carries out requests meanwhile. `None` if the referee ended first.
fn watch(status: &File, ends: &SignalFd, bot: &Child) -> io::Result<Option<LastWords>> {
    // The bot may have ended before the signal was blocked.
    if let Some(ending) = reap(bot)? {
        return Ok(Some(ending));
    }
    loop {
        let mut events = [
            PollFd::new(status, PollFlags::IN),
            PollFd::new(ends, PollFlags::IN),
        ];
        match poll(&mut events, None) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let [asked, ended] = events.map(|event| !event.revents().is_empty());
        if ended {
            // One signal may stand for many children, so reading it only clears the descriptor.
            while let Ok(Some(_)) = ends.read_signal() {}
            if let Some(ending) = reap(bot)? {
                return Ok(Some(ending));
            }
        }
        if asked && !obey(status) {
            // The referee has closed its end; the bot's end is still reported first.
            return reap(bot);
        }
    }
}

/// Blocks SIGCHLD and makes it readable from a descriptor.
fn ends_of_children() -> io::Result<(SignalFd, SigSet)> {
    let mut ends = SigSet::empty();
    ends.add(Signal::SIGCHLD);
    let flags = SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC;
    Ok((SignalFd::with_flags(&ends, flags)?, ends))
}

/// Carries out the referee's requests; false if the referee has ended.
fn obey(mut status: &File) -> bool {
    let mut words = [0; 64];
    let count = match status.read(&mut words) {
        Ok(0) => return false,
        Ok(count) => count,
        Err(error) => return error.kind() == io::ErrorKind::Interrupted,
    };
    // Only the last request counts. A bot that was thawed meanwhile may be on turn already, and a
    // SIGSTOP now would leave a child that is being forked stopped from its birth.
    let mut signals = words[..count].iter().filter_map(|word| match *word {
        FREEZE => Some(Signal::SIGSTOP),
        THAW => Some(Signal::SIGCONT),
        _ => None,
    });
    if let Some(signal) = signals.next_back() {
        let _ = kill(EVERYBODY, signal);
    }
    true
}

type StartStep<T> = Result<T, (&'static str, io::Error)>;

fn start(spec: &InnerSpec, words: Vec<OsString>, variables: ProcessVariables) -> StartStep<Child> {
    let attempt = |what: &'static str| move |error: io::Error| (what, error);
    let score = KillScore::open(spec);
    if spec.covers {
        cover_proc().map_err(attempt("cover /proc"))?;
        give_up_rights().map_err(attempt("give up rights"))?;
    }
    // bubblewrap outside is in the same group of processes, and a signal reaches a whole group. The
    // leader of a session is refused, and has a group of its own already.
    match setpgid(None, None) {
        Ok(()) | Err(Errno::PERM) => {}
        Err(error) => return Err(("begin a group of processes", error.into())),
    }
    // The bot must not read the memory or the descriptors of this process.
    set_dumpable_behavior(DumpableBehavior::NotDumpable)
        .map_err(|error| ("hide process 1", error.into()))?;
    let [input, output, error] = spec.streams.map(adopt);
    let mut command = Command::new(&words[0]);
    command
        .stdin(Stdio::from(input.map_err(attempt("take standard input"))?))
        .stdout(Stdio::from(
            output.map_err(attempt("take standard output"))?,
        ))
        .stderr(Stdio::from(error.map_err(attempt("take standard error"))?));
    become_bot(&mut command, spec, words, variables);
    // The bot inherits this score, so it is killed for memory before process 1, which restores its
    // own.
    score.set(FIRST_TO_GO);
    let bot = command.spawn().map_err(attempt(START));
    score.restore();
    bot
}

/// Sets the limits, the niceness and the filter of the bot in its own process, which then executes
/// its program by the path: std would pass a file that is not a program to a shell. This process
/// keeps the limits of the referee, because the kernel compares what all bots of a user hold with
/// the limit of the process that asks for more. It is not nice: it would wait for all threads of
/// its bot before it could stop or end them. And it passes on a descriptor, which the filter may
/// refuse.
fn become_bot(
    command: &mut Command,
    spec: &InnerSpec,
    words: Vec<OsString>,
    variables: ProcessVariables,
) {
    let limits = spec.limits.clone();
    let confinement = if spec.counted {
        Confinement::CountedBox
    } else {
        Confinement::Box
    };
    // The last of two values of a name counts.
    let variables: BTreeMap<_, _> = of_bot(variables).into_iter().collect();
    let begin = move || {
        limits.set()?;
        be_nice();
        seccomp::apply(confinement)?;
        Err(become_command(
            words.clone(),
            variables.clone().into_iter().collect(),
        ))
    };
    #[expect(
        unsafe_code,
        reason = "std has no safe way to act between fork and exec"
    )]
    // SAFETY: this process has one thread, so the child may do what this process may.
    unsafe {
        command.pre_exec(begin);
    }
}

/// The score by which the kernel chooses what to kill when memory runs out. No process of the box
/// can write it, because `/proc` is read-only there. This process writes it through the host's
/// `/proc`, whose descriptor is closed with this value.
struct KillScore {
    file: Option<File>,
    own: String,
}

impl KillScore {
    /// Opens the file while this user still owns it. No promise depends on its success.
    fn open(spec: &InnerSpec) -> Self {
        let open = || {
            let proc = adopt(spec.proc).ok()?;
            let flags = OFlags::RDWR | OFlags::CLOEXEC;
            openat(proc, "self/oom_score_adj", flags, Mode::empty()).ok()
        };
        let mut file = open().map(File::from);
        let mut own = String::new();
        if let Some(file) = &mut file {
            let _ = file.read_to_string(&mut own);
        }
        Self { file, own }
    }

    fn set(&self, score: &str) {
        if let Some(mut file) = self.file.as_ref() {
            let _ = file.write_all(score.trim().as_bytes());
        }
    }

    fn restore(self) {
        self.set(&self.own);
    }
}

/// Reaps all children that have ended; returns how the bot ended, if it has.
fn reap(bot: &Child) -> io::Result<Option<LastWords>> {
    let bot = rustix::process::Pid::from_child(bot);
    let mut ending = None;
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some((pid, status))) if pid == bot => ending = Some(last_words(status)),
            Ok(Some(_)) | Err(Errno::INTR) => {}
            Ok(None) => return Ok(ending),
            Err(_) if ending.is_some() => return Ok(ending),
            Err(error) => return Err(error.into()),
        }
    }
}

fn last_words(status: WaitStatus) -> LastWords {
    let signal = status.terminating_signal().unwrap_or_default();
    let exited = status.exit_status().map(LastWords::Exited);
    exited.unwrap_or(LastWords::Signalled(signal))
}

/// The rights that bubblewrap leaves to process 1: to mount, and to give up rights for good.
pub const RIGHTS: [(&str, CapabilitySet); 2] = [
    ("CAP_SYS_ADMIN", CapabilitySet::SYS_ADMIN),
    ("CAP_SETPCAP", CapabilitySet::SETPCAP),
];

/// Mounts each entry of [`COVERS`] over the entry of the same name in `/proc`. A cover is read-only
/// because the folder is.
///
/// # Errors
/// The covers are not there, or the kernel refuses a mount: the box is not complete.
pub fn cover_proc() -> io::Result<()> {
    // The mounts of the box belong to the user namespace in which bubblewrap made them. In a copy,
    // which belongs to the namespace of this process, they are locked: none can be removed.
    unshare(UnshareFlags::NEWNS)?;
    let folder = Path::new(COVERS);
    let names: io::Result<Vec<OsString>> = fs::read_dir(folder)?
        .map(|entry| Ok(entry?.file_name()))
        .collect();
    let over = |name: &OsString| mount_bind(folder.join(name), Path::new(PROC).join(name));
    // The one that covers the folder of all others comes last.
    let (last, names): (Vec<_>, Vec<_>) = names?.into_iter().partition(|name| name == SYS);
    if last.is_empty() {
        return Err(io::ErrorKind::NotFound.into());
    }
    Ok(names.iter().chain(&last).try_for_each(over)?)
}

/// Puts this process, or its later children, into new namespaces.
///
/// # Errors
/// The kernel refuses it.
#[expect(unsafe_code, reason = "rustix has no other way into new namespaces")]
pub fn unshare(spaces: UnshareFlags) -> io::Result<()> {
    // SAFETY: only a separate table of descriptors would be dangerous, and no caller asks for one.
    Ok(unsafe { unshare_unsafe(spaces) }?)
}

/// Gives up all rights: neither this process nor the bot can get one back.
pub fn give_up_rights() -> io::Result<()> {
    for (_, right) in RIGHTS {
        remove_capability_from_bounding_set(right)?;
    }
    clear_ambient_capability_set()?;
    give_up_capabilities()
}
