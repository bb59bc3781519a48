//! The parent: the process that the user started. Starts the referee behind a supervisor, passes
//! interruptions on, waits until all of it has ended, and clears away what the run has on the host.

use super::channel::{self, Message, Messages};
use super::descendants::Descendants;
use super::guard::{
    RefereeContext, SupervisorKind, choose_temporary_folder, remove_stale_traces, remove_traces,
    temporary_folder,
};
use super::roles::{Role, reads_a_terminal, start};
use super::stopping::{StopSignals, heard};
use crate::bot::{ControlGroups, OWN_PROGRAM, run_name};
use crate::isolation::supervisor::SupervisorError;
use crate::log::LogError as _;
use crate::procfs::{Stat, ignores_signal};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitStatus, getpid, kill_process, set_child_subreaper};
use rustix::termios::tcgetpgrp;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write as _};
use std::net::Shutdown;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;
use tokio::signal::unix::{self, SignalKind, signal};
use tokio::time::Instant;
use tracing::debug;

/// This many interruptions are asked of the referee; then a Ctrl-C or SIGTERM ends it unasked.
const ASKED: u32 = 2;
/// How long a namespace may take to end when all in it are being killed.
const EXIT_TIMEOUT: Duration = Duration::from_secs(5);

/// The code of a run that was interrupted, as shells show it: 128 + SIGINT.
const INTERRUPTED: u8 = 130;

/// Runs the command behind a supervisor and returns its exit code.
pub fn watch_over(words: &[OsString], tell: fn(&str)) -> Result<u8, SupervisorError> {
    if !Path::new(OWN_PROGRAM).exists() {
        return Err(SupervisorError::NoProc);
    }
    let temporary = choose_temporary_folder(tell)?;
    remove_stale_traces(&temporary);
    ControlGroups::expect_entries();
    // Adopts the first process when the gate ends, and without a namespace everybody.
    set_child_subreaper(Some(getpid())).map_err(io::Error::from)?;
    let run = run_name();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let code = runtime.block_on(async {
        let mut watch = ParentWatch::new(tell, &temporary)?;
        let refused = match watch.behind_namespace(&run, words).await? {
            NamespaceOutcome::Ended(code) => return Ok(code),
            NamespaceOutcome::Refused(reason) => reason,
        };
        debug!("no namespace ({refused}): this process supervises");
        watch.behind_subreaper(&run, words, refused).await
    });
    remove_traces(&temporary, &run);
    if let Ok(code) = code
        && i32::from(code) == 128 + Signal::XFSZ.as_raw()
    {
        return Err(SupervisorError::FileTooLarge);
    }
    if let Ok(code) = code
        && code > 128
        && code != INTERRUPTED
    {
        tell(&format!(
            "the referee was killed by signal {}; what was played is safe, and the same command \
             goes on",
            code - 128
        ));
    }
    code
}

enum NamespaceOutcome {
    Ended(u8),
    /// No namespace is available, for this reason.
    Refused(String),
}

/// The process whose end the parent waits for.
enum Awaited<'a> {
    Gate,
    /// It reports how the referee ended before it ends itself.
    FirstProcess(&'a mut Messages),
    /// Where there is no namespace.
    Referee,
}

impl Awaited<'_> {
    const fn messages(&mut self) -> Option<&mut Messages> {
        match self {
            Self::FirstProcess(messages) => Some(messages),
            Self::Gate | Self::Referee => None,
        }
    }
}

/// The signals, sockets and processes of the parent.
struct ParentWatch<'a> {
    child: unix::Signal,
    interrupt: unix::Signal,
    terminate: unix::Signal,
    hang_up: Option<unix::Signal>,
    stops: StopSignals,
    interruptions: u32,
    /// The other end is the referee's.
    referee: Option<UnixStream>,
    /// The other end is the gate's, then the first process's: closed, it ends the namespace.
    first: Option<UnixStream>,
    was_ended: bool,
    family: Descendants,
    tell: fn(&str),
    temporary: &'a Path,
    /// Codes of the children that have ended, by number.
    ended: BTreeMap<i32, u8>,
}

impl<'a> ParentWatch<'a> {
    /// Handles signals from now on, so that the end of no later child is missed.
    fn new(tell: fn(&str), temporary: &'a Path) -> io::Result<Self> {
        let hang_up = (!ignores_signal(Signal::HUP)).then(|| signal(SignalKind::hangup()));
        Ok(Self {
            child: signal(SignalKind::child())?,
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: hang_up.transpose()?,
            stops: StopSignals::new()?,
            interruptions: 0,
            referee: None,
            first: None,
            was_ended: false,
            family: Descendants::new(),
            tell,
            temporary,
            ended: BTreeMap::new(),
        })
    }

    /// Opens the referee's socket and sends the user's standard input through it, or an empty one;
    /// returns the referee's end.
    fn open_referees(&mut self, without_input: bool) -> io::Result<UnixStream> {
        let (ours, theirs) = UnixStream::pair()?;
        if without_input {
            channel::send(&ours, File::open("/dev/null")?.as_fd())?;
        } else {
            channel::send(&ours, io::stdin().as_fd())?;
        }
        ours.set_nonblocking(true)?;
        self.referee = Some(ours);
        Ok(theirs)
    }

    async fn behind_namespace(
        &mut self,
        run: &str,
        words: &[OsString],
    ) -> Result<NamespaceOutcome, SupervisorError> {
        let referees = self.open_referees(in_background() && !reads_a_terminal(words))?;
        let (ours, theirs) = UnixStream::pair()?;
        channel::send(&ours, referees.as_fd())?;
        // All other ends are closed before another process can inherit one.
        drop(referees);
        self.first = Some(ours.try_clone()?);
        let role = Role::Gate {
            run: run.to_owned(),
        };
        let gate = Pid::from_child(&start(
            &role,
            words,
            OwnedFd::from(theirs).into(),
            self.temporary,
        )?);
        let mut messages = Messages::from(ours)?;
        let gates_code = self.wait_for(gate, Awaited::Gate).await;
        messages.receive();
        let code = if let Some(first) = messages.first_process() {
            let first = i32::try_from(first).ok().and_then(Pid::from_raw);
            let first = first.ok_or(io::Error::from(io::ErrorKind::InvalidData))?;
            debug!("the first process of the namespace is {first:?}");
            let code = self
                .wait_for(first, Awaited::FirstProcess(&mut messages))
                .await;
            messages.receive();
            code
        } else {
            // The gate failed or was killed: its child, if it has started one, ends now.
            self.end_namespace();
            let heard = tokio::time::timeout(EXIT_TIMEOUT, messages.receive_to_end());
            heard.await.log_error("hear the end of the namespace");
            match messages.referee_ended() {
                Some(code) => code,
                // A gate that reported nothing may have ended with 0 although the run failed.
                None if gates_code == 0 => return Err(SupervisorError::NoWord),
                None => gates_code,
            }
        };
        let refused = messages.received().into_iter().find_map(|word| match word {
            Message::Refused(reason) if !self.was_ended => Some(NamespaceOutcome::Refused(reason)),
            _ => None,
        });
        Ok(refused.unwrap_or(NamespaceOutcome::Ended(code)))
    }

    async fn behind_subreaper(
        &mut self,
        run: &str,
        words: &[OsString],
        reason: String,
    ) -> Result<u8, SupervisorError> {
        let referees = OwnedFd::from(self.open_referees(false)?);
        // Interruptions of the first attempt are passed on to this referee.
        for _ in 0..self.interruptions {
            self.pass_on();
        }
        let role = Role::Referee(RefereeContext {
            run: run.to_owned(),
            kind: SupervisorKind::Subreaper { reason },
            folder: temporary_folder(self.temporary, run),
        });
        let referee = Pid::from_child(&start(&role, words, referees.into(), self.temporary)?);
        let code = self.wait_for(referee, Awaited::Referee).await;
        self.family.kill_all();
        Ok(code)
    }

    /// Waits for the end of a child and returns its code, as a shell shows it. The last
    /// interruption kills the referee; otherwise it ends the namespace. A first process that has
    /// said its last word ends with the last process of its namespace: that is waited for in
    /// bounded time.
    async fn wait_for(&mut self, child: Pid, mut awaited: Awaited<'_>) -> u8 {
        let mut said_last: Option<(u8, Instant)> = None;
        loop {
            // The process that is awaited next may have ended already, as first process of a dead
            // gate.
            let ended = &mut self.ended;
            self.family.reap(|pid, status| {
                ended.insert(pid.as_raw_pid(), code_of(status));
            });
            let code = self.ended.remove(&child.as_raw_pid());
            match code {
                Some(_) if self.was_ended => return INTERRUPTED,
                Some(code) => return code,
                None => {}
            }
            let may_end = tokio::select! {
                _ = self.child.recv() => continue,
                _ = self.interrupt.recv() => true,
                _ = self.terminate.recv() => true,
                () = heard(self.hang_up.as_mut()) => false,
                () = self.stops.recv(self.first.as_ref()) => {
                    self.stops.stop(self.first.as_ref()).await;
                    continue;
                }
                code = last_word(awaited.messages()), if said_last.is_none() => {
                    said_last = Some((code, Instant::now() + EXIT_TIMEOUT));
                    continue;
                }
                code = overdue(said_last) => {
                    if let Some(survivors) = self.family.survivors(child) {
                        (self.tell)(&survivors);
                    }
                    return if self.was_ended { INTERRUPTED } else { code };
                }
            };
            if self.interruptions < ASKED {
                self.interruptions += 1;
                self.pass_on();
            } else if may_end {
                self.was_ended = true;
                self.end_namespace();
                if matches!(awaited, Awaited::Referee) {
                    // Our child, and not reaped: the number is its own.
                    kill_process(child, Signal::KILL).log_error("kill the referee");
                }
            }
        }
    }

    fn pass_on(&mut self) {
        if let Some(referee) = &mut self.referee {
            // A referee that has ended needs no interruption.
            let asked = referee.write_all(b"!");
            asked.log_error("ask the referee to end");
        }
    }

    fn end_namespace(&mut self) {
        if let Some(first) = self.first.take() {
            // Our end stays open, so that its last message can be read.
            let ended = first.shutdown(Shutdown::Write);
            ended.log_error("end the namespace");
        }
    }
}

/// The exit code in the last message of the first process, if that process is awaited.
async fn last_word(messages: Option<&mut Messages>) -> u8 {
    match messages {
        Some(messages) => messages.referees_code().await,
        None => std::future::pending().await,
    }
}

/// Ends when a namespace whose first process has sent its last message has had enough time to end.
async fn overdue(last_word: Option<(u8, Instant)>) -> u8 {
    match last_word {
        Some((code, end)) => {
            tokio::time::sleep_until(end).await;
            code
        }
        None => std::future::pending().await,
    }
}

/// Whether standard input is the terminal of a shell that runs this program in the background. The
/// referee must not read there: it is not in that session, so the kernel would not stop it.
fn in_background() -> bool {
    // `OPNOTSUPP` stands for a group outside the namespace. Two different ones there look the same.
    let is_our_terminal = matches!(tcgetpgrp(io::stdin()), Ok(_) | Err(Errno::OPNOTSUPP));
    let own = Stat::of_this_process().filter(|_| is_our_terminal);
    own.is_some_and(|own| own.foreground_group() != own.group())
}

/// How a shell shows the end of a process.
pub fn code_of(status: WaitStatus) -> u8 {
    let code = match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => code,
        (None, signal) => 128 + signal.unwrap_or(0),
    };
    u8::try_from(code & 0xff).unwrap_or(u8::MAX)
}
