//! Whether a bot that owes an answer stands still: it cannot run again before it gets more input,
//! so it will never answer. An examination need not wait for its deadline then. Games never look.
//!
//! This is certain or it is not claimed. All of this must hold, and nothing of the bot may have run
//! in the meantime:
//!
//! * The bot is one process: another one could wake it, or end and wake it.
//! * Each of its threads waits, without a time limit, for a pipe or for another of its threads.
//! * No descriptor leads to anything that can wake it by itself or from outside: a timer, a socket,
//!   a terminal, a watched folder. Its input is a pipe that only the referee writes to, and empty.
//! * It has no timer, and handles no signal that a hidden timer could send.
//!
//! What the kernel does not show counts as something that can wake it.

use crate::bot::sandbox::Level;
use crate::procfs::{
    OpenFile, SchedulerTotals, Stat, WaitingCall, family, handled_signals, has_timers, open_files,
    shows_children, threads, watched_by,
};
use crate::record::{Fault, FaultKind, WAITS_FOR_INPUT};
use rustix::fs::fstat;
use rustix::io::ioctl_fionread;
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

/// How long nothing of the bot may run.
const CALM: Duration = Duration::from_millis(500);
/// The time between two looks.
const PAUSE: Duration = Duration::from_millis(100);
/// Signals that the kernel can send to a process without a cause outside of it: by `alarm`, or
/// because a folder has changed.
const FROM_NOWHERE: [i32; 2] = [libc::SIGALRM, libc::SIGIO];
/// The major number of `/dev/null` and its like, from which no event comes.
const OF_MEMORY: u32 = 1;

/// Whether a process is watched for a standstill, and whether that has been seen.
#[derive(Clone, Copy, Debug, Default)]
pub struct Standstill {
    pub is_watched: bool,
    pub is_seen: bool,
}

/// The type of a request, for messages.
fn kind_of(request: &[u8]) -> String {
    let value: Option<serde_json::Value> = serde_json::from_slice(request).ok();
    let kind = value.as_ref().and_then(|value| value.get("type")?.as_str());
    kind.unwrap_or("the request").to_owned()
}

/// The watch over one exchange.
#[derive(Debug)]
pub struct StandstillWatch {
    /// The process that the referee started.
    started: i32,
    level: Level,
    /// The end of the bot's input that the referee writes to.
    input: OwnedFd,
    /// The inode of that pipe.
    inode: u64,
    /// The type of the request.
    request: String,
    /// Whether the bot was seen to stand still.
    pub is_seen: bool,
}

/// All threads of a bot as they wait. No thread has run between two looks that are equal.
#[derive(Debug, PartialEq, Eq)]
struct StillLook {
    process: i32,
    threads: Vec<(i32, SchedulerTotals, UntimedWait)>,
}

/// What a thread waits for without a time limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum UntimedWait {
    /// Data from this descriptor.
    Read(i32),
    /// Events of this epoll descriptor.
    Epoll(i32),
    /// Events of descriptors that are not known.
    Poll,
    /// Another thread of the same process.
    Thread,
}

impl StandstillWatch {
    /// The watch over the wait for the answer to a request. `input` is the referee's end of the
    /// bot's input.
    ///
    /// # Errors
    /// The host has no descriptor left.
    pub fn new(
        (started, level): (i32, Level),
        input: BorrowedFd<'_>,
        request: &[u8],
    ) -> io::Result<Self> {
        let input = input.try_clone_to_owned()?;
        let inode = fstat(&input)?.st_ino;
        Ok(Self {
            started,
            level,
            input,
            inode,
            request: kind_of(request),
            is_seen: false,
        })
    }

    /// Waits until the bot stands still; forever, if it never does. The future may be dropped and
    /// called again.
    pub async fn fault(&mut self) -> Fault {
        let mut last: Option<(Instant, StillLook)> = None;
        loop {
            tokio::time::sleep(PAUSE).await;
            last = match (self.look(), last) {
                (None, _) => None,
                (Some(now), Some((since, before))) if now == before => {
                    if since.elapsed() >= CALM && self.waits_for_input(&now) {
                        // The descriptors are those of this look if nothing has run since.
                        if self.look().as_ref() == Some(&now) {
                            self.is_seen = true;
                            return self.verdict();
                        }
                    }
                    Some((since, before))
                }
                (Some(now), _) => Some((Instant::now(), now)),
            };
        }
    }

    fn verdict(&self) -> Fault {
        let detail = format!(
            "{WAITS_FOR_INPUT} and has not answered `{}`: is its output flushed, with a \
             newline at its end?",
            self.request
        );
        Fault::new(FaultKind::Timeout, detail)
    }

    /// A look at the bot; `None` if anything of it can run.
    fn look(&self) -> Option<StillLook> {
        let process = only_process(self.started, self.level)?;
        let mut ids = threads(process);
        ids.sort_unstable();
        let look = |thread: i32| {
            let stat = Stat::of_thread(process, thread)?;
            let waits = stat.state() == 'S';
            let call = waits.then(|| WaitingCall::of_thread(process, thread))??;
            let schedule = SchedulerTotals::of_thread(process, thread)?;
            Some((thread, schedule, untimed(&call)?))
        };
        let threads: Option<Vec<_>> = ids.into_iter().map(look).collect();
        let threads = threads.filter(|threads| !threads.is_empty())?;
        Some(StillLook { process, threads })
    }

    /// Whether nothing but input can wake the bot, and one of its threads waits for input.
    fn waits_for_input(&self, look: &StillLook) -> bool {
        let StillLook { process, threads } = look;
        let is_handled = |handled: u64| FROM_NOWHERE.iter().any(|it| handled >> (it - 1) & 1 == 1);
        if !shows_children(*process)
            || has_timers(*process) != Some(false)
            || handled_signals(*process).is_none_or(is_handled)
            || !matches!(ioctl_fionread(&self.input), Ok(0))
        {
            return false;
        }
        let mut has_reader = false;
        for (thread, _, wait) in threads {
            let Some(files) = open_files(*process, *thread) else {
                return false;
            };
            let is_input =
                |descriptor: i32| files.contains(&(descriptor, OpenFile::Pipe(self.inode)));
            let watched = |epoll| watched_by(*process, *thread, epoll);
            has_reader |= match *wait {
                UntimedWait::Read(descriptor) => is_input(descriptor),
                UntimedWait::Epoll(epoll) => watched(epoll).into_iter().any(is_input),
                UntimedWait::Poll => true,
                UntimedWait::Thread => false,
            };
            if !files.iter().all(|(_, file)| is_calm(file)) {
                return false;
            }
        }
        has_reader
    }
}

/// The bot's process, if it has only one.
fn only_process(started: i32, level: Level) -> Option<i32> {
    match (level, &family(started)[..]) {
        (Level::None | Level::Landlock, [bot]) => Some(*bot),
        // bubblewrap and process 1 of the box, each the only child of the one before it.
        (Level::Box, [_, first, bot]) if Stat::of(*bot)?.parent() == Some(*first) => Some(*bot),
        _ => None,
    }
}

/// What a thread waits for, if its call has no time limit. The kernel's function must fit the call:
/// a thread that was frozen or stopped in a call waits elsewhere.
fn untimed(call: &WaitingCall) -> Option<UntimedWait> {
    let arguments = call.arguments;
    let is_null = |place: usize| arguments[place] == 0;
    // The kernel takes 32 bits of such an argument, with a sign.
    let low = |place: usize| u32::try_from(arguments[place] & u64::from(u32::MAX)).ok();
    let is_negative = |place: usize| low(place).is_some_and(|it| it.cast_signed() < 0);
    let descriptor = low(0)?.cast_signed();
    let (is_untimed, wait, channel) = match call.number {
        libc::SYS_read | libc::SYS_readv => (true, UntimedWait::Read(descriptor), "pipe"),
        libc::SYS_futex => (
            is_wait_of_own_threads(low(1)?) && is_null(3),
            UntimedWait::Thread,
            "futex",
        ),
        libc::SYS_ppoll => (is_null(2), UntimedWait::Poll, "poll"),
        libc::SYS_pselect6 => (is_null(4), UntimedWait::Poll, "poll"),
        libc::SYS_epoll_pwait => (is_negative(3), UntimedWait::Epoll(descriptor), "ep"),
        libc::SYS_epoll_pwait2 => (is_null(3), UntimedWait::Epoll(descriptor), "ep"),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_epoll_wait => (is_negative(3), UntimedWait::Epoll(descriptor), "ep"),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_poll => (is_negative(2), UntimedWait::Poll, "poll"),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_select => (is_null(4), UntimedWait::Poll, "poll"),
        _ => return None,
    };
    let is_there = call.channel.contains(channel)
        || (wait == UntimedWait::Poll && call.channel.contains("select"));
    (is_untimed && is_there).then_some(wait)
}

/// Whether an operation on a futex waits, for threads of the same process alone.
fn is_wait_of_own_threads(operation: u32) -> bool {
    let has = |flag: i32| operation & flag.cast_unsigned() != 0;
    let command = operation & libc::FUTEX_CMD_MASK.cast_unsigned();
    let waits = [libc::FUTEX_WAIT, libc::FUTEX_WAIT_BITSET];
    has(libc::FUTEX_PRIVATE_FLAG) && waits.iter().any(|it| it.cast_unsigned() == command)
}

/// Whether no event comes from an open file, except from other threads and the referee.
fn is_calm(file: &OpenFile) -> bool {
    match file {
        OpenFile::Stored | OpenFile::Pipe(_) => true,
        OpenFile::Device(major) => *major == OF_MEMORY,
        OpenFile::Anonymous(name) => {
            ["anon_inode:[eventfd]", "anon_inode:[eventpoll]"].contains(&name.as_str())
        }
        OpenFile::Other => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(number: i64, arguments: [u64; 6], channel: &str) -> WaitingCall {
        WaitingCall {
            number,
            arguments,
            channel: channel.to_owned(),
        }
    }

    #[test]
    fn a_wait_with_a_time_limit_is_none_of_these() {
        const FOREVER: u64 = u32::MAX as u64;
        let (futex, epoll) = (libc::SYS_futex, libc::SYS_epoll_pwait);
        let (on_pipe, on_futex, on_poll) = ("anon_pipe_read", "futex_do_wait", "do_sys_poll");
        let (reads, other) = (Some(UntimedWait::Read(0)), Some(UntimedWait::Thread));
        let (events, polls) = (Some(UntimedWait::Epoll(9)), Some(UntimedWait::Poll));
        for (number, arguments, channel, expected) in [
            (libc::SYS_read, [0; 6], on_pipe, reads),
            (libc::SYS_read, [0; 6], "do_freezer_trap", None),
            (libc::SYS_read, [0; 6], "0", None),
            (futex, [1, 128, 0, 0, 0, 0], on_futex, other),
            (futex, [1, 137, 0, 0, 0, 0], on_futex, other),
            // With a time limit, for other processes too, and a call that wakes others.
            (futex, [1, 137, 0, 7, 0, 0], on_futex, None),
            (futex, [1, 0, 0, 0, 0, 0], on_futex, None),
            (futex, [1, 129, 0, 0, 0, 0], on_futex, None),
            (epoll, [9, 1, 8, FOREVER, 0, 8], "ep_poll", events),
            (epoll, [9, 1, 8, u64::MAX, 0, 8], "ep_poll", events),
            (epoll, [9, 1, 8, 2000, 0, 8], "ep_poll", None),
            (libc::SYS_ppoll, [1, 1, 0, 0, 0, 0], on_poll, polls),
            (libc::SYS_ppoll, [1, 1, 8, 0, 0, 0], on_poll, None),
            (libc::SYS_pselect6, [1, 1, 0, 0, 0, 0], "do_select", polls),
            (libc::SYS_clock_nanosleep, [0; 6], "hrtimer_nanosleep", None),
            (libc::SYS_wait4, [0; 6], "do_wait", None),
        ] {
            let found = untimed(&call(number, arguments, channel));
            assert_eq!(found, expected, "{number} {arguments:?} {channel}");
        }
    }

    #[test]
    fn only_files_without_events_are_calm() {
        let anonymous = |name: &str| OpenFile::Anonymous(format!("anon_inode:{name}"));
        for (file, expected) in [
            (OpenFile::Stored, true),
            (OpenFile::Pipe(7), true),
            (OpenFile::Device(1), true),
            (OpenFile::Device(5), false),
            (anonymous("[eventfd]"), true),
            (anonymous("[timerfd]"), false),
            (anonymous("[signalfd]"), false),
            (anonymous("inotify"), false),
            (OpenFile::Other, false),
        ] {
            assert_eq!(is_calm(&file), expected, "{file:?}");
        }
    }

    #[test]
    fn a_request_is_called_by_its_type() {
        assert_eq!(kind_of(b"{\"type\":\"hello\",\"protocol\":1}\n"), "hello");
        assert_eq!(kind_of(b"[]\n"), "the request");
    }
}
