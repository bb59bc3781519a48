//! The watch over a wait for a bot: ends it in time, and learns meanwhile how late the host is.
//!
//! While the slot's thread waits it is woken every 10 ms by the timer that would end the wait
//! anyhow; how late it is then is how late the host is. That costs an answer within 10 ms nothing.
//! What the scheduler says of the slot's thread is read only after the first of these wake-ups, and
//! what it says of the bot since the beginning of each wait from the first of them on.
//!
//! Time is that of `Instant`, which stands still while a machine is suspended: a laptop that
//! sleeps in the middle of a turn takes nothing from it. Stopped with Ctrl-Z it does go on.

use super::first_process::{FirstProcess, scheduled};
use crate::referee::{HostDelay, Scheduled};
use std::fs::File;
use std::time::{Duration, Instant};

/// How often a thread that waits is woken to see how late it is.
const TICK: Duration = Duration::from_millis(10);
/// The runtime's timers count whole milliseconds: so much later they may fire on any host.
const TIMER_STEP: Duration = Duration::from_millis(1);
/// A thread that is woken no later than this is woken in time.
const IN_TIME: Duration = Duration::from_millis(2);

/// What watches the waits of one process, one after another.
#[derive(Debug, Default)]
pub(super) struct Watch {
    /// What the scheduler says of the slot's thread, and what it said last.
    thread: Option<File>,
    thread_before: Option<Scheduled>,
    /// The bot's, known since the first wake-up of its first wait that had one.
    player: Option<FirstProcess>,
    /// When the thread is to be woken.
    due: Option<Instant>,
    ticked: bool,
    woken_late: Duration,
    /// At the last wake-up.
    noticed_late: Duration,
    latest: Duration,
}

impl Watch {
    /// To be made on the thread that will wait.
    pub(super) fn new() -> Self {
        let thread = File::open("/proc/thread-self/schedstat").ok();
        Self {
            thread_before: thread.as_ref().and_then(scheduled),
            thread,
            ..Self::default()
        }
    }

    /// A new wait begins.
    pub(super) fn begin(&mut self, now: Instant) {
        self.due = Some(now + TICK);
        self.ticked = false;
        if let Some(player) = &mut self.player {
            player.begin(now);
        }
        self.woken_late = Duration::ZERO;
        self.noticed_late = Duration::ZERO;
        self.latest = Duration::ZERO;
    }

    /// Waits until then. `first` finds the bot's first process. May be dropped and called again.
    pub(super) async fn until(&mut self, end: Instant, first: impl Fn() -> Option<i32>) {
        loop {
            let due = self.due.unwrap_or(end).min(end);
            self.due = Some(due);
            tokio::time::sleep_until(due.into()).await;
            let now = Instant::now();
            self.look(now);
            self.ticked = true;
            self.look_at_player(now, &first);
            if now >= end {
                return;
            }
        }
    }

    /// The thread is awake: how late is it?
    fn look(&mut self, now: Instant) {
        let late = now.saturating_duration_since(self.due.unwrap_or(now));
        self.noticed_late = if late > IN_TIME { late } else { Duration::ZERO };
        self.woken_late += self.noticed_late;
        self.latest = self.latest.max(late.saturating_sub(TIMER_STEP));
        if !late.is_zero() {
            self.due = Some(now + TICK);
        }
    }

    fn look_at_player(&mut self, now: Instant, first: &impl Fn() -> Option<i32>) {
        if let Some(player) = &mut self.player {
            player.look(now);
            return;
        }
        self.player = first().and_then(FirstProcess::of);
        if let Some(player) = &mut self.player {
            player.begin(now);
        }
    }

    /// An answer has come, or nobody waits any longer.
    pub(super) fn end(&mut self, now: Instant) {
        self.look(now);
    }

    /// How late the thread was woken at the latest in this wait, beyond what timers always are.
    pub(super) const fn latest(&self) -> Duration {
        self.latest
    }

    /// All that is known of this wait so far. Reads what the scheduler says.
    pub(super) fn delay(&self) -> HostDelay {
        let thread = self.thread.as_ref().and_then(scheduled);
        let player = self.player.as_ref();
        HostDelay {
            woken_late: self.woken_late,
            noticed_late: self.noticed_late,
            thread: thread
                .zip(self.thread_before)
                .map(|(now, before)| now.since(before)),
            player: player.and_then(|it| it.scheduled(Instant::now())),
            ..HostDelay::default()
        }
    }

    /// What the thread did before is no matter any more.
    pub(super) fn settle(&mut self) {
        self.thread_before = self.thread.as_ref().and_then(scheduled);
    }

    /// Settles after a wait that was long enough to be worth it.
    pub(super) fn settle_if_long(&mut self) {
        if self.ticked {
            self.settle();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn lateness_is_counted_from_when_the_thread_was_to_wake() {
        let start = Instant::now();
        let mut watch = Watch::default();
        watch.begin(start);
        // Within 10 ms nothing is late.
        watch.end(start + ms(9));
        assert_eq!((watch.woken_late, watch.latest), (ms(0), ms(0)));
        // A millisecond is the timer's own, two are in time.
        watch.look(start + ms(12));
        assert_eq!((watch.woken_late, watch.latest), (ms(0), ms(1)));
        // Due at 22.
        watch.look(start + ms(72));
        assert_eq!((watch.woken_late, watch.latest), (ms(50), ms(49)));
        // Due at 82.
        watch.end(start + ms(100));
        assert_eq!((watch.woken_late, watch.latest), (ms(68), ms(49)));
        assert_eq!(watch.noticed_late, ms(18));
        // An answer before the thread is due is not noticed late.
        watch.end(start + ms(105));
        assert_eq!((watch.woken_late, watch.noticed_late), (ms(68), ms(0)));
        // And every wait begins anew.
        watch.begin(start + ms(500));
        watch.end(start + ms(501));
        assert_eq!((watch.woken_late, watch.latest), (ms(0), ms(0)));
    }

    #[test]
    fn a_thread_that_slept_through_its_wait_knows() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap();
        runtime.block_on(async {
            let mut watch = Watch::new();
            let start = Instant::now();
            watch.begin(start);
            // What a stopped referee is to its runtime: a task that does not come back.
            let stalled = async { std::thread::sleep(ms(120)) };
            tokio::join!(watch.until(start + ms(30), || None), stalled);
            assert!(watch.woken_late >= ms(100), "{watch:?}");
            let delay = watch.delay();
            assert_eq!(delay.woken_late, watch.woken_late);
            // It slept; it did not stand in a queue. Where the kernel counts, it says so.
            if let Some(thread) = delay.thread {
                assert!(thread.ran < delay.woken_late, "{delay:?}");
            }
        });
    }
}
