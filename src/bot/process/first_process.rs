//! The bot's own first process, as the kernel's scheduler sees it.
//!
//! How long a thread stood in the run queue the scheduler says only once it runs again. Whoever
//! still stands there at a deadline is known by this: it could run, and its CPU time stands still.

use super::descendants::state;
use crate::referee::Scheduled;
use nix::time::ClockId;
use nix::unistd::Pid;
use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::time::{Duration, Instant};

/// A process, and since when it has not run.
#[derive(Debug)]
pub(super) struct FirstProcess {
    /// The state of its first thread.
    state: File,
    schedule: File,
    /// CPU time of all its threads, exact at every moment.
    clock: ClockId,
    /// What that clock showed when it was looked at, and when it first showed that.
    progress: Option<(Duration, Instant)>,
    /// What the scheduler had said of its first thread when counting began.
    before: Option<Scheduled>,
}

impl FirstProcess {
    /// Nothing where it has ended, or where the system does not tell.
    pub(super) fn of(process: i32) -> Option<Self> {
        let file = |name: &str| File::open(format!("/proc/{process}/{name}")).ok();
        Some(Self {
            state: file("stat")?,
            schedule: file("schedstat")?,
            clock: ClockId::pid_cpu_clock_id(Pid::from_raw(process)).ok()?,
            progress: None,
            before: None,
        })
    }

    /// What it does is counted from now on.
    pub(super) fn begin(&mut self, now: Instant) {
        self.before = scheduled(&self.schedule);
        self.progress = None;
        self.look(now);
    }

    /// Looks whether it has run since the last look.
    pub(super) fn look(&mut self, now: Instant) {
        let used = self.used();
        if self.progress.map(|(before, _)| before) != used {
            self.progress = used.map(|used| (used, now));
        }
    }

    /// What the scheduler did with its first thread since counting began; in the run queue it is
    /// also while it stands there and has not run since a look.
    pub(super) fn scheduled(&self, now: Instant) -> Option<Scheduled> {
        let waits = self.waits(now);
        let since = scheduled(&self.schedule)?.since(self.before?);
        Some(Scheduled {
            queued: since.queued.saturating_add(waits),
            ..since
        })
    }

    /// How long it has not run although it can.
    fn waits(&self, now: Instant) -> Duration {
        // In this order: whoever runs after the look at its state has another CPU time.
        if self.can_run()
            && let Some((before, since)) = self.progress
            && self.used() == Some(before)
        {
            return now.saturating_duration_since(since);
        }
        Duration::ZERO
    }

    fn used(&self) -> Option<Duration> {
        self.clock.now().ok().map(Duration::from)
    }

    /// Whether its first thread runs or could.
    fn can_run(&self) -> bool {
        let mut text = [0; 512];
        let length = self.state.read_at(&mut text, 0).unwrap_or(0);
        state(&text[..length]) == Some(b'R')
    }
}

/// The scheduler's own words on a thread: ns that it ran, ns that it stood in the run queue, and
/// how often it ran.
pub(super) fn scheduled(file: &File) -> Option<Scheduled> {
    let mut text = [0; 64];
    let length = file.read_at(&mut text, 0).ok()?;
    parse_scheduled(std::str::from_utf8(&text[..length]).ok()?)
}

fn parse_scheduled(text: &str) -> Option<Scheduled> {
    let mut numbers = text.split_whitespace().map(|word| word.parse::<u64>().ok());
    let (ran, queued, times) = (numbers.next()??, numbers.next()??, numbers.next()??);
    // A kernel that does not count says nothing but zeros.
    (times > 0).then_some(Scheduled {
        ran: Duration::from_nanos(ran),
        queued: Duration::from_nanos(queued),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn who_sleeps_does_not_wait() {
        let mut sleeper = Command::new("sleep").arg("60").spawn().expect("a program");
        let number = sleeper.id().try_into().expect("a number");
        let mut process = FirstProcess::of(number).expect("a process that is alive");
        // Until it has come to its sleep.
        while process.can_run() {
            std::thread::sleep(Duration::from_millis(1));
        }
        process.begin(Instant::now());
        let later = Instant::now() + Duration::from_secs(60);
        assert_eq!(process.waits(later), Duration::ZERO);
        sleeper
            .kill()
            .and_then(|()| sleeper.wait())
            .expect("its end");
        assert_eq!(process.waits(later), Duration::ZERO);
        assert!(process.scheduled(later).is_none());
    }

    #[test]
    fn the_scheduler_is_understood() {
        let expected = Scheduled {
            ran: Duration::from_nanos(12_345),
            queued: Duration::from_nanos(678),
        };
        assert_eq!(parse_scheduled("12345 678 9\n"), Some(expected));
        for text in ["0 0 0\n", "", "1 2", "a b c", "1 -2 3"] {
            assert_eq!(parse_scheduled(text), None, "{text:?}");
        }
    }
}
