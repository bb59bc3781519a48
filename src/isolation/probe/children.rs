//! Processes that the probe starts. Each ends by itself.

use crate::bot::OWN_PROGRAM;
use crate::bot::init::unshare;
use nix::sys::signal::{SigEvent, SigevNotify, Signal};
use nix::sys::time::TimeSpec;
use nix::sys::timer::{Expiration, Timer, TimerSetTimeFlags};
use nix::time::ClockId;
use rustix::thread::UnshareFlags;
use std::io::{self, Write as _};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// Sleeps.
pub const SLEEP: &str = "sleep";
/// Starts a ticking process and ends.
pub const DAEMON: &str = "daemon";
/// Creates a user namespace; succeeds if that is possible.
pub const NEST: &str = "nest";
/// Leaves its group and writes to standard error all the time.
const TICK: &str = "tick";

/// The lifetime of each of them.
const LIFE: Duration = Duration::from_secs(2);
/// The time between two bytes of a ticking process.
const PAUSE: Duration = Duration::from_micros(250);

/// Starts a process with a role, without waiting for it.
pub fn start(part: &str, mark: &str) -> io::Result<Child> {
    Command::new(OWN_PROGRAM)
        .args([COMMAND, part, mark])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
}

/// Plays a role.
pub fn play(part: &str, mark: &str) -> ExitCode {
    let done = match part {
        SLEEP => {
            std::thread::sleep(LIFE);
            true
        }
        DAEMON => start(TICK, mark).is_ok(),
        NEST => unshare(UnshareFlags::NEWUSER).is_ok(),
        TICK => {
            tick();
            true
        }
        _ => false,
    };
    ExitCode::from(u8::from(!done))
}

fn tick() {
    // Where a stop is only a signal, a timer that sends the opposite signal ends it.
    let event = SigEvent::new(SigevNotify::SigevSignal {
        signal: Signal::SIGCONT,
        si_value: 0,
    });
    let mut timer = Timer::new(ClockId::CLOCK_MONOTONIC, event).ok();
    if let Some(timer) = &mut timer {
        let each = Expiration::Interval(TimeSpec::from_duration(PAUSE));
        let _ = timer.set(each, TimerSetTimeFlags::empty());
    }
    // Filters refuse both calls.
    if rustix::process::setsid().is_err() {
        let _ = rustix::process::setpgid(None, None);
    }
    let end = Instant::now() + LIFE;
    // It continues without a reader: that is its purpose.
    while Instant::now() < end {
        let _ = io::stderr().write_all(b".");
        std::thread::sleep(PAUSE);
    }
}

/// The hidden command that runs this.
pub const COMMAND: &str = "__probe";
