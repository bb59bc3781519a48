//! Process 1 of a box. With it the kernel ends the whole box, whatever hides in it.

use super::super::seccomp::{self, Neighbours};
use super::descriptors::adopt;
use super::orders::Orders;
use super::outer::set_limit;
use super::{EXITED, SIGNALLED, START, STARTED, report};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use rustix::process::{
    DumpableBehavior, Resource, WaitOptions, WaitStatus, set_dumpable_behavior, wait,
};
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::process::{Child, Command, Stdio, exit};
use std::thread;

/// Everything in this namespace but ourselves.
const EVERYBODY: Pid = Pid::from_raw(-1);
/// The referee's word for: stop everybody.
pub(in crate::bot::sandbox) const FREEZE: u8 = b'f';
/// The referee's word for: let everybody go on.
pub(in crate::bot::sandbox) const THAW: u8 = b't';

/// Starts the bot and stays until it has ended.
pub(super) fn run(orders: &Orders) -> io::Result<()> {
    let status = File::from(adopt(orders.status.unwrap_or_default())?);
    drop(orders.program.map(adopt));
    let ears = status.try_clone()?;
    // Before there is a bot, which may leave no room for another thread.
    thread::Builder::new()
        .spawn(move || listen(ears))
        .map_err(|error| report(&status, "listen to the referee", error))?;
    let bot = start(orders).map_err(|(attempt, error)| report(&status, attempt, error))?;
    writeln!(&status, "{STARTED}")?;
    let ending = reap(&bot)?;
    writeln!(&status, "{ending}")
}

type Attempt<T> = Result<T, (&'static str, io::Error)>;

fn start(orders: &Orders) -> Attempt<Child> {
    let attempt = |what: &'static str| move |error: io::Error| (what, error);
    // Opened while it is still ours to write.
    let killed_first = File::options()
        .write(true)
        .open("/proc/self/oom_score_adj")
        .ok();
    let be_killed = |score: &str| {
        if let Some(mut file) = killed_first.as_ref() {
            let _ = file.write_all(score.as_bytes());
        }
    };
    // Neither our memory nor our descriptors are the bot's to look into.
    set_dumpable_behavior(DumpableBehavior::NotDumpable)
        .map_err(|error| ("hide process 1", error.into()))?;
    let streams = orders.streams.unwrap_or_default();
    let [input, output, error] = streams.map(adopt);
    let (program, arguments) = orders.command.split_first().expect("orders have a command");
    let mut command = Command::new(program);
    command
        .args(arguments)
        .stdin(Stdio::from(input.map_err(attempt("take standard input"))?))
        .stdout(Stdio::from(
            output.map_err(attempt("take standard output"))?,
        ))
        .stderr(Stdio::from(error.map_err(attempt("take standard error"))?));
    let limits = [
        (Resource::Nproc, orders.processes),
        (Resource::Nofile, orders.files),
    ];
    for (resource, limit) in limits {
        set_limit(resource, limit).map_err(attempt("set limits"))?;
    }
    seccomp::apply(Neighbours::Nobody).map_err(attempt("filter system calls"))?;
    // The bot inherits this and is killed for memory before process 1, which may come back.
    be_killed("1000");
    let bot = command.spawn().map_err(attempt(START));
    be_killed("0");
    bot
}

/// Obeys the referee; when it is gone, nobody here has any business left.
fn listen(mut ears: File) {
    let mut word = [0];
    while let Ok(1) = ears.read(&mut word) {
        let signal = match word[0] {
            FREEZE => Signal::SIGSTOP,
            THAW => Signal::SIGCONT,
            _ => continue,
        };
        let _ = kill(EVERYBODY, signal);
    }
    exit(0);
}

/// Buries whoever dies, until it is the bot; says how that ended.
fn reap(bot: &Child) -> io::Result<String> {
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if pid == rustix::process::Pid::from_child(bot) => {
                return Ok(describe(status));
            }
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

fn describe(status: WaitStatus) -> String {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => format!("{EXITED} {code}"),
        (None, Some(signal)) => format!("{SIGNALLED} {signal}"),
        (None, None) => String::from("ended"),
    }
}
